// The prediction for the input, which is updated while the reader types, and the cost of an explanation.

import { postJson, showError } from "./api_client.js";
import { byId, make } from "./elements.js";
import { format } from "./numbers.js";
import { playground } from "./playground_state.js";

const MAX_CLASSES = 6;
const TYPING_PAUSE_MS = 200; // The model is called after this time without a keystroke.
let timer = 0;
let pendingPrediction = null; // the AbortController of a request in progress

/** Ask for the prediction after a short pause. An earlier request that is still in progress is cancelled. */
export function schedulePrediction() {
  clearTimeout(timer);
  timer = setTimeout(predict, TYPING_PAUSE_MS);
}

async function predict() {
  pendingPrediction?.abort();
  pendingPrediction = new AbortController();
  const { signal } = pendingPrediction;
  const { input, columns, inputError, rejectedInput } = playground;
  try {
    if (inputError) throw new Error(inputError);
    const prediction = await postJson("/api/predict", { input, columns }, signal);
    if (signal.aborted) return;
    byId("prediction").replaceChildren(makePredictionTable(prediction));
    byId("cost").textContent = costText(prediction);
    // A number that is not compared with others is no decision.
    const hasDecision = prediction.decision_unchanged !== null;
    for (const id of ["flipset", "muststay"]) byId(id).hidden = !hasDecision;
    showError(rejectedInput && new Error(rejectedInput));
  } catch (error) {
    if (signal.aborted) return;
    byId("prediction").replaceChildren();
    byId("cost").textContent = "";
    showError(error);
  }
}

function costText({ cost, units }) {
  const parts = [`up to ${cost.calls.toLocaleString("en")} model calls`];
  if (cost.seconds !== null) parts.push(`about ${duration(cost.seconds)}`);
  if (cost.price) parts.push(cost.price);
  return `Cost of an explanation of ${units.toLocaleString("en")} units: ${parts.join("; ")}.`;
}

export function duration(seconds) {
  if (seconds < 0.1) return "0.1 s";
  return seconds < 120 ? `${format(seconds, 2)} s` : `${format(seconds / 60, 2)} min`;
}

/** The classes with their probabilities, or the outputs. With `before`, the earlier values are shown beside them. */
export function makePredictionTable(prediction, before = null) {
  const { outputs, chances: areProbabilities } = prediction;
  const order = Array.from(outputs.keys());
  if (areProbabilities) order.sort((a, b) => outputs[b][1] - outputs[a][1]);
  const text = (number) => (areProbabilities ? `${format(100 * number, 3)} %` : format(number, 4));
  const cells = order.slice(0, MAX_CLASSES).flatMap((k) => {
    const [name, number] = outputs[k];
    const earlier = before ? make("span", { class: "earlier" }, ` (was ${text(before.outputs[k][1])})`) : "";
    const bar = areProbabilities
      ? make("meter", { min: 0, max: 1, value: number, "aria-label": `Probability of ${name}` })
      : make("i");
    return [make("b", { dir: "auto" }, name), bar, make("span", {}, text(number), earlier)];
  });
  const more = order.length - MAX_CLASSES;
  if (more > 0) cells.push(make("span", { class: "earlier" }, `and ${more} more`));
  return make("div", { class: "prediction" }, ...cells);
}
