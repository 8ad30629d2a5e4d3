// A time series: a panel for each channel, with the values as a line over the colours of the units.

import { labelsOf, unpack } from "./blocks.js";
import { colours, rgb, shade } from "./colours.js";
import { ofElements, unitData } from "./element_picture.js";
import { makeSvg } from "./elements.js";
import { format } from "./numbers.js";

const PANEL = { left: 52, right: 8, top: 20, height: 96, gap: 16 };

export function drawSeries(picture, box, { units, label }) {
  const { length, channels } = picture;
  const values = unpack(picture.series);
  const labels = labelsOf(picture, values.length);
  const width = Math.max(box.clientWidth, 200);
  const step = (width - PANEL.left - PANEL.right) / length;
  const total = channels.length * (PANEL.top + PANEL.height + PANEL.gap) + 8;
  const svg = makeSvg("svg", { width, height: total, role: "img", "aria-label": label });
  channels.forEach((name, channel) => {
    const at = (time) => time * channels.length + channel;
    const channelValues = Array.from({ length }, (_, time) => values[at(time)]);
    const top = channel * (PANEL.top + PANEL.height + PANEL.gap) + PANEL.top;
    const x = (time) => PANEL.left + (time + 0.5) * step;
    const y = scaleOf(channelValues, top, PANEL.height);
    svg.append(makeSvg("text", { x: PANEL.left, y: top - 6, class: "strong" }, name));
    const [bands, lines] = [[], []];
    for (const [start, end] of runsOf(length, (time) => labels[at(time)])) {
      const unit = labels[at(start)];
      const data = unitData(unit);
      const place = { x: x(start) - step / 2, y: top, width: (end - start) * step, height: PANEL.height };
      const band = makeSvg("rect", place);
      band.style.setProperty("fill", rgb(unit < 0 ? colours.background : shade(units.drawn[unit], units.limit)));
      const points = channelValues.slice(start, end + 1).map((value, k) => `${x(start + k)},${y(value)}`);
      bands.push(makeSvg("g", data, band));
      lines.push(makeSvg("g", data, makeSvg("polyline", { points: points.join(" ") })));
    }
    svg.append(...bands, ...lines, ...axisTexts(channelValues, top, width, length, y));
  });
  box.append(svg);
  return ofElements(box);
}

/** Where neighbours are equal: pairs (start, end). */
function runsOf(length, value) {
  const starts = Array.from({ length }, (_, i) => i).filter((i) => i === 0 || value(i) !== value(i - 1));
  return starts.map((start, k) => [start, starts[k + 1] ?? length]);
}

/** A function from values to heights on the page, with some room above and below. */
export function scaleOf(values, top, height) {
  const finite = values.filter(isFinite);
  const low = finite.reduce((a, b) => Math.min(a, b), Infinity);
  const high = finite.reduce((a, b) => Math.max(a, b), -Infinity);
  const range = high - low || 1;
  return (value) => top + height - 6 - ((isFinite(value) ? value - low : 0) / range) * (height - 12);
}

function axisTexts(values, top, width, length, y) {
  const finite = values.filter(isFinite);
  const ends = [finite.reduce((a, b) => Math.min(a, b), Infinity), finite.reduce((a, b) => Math.max(a, b), -Infinity)];
  const texts = [...new Set(ends)].filter(isFinite).map((value) =>
    makeSvg("text", { x: PANEL.left - 6, y: y(value) + 4, "text-anchor": "end" }, format(value, 3)),
  );
  const bottom = top + PANEL.height + 13;
  texts.push(makeSvg("text", { x: PANEL.left, y: bottom }, "0"));
  texts.push(makeSvg("text", { x: width - PANEL.right, y: bottom, "text-anchor": "end" }, String(length - 1)));
  return texts;
}
