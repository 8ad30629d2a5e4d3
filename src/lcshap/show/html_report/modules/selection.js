// Which samples are listed, and in which order.

import { read } from "./blocks.js";
import { chosenEntry } from "./shown.js";
import { state } from "./state.js";

export const SORTS = {
  order: { title: "order" },
  name: { title: "name" },
  full: { title: "v(V)", column: 2 },
  residual: { title: "|residual|", column: 3, size: true },
  largest: { title: "largest |score|", column: 4 },
  calls: { title: "calls", column: 5 },
};

/** The samples that the search finds, sorted; numbers from the largest down. */
export function selectSamples() {
  const wanted = state.search.trim().toLowerCase();
  const all = Array.from(read("index").samples.keys());
  const order = wanted ? all.filter((i) => haystack(i).includes(wanted)) : all;
  if (state.sort !== "order") order.sort((a, b) => compare(a, b) || a - b);
  return state.reversed ? order.reverse() : order;
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
