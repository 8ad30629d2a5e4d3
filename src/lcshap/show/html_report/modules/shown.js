// What is on the page: a sample, one of its entries (a method and an output), its units and the stops of the slider.

import { read } from "./blocks.js";
import { state } from "./state.js";
import { normalised, sentencesOf, unitsOf } from "./units.js";

export const shown = {};

/** Which entry of a sample suits the chosen method and output best. */
export function chosenEntry(i) {
  const { methods, samples } = read("index");
  const { entries, open = 0 } = samples[i];
  const chosenOutput = state.output || entries[open][1];
  const fits = entries.map(([method, output]) => 2 * (methods[method] === state.method) + (output === chosenOutput));
  return fits.indexOf(Math.max(...fits));
}

/** Everything that is drawn of one entry of one sample. */
export function contentOf(i, number) {
  const listed = read("index").samples[i];
  const { picture, entries } = read(`sample-${i}`);
  const [method, output] = listed.entries[number];
  const entry = entries[number];
  const words = unitsOf(listed, picture, entry);
  const bySentence = state.sentences && "sentences" in picture;
  const plain = bySentence ? sentencesOf(listed, picture, words) : words;
  const fullColourScore = state.alike && !bySentence ? largestOfAll(output) : undefined;
  const changed = state.scale !== "score" || state.threshold > 0 || fullColourScore;
  const units = changed ? normalised(plain, state.scale, state.threshold, fullColourScore) : plain;
  const steps = stepsOf(entry, words.scores.length);
  const arcs = state.interactions && !bySentence && "pairs" in entry;
  const chosen = { number, entry, method: read("index").methods[method], output };
  return { listed, entries, packed: picture, ...chosen, words, units, bySentence, steps, arcs };
}

/** The largest score of all samples for an output. */
function largestOfAll(output) {
  const entries = read("index").samples.flatMap((sample) => sample.entries.filter((entry) => entry[1] === output));
  return entries.reduce((largest, entry) => Math.max(largest, Number(entry[4]) || 0), 0) || undefined;
}

export function findShown() {
  Object.assign(shown, contentOf(state.sample, chosenEntry(state.sample)));
  state.step = Math.min(state.step, shown.steps.counts.length - 1);
}

/** The number of the shown output among those that its column explains, such as all classes of a table. */
export function outputNumber() {
  const { entries } = shown.listed;
  return shown.number - entries.findIndex(([method]) => method === entries[shown.number][0]);
}

/** The stops of the slider: distinct numbers of units, from the masking curve if there is one. */
function stepsOf(entry, count) {
  const stops = Math.min(count, count > 40 ? 20 : count);
  const evenly = Array.from({ length: stops + 1 }, (_, k) => Math.round((k * count) / stops));
  const steps = entry.curve ? { ...read(`pool-${entry.curve.said}`), values: entry.curve.values } : { counts: evenly };
  const distinct = steps.counts.map((_, k) => k).filter((k) => !k || steps.counts[k] > steps.counts[k - 1]);
  const counts = distinct.map((k) => steps.counts[k]);
  const percents = counts.map((masked) => (100 * masked) / count);
  return { ...steps, counts, percents, values: steps.values && distinct.map((k) => steps.values[k]) };
}
