// An image, and beside it the same in grey under the colours of the scores.

import { labelsOf, unpack } from "./blocks.js";
import { colours, rgb } from "./colours.js";
import { make } from "./elements.js";

export function drawImage(picture, box, { units, entry, label }) {
  const { width, height } = picture;
  const labels = labelsOf(picture, width * height);
  const [image, reference] = [unpack(picture.image), unpack(picture.reference)];
  const input = makeCanvas(width, height, "Input, with masked units replaced by the reference");
  const heat = makeCanvas(width, height, `Heat map. ${label}`);
  const zoom = Math.max(1, Math.ceil(480 / Math.max(width, height)));
  const outline = makeCanvas(width * zoom, height * zoom, "");
  outline.setAttribute("aria-hidden", "true");
  const figure = (title, ...layers) =>
    make("figure", {}, make("div", { class: "layers" }, ...layers), make("figcaption", {}, title));
  const scores = entry.clip ? "Scores; the colours end at the 99th percentile of |score|" : "Scores";
  box.append(figure("Input", input), figure(scores, heat, outline));
  const pixel = (from, at) => colourAt(from, at, picture.channels);
  const hidden = (at) => pixel(reference, reference.length === picture.channels ? 0 : at); // one colour, or an image
  const limit = entry.clip ? entry.clip * (units.factor ?? 1) : units.limit;
  const shares = width * height > 4096 ? [0.6, 0.75] : [0.25, 1]; // a photograph stays visible under its colours
  const scoreAt = (at) => (labels[at] < 0 ? 0 : units.drawn[labels[at]]);
  fillCanvas(heat, (at) => heatColour(pixel(image, at), scoreAt(at), limit, shares));
  return {
    unitAt: (event) => {
      const canvas = event.target.closest("canvas");
      if (!canvas) return -1;
      const frame = canvas.getBoundingClientRect();
      const x = Math.floor(((event.clientX - frame.left) / frame.width) * width);
      const y = Math.floor(((event.clientY - frame.top) / frame.height) * height);
      return labels[y * width + x] ?? -1;
    },
    mark: (unit) => {
      drawOutline(outline, labels, unit, width, height, zoom);
      return heat;
    },
    mask: (masked) => fillCanvas(input, (at) => (masked[labels[at]] === 1 ? hidden(at) : pixel(image, at))),
  };
}

function makeCanvas(width, height, label) {
  return make("canvas", { width, height, role: "img", "aria-label": label });
}

function fillCanvas(canvas, colour) {
  const { width, height } = canvas;
  const data = new ImageData(width, height);
  for (let at = 0; at < width * height; at++) data.data.set(colour(at), 4 * at);
  canvas.getContext("2d").putImageData(data, 0, 0);
}

function colourAt(pixels, at, channels) {
  const k = at * channels;
  if (channels === 1) return [pixels[k], pixels[k], pixels[k], 255];
  return [pixels[k], pixels[k + 1], pixels[k + 2], channels === 4 ? pixels[k + 3] : 255];
}

/** The image in faint grey under the colour of the score. */
function heatColour([r, g, b], score, limit, [shown, covered]) {
  const grey = 0.3 * r + 0.59 * g + 0.11 * b;
  const share = isFinite(score) ? Math.min(Math.abs(score) / limit, 1) : 0;
  const end = score > 0 ? colours.positive : colours.negative;
  const under = colours.background.map((part) => part + shown * (grey - part));
  return [...under.map((part, k) => part + covered * share * (end[k] - part)), 255];
}

function drawOutline(canvas, labels, unit, width, height, zoom) {
  const pen = canvas.getContext("2d");
  pen.clearRect(0, 0, canvas.width, canvas.height);
  if (unit < 0) return;
  const isInside = (x, y) => x >= 0 && y >= 0 && x < width && y < height && labels[y * width + x] === unit;
  const lines = new Path2D();
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      if (!isInside(x, y)) continue;
      const [a, b, c, d] = [x * zoom, y * zoom, (x + 1) * zoom, (y + 1) * zoom];
      if (!isInside(x, y - 1)) addLine(lines, a, b, c, b);
      if (!isInside(x, y + 1)) addLine(lines, a, d, c, d);
      if (!isInside(x - 1, y)) addLine(lines, a, b, a, d);
      if (!isInside(x + 1, y)) addLine(lines, c, b, c, d);
    }
  for (const [name, size] of [["background", 6], ["ink", 3]]) {
    pen.strokeStyle = rgb(colours[name]);
    pen.lineWidth = size;
    pen.stroke(lines);
  }
}

function addLine(path, x, y, u, v) {
  path.moveTo(x, y);
  path.lineTo(u, v);
}
