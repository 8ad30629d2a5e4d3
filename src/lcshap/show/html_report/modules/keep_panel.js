// An explanation that stays on the page, so that the reader can compare others with it.

import { read } from "./blocks.js";
import { makeTable, scoreCells } from "./draw_table.js";
import { byId, make } from "./elements.js";
import { clip, format } from "./numbers.js";
import { drawInto } from "./picture_panel.js";
import { contentOf, shown } from "./shown.js";
import { state, update } from "./state.js";

const FEW_KEPT = 8;

export function startKept() {
  byId("keep").onclick = () => {
    const kept = JSON.stringify([state.sample, shown.method, shown.output]);
    update({ kept: state.kept === kept ? "" : kept });
  };
}

export function showKept() {
  const box = byId("kept");
  const content = keptContent();
  box.hidden = !content;
  const same = content && content.listed === shown.listed && content.number === shown.number;
  byId("keep").textContent = same ? "Stop comparing" : "Compare others with this";
  if (!content) return box.replaceChildren();
  const close = make("button", { type: "button", id: "drop" }, "Close");
  close.onclick = () => update({ kept: "" });
  const picture = make("div", { id: "kept-picture", role: "group" });
  const name = make("h3", { dir: "auto" }, same ? "Compared with this one" : `Kept: ${clip(content.listed.name, 100)}`);
  const head = make("div", { class: "row" }, name, close);
  const about = [content.method, content.output, agreement(content)].filter(Boolean).join(" · ");
  const lead = (content.entry.lead ?? []).map((part, k) => (k % 2 ? make("em", { dir: "auto" }, part) : part));
  const hint = same ? [make("p", { class: "note" }, "Choose another sample, method or output.")] : [];
  const notes = [make("p", { class: "note" }, about), ...hint, make("p", {}, ...lead)];
  box.replaceChildren(head, ...notes, picture, keptTable(content));
  drawInto(picture, content);
}

/** The kept explanation; undefined if the page does not have it, because the link may belong to another page. */
function keptContent() {
  if (!state.kept) return undefined;
  const [i, method, output] = JSON.parse(state.kept);
  const { samples, methods } = read("index");
  const number = samples[i]?.entries.findIndex((entry) => methods[entry[0]] === method && entry[1] === output) ?? -1;
  return number < 0 ? undefined : contentOf(i, number);
}

function keptTable({ units }) {
  const rows = Array.from(units.leading.slice(0, FEW_KEPT), (unit) => {
    const name = make("th", { scope: "row", dir: "auto" }, clip(units.names[unit], 60));
    return make("tr", {}, name, ...scoreCells(units, unit));
  });
  return makeTable("Its units by the size of their scores", ["Unit", "Score", ""], rows);
}

/** How alike two rankings of the same units are, by Spearman's rank correlation of the scores. */
function agreement({ units }) {
  const shownUnits = shown.units;
  const count = shownUnits.names.length;
  const sameNames = count === units.names.length && shownUnits.names.every((name, k) => name === units.names[k]);
  if (count < 3 || !sameNames) return "";
  if (units.scores === shownUnits.scores) return "";
  const [a, b] = [ranksOf(shownUnits.scores), ranksOf(units.scores)];
  const middle = (count - 1) / 2;
  const sum = (f) => a.reduce((total, _, k) => total + f(k), 0);
  const covariance = sum((k) => (a[k] - middle) * (b[k] - middle));
  const spread = Math.sqrt(sum((k) => (a[k] - middle) ** 2) * sum((k) => (b[k] - middle) ** 2));
  return spread ? `rank correlation of the two ${format(covariance / spread, 3)}` : "";
}

/** The rank of each score from 0 up; equal scores share the mean of their ranks. */
function ranksOf(scores) {
  const order = Array.from(scores.keys()).sort((a, b) => scores[a] - scores[b]);
  const ranks = new Float64Array(scores.length);
  for (let start = 0, end = 0; start < order.length; start = end) {
    for (end = start; end < order.length && scores[order[end]] === scores[order[start]]; ) end++;
    for (let k = start; k < end; k++) ranks[order[k]] = (start + end - 1) / 2;
  }
  return Array.from(ranks);
}
