// Runs: estimates are drawn by the functions of the report when they arrive, until the run is finished or cancelled.

import { showError, streamEvents } from "./api_client.js";
import { provide } from "./blocks.js";
import { byId } from "./elements.js";
import { format } from "./numbers.js";
import { playground } from "./playground_state.js";
import { duration } from "./prediction.js";
import { redraw } from "./state.js";

let runFinished = () => {};

export function startRunControls(onFinished) {
  runFinished = onFinished;
  byId("run").onclick = run;
  byId("cancel").onclick = () => playground.activeRequest?.abort();
}

export async function run() {
  if (playground.activeRequest) return;
  if (playground.inputError) return showError(new Error(playground.inputError));
  const columns = structuredClone(playground.columns);
  const newRun = { input: structuredClone(playground.input), columns, labels: [], result: null };
  showError(null);
  await runCancellable(async (signal) => {
    await streamEvents("/api/explain", { input: newRun.input, columns }, signal, (name, content) => {
      if (name === "estimate") showEstimate(newRun, content);
      if (name === "waiting") byId("status").textContent += " ·";
      if (name === "failed") throw new Error(content.error);
      if (name === "done") finishRun(newRun, content);
    });
  });
}

function finishRun(newRun, { result, rows }) {
  const { calls, seconds } = newRun;
  newRun.result = result;
  const reused = rows < calls ? `, of which ${rows.toLocaleString("en")} were new in this session` : "";
  byId("status").textContent = `Done: ${calls.toLocaleString("en")} calls in ${duration(seconds)}${reused}.`;
  runFinished();
}

/** Do work that can be cancelled. Only one such work is in progress at a time. */
export async function runCancellable(work) {
  const control = new AbortController();
  playground.activeRequest = control;
  byId("run").hidden = true;
  byId("cancel").hidden = false;
  byId("cancel").focus();
  byId("status").textContent = "Calling the model";
  try {
    await work(control.signal);
  } catch (error) {
    byId("status").textContent = control.signal.aborted ? "Cancelled. The outputs received so far are kept." : "";
    if (!control.signal.aborted) {
      control.abort();
      showError(error);
    }
  } finally {
    playground.activeRequest = null;
    const focused = document.activeElement === byId("cancel") || document.activeElement === document.body;
    byId("run").hidden = false;
    byId("cancel").hidden = true;
    if (focused) byId("run").focus();
  }
}

function showEstimate(newRun, { label, calls, seconds, width, blocks }) {
  if (!newRun.labels.includes(label)) newRun.labels.push(label);
  Object.assign(newRun, { calls, seconds });
  for (const [id, content] of Object.entries(blocks)) provide(id, content);
  const isFirst = playground.shownRun !== newRun;
  playground.shownRun = newRun;
  byId("hint").hidden = true;
  byId("result").hidden = false;
  const method = isFirst ? blocks.index.methods[0] : undefined;
  redraw(isFirst ? { sample: 0, method, output: "", all: false } : {});
  const accuracy = width === null ? "" : width ? `, scores ± ${format(width, 2)} (95 %)` : ", exact";
  byId("status").textContent = `${label}: ${calls.toLocaleString("en")} calls, ${duration(seconds)}${accuracy}`;
}
