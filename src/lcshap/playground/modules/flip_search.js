// Searches for the smallest set of units that changes the decision, and for the units that are enough for it.

import { streamEvents } from "./api_client.js";
import { byId } from "./elements.js";
import { columnOf, playground } from "./playground_state.js";
import { runCancellable } from "./run_controls.js";
import { shown } from "./shown.js";
import { addStep } from "./what_if.js";

export function startFlipSearch() {
  byId("flipset").onclick = () => searchFlipSet("deletion-path", "remove the smallest set that changes the decision");
  byId("muststay").onclick = () => searchFlipSet("insertion-path", "keep only the units that are enough");
}

async function searchFlipSet(method, text) {
  if (playground.activeRequest || !playground.shownRun) return;
  const { target, reference } = columnOf(shown.method);
  const column = { method, ...(target ? { target } : {}), ...(reference ? { reference } : {}) };
  await runCancellable(async (signal) => {
    let estimate = null;
    const { input } = playground.shownRun;
    await streamEvents("/api/explain", { input, columns: [column] }, signal, (name, content) => {
      if (name === "estimate") estimate = content;
      if (name === "failed") throw new Error(content.error);
    });
    const { entries } = estimate.blocks["sample-0"];
    const sentence = entries[0].flip ?? ["The model makes no decision that could change."];
    byId("status").textContent = `${sentence.join("")} (${estimate.calls.toLocaleString("en")} calls)`;
    if (!estimate.flip?.units.length) return;
    const flipSet = new Set(estimate.flip.units);
    const all = Array.from(shown.words.scores.keys());
    const removed = estimate.flip.removed
      ? [...flipSet].sort((a, b) => a - b)
      : all.filter((unit) => !flipSet.has(unit));
    addStep(removed, {}, text);
  });
}
