// All outputs at once, where the reader asks for them: classes, or the tokens of an answer.

import { MOST_COLUMNS, drawHeat } from "./draw_heat.js";
import { byId, make } from "./elements.js";
import { counted, format } from "./numbers.js";
import { hideTip, showTip } from "./picture_panel.js";
import { contentOf, shown } from "./shown.js";
import { state, update } from "./state.js";

const FEW_OUTPUTS = 6; // more are shown at once from the start

/** The entries of a sample by one method, one for each output: their places. */
export function outputsOf(listed, method) {
  return Array.from(listed.entries.keys()).filter((k) => listed.entries[k][0] === method);
}

export function hasManyOutputs(samples) {
  return samples.some((listed) => outputsOf(listed, listed.entries[0][0]).length > FEW_OUTPUTS);
}

/** The rows of the table: outputs with the scores of all units, in the sizes that are chosen. */
export function outputRows() {
  const [method] = shown.listed.entries[shown.number];
  return outputsOf(shown.listed, method).map((k) => {
    const { output, units } = contentOf(state.sample, k);
    return { name: output || "(unnamed)", output, scores: units.scores, limit: units.limit };
  });
}

export function showOutputs() {
  const box = byId("outputs");
  const rows = state.outputs ? outputRows() : [];
  box.hidden = rows.length < 2;
  if (box.hidden) return box.replaceChildren();
  const limit = Math.max(...rows.map((row) => row.limit));
  const chosen = rows.findIndex(({ output }) => output === shown.output);
  const { names } = shown.units;
  const units = counted(names.length, "unit");
  const label = `${rows.length} outputs and their scores of ${units}, the largest ${format(limit, 3)}`;
  const svg = drawHeat({ rows, names, limit, chosen, width: box.clientWidth, label });
  const [against, favour] = shown.entry.sides;
  const notes = [`One scale for all outputs: ${against} ${format(-limit, 3)}, ${favour} ${format(limit, 3, true)}.`];
  if (names.length > MOST_COLUMNS) notes.push(`The ${MOST_COLUMNS} units with the largest scores of ${names.length}.`);
  notes.push("Click a row to see its output in the input.");
  const wide = make("div", { class: "wide", tabindex: 0, role: "group", "aria-label": "All outputs" }, svg);
  box.replaceChildren(make("h3", {}, "All outputs"), wide, make("p", { class: "note" }, notes.join(" ")));
  const rowOf = (event) => rows[event.target.closest("[data-output]")?.dataset.output];
  wide.onclick = (event) => rowOf(event) && update({ output: rowOf(event).output });
  wide.onpointermove = (event) => {
    const [row, unit] = [rowOf(event), event.target.dataset.unit];
    if (!row || unit === undefined) return hideTip();
    const text = `${names[unit]}, ${row.name}: ${format(row.scores[unit], 4, true)}`;
    showTip(text, { x: event.clientX, y: event.clientY });
  };
  wide.onpointerleave = hideTip;
}
