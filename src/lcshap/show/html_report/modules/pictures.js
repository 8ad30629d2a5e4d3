// All pictures of inputs, by kind. Each function takes the packed picture, the element to draw in, and the content:
// `listed` (the sample in the index), `entry` (one method and output), `units` (see units.js), `label` (the text for
// screen readers), and of texts `bySentence` and `arcs`. It reads nothing else, and returns three functions:
// unitAt(event), mark(unit, reveal) (outlines a unit and returns its element; -1 for none) and mask(masked).

import { drawBytes } from "./draw_bytes.js";
import { drawImage } from "./draw_image.js";
import { drawMolecule } from "./draw_molecule.js";
import { drawSeries } from "./draw_series.js";
import { drawBars, drawTable } from "./draw_table.js";
import { drawText } from "./draw_text.js";

export const PICTURES = {
  text: drawText,
  image: drawImage,
  series: drawSeries,
  bytes: drawBytes,
  table: drawTable,
  molecule: drawMolecule,
  bars: drawBars,
};
