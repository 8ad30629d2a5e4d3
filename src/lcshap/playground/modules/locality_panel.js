// How local the model is at this input: the distance of local methods to the Shapley value.

import { postJson } from "./api_client.js";
import { makeTable } from "./draw_table.js";
import { byId, make } from "./elements.js";
import { format } from "./numbers.js";
import { columnOf, playground } from "./playground_state.js";
import { runCancellable } from "./run_controls.js";
import { outputNumber, shown } from "./shown.js";

export function startLocality() {
  byId("measure-locality").onclick = measureLocality;
}

async function measureLocality() {
  if (playground.activeRequest) return;
  const { target, reference } = columnOf(shown.method);
  const column = { ...(target ? { target } : {}), ...(reference ? { reference } : {}) };
  byId("locality").replaceChildren();
  await runCancellable(async (signal) => {
    const content = { input: playground.shownRun.input, column, output: outputNumber() };
    const { distances, calls } = await postJson("/api/locality", content, signal);
    const titles = ["Method", "Distance to Shapley", "Relative"];
    const text = `Root mean square over units, 95 % intervals, ${calls.toLocaleString("en")} calls.`;
    const table = makeTable("Distance of local methods to the Shapley value", titles, distances.map(makeDistanceRow));
    byId("locality").replaceChildren(table, make("p", { class: "note" }, text));
    byId("status").textContent = `Measured how local the model is here, in ${calls.toLocaleString("en")} calls.`;
  });
}

function makeDistanceRow({ parameters, distance, low, high, relative }) {
  return make(
    "tr",
    {},
    make("th", { scope: "row" }, parameters),
    make("td", { class: "number" }, `${format(distance, 2)} (${format(low, 2)} to ${format(high, 2)})`),
    make("td", { class: "number" }, `${format(100 * relative, 2)} %`),
  );
}
