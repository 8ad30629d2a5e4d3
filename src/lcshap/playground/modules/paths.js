// Questions that take a search: the smallest set that changes the decision, and what must stay for it.

import { bench, wayOf } from "./bench.js";
import { byId } from "./elements.js";
import { during } from "./running.js";
import { shown } from "./shown.js";
import { listen } from "./talk.js";
import { change } from "./what_if.js";

export function startPaths() {
  byId("flipset").onclick = () => search("deletion-path", "the smallest set that flips it");
  byId("muststay").onclick = () => search("insertion-path", "what must stay");
}

async function search(method, text) {
  if (bench.running || !bench.ran) return;
  const { target, reference } = wayOf(shown.method);
  const column = { method, ...(target ? { target } : {}), ...(reference ? { reference } : {}) };
  await during(async (signal) => {
    let last = null;
    await listen("/api/explain", { input: bench.ran.input, columns: [column] }, signal, (name, content) => {
      if (name === "estimate") last = content;
      if (name === "failed") throw new Error(content.error);
    });
    const said = last.blocks["sample-0"].entries[0].flip ?? ["The model makes no decision that could change."];
    byId("status").textContent = `${said.join("")} (${last.calls.toLocaleString("en")} calls)`;
    if (!last.flip?.units.length) return;
    const found = new Set(last.flip.units);
    const all = Array.from(shown.words.scores.keys());
    change(last.flip.removed ? [...found].sort((a, b) => a - b) : all.filter((unit) => !found.has(unit)), {}, text);
  });
}
