// The view in the address of the page: what differs from the start, so that a link restores it.

import { read } from "./blocks.js";
import { possibleSorts } from "./selection.js";
import { DEFAULTS, redraw, state } from "./state.js";
import { SCALES } from "./units.js";

let start; // the state of a page that nobody has touched

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

/** The parts of the state that a link names; whatever else stands there, or does not fit this page, is left out. */
function parseLink(hash) {
  const found = {};
  for (const [name, text] of new URLSearchParams(hash.slice(1))) {
    if (!Object.hasOwn(DEFAULTS, name)) continue;
    const kind = typeof DEFAULTS[name];
    const value = { number: Number(text), boolean: text === "true", string: text }[kind];
    if (kind !== "number" || Number.isFinite(value)) found[name] = value;
  }
  if (!read("index").samples[found.sample]) delete found.sample;
  const known = {
    view: ["sample", "all"],
    kept: [keptText(found.kept)],
    sort: possibleSorts(),
    scale: Object.keys(SCALES),
    step: [Math.max(0, Math.floor(found.step))],
  };
  for (const [name, values] of Object.entries(known))
    if (name in found && !values.includes(found[name])) delete found[name];
  return found;
}

/** What may stand in a link as the explanation that is kept: a list in JSON. */
function keptText(text) {
  try {
    return Array.isArray(JSON.parse(text)) ? text : "";
  } catch {
    return "";
  }
}
