// The address of the page has the parts of the state that differ from the start, so that a link restores the view.

import { read } from "./blocks.js";
import { possibleSorts } from "./selection.js";
import { DEFAULTS, redraw, state } from "./state.js";
import { SCALES } from "./units.js";

let start; // the state when the page was opened

export function startLinks() {
  start = { ...DEFAULTS, ...state };
  addEventListener("hashchange", () => redraw({ ...start, ...parseLink(location.hash) }));
  Object.assign(state, parseLink(location.hash));
}

export function writeLink() {
  const changed = Object.keys(DEFAULTS).filter((name) => state[name] !== start[name]);
  const hash = new URLSearchParams(changed.map((name) => [name, String(state[name])])).toString();
  if (location.hash.slice(1) !== hash) history.replaceState(null, "", `#${hash}`);
}

/** The parts of the state in a link. Unknown parts, and values that do not fit this page, are ignored. */
function parseLink(hash) {
  const parsed = {};
  for (const [name, text] of new URLSearchParams(hash.slice(1))) {
    if (!Object.hasOwn(DEFAULTS, name)) continue;
    const kind = typeof DEFAULTS[name];
    const value = { number: Number(text), boolean: text === "true", string: text }[kind];
    if (kind !== "number" || Number.isFinite(value)) parsed[name] = value;
  }
  if (!read("index").samples[parsed.sample]) delete parsed.sample;
  const allowed = {
    view: ["sample", "all"],
    kept: [keptText(parsed.kept)],
    sort: possibleSorts(),
    scale: Object.keys(SCALES),
    step: [Math.max(0, Math.floor(parsed.step))],
  };
  for (const [name, values] of Object.entries(allowed))
    if (name in parsed && !values.includes(parsed[name])) delete parsed[name];
  return parsed;
}

/** The kept explanation in a link, if it is a list in JSON; otherwise empty. */
function keptText(text) {
  try {
    return Array.isArray(JSON.parse(text)) ? text : "";
  } catch {
    return "";
  }
}
