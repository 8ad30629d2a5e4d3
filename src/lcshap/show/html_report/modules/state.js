// What the reader has chosen, and the functions that are called when it changes.

import { has } from "./blocks.js";

export const DEFAULTS = {
  sample: 0, // its place in the index
  method: "", // by name; a sample that lacks it shows its first
  output: "",
  step: 0, // of the slider that masks units
  interactions: false,
  sentences: false, // sentences instead of words
  outputs: false, // all of them at once
  all: false, // all units in the table instead of a few
  sort: "order",
  reversed: false,
  search: "",
  word: "", // a unit that samples must have
  label: "", // the true class of the samples that are listed; all if empty
  predicted: "",
  verdict: "", // "right" or "wrong"
  view: "sample", // or "all", the data set
  scale: "score", // how scores are written: see normalised() of units.js
  threshold: 0, // units below this percentage of the largest score are not coloured
  alike: false, // one scale of colours for all samples
  pin: -1, // the unit whose details are shown
  kept: "", // the sample, method and output beside which others are compared, as JSON
};

export const state = { ...DEFAULTS };

const watchers = [];

/** Call `render` whenever one of the named parts of the state changes. Functions are called in this order. */
export function watch(names, render) {
  watchers.push([names.split(" "), render]);
}

/** Change parts of the state. */
export function update(changes) {
  const changed = Object.keys(changes).filter((name) => state[name] !== changes[name]);
  Object.assign(state, changes);
  for (const [names, render] of watchers) if (names.some((name) => changed.includes(name))) render();
}

/** Change parts of the state, and draw everything. */
export function redraw(changes = {}) {
  Object.assign(state, changes);
  for (const [, render] of watchers) render();
}

/** Whether a sample can be shown. A large page can be used while the browser is still loading it. */
export function isLoaded(sample) {
  return has(`sample-${sample}`);
}

let awaited; // the sample that is shown as soon as it is loaded

/** Show another sample. What was chosen within the previous one is reset. */
export function openSample(sample) {
  awaited = isLoaded(sample) ? undefined : sample;
  if (awaited !== undefined) return;
  update({ sample, step: 0, all: false, pin: -1, view: "sample" });
}

/** Show the awaited sample when the whole page is loaded. */
export function openAwaited() {
  if (awaited !== undefined) openSample(awaited);
}
