// Beside the picture: sentences, numbers, the largest units and interactions.

import { faintOf } from "./blocks.js";
import { makeTable, scoreCells } from "./draw_table.js";
import { byId, make } from "./elements.js";
import { clip, counted } from "./numbers.js";
import { verdictOf } from "./selection.js";
import { shown } from "./shown.js";
import { state, update } from "./state.js";
import { bySize, interactionsOf } from "./units.js";

export function showFacts() {
  const { entry, listed, words } = shown;
  // Methods that differ only in the budget share a title with a range of budgets.
  const budgetOf = (range) => (entry.budget ? `budget=${entry.budget}` : range);
  const method = shown.method.replace(/\bbudget=\d+ to \d+/, budgetOf);
  const verdict = verdictOf(listed);
  const truth = verdict ? `${listed.label}: the prediction is ${verdict}` : listed.label;
  const facts = [["method", method], ["true class", truth], ...entry.facts, ["units", String(words.scores.length)]];
  const items = facts
    .filter(([, value]) => value)
    .map(([name, value]) => {
      const wide = ["method", "true class", "explains"].includes(name);
      return make("div", { class: wide ? "wide" : "" }, make("dt", {}, name), fact(name, value));
    });
  byId("facts").replaceChildren(...items);
}

/** A value, with a space before its percent sign that does not break the line. */
function fact(name, value) {
  return make("dd", { "data-fact": name }, value.replaceAll(" %", "\u00a0%"));
}

/** The prediction and the largest scores, whether a path changed the decision, and the note on a large residual. */
export function showSentences() {
  showSentence("lead", shown.entry.lead ?? []);
  showSentence("flip", shown.entry.flip ?? []);
  byId("note").hidden = !shown.entry.note;
  byId("note").textContent = shown.entry.note ?? "";
}

/** Every second part of a sentence is a name. */
function showSentence(id, parts) {
  byId(id).hidden = !parts.length;
  byId(id).replaceChildren(...parts.map((part, k) => (k % 2 ? make("em", { dir: "auto" }, part) : part)));
}

const FEW_UNITS = 12;
const MANY_UNITS = 1000;

export function showTop() {
  const { units } = shown;
  const count = units.scores.length;
  const order = units.leading.slice(0, state.all ? MANY_UNITS : FEW_UNITS).filter((unit) => !isHidden(units, unit));
  const rows = Array.from(order).map((unit) => {
    const name = make("th", { scope: "row", dir: "auto" }, unitName(units, unit));
    const rank = make("td", { class: "number" }, String(units.ranks[unit]));
    const row = make("tr", {}, rank, name, ...scoreCells(units, unit));
    row.onpointerenter = () => shown.picture.mark(unit);
    row.onpointerleave = () => shown.picture.mark(-1);
    return row;
  });
  const title = make("h3", {}, shown.bySentence ? "Sentences by |score|" : "Units by |score|");
  const parts = [title, makeTable("Units by the size of their scores", ["Rank", "Unit", "Score", ""], rows)];
  if (units.hidden) {
    const note = `${counted(units.hidden, "unit")} below the threshold ${units.hidden === 1 ? "is" : "are"} hidden.`;
    parts.push(make("p", { class: "note" }, note));
  }
  if (count > FEW_UNITS) {
    const listedCount = Math.min(count, MANY_UNITS);
    const more = listedCount < count ? `Show the first ${listedCount}` : `Show all ${count}`;
    const button = make("button", { type: "button", class: "more" }, state.all ? "Show fewer" : more);
    button.onclick = () => {
      update({ all: !state.all });
      byId("top").querySelector(".more").focus();
    };
    parts.push(button);
  }
  byId("top").replaceChildren(...parts);
}

/** The name of a unit, which pins it where the page has a place for that. */
function unitName(units, unit) {
  const text = clip(units.names[unit], 80);
  if (!byId("pinned")) return text;
  const button = make("button", { type: "button", class: "link", "data-pin": unit }, text);
  button.onclick = () => update({ pin: state.pin === unit ? -1 : unit });
  return button;
}

/** Whether a unit is below the threshold that the reader has chosen. */
function isHidden(units, unit) {
  return state.threshold > 0 && units.drawn[unit] === 0;
}

export function showInteractions() {
  const { entry, words, arcs } = shown;
  const box = byId("interactions");
  box.hidden = !arcs;
  if (box.hidden) return box.replaceChildren();
  const interactions = interactionsOf(entry, words);
  const rows = bySize(interactions.drawn)
    .slice(0, FEW_UNITS)
    .map((k) => {
      const [one, other] = interactions.pairs[k].map((unit) => clip(words.names[unit], 40));
      const name = make("th", { scope: "row", dir: "auto" }, `${one} + ${other}`);
      return make("tr", {}, name, ...scoreCells(interactions, k));
    });
  const table = makeTable("Largest interactions", ["Pair", "Value", ""], rows);
  const parts = [make("h3", {}, "Interactions"), table];
  const doubtful = Array.from(interactions.pairs.keys()).filter(faintOf(entry.pair_faint)).length;
  if (doubtful) {
    const reason = `the 95 % interval includes zero (${doubtful} of ${counted(interactions.scores.length, "pair")})`;
    parts.push(make("p", { class: "note" }, `Faint, and without an arc: ${reason}.`));
  }
  box.replaceChildren(...parts);
}
