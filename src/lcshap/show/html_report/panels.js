// -- beside the picture: numbers, the largest units, interactions, the masking curve, the settings --------------

function showFacts() {
  const { entry, words } = shown;
  const facts = [["method", shown.method], ...entry.facts, ["units", String(words.scores.length)]];
  const items = facts
    .filter(([, value]) => value)
    .map(([name, value]) => {
      const wide = name === "method" || name === "explains";
      return make("div", { class: wide ? "wide" : "" }, make("dt", {}, name), make("dd", { "data-fact": name }, value));
    });
  byId("facts").replaceChildren(...items);
}

/** What the model says and why in one sentence, whether a path changed it, and what a large residual means. */
function showSentences() {
  showSentence("lead", shown.entry.lead ?? []);
  showSentence("flip", shown.entry.flip ?? []);
  byId("note").hidden = !shown.entry.note;
  byId("note").textContent = shown.entry.note ?? "";
}

/** Every second part of a sentence is a name. */
function showSentence(id, parts) {
  byId(id).hidden = !parts.length;
  byId(id).replaceChildren(...parts.map((part, k) => (k % 2 ? make("em", { dir: "auto" }, part) : part)));
}

const FEW_UNITS = 12;
const MANY_UNITS = 1000;

function showTop() {
  const { units } = shown;
  const count = units.scores.length;
  const order = units.leading.slice(0, state.all ? MANY_UNITS : FEW_UNITS);
  const rows = Array.from(order).map((unit) => {
    const name = make("th", { scope: "row", dir: "auto" }, clip(units.names[unit], 80));
    const rank = make("td", { class: "number" }, String(units.ranks[unit]));
    const row = make("tr", {}, rank, name, ...scoreCells(units, unit));
    row.onpointerenter = () => shown.picture.mark(unit);
    row.onpointerleave = () => shown.picture.mark(-1);
    return row;
  });
  const title = make("h3", {}, shown.bySentence ? "Sentences by |score|" : "Units by |score|");
  const parts = [title, makeTable("Units by the size of their scores", ["Rank", "Unit", "Score", ""], rows)];
  if (count > FEW_UNITS) {
    const most = Math.min(count, MANY_UNITS);
    const more = most < count ? `Show the first ${most}` : `Show all ${count}`;
    const button = make("button", { type: "button" }, state.all ? "Show fewer" : more);
    button.onclick = () => {
      state.all = !state.all;
      showTop();
      byId("top").querySelector("button").focus();
    };
    parts.push(button);
  }
  byId("top").replaceChildren(...parts);
}

function showInteractions() {
  const { entry, words, bySentence } = shown;
  const box = byId("interactions");
  box.hidden = !state.interactions || bySentence || !("pairs" in entry);
  if (box.hidden) return box.replaceChildren();
  const values = unpack(entry.interactions);
  const pairs = spansOf(entry.pairs);
  const limit = largestOf(values, words);
  const rows = bySize(values)
    .slice(0, FEW_UNITS)
    .map((k) => {
      const [one, other] = pairs[k].map((unit) => clip(words.names[unit], 40));
      const name = make("th", { scope: "row", dir: "auto" }, `${one} + ${other}`);
      return make("tr", {}, name, ...scoreCells({ scores: values, limit }, k));
    });
  box.replaceChildren(make("h3", {}, "Interactions"), makeTable("Largest interactions", ["Pair", "Value", ""], rows));
}

// -- the masking curve ------------------------------------------------------------------------------------------

const PLOT = { width: 340, height: 170, left: 56, right: 24, top: 12, bottom: 30 };

function showCurve() {
  const { percents, values, what, note } = shown.steps;
  const box = byId("curve");
  const none = "No masking curve: Explainer(..., curve=True) makes one.";
  if (!values) return box.replaceChildren(make("p", { class: "note" }, none));
  const x = (percent) => PLOT.left + (percent / 100) * (PLOT.width - PLOT.left - PLOT.right);
  const y = scaleOf(values.map(Number), PLOT.top, PLOT.height - PLOT.top - PLOT.bottom);
  const points = percents.map((percent, k) => [x(percent), y(Number(values[k]))]);
  const [first, last] = [values[0], values[values.length - 1]].map((value) => curveValue(value));
  const end = format(percents[percents.length - 1]);
  const label = `Masking curve: ${what} from ${first} with nothing masked to ${last} at ${end} %`;
  const svg = makeSvg("svg", { viewBox: `0 0 ${PLOT.width} ${PLOT.height}`, role: "img", "aria-label": label });
  const bottom = PLOT.height - PLOT.bottom;
  svg.append(
    makeSvg("path", { class: "axis", d: `M${PLOT.left},${PLOT.top} V${bottom} H${PLOT.width - PLOT.right}` }),
    ...[0, 50, 100].map((p) => makeSvg("text", { x: x(p), y: bottom + 16, "text-anchor": "middle" }, `${p} %`)),
    ...valueTicks(values, y),
    makeSvg("polyline", { points: points.map((point) => point.join(",")).join(" ") }),
    ...points.map(([cx, cy]) => makeSvg("circle", { cx, cy, r: 2.5 })),
    makeSvg("circle", { cx: points[state.step][0], cy: points[state.step][1], r: 6, class: "now" }),
  );
  box.replaceChildren(make("h3", {}, "Masking curve"), svg, make("p", { class: "note" }, note));
}

function valueTicks(values, y) {
  const finite = values.map(Number).filter(isFinite);
  if (!finite.length) return [];
  const ends = [...new Set([Math.min(...finite), Math.max(...finite)])];
  const place = (value) => ({ x: PLOT.left - 6, y: y(value) + 4, "text-anchor": "end" });
  return ends.map((value) => makeSvg("text", place(value), curveValue(value)));
}

/** A value of the masking curve: a probability in percent, or a number. */
function curveValue(value, digits = 3) {
  if (!shown.steps.chances) return format(value, digits);
  const percent = 100 * value;
  return `${percent > 1 && percent < 99 ? percent.toFixed(1) : format(percent, 3)} %`;
}

// -- settings ---------------------------------------------------------------------------------------------------

function showSettings() {
  const rows = shown.entry.settings.map(([name, value]) =>
    make("tr", {}, make("th", { scope: "row" }, name.replaceAll("_", " ")), make("td", {}, value)),
  );
  byId("made").replaceChildren(makeTable("Settings", ["Setting", "Value"], rows));
  byId("python").textContent = shown.entry.python;
  byId("copied").textContent = "";
}

function startSettings() {
  byId("copy").onclick = async () => {
    const range = document.createRange();
    range.selectNodeContents(byId("python"));
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    try {
      await navigator.clipboard.writeText(byId("python").textContent);
      byId("copied").textContent = "Copied";
    } catch {
      byId("copied").textContent = document.execCommand("copy") ? "Copied" : "Selected: copy it with the keyboard";
    }
  };
}
