// Units of an entry: their names, scores and orders.

import { drawnOf, labelsOf, orderOf, read, spansOf, unpack } from "./blocks.js";

/** Names and scores of the units of an entry, the order in which they are masked, and that in which they are named. */
export function unitsOf(listed, picture, entry) {
  const names =
    "names" in listed
      ? read(`pool-${listed.names}`)
      : numbered(spansOf(picture.spans).map(([start, end]) => listed.text.slice(start, end)));
  const scores = unpack(entry.scores);
  const ranking = orderOf(entry.ranking, byScore(scores));
  const leading = orderOf(entry.leading, bySize(scores));
  const stderr = entry.stderr && unpack(entry.stderr);
  return withRanks({ names, scores, ranking, leading, stderr, drawn: drawnOf(scores, entry.faint) });
}

/** Names with a number where one comes more than once. */
function numbered(names) {
  const [times, seen] = [new Map(), new Map()];
  const add = (counts, name) => counts.set(name, (counts.get(name) ?? 0) + 1).get(name);
  for (const name of names) add(times, name);
  return names.map((name) => (times.get(name) > 1 ? `${name} (${add(seen, name)})` : name));
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
  const ranking = byScore(scores);
  const names = sentences.map(([start, end]) => listed.text.slice(start, end));
  return withRanks({ names, scores, ranking, leading: bySize(scores), groups, drawn: scores });
}

function withRanks(units) {
  units.ranks = new Int32Array(units.scores.length);
  units.leading.forEach((unit, rank) => (units.ranks[unit] = rank + 1));
  units.limit = Math.abs(units.scores[bySize(units.scores).find((unit) => isFinite(units.scores[unit]))]) || 1;
  return units;
}

/** How scores can be written: as they are, in percent of the sum of all sizes, or of the largest. */
export const SCALES = { score: "scores", share: "% of all |scores|", largest: "% of the largest" };

/**
 * The same units on another scale. Those below a threshold, in percent of the largest score, lose their colour.
 * `fullColourScore` is the score of the full colour, if it is not that of the largest unit.
 */
export function normalised(units, scale, threshold, fullColourScore) {
  const sizes = Array.from(units.scores, (score) => (isFinite(score) ? Math.abs(score) : 0));
  const whole = { share: sizes.reduce((sum, size) => sum + size, 0), largest: units.limit }[scale];
  const factor = whole ? 100 / whole : 1;
  const times = (numbers) => numbers && Float64Array.from(numbers, (number) => number * factor);
  const minSize = (threshold / 100) * units.limit;
  const drawn = Float64Array.from(units.drawn, (score, unit) => (sizes[unit] < minSize ? 0 : score * factor));
  const limit = factor * (fullColourScore ?? units.limit);
  const hidden = sizes.filter((size) => size < minSize).length;
  return { ...units, scores: times(units.scores), stderr: times(units.stderr), drawn, limit, factor, hidden };
}

/** The pairs of units that interact, with what a table needs; those whose interval includes zero are drawn faint. */
export function interactionsOf(entry, units) {
  const scores = unpack(entry.interactions);
  const stderr = entry.pair_stderr && unpack(entry.pair_stderr);
  const drawn = drawnOf(scores, entry.pair_faint);
  return { pairs: spansOf(entry.pairs), scores, stderr, drawn, limit: largestOf(scores, units) };
}

/** What the widest arc stands for; next to the scores, rounding errors count for nothing. */
function largestOf(interactions, units) {
  return interactions.reduce((largest, value) => Math.max(largest, Math.abs(value)), 1e-6 * units.limit);
}

/** Units by descending score. */
function byScore(scores) {
  return Array.from(scores.keys()).sort((a, b) => scores[b] - scores[a] || a - b);
}

/** Units by descending |score|. */
export function bySize(scores) {
  return Array.from(scores.keys()).sort((a, b) => Math.abs(scores[b]) - Math.abs(scores[a]) || a - b);
}
