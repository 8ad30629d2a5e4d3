// Which samples are listed, and in which order.

import { read } from "./blocks.js";
import { chosenEntry } from "./shown.js";
import { state } from "./state.js";

export const SORTS = {
  order: { title: "order" },
  name: { title: "name" },
  full: { title: "full value", column: 2 },
  residual: { title: "|residual|", column: 3, size: true },
  largest: { title: "largest |score|", column: 4 },
  calls: { title: "calls", column: 5 },
  confidence: { title: "confidence", field: "confidence" },
  loss: { title: "loss", field: "loss" },
};

/** The sorts for which samples have numbers. */
export function possibleSorts() {
  const { samples } = read("index");
  return Object.keys(SORTS).filter((key) => !SORTS[key].field || samples.some((sample) => SORTS[key].field in sample));
}

/** The classes that occur as "label" or "predicted" of samples. */
export function classesOf(field) {
  const classes = read("index").samples.map((sample) => sample[field]).filter((name) => name !== undefined);
  return [...new Set(classes)].sort((a, b) => a.localeCompare(b, undefined, { numeric: true }));
}

/** "right" or "wrong"; empty where the true class or the prediction is not known. */
export function verdictOf({ label, predicted }) {
  if (label === undefined || predicted === undefined) return "";
  return label === predicted ? "right" : "wrong";
}

/** The samples that match the search and the filters, sorted; numbers in descending order. */
export function selectSamples() {
  const query = state.search.trim().toLowerCase();
  const all = Array.from(read("index").samples.keys());
  const word = state.word && wordPattern(state.word);
  const order = all.filter((i) => {
    const sample = read("index").samples[i];
    if (state.label && sample.label !== state.label) return false;
    if (state.predicted && sample.predicted !== state.predicted) return false;
    if (state.verdict && verdictOf(sample) !== state.verdict) return false;
    if (word && !hasUnit(sample, word)) return false;
    return !query || haystack(i).includes(query);
  });
  if (state.sort !== "order") order.sort((a, b) => compare(a, b) || a - b);
  return state.reversed ? order.reverse() : order;
}

/** A word as a whole, in small or large letters. */
export function wordPattern(word) {
  const literal = word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`(?<![\\p{L}\\p{N}])${literal}(?![\\p{L}\\p{N}])`, "iu");
}

export function hasUnit({ text, names }, pattern) {
  return pattern.test(text ?? "") || (text === undefined && read(`pool-${names}`).some((name) => pattern.test(name)));
}

const haystacks = [];

/** All texts of a sample in which a search looks. */
function haystack(i) {
  if (!haystacks[i]) {
    const { name, text, names, entries } = read("index").samples[i];
    const words = names === undefined ? "" : read(`pool-${names}`).join("\n");
    const outputs = entries.map((entry) => entry[1]).join("\n");
    haystacks[i] = [name, text ?? "", words, outputs].join("\n").toLowerCase();
  }
  return haystacks[i];
}

function compare(a, b) {
  const [one, other] = [a, b].map((i) => read("index").samples[i]);
  if (state.sort === "name") return one.name.localeCompare(other.name);
  const { field } = SORTS[state.sort];
  if (field) return (field in other) - (field in one) || other[field] - one[field];
  const [entry, peer] = [one.entries[chosenEntry(a)], other.entries[chosenEntry(b)]];
  if (entry[1] !== peer[1]) return entry[1].localeCompare(peer[1]); // numbers of different classes are not compared
  const [x, y] = [sortValue(entry), sortValue(peer)];
  return isNaN(x) - isNaN(y) || y - x;
}

/** The number that samples are sorted by, of the method and output that would be shown. */
function sortValue(entry) {
  const { column, size } = SORTS[state.sort];
  const number = Number(entry[column]);
  return size ? Math.abs(number) : number;
}
