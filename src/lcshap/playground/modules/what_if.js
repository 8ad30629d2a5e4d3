// What if units were gone or replaced: the model answers live, beside what the scores promise.

import { bench, wayOf } from "./bench.js";
import { byId, make } from "./elements.js";
import { clip, format } from "./numbers.js";
import { drawInto } from "./picture_panel.js";
import { makeSaid } from "./prediction.js";
import { showReplacing, startReplacing } from "./replacing.js";
import { shown } from "./shown.js";
import { ask, complain } from "./talk.js";

const nothing = () => ({ removed: [], replaced: {}, said: null, text: "the input as it is" });
const past = { steps: [nothing()], at: 0, unit: null };
let question = null;
let repainted = null; // the picture of an input with replaced units, and what it was drawn from
let tellSteps = () => {};

/** `onChange` is called when there is a new step, or another one is shown. */
export function startWhatIf(onChange) {
  tellSteps = onChange;
  byId("undo").onclick = () => go(past.at - 1);
  byId("redo").onclick = () => go(past.at + 1);
  byId("reset").onclick = () => change([], {}, "all back");
  startReplacing((value) => {
    const { removed, replaced } = now();
    const rest = removed.filter((unit) => unit !== past.unit);
    change(rest, { ...replaced, [past.unit]: value }, `replace ${nameOf(past.unit)} by ${clip(value, 30)}`);
  });
}

/** A new run: nothing is gone; or what a link says is, where one led here. */
export function beginChanges(linked) {
  const steps = (linked?.steps ?? []).map((step) => ({ ...nothing(), ...step }));
  Object.assign(past, { steps: [nothing(), ...steps], at: 0, unit: null });
  question?.abort();
  go(linked?.at ?? 0);
}

/** The steps after the first, and which one is shown, for a link. */
export function stepsTaken() {
  const steps = past.steps.slice(1).map(({ removed, replaced, text }) => ({ removed, replaced, text }));
  return steps.length ? { steps, at: past.at } : {};
}

export function now() {
  return past.steps[past.at];
}

/** Remove units, or bring them back if all of them are gone; units of sentences are their words. */
export function toggle(units) {
  const chosen = shown.bySentence
    ? Array.from(shown.units.groups.keys()).filter((word) => units.includes(shown.units.groups[word]))
    : units;
  const { removed, replaced } = now();
  const touched = (unit) => removed.includes(unit) || unit in replaced;
  const back = chosen.every(touched);
  const rest = removed.filter((unit) => !chosen.includes(unit));
  const kept = Object.fromEntries(Object.entries(replaced).filter(([unit]) => !chosen.includes(Number(unit))));
  past.unit = chosen[0];
  const names = chosen.slice(0, 4).map(nameOf).join(" ") + (chosen.length > 4 ? " …" : "");
  change(back ? rest : [...rest, ...chosen].sort((a, b) => a - b), kept, `${back ? "restore" : "remove"} ${names}`);
}

function nameOf(unit) {
  return clip(shown.words.names[unit] ?? "", 30);
}

/** A new step of the history. */
export function change(removed, replaced, text) {
  past.steps.splice(past.at + 1, Infinity, { removed, replaced, text, said: null });
  go(past.steps.length - 1);
}

function go(at) {
  past.at = Math.max(0, Math.min(at, past.steps.length - 1));
  showWhatIf();
  answer();
  tellSteps();
}

async function answer() {
  question?.abort();
  const step = now();
  if (step.said || !isChanged(step)) return;
  question = new AbortController();
  const { signal } = question;
  const { removed, replaced } = step;
  const { interactions, ...column } = wayOf(shown.method);
  try {
    const { method, budget, order, ...where } = column;
    step.said = await ask("/api/ask", { input: bench.ran.input, column: where, removed, replaced }, signal);
    step.output = shown.method;
    complain(null);
  } catch (error) {
    complain(error);
  }
  if (step === now()) showWhatIf();
}

function isChanged({ removed, replaced }) {
  return removed.length > 0 || Object.keys(replaced).length > 0;
}

/** Another column: what was answered for the one before may be about another target. */
export function refreshWhatIf() {
  for (const step of past.steps) if (step.said && step.output !== shown.method) step.said = null;
  showWhatIf();
  if (isChanged(now())) answer();
}

/** Draw the input as it is now: with what replaces units, where the model has been asked about that. */
function paintChanges(picture) {
  const painted = repainted?.drawn === shown.picture ? repainted.picture : undefined;
  if (painted === picture) return;
  const { text = shown.listed.text, ...packed } = picture ?? {};
  const content = { ...shown, packed: { ...shown.packed, ...packed }, listed: { ...shown.listed, text } };
  shown.picture = drawInto(byId("picture"), content);
  repainted = { drawn: shown.picture, picture };
}

export function showWhatIf() {
  const step = now();
  paintChanges(step.said?.picture);
  const masked = new Uint8Array(shown.words.scores.length);
  for (const unit of step.removed) masked[unit] = 1;
  shown.picture.mask(masked);
  byId("undo").disabled = past.at === 0;
  byId("redo").disabled = past.at === past.steps.length - 1;
  byId("reset").disabled = !isChanged(step);
  showReplacing(past.unit === null || shown.bySentence ? null : nameOf(past.unit));
  byId("promise").textContent = promiseText(step);
  byId("answer").replaceChildren(...(step.said ? [makeSaid(step.said.now, step.said.before)] : []));
  showHistory();
}

/** "Without these the scores promise …; the model says …" */
function promiseText(step) {
  if (!isChanged(step)) return "";
  const told = step.said ? step.said.now.values[0] - step.said.before.values[0] : null;
  const what = shown.entry.facts.find(([name]) => name === "explains")?.[1] || "the output";
  const happened = told === null ? "the model is being asked" : `${what} changes by ${format(told, 3, true)}`;
  const flips = step.said?.before.decision_unchanged && step.said.now.decision_unchanged === false ? " It decides otherwise now." : "";
  if (Object.keys(step.replaced).length) return `With the replacement ${happened}.${flips}`;
  const promise = step.removed.reduce((sum, unit) => sum - shown.words.scores[unit], 0);
  const errors = step.removed.map((unit) => shown.words.stderr?.[unit] ?? 0);
  const error = Math.hypot(...errors);
  const sure = isFinite(error) && error > 0 ? ` ± ${format(error, 2)}` : "";
  return `The scores promise a change of ${format(promise, 3, true)}${sure}; ${happened}.${flips}`;
}

function showHistory() {
  byId("history").hidden = past.steps.length < 2;
  const items = past.steps.map((step, k) => {
    const button = make("button", { type: "button", ...(k === past.at ? { "aria-current": "step" } : {}) }, step.text);
    button.onclick = () => go(k);
    const value = step.said ? `: ${format(step.said.now.values[0], 4)}` : "";
    return make("li", {}, button, value);
  });
  byId("steps").replaceChildren(...items);
}
