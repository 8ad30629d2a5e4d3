// "What if?": the reader removes or replaces units, and the model is called. The page compares the actual change of the
// output with the change that the scores predict.

import { postJson, showError } from "./api_client.js";
import { byId, make } from "./elements.js";
import { clip, format } from "./numbers.js";
import { drawInto } from "./picture_panel.js";
import { columnOf, playground } from "./playground_state.js";
import { makePredictionTable } from "./prediction.js";
import { showReplaceForm, startReplaceForm } from "./replace_form.js";
import { outputNumber, shown } from "./shown.js";

const originalStep = () => ({ removed: [], replaced: {}, response: null, text: "the original input" });
const timeline = { steps: [originalStep()], at: 0, unit: null }; // `unit` is the one that can be replaced
let pendingResponse = null; // the AbortController of a request in progress
let repaintedPicture = null; // the picture of an input with replaced units, and what it was drawn from
let stepsChanged = () => {};

/** `onChange` is called when there is a new step, or another one is shown. */
export function startWhatIf(onChange) {
  stepsChanged = onChange;
  byId("undo").onclick = () => goToStep(timeline.at - 1);
  byId("redo").onclick = () => goToStep(timeline.at + 1);
  byId("reset").onclick = () => addStep([], {}, "restore all");
  startReplaceForm((value) => {
    const { removed, replaced } = currentStep();
    const others = removed.filter((unit) => unit !== timeline.unit);
    const text = `replace ${nameOf(timeline.unit)} by ${clip(value, 30)}`;
    addStep(others, { ...replaced, [timeline.unit]: value }, text);
  });
}

/** Start a new history for a new run, with the steps of a link if there are any. */
export function startHistory(linked) {
  const steps = (linked?.steps ?? []).map((step) => ({ ...originalStep(), ...step }));
  Object.assign(timeline, { steps: [originalStep(), ...steps], at: 0, unit: null });
  pendingResponse?.abort();
  goToStep(linked?.at ?? 0);
}

/** The steps after the first, and the index of the shown one, for a link. */
export function savedSteps() {
  const steps = timeline.steps.slice(1).map(({ removed, replaced, text }) => ({ removed, replaced, text }));
  return steps.length ? { steps, at: timeline.at } : {};
}

function currentStep() {
  return timeline.steps[timeline.at];
}

/** Remove units, or restore them if all of them are changed. If units are sentences, their words are meant. */
export function toggle(units) {
  const chosen = shown.bySentence
    ? Array.from(shown.units.groups.keys()).filter((word) => units.includes(shown.units.groups[word]))
    : units;
  const { removed, replaced } = currentStep();
  const restores = chosen.every((unit) => removed.includes(unit) || unit in replaced);
  const others = removed.filter((unit) => !chosen.includes(unit));
  const replacedOthers = Object.entries(replaced).filter(([unit]) => !chosen.includes(Number(unit)));
  timeline.unit = chosen[0];
  const names = chosen.slice(0, 4).map(nameOf).join(" ") + (chosen.length > 4 ? " …" : "");
  const nowRemoved = restores ? others : [...others, ...chosen].sort((a, b) => a - b);
  addStep(nowRemoved, Object.fromEntries(replacedOthers), `${restores ? "restore" : "remove"} ${names}`);
}

function nameOf(unit) {
  return clip(shown.words.names[unit] ?? "", 30);
}

/** Add a step after the shown one. Later steps are dropped. */
export function addStep(removed, replaced, text) {
  timeline.steps.splice(timeline.at + 1, Infinity, { removed, replaced, text, response: null });
  goToStep(timeline.steps.length - 1);
}

function goToStep(at) {
  timeline.at = Math.max(0, Math.min(at, timeline.steps.length - 1));
  showWhatIf();
  fetchResponse();
  stepsChanged();
}

async function fetchResponse() {
  pendingResponse?.abort();
  const step = currentStep();
  if (step.response || !hasChanges(step)) return;
  pendingResponse = new AbortController();
  const { signal } = pendingResponse;
  const { removed, replaced } = step;
  const { interactions, method, budget, order, ...column } = columnOf(shown.method);
  try {
    step.response = await postJson("/api/ask", { input: playground.shownRun.input, column, removed, replaced }, signal);
    step.method = shown.method;
    showError(null);
  } catch (error) {
    showError(error);
  }
  if (step === currentStep()) showWhatIf();
}

function hasChanges({ removed, replaced }) {
  return removed.length > 0 || Object.keys(replaced).length > 0;
}

/** Another column is shown. Responses for other columns are dropped, because they may be about other targets. */
export function updateWhatIf() {
  for (const step of timeline.steps) if (step.response && step.method !== shown.method) step.response = null;
  showWhatIf();
  if (hasChanges(currentStep())) fetchResponse();
}

/** Draw the input with its replaced units, if the server has sent such a picture. */
function repaintPicture(picture) {
  const painted = repaintedPicture?.drawn === shown.picture ? repaintedPicture.picture : undefined;
  if (painted === picture) return;
  const { text = shown.listed.text, ...packed } = picture ?? {};
  const content = { ...shown, packed: { ...shown.packed, ...packed }, listed: { ...shown.listed, text } };
  shown.picture = drawInto(byId("picture"), content);
  repaintedPicture = { drawn: shown.picture, picture };
}

export function showWhatIf() {
  const step = currentStep();
  const { response } = step;
  repaintPicture(response?.picture);
  const masked = new Uint8Array(shown.words.scores.length);
  for (const unit of step.removed) masked[unit] = 1;
  shown.picture.mask(masked);
  byId("undo").disabled = timeline.at === 0;
  byId("redo").disabled = timeline.at === timeline.steps.length - 1;
  byId("reset").disabled = !hasChanges(step);
  showReplaceForm(timeline.unit === null || shown.bySentence ? null : nameOf(timeline.unit));
  byId("change").textContent = changeText(step);
  byId("answer").replaceChildren(...(response ? [makePredictionTable(response.now, response.before)] : []));
  showHistory();
}

/** The predicted change, which is minus the sum of the removed scores, and the actual change. */
function changeText(step) {
  if (!hasChanges(step)) return "";
  const { before, now } = step.response ?? {};
  const subject = shown.entry.facts.find(([name]) => name === "explains")?.[1] || "the output";
  const actual = step.response
    ? `Actual change of ${subject}: ${format(now.values[outputNumber()] - before.values[outputNumber()], 3, true)}.`
    : "Calling the model.";
  const hasFlipped = before?.decision_unchanged && now.decision_unchanged === false;
  const flipped = hasFlipped ? " The predicted class has changed." : "";
  if (Object.keys(step.replaced).length) return `${actual}${flipped}`;
  return `Predicted change: ${predictedChange(step.removed)}. ${actual}${flipped}`;
}

function predictedChange(removed) {
  const change = removed.reduce((sum, unit) => sum - shown.words.scores[unit], 0);
  const stderr = Math.hypot(...removed.map((unit) => shown.words.stderr?.[unit] ?? 0));
  const hasError = isFinite(stderr) && stderr > 0;
  return format(change, 3, true) + (hasError ? ` ± ${format(stderr, 2)}` : "");
}

function showHistory() {
  byId("history").hidden = timeline.steps.length < 2;
  const items = timeline.steps.map((step, k) => {
    const current = k === timeline.at ? { "aria-current": "step" } : {};
    const button = make("button", { type: "button", ...current }, step.text);
    button.onclick = () => goToStep(k);
    const value = step.response ? `: ${format(step.response.now.values[outputNumber()], 4)}` : "";
    return make("li", {}, button, value);
  });
  byId("steps").replaceChildren(...items);
}
