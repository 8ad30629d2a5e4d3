// What the model says of the input, at once, and what an explanation would cost.

import { bench } from "./bench.js";
import { byId, make } from "./elements.js";
import { format } from "./numbers.js";
import { ask, complain } from "./talk.js";

const MOST_CLASSES = 6;
const PAUSE = 200; // milliseconds without a keystroke before the model is asked
let timer = 0;
let pending = null;

/** Ask the model about the input, soon; a question that is still open is dropped. */
export function predictSoon() {
  clearTimeout(timer);
  timer = setTimeout(predict, PAUSE);
}

async function predict() {
  pending?.abort();
  pending = new AbortController();
  const { signal } = pending;
  try {
    if (bench.problem) throw new Error(bench.problem);
    const said = await ask("/api/predict", { input: bench.input, columns: bench.ways }, signal);
    if (signal.aborted) return;
    byId("said").replaceChildren(makeSaid(said));
    byId("cost").textContent = costText(said);
    for (const id of ["flipset", "muststay"]) byId(id).hidden = said.decision_unchanged === null; // no decision that could change
    complain(bench.refused && new Error(bench.refused));
  } catch (error) {
    if (signal.aborted) return;
    byId("said").replaceChildren();
    byId("cost").textContent = "";
    complain(error);
  }
}

function costText({ cost, units }) {
  const parts = [`${units.toLocaleString("en")} units, ${cost.calls.toLocaleString("en")} model calls`];
  if (cost.seconds !== null) parts.push(`about ${duration(cost.seconds)} of the model's time`);
  if (cost.price) parts.push(cost.price);
  return `An explanation takes up to: ${parts.join("; ")}.`;
}

export function duration(seconds) {
  if (seconds < 0.1) return "0.1 s";
  return seconds < 120 ? `${format(seconds, 2)} s` : `${format(seconds / 60, 2)} min`;
}

/** The classes with their probabilities, or the outputs; beside what they were before, where that is given. */
export function makeSaid(said, before = null) {
  const order = Array.from(said.outputs.keys());
  if (said.chances) order.sort((a, b) => said.outputs[b][1] - said.outputs[a][1]);
  const text = (number) => (said.chances ? `${format(100 * number, 3)} %` : format(number, 4));
  const cells = order.slice(0, MOST_CLASSES).flatMap((k) => {
    const [name, number] = said.outputs[k];
    const was = before ? make("span", { class: "was" }, ` (was ${text(before.outputs[k][1])})`) : "";
    const bar = said.chances
      ? make("meter", { min: 0, max: 1, value: number, "aria-label": `Probability of ${name}` })
      : make("i");
    return [make("b", { dir: "auto" }, name), bar, make("span", {}, text(number), was)];
  });
  const more = order.length - MOST_CLASSES;
  if (more > 0) cells.push(make("span", { class: "was" }, `and ${more} more`));
  return make("div", { class: "says" }, ...cells);
}
