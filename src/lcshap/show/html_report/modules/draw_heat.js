// Several outputs at once, such as classes or the tokens of an answer: a row for each output, a column for each unit.

import { rgb, shade } from "./colours.js";
import { makeSvg } from "./elements.js";
import { clip } from "./numbers.js";

export const MOST_COLUMNS = 60;
const CELL = { least: 13, most: 26, height: 20 };
const LETTER = 7.2; // about the width of a letter, in pixels
const LONGEST = 22; // letters of a name

/** The units with the largest scores for any output, in the order of the input. */
export function heatColumns(rows, most = MOST_COLUMNS) {
  const sizes = rows[0].scores.map((_, unit) => Math.max(...rows.map(({ scores }) => Math.abs(scores[unit]) || 0)));
  const order = Array.from(sizes.keys()).sort((a, b) => sizes[b] - sizes[a] || a - b);
  return order.slice(0, most).sort((a, b) => a - b);
}

/**
 * The table as a picture. `rows` have a `name` and `scores`, `names` are those of the units, `limit` is the score of
 * the full colour, `chosen` the row that stands out. Cells have `data-output` (their row) and `data-unit`.
 */
export function drawHeat({ rows, names, limit, chosen, width, label }) {
  const columns = heatColumns(rows);
  const left = 12 + LETTER * Math.max(...rows.map(({ name }) => Math.min(name.length, LONGEST)));
  const top = 12 + LETTER * Math.max(...columns.map((unit) => Math.min(names[unit].length, LONGEST)));
  const cell = Math.max(CELL.least, Math.min(CELL.most, (width - left - 4) / columns.length));
  const size = { width: left + cell * columns.length + 4, height: top + CELL.height * rows.length + 4 };
  const svg = makeSvg("svg", { ...size, class: "heat", role: "img", "aria-label": label });
  columns.forEach((unit, k) => {
    const place = { transform: `translate(${left + (k + 0.5) * cell + 4}, ${top - 6}) rotate(-90)` };
    svg.append(makeSvg("text", place, clip(names[unit], LONGEST)));
  });
  rows.forEach(({ name, scores }, row) => {
    const y = top + row * CELL.height;
    const strong = row === chosen ? "strong" : "";
    const text = { x: left - 6, y: y + 14, "text-anchor": "end", class: strong, "data-output": row };
    svg.append(makeSvg("text", text, clip(name, LONGEST)));
    columns.forEach((unit, k) => {
      const data = { "data-output": row, "data-unit": unit };
      const rect = makeSvg("rect", { x: left + k * cell, y, width: cell, height: CELL.height, ...data });
      rect.style.setProperty("fill", rgb(shade(scores[unit], limit)));
      svg.append(rect);
    });
    if (strong) svg.append(makeSvg("rect", { ...frameOf(left, y, cell * columns.length), class: "frame" }));
  });
  return svg;
}

function frameOf(x, y, width) {
  return { x, y: y + 1, width, height: CELL.height - 2 };
}
