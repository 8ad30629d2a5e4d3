// What is shown as a file: PNG and SVG of the picture, CSV and JSON of the numbers.

import { read } from "./blocks.js";
import { colours, rgb } from "./colours.js";
import { byId, make } from "./elements.js";
import { list } from "./list.js";
import { outputRows } from "./outputs_panel.js";
import { verdictOf } from "./selection.js";
import { chosenEntry, shown } from "./shown.js";
import { state } from "./state.js";
import { toSvg } from "./to_svg.js";

const FORMATS = { PNG: savePng, SVG: saveSvg, CSV: saveCsv, JSON: saveJson };

export function startExport() {
  for (const [name, save] of Object.entries(FORMATS)) {
    const button = make("button", { type: "button", "aria-label": `Save as ${name}` }, name);
    button.onclick = save;
    byId("export").append(button);
  }
}

function drawing() {
  const ids = state.view === "all" ? ["dataset"] : ["lead", "picture", "legend", "outputs", "kept"];
  return toSvg(ids.map(byId).filter((element) => !element.hidden && element.offsetHeight), rgb(colours.background));
}

function saveSvg() {
  save("svg", "image/svg+xml", new XMLSerializer().serializeToString(drawing()));
}

/** The same drawing in pixels, two for each of the page. */
async function savePng() {
  const svg = drawing();
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(svg))}`;
  await image.decode();
  const [width, height] = ["width", "height"].map((name) => 2 * Number(svg.getAttribute(name)));
  const canvas = make("canvas", { width, height });
  canvas.getContext("2d").drawImage(image, 0, 0, width, height);
  canvas.toBlob((blob) => saveBlob("png", blob));
}

function saveCsv() {
  const rows = state.view === "all" ? sampleRows() : unitRows();
  const cell = (value) => (/[",\n\r]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);
  const lines = rows.map((row) => row.map((value) => cell(safeCell(value ?? ""))).join(","));
  const byteOrderMark = "\ufeff"; // It tells spreadsheets that the file is UTF-8.
  save("csv", "text/csv", `${byteOrderMark}${lines.join("\r\n")}\r\n`);
}

/** A text that a spreadsheet would take for a formula gets an apostrophe before it. */
function safeCell(value) {
  return typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
}

function saveJson() {
  const { samples } = read("index");
  const [head, ...rows] = state.view === "all" ? sampleRows() : unitRows();
  const records = rows.map((row) => Object.fromEntries(head.map((name, k) => [name, row[k]])));
  const { entries, names, text, kind, ...sample } = samples[state.sample];
  const about = { ...sample, text, method: shown.method, output: shown.output, scale: state.scale };
  const values = { base: shown.entry.base, full: shown.entry.full, residual: shown.entry.residual };
  const content = state.view === "all" ? { samples: records } : { ...about, ...values, units: records };
  save("json", "application/json", JSON.stringify(content, null, 1));
}

/** A row for each unit, on the scale that is chosen; with all outputs, a column for each. */
function unitRows() {
  const { units } = shown;
  const outputs = state.outputs ? outputRows() : [];
  const several = outputs.length > 1;
  const heads = several ? outputs.map(({ name }) => name) : ["score", ...(units.stderr ? ["stderr"] : []), "rank"];
  const rows = units.names.map((name, k) => {
    if (several) return [name, ...outputs.map(({ scores }) => scores[k])];
    return [name, units.scores[k], ...(units.stderr ? [units.stderr[k]] : []), units.ranks[k]];
  });
  return [["unit", ...heads], ...rows];
}

/** A row for each sample of the list. */
function sampleRows() {
  const { samples, methods } = read("index");
  const head = ["sample", "name", "label", "predicted", "verdict", "confidence", "loss", "method", "output"];
  const rows = list.order.map((i) => {
    const { name, label, predicted, confidence, loss, entries } = samples[i];
    const [method, output, ...numbers] = entries[chosenEntry(i)];
    const truth = [label, predicted, verdictOf(samples[i]) || undefined, confidence, loss];
    return [i, name, ...truth, methods[method], output, ...numbers];
  });
  return [[...head, "full", "residual", "largest", "calls"], ...rows];
}

function save(ending, type, text) {
  saveBlob(ending, new Blob([text], { type }));
}

function saveBlob(ending, blob) {
  const address = URL.createObjectURL(blob);
  const name = state.view === "all" ? "data-set" : `sample-${state.sample + 1}`;
  make("a", { href: address, download: `${name}.${ending}` }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
