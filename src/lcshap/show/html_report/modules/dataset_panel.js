// The data set: the accuracy of the model, the confusion matrix, and the units with the largest scores in each class.

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
  const sentences = [`${counted(samples.length, "sample")}, explained by ${named}.`];
  if (judged.length) {
    const share = format((100 * right) / judged.length, 3);
    const total = `${judged.length} samples with a known true class`;
    sentences.push(`The model classifies ${right} of the ${total} correctly (${share} %).`);
  }
  return sentences.join(" ");
}

/** How often each true class is predicted as each class. A click lists these samples. */
function confusion() {
  const [labels, predicted] = [classesOf("label"), classesOf("predicted")];
  if (!labels.length || !predicted.length) return [];
  const counts = new Map();
  const key = (label, prediction) => JSON.stringify([label, prediction]);
  for (const { label, predicted: prediction } of read("index").samples)
    if (label !== undefined && prediction !== undefined)
      counts.set(key(label, prediction), (counts.get(key(label, prediction)) ?? 0) + 1);
  const largestCount = Math.max(...counts.values());
  const rows = labels.map((label) => {
    const cells = predicted.map((prediction) => {
      const count = counts.get(key(label, prediction)) ?? 0;
      return make("td", {}, confusionButton(label, prediction, count, largestCount));
    });
    return make("tr", {}, make("th", { scope: "row" }, label), ...cells);
  });
  const table = makeTable("Samples by true class and prediction", ["True class", ...predicted], rows);
  table.classList.add("confusion");
  const note = "Rows are true classes, columns are predicted classes. Click a number to list its samples.";
  return [
    make("h3", {}, "Confusion matrix"),
    make("div", { class: "wide", tabindex: 0, role: "group", "aria-label": "Confusion matrix" }, table),
    make("p", { class: "note" }, note),
  ];
}

function confusionButton(label, prediction, count, largestCount) {
  const chosen = state.label === label && state.predicted === prediction;
  const title = `${counted(count, "sample")} of ${label}, predicted as ${prediction}`;
  const button = make("button", { type: "button", "aria-label": title, "aria-pressed": chosen }, String(count));
  const colour = shade(label === prediction ? count : -count, largestCount);
  button.style.setProperty("background-color", rgb(colour));
  button.style.setProperty("color", inkOn(colour));
  const change = chosen ? { label: "", predicted: "" } : { label, predicted: prediction };
  button.onclick = () => update({ ...change, verdict: "" });
  return button;
}

/** For each class that the chosen method explains: the units with the largest positive and negative sums of scores. */
function leadingUnits() {
  const { leading = [], methods } = read("index");
  const ofMethod = leading.filter(({ method }) => methods[method] === shown.method);
  return ofMethod.flatMap(({ output, samples, ...sides }) => {
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
