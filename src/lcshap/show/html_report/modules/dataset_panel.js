// The data set: how often the model is right, the confusion matrix, and the units that lead in each class.

import { read } from "./blocks.js";
import { rgb, shade, inkOn } from "./colours.js";
import { makeTable, scoreCells } from "./draw_table.js";
import { byId, make } from "./elements.js";
import { clip, counted, format } from "./numbers.js";
import { classesOf, verdictOf } from "./selection.js";
import { shown } from "./shown.js";
import { state, update } from "./state.js";

export function startDataset() {
  byId("views").hidden = read("index").samples.length < 2;
  for (const button of byId("views").children) button.onclick = () => update({ view: button.value });
}

/** Show the data set or the sample. */
export function showView() {
  const all = state.view === "all";
  byId("one").hidden = all;
  byId("dataset").hidden = !all;
  for (const button of byId("views").children) button.setAttribute("aria-pressed", button.value === state.view);
  if (all) showDataset();
}

function showDataset() {
  const parts = [make("h2", {}, "Data set"), make("p", {}, summary()), ...confusion(), ...leadingUnits()];
  byId("dataset").replaceChildren(...parts);
}

function summary() {
  const { samples, methods } = read("index");
  const judged = samples.map(verdictOf).filter(Boolean);
  const right = judged.filter((verdict) => verdict === "right").length;
  const named = methods.map((name) => clip(name, 60)).join("; ");
  const said = [`${counted(samples.length, "sample")}, explained by ${named}.`];
  if (judged.length) {
    const share = format((100 * right) / judged.length, 3);
    said.push(`The model is right about ${right} of the ${judged.length} whose true class is known (${share} %).`);
  }
  return said.join(" ");
}

/** How often each true class is predicted as which; a click lists these samples. */
function confusion() {
  const [labels, predicted] = [classesOf("label"), classesOf("predicted")];
  if (!labels.length || !predicted.length) return [];
  const counts = new Map();
  const key = (label, said) => JSON.stringify([label, said]);
  for (const { label, predicted: said } of read("index").samples)
    if (label !== undefined && said !== undefined)
      counts.set(key(label, said), (counts.get(key(label, said)) ?? 0) + 1);
  const most = Math.max(...counts.values());
  const rows = labels.map((label) => {
    const cells = predicted.map((said) => {
      const count = counts.get(key(label, said)) ?? 0;
      return make("td", {}, confusionButton(label, said, count, most));
    });
    return make("tr", {}, make("th", { scope: "row" }, label), ...cells);
  });
  const table = makeTable("Samples by true class and prediction", ["True class", ...predicted], rows);
  table.classList.add("confusion");
  const note = "Rows are true classes, columns what the model says. Click a number to list its samples.";
  return [
    make("h3", {}, "Confusion matrix"),
    make("div", { class: "wide", tabindex: 0, role: "group", "aria-label": "Confusion matrix" }, table),
    make("p", { class: "note" }, note),
  ];
}

function confusionButton(label, said, count, most) {
  const chosen = state.label === label && state.predicted === said;
  const title = `${counted(count, "sample")} of ${label}, predicted as ${said}`;
  const button = make("button", { type: "button", "aria-label": title, "aria-pressed": chosen }, String(count));
  const colour = shade(label === said ? count : -count, most);
  button.style.setProperty("background-color", rgb(colour));
  button.style.setProperty("color", inkOn(colour));
  const change = chosen ? { label: "", predicted: "" } : { label, predicted: said };
  button.onclick = () => update({ ...change, verdict: "" });
  return button;
}

/** For each class that is explained by the chosen method: the units whose scores sum to the most, either way. */
function leadingUnits() {
  const { leading = [], methods } = read("index");
  const own = leading.filter(({ method }) => methods[method] === shown.method);
  return own.flatMap(({ output, samples, ...sides }) => {
    const limit = Math.max(...[...sides.for, ...sides.against].map(([, sum]) => Math.abs(sum)), 0) || 1;
    const tables = ["for", "against"]
      .filter((side) => sides[side].length)
      .map((side) => leadingTable(sides[side], side, limit));
    if (!tables.length) return [];
    const title = output ? `Units for and against ${clip(output, 40)}` : "Units that raise and lower it";
    const over = samples === 1 ? "the one sample" : `the ${counted(samples, "sample")}`;
    const where = `Scores summed over ${over} in which this is explained.`;
    const note = `${where} Click a unit to list its samples.`;
    return [make("h3", {}, title), make("div", { class: "tables" }, ...tables), make("p", { class: "note" }, note)];
  });
}

function leadingTable(items, side, limit) {
  const scores = items.map(([, sum]) => sum);
  const rows = items.map(([name, , times, samples], k) => {
    const button = make("button", { type: "button", class: "link", dir: "auto" }, clip(name, 60));
    button.onclick = () => update({ word: name });
    const seen = make("td", { class: "number" }, times === samples ? String(times) : `${times} in ${samples}`);
    return make("tr", {}, make("th", { scope: "row" }, button), seen, ...scoreCells({ scores, limit }, k));
  });
  const title = side === "for" ? "Units for it" : "Units against it";
  return makeTable(title, [title, "Times", "Sum", ""], rows);
}
