// The masking curve: the output of the model while more and more units are masked.

import { makeSvg, make } from "./elements.js";
import { format, percentOf } from "./numbers.js";
import { scaleOf } from "./draw_series.js";

const PLOT = { width: 340, height: 170, left: 70, right: 24, top: 12, bottom: 30 };

/** A heading, the curve and what it is; `at` is the stop that is marked. */
export function drawCurve(steps, at) {
  const { percents, values, what, note } = steps;
  const x = (percent) => PLOT.left + (percent / 100) * (PLOT.width - PLOT.left - PLOT.right);
  const y = scaleOf(values.map(Number), PLOT.top, PLOT.height - PLOT.top - PLOT.bottom);
  const points = percents.map((percent, k) => [x(percent), y(Number(values[k]))]);
  const [first, last] = [values[0], values[values.length - 1]].map((value) => curveValue(steps, value));
  const end = format(percents[percents.length - 1]);
  const label = `Masking curve: ${what} from ${first} with nothing masked to ${last} at ${end} %`;
  const svg = makeSvg("svg", { viewBox: `0 0 ${PLOT.width} ${PLOT.height}`, role: "img", "aria-label": label });
  const bottom = PLOT.height - PLOT.bottom;
  svg.append(
    makeSvg("path", { class: "axis", d: `M${PLOT.left},${PLOT.top} V${bottom} H${PLOT.width - PLOT.right}` }),
    ...[0, 50, 100].map((p) => makeSvg("text", { x: x(p), y: bottom + 16, "text-anchor": "middle" }, `${p} %`)),
    ...valueTicks(steps, y),
    makeSvg("polyline", { points: points.map((point) => point.join(",")).join(" ") }),
    ...points.map(([cx, cy]) => makeSvg("circle", { cx, cy, r: 2.5 })),
    makeSvg("circle", { cx: points[at][0], cy: points[at][1], r: 6, class: "now" }),
  );
  return [make("h3", {}, "Masking curve"), svg, make("p", { class: "note" }, note)];
}

function valueTicks(steps, y) {
  const finite = steps.values.map(Number).filter(isFinite);
  if (!finite.length) return [];
  const ends = [...new Set([Math.min(...finite), Math.max(...finite)])];
  const place = (value) => ({ x: PLOT.left - 6, y: y(value) + 4, "text-anchor": "end" });
  return ends.map((value) => makeSvg("text", place(value), curveValue(steps, value)));
}

/** A value of the masking curve: a probability in percent, or a number. */
export function curveValue(steps, value, digits = 3) {
  return steps.chances ? percentOf(value) : format(value, digits);
}
