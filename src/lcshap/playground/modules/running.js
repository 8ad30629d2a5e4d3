// A run: estimates come in and are drawn by the report's own functions, until it is finished or cancelled.

import { bench } from "./bench.js";
import { provide } from "./blocks.js";
import { byId } from "./elements.js";
import { format } from "./numbers.js";
import { duration } from "./prediction.js";
import { redraw } from "./state.js";
import { complain, listen } from "./talk.js";

let finished = () => {};

export function startRunning(onFinished) {
  finished = onFinished;
  byId("run").onclick = run;
  byId("cancel").onclick = () => bench.running?.abort();
}

export async function run() {
  if (bench.running) return;
  if (bench.problem) return complain(new Error(bench.problem));
  const ways = structuredClone(bench.ways);
  const now = { input: structuredClone(bench.input), ways, labels: [], result: null };
  complain(null);
  await during(async (signal) => {
    await listen("/api/explain", { input: now.input, columns: ways }, signal, (name, content) => {
      if (name === "estimate") showEstimate(now, content);
      if (name === "waiting") byId("status").textContent += " ·";
      if (name === "failed") throw new Error(content.error);
      if (name !== "done") return;
      now.result = content.result;
      byId("status").textContent =
        `Done: ${now.calls.toLocaleString("en")} calls in ${duration(now.seconds)}` +
        (content.rows < now.calls ? `; ${content.rows.toLocaleString("en")} of them new to the session.` : ".");
      finished();
    });
  });
}

/** Do something that can be cancelled; one at a time. */
export async function during(work) {
  const control = new AbortController();
  bench.running = control;
  byId("run").hidden = true;
  byId("cancel").hidden = false;
  byId("cancel").focus();
  byId("status").textContent = "Asking the model";
  try {
    await work(control.signal);
  } catch (error) {
    byId("status").textContent = control.signal.aborted ? "Cancelled. What the model has answered is kept." : "";
    if (!control.signal.aborted) {
      control.abort();
      complain(error);
    }
  } finally {
    bench.running = null;
    const focused = document.activeElement === byId("cancel") || document.activeElement === document.body;
    byId("run").hidden = false;
    byId("cancel").hidden = true;
    if (focused) byId("run").focus();
  }
}

function showEstimate(now, { label, calls, seconds, width, blocks }) {
  if (!now.labels.includes(label)) now.labels.push(label);
  Object.assign(now, { calls, seconds });
  for (const [id, content] of Object.entries(blocks)) provide(id, content);
  const fresh = bench.ran !== now;
  bench.ran = now;
  byId("hint").hidden = true;
  byId("found").hidden = false;
  const method = fresh ? blocks.index.methods[0] : undefined;
  redraw(fresh ? { sample: 0, method, output: "", all: false } : {});
  const sure = width === null ? "" : width ? `, scores ± ${format(width, 2)} (95 %)` : ", exact";
  byId("status").textContent = `${label}: ${calls.toLocaleString("en")} calls, ${duration(seconds)}${sure}`;
}
