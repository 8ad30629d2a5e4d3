// Colours of scores, from the variables of the style sheet.

export const colours = {};

export function readColours() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ["background", "ink", "positive", "negative"]) {
    const text = style.getPropertyValue(`--${name}`).trim();
    colours[name] = [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16));
  }
}

/** The background at zero, the full colour at plus or minus `limit`. */
export function shade(score, limit) {
  const share = isFinite(score) ? Math.min(Math.abs(score) / limit, 1) : 0;
  const end = score > 0 ? colours.positive : colours.negative;
  return colours.background.map((start, k) => Math.round(start + share * (end[k] - start)));
}

export function rgb(colour) {
  return `rgb(${colour.join(", ")})`;
}

/** Black or white, whichever is easier to read on a colour. */
export function inkOn(colour) {
  const linear = colour.map((part) => (part <= 10 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
  const luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
  return (luminance + 0.05) / 0.05 > 1.05 / (luminance + 0.05) ? "black" : "white";
}

/** Background and ink of an element by a score. */
export function paint(element, score, limit) {
  const colour = shade(score, limit);
  element.style.setProperty("background-color", rgb(colour));
  element.style.setProperty("color", inkOn(colour));
}
