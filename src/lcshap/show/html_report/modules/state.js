// What the reader of the page has chosen, and who is told when it changes.

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

/** Call `render` whenever one of some parts of the state changes; in the order in which this was said. */
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

/** Whether a sample can be shown: a large page is used while the browser still reads the rest of it. */
export function isHere(sample) {
  return has(`sample-${sample}`);
}

let awaited; // the sample that is shown as soon as it is here

/** Another sample: what was chosen within the one before does not hold for it. */
export function openSample(sample) {
  awaited = isHere(sample) ? undefined : sample;
  if (awaited !== undefined) return;
  update({ sample, step: 0, all: false, pin: -1, view: "sample" });
}

/** The whole page has been read: show the sample that was waited for. */
export function openAwaited() {
  if (awaited !== undefined) openSample(awaited);
}
