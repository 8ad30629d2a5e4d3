// The bytes of a file as a hex dump, of which only the visible rows exist.

import { labelsOf, spansOf, unpack } from "./blocks.js";
import { paint } from "./colours.js";
import { ofElements } from "./element_picture.js";
import { make } from "./elements.js";
import { WindowedRows } from "./windowed_rows.js";

export function drawBytes(picture, box, { units }) {
  const bytes = unpack(picture.bytes);
  const spans = spansOf(picture.spans);
  const labels = labelsOf(picture, spans.length);
  const owners = new Int32Array(bytes.length).fill(-1);
  spans.forEach(([start, end], part) => owners.fill(labels[part], start, end));
  const width = box.clientWidth < 560 ? 8 : 16;
  const now = { masked: new Uint8Array(units.scores.length), marked: -1 };
  const dump = make("div", { class: "dump", tabindex: 0, role: "group", "aria-label": "The bytes, in rows" });
  box.append(dump);
  const rows = new WindowedRows(dump, 24, (row) => makeDumpRow(bytes, owners, row * width, width, units, now));
  rows.show(Math.ceil(bytes.length / width));
  return {
    ...ofElements(box),
    mark: (unit, reveal) => {
      now.marked = unit;
      const first = owners.indexOf(unit);
      if (reveal && first >= 0) rows.reveal(Math.floor(first / width));
      else rows.refresh();
      return dump.querySelector(".marked") ?? undefined;
    },
    mask: (masked) => {
      now.masked = masked;
      rows.refresh();
    },
  };
}

function makeDumpRow(bytes, owners, start, width, units, now) {
  const row = make("div", { class: "line" }, make("span", { class: "offset" }, start.toString(16).padStart(6, "0")));
  const letters = make("span", { class: "letters" });
  for (let at = start; at < start + width; at++) {
    const unit = at < bytes.length ? owners[at] : -1;
    const masked = unit >= 0 && now.masked[unit];
    const code = at >= bytes.length ? "  " : masked ? "··" : bytes[at].toString(16).padStart(2, "0");
    const printable = bytes[at] > 32 && bytes[at] < 127;
    const cells = [
      make("span", { class: "byte" }, code),
      make("span", {}, at >= bytes.length ? " " : masked || !printable ? "·" : String.fromCharCode(bytes[at])),
    ];
    for (const cell of unit >= 0 ? cells : []) {
      cell.dataset.unit = unit;
      cell.classList.toggle("masked", masked === 1);
      cell.classList.toggle("marked", unit === now.marked);
      paint(cell, units.drawn[unit], units.limit);
    }
    row.append(cells[0]);
    letters.append(cells[1]);
  }
  row.append(letters);
  return row;
}
