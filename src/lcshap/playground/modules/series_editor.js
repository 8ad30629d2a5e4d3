// The editor of a series: its numbers as a text, and charts on which new values can be drawn.

import { byId, make, makeSvg } from "./elements.js";
import { format } from "./numbers.js";

const SIZE = { width: 360, height: 90, edge: 8 }; // the chart of a channel, in units of its view box
const MAX_CHART_NUMBERS = 5000; // A longer series has no chart and is edited as a text.

/** The text box, the file input, and the chart. `onChange` is called with each new text. */
export function makeSeriesEditor(onChange) {
  const box = make("textarea", { id: "text", rows: 5, spellcheck: "false", wrap: "off" });
  box.oninput = () => {
    showChart();
    onChange(box.value);
  };
  const file = make("input", { type: "file", id: "file", accept: ".csv,.txt,text/*" });
  file.onchange = async () => {
    box.value = dropHeader(await file.files[0].text());
    box.oninput();
  };
  const chart = make("div", { id: "chart" });
  return [
    make("label", { for: "text" }, "Series: a line for each step, with a number for each channel"),
    box,
    make("label", { for: "file" }, "or a file with such lines"),
    file,
    chart,
  ];
}

/** Drop the first line if it has no numbers: it has the names of the columns. */
function dropHeader(text) {
  const [first, ...others] = text.split(/\r?\n/);
  return numbersOf(first).every(isNaN) ? others.join("\n") : text;
}

function numbersOf(line) {
  return line.split(/[\s,;]+/).filter(Boolean).map(Number);
}

/** The steps in the text box, on one line or on a line each; null if they are not a table of numbers. */
function readSteps() {
  const lines = byId("text").value.split("\n").filter((line) => line.trim()).map(numbersOf);
  const steps = lines.length === 1 ? lines[0].map((value) => [value]) : lines;
  const fits = steps.length > 1 && steps.every((step) => step.length === steps[0].length && step.every(isFinite));
  return fits && steps.length * steps[0].length <= MAX_CHART_NUMBERS ? steps : null;
}

/** Draw the numbers in the text box. */
export function showChart() {
  const steps = readSteps();
  byId("chart").replaceChildren(...(steps ? steps[0].map((_, channel) => makeChart(steps, channel)) : []));
}

function makeChart(steps, channel) {
  const { width, height, edge } = SIZE;
  const values = steps.map((step) => step[channel]);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const margin = (high - low || 1) * 0.25; // The reader can draw beyond the largest and the smallest number.
  const scale = (height - 2 * edge) / (high - low + 2 * margin);
  const x = (step) => edge + (step * (width - 2 * edge)) / (steps.length - 1);
  const y = (value) => height - edge - (value - low + margin) * scale;
  const points = () => values.map((value, step) => `${x(step)},${y(value)}`).join(" ");
  const line = makeSvg("polyline", { points: points() });
  const name = `Channel ${channel + 1} as a line, from ${format(low, 3)} to ${format(high, 3)}; drag to draw on it`;
  const svg = makeSvg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": name }, line);
  let last = null;
  const draw = (event) => {
    const place = svg.getBoundingClientRect();
    const at = ((event.clientX - place.left) / place.width) * width;
    const share = Math.max(0, Math.min(1, (at - edge) / (width - 2 * edge)));
    const step = Math.round(share * (steps.length - 1));
    const value = (height - edge - ((event.clientY - place.top) / place.height) * height) / scale + low - margin;
    const [from, to] = [Math.min(last ?? step, step), Math.max(last ?? step, step)];
    for (let k = from; k <= to; k++) values[k] = Number(value.toPrecision(4));
    last = step;
    line.setAttribute("points", points());
  };
  svg.onpointerdown = (event) => {
    svg.setPointerCapture(event.pointerId);
    draw(event);
  };
  svg.onpointermove = (event) => last !== null && draw(event);
  svg.onpointerup = () => {
    last = null;
    values.forEach((value, step) => (steps[step][channel] = value));
    byId("text").value = steps.map((step) => step.join(" ")).join("\n");
    byId("text").oninput();
  };
  return svg;
}
