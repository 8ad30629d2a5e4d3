// Units of an entry: their names, scores and orders.

import { labelsOf, read, spansOf, unpack } from "./blocks.js";

/** Names and scores of the units of an entry, the order in which they are masked, and that in which they are named. */
export function unitsOf(listed, picture, entry) {
  const names =
    "names" in listed
      ? read(`pool-${listed.names}`)
      : spansOf(picture.spans).map(([start, end]) => listed.text.slice(start, end));
  const [scores, ranking] = [entry.scores, entry.ranking].map(unpack);
  const leading = entry.leading ? unpack(entry.leading) : bySize(scores);
  const [stderr, drawn] = [entry.stderr, entry.drawn].map((part) => part && unpack(part));
  return withRanks({ names, scores, ranking, leading, stderr, drawn: drawn ?? scores });
}

/** The same for sentences: scores added up. `groups` is the sentence of each unit. */
export function sentencesOf(listed, picture, units) {
  const sentences = spansOf(picture.sentences);
  const groups = new Int32Array(units.scores.length);
  const labels = labelsOf(picture, groups.length);
  spansOf(picture.spans).forEach(([start], part) => {
    if (labels[part] >= 0) groups[labels[part]] = sentences.findIndex(([, end]) => start < end);
  });
  const scores = new Float64Array(sentences.length);
  units.scores.forEach((score, unit) => (scores[groups[unit]] += score));
  const ranking = Array.from(scores.keys()).sort((a, b) => scores[b] - scores[a] || a - b);
  const names = sentences.map(([start, end]) => listed.text.slice(start, end));
  return withRanks({ names, scores, ranking, leading: bySize(scores), groups, drawn: scores });
}

function withRanks(units) {
  units.ranks = new Int32Array(units.scores.length);
  units.leading.forEach((unit, rank) => (units.ranks[unit] = rank + 1));
  units.limit = Math.abs(units.scores[bySize(units.scores).find((unit) => isFinite(units.scores[unit]))]) || 1;
  return units;
}

/** What the widest arc stands for; next to the scores, rounding errors count for nothing. */
export function largestOf(interactions, units) {
  return interactions.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-6 * units.limit);
}

/** Units by descending |score|. */
export function bySize(scores) {
  return Array.from(scores.keys()).sort((a, b) => Math.abs(scores[b]) - Math.abs(scores[a]) || a - b);
}
