// How numbers and names are written.

/** A number with at most `digits` significant digits and the minus sign (−). */
export function format(number, digits = 6, sign = false) {
  const rounded = Number(Number(number).toPrecision(digits));
  const tiny = rounded !== 0 && Math.abs(rounded) < 1e-4;
  const plain = tiny ? rounded.toExponential() : String(rounded);
  const text = plain.replaceAll("-", "−").replace("Infinity", "∞");
  return sign && rounded > 0 ? `+${text}` : text;
}

/** A probability in percent. */
export function percentOf(share) {
  const percent = 100 * share;
  return `${percent > 1 && percent < 99 ? percent.toFixed(1) : format(percent, 3)} %`;
}

/** The standard error of a score, where there is one. */
export function errorOf(units, unit) {
  return isFinite(units.stderr?.[unit]) ? ` ± ${format(units.stderr[unit], 2)}` : "";
}

export function describe(units, unit) {
  const error = errorOf(units, unit);
  const rank = `rank ${units.ranks[unit]} of ${units.scores.length}`;
  return `${clip(units.names[unit], 60)}: ${format(units.scores[unit], 6, true)}${error}, ${rank}`;
}

/** A number with its noun: "1 sample", "2,000 samples". */
export function counted(number, noun) {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}

export function clip(text, length) {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}
