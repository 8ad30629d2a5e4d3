// Tables: the row of a table with its scores, bars of units, and the cells that other tables are made of.

import { labelsOf, read } from "./blocks.js";
import { ofElements, unitData } from "./element_picture.js";
import { make } from "./elements.js";
import { errorOf, format } from "./numbers.js";
import { bySize } from "./units.js";

export function drawTable(picture, box, { units }) {
  const columns = read(`pool-${picture.columns}`);
  const labels = labelsOf(picture, columns.length);
  const rows = columns.map((name, i) => {
    const unit = labels[i];
    const value = picture.values[i];
    const valueText = typeof value === "string" ? value : format(value);
    const cells = [make("th", { scope: "row" }, name), make("td", { class: "number" }, valueText)];
    const score = unit < 0 ? [make("td", { class: "number" }, "–"), make("td")] : scoreCells(units, unit);
    return make("tr", unitData(unit), ...cells, ...score);
  });
  box.append(makeTable("Columns, values and scores", ["Column", "Value", "Score", ""], rows));
  return ofElements(box);
}

const MOST_BARS = 200;

export function drawBars(picture, box, { units }) {
  const all = Array.from(units.scores.keys());
  const listed = all.length > MOST_BARS ? bySize(units.scores).slice(0, MOST_BARS) : all;
  const rows = listed.map((unit) => {
    const name = make("th", { scope: "row" }, units.names[unit]);
    return make("tr", unitData(unit), name, ...scoreCells(units, unit));
  });
  box.append(makeTable("Units and scores", ["Unit", "Score", ""], rows));
  const note = `The ${listed.length} largest of ${all.length}.`;
  if (listed.length < all.length) box.append(make("p", { class: "note" }, note));
  return ofElements(box);
}

export function makeTable(caption, titles, rows) {
  const head = titles.map((title) => (title ? make("th", { scope: "col" }, title) : make("td")));
  return make(
    "table",
    {},
    make("caption", { class: "unseen" }, caption),
    make("thead", {}, make("tr", {}, ...head)),
    make("tbody", {}, ...rows),
  );
}

/** A score as a number and as a bar from the middle. */
export function scoreCells(units, unit) {
  const score = units.scores[unit];
  const bar = make("i", { class: score > 0 ? "positive" : score < 0 ? "negative" : "" }); // zero has no side
  const share = isFinite(score) ? (50 * Math.abs(score)) / units.limit : 0;
  bar.style.setProperty("width", `${share}%`);
  if (units.drawn && units.drawn[unit] !== score) bar.style.setProperty("opacity", String(units.drawn[unit] / score));
  bar.style.setProperty("left", `${score > 0 ? 50 : 50 - share}%`);
  return [
    make("td", { class: "number" }, format(score, 4, true) + errorOf(units, unit)),
    make("td", { class: "bar", "aria-hidden": "true" }, make("div", {}, bar)),
  ];
}
