// The slider that masks the top units, and the masking curve.

import { curveValue, drawCurve } from "./draw_curve.js";
import { byId, make } from "./elements.js";
import { counted, format } from "./numbers.js";
import { shown } from "./shown.js";
import { state, update } from "./state.js";

export function startMasking() {
  byId("slider").oninput = () => update({ step: Number(byId("slider").value) });
}

export function showStep() {
  const { percents, counts, values, what } = shown.steps;
  const masked = new Uint8Array(shown.words.scores.length);
  for (const unit of shown.words.ranking.slice(0, counts[state.step])) masked[unit] = 1;
  shown.picture.mask(masked);
  const effect = shown.entry.sides[1] === "for" ? "count most for it" : "raise it most";
  byId("mask").textContent = `Mask the units that ${effect}`;
  byId("slider").max = percents.length - 1;
  byId("slider").value = state.step;
  const of = `${counts[state.step]} of ${counted(masked.length, "unit")} masked (${format(percents[state.step], 3)} %)`;
  const value = values && curveValue(shown.steps, values[state.step], 4);
  byId("step").textContent = values ? `${of}: ${what} ${value}` : of;
  byId("slider").setAttribute("aria-valuetext", of);
  const none = make("p", { class: "note" }, "There is no masking curve. Explainer(..., curve=True) computes it.");
  byId("curve").replaceChildren(...(values ? drawCurve(shown.steps, state.step) : [none]));
}
