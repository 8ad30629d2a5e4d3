// Copies elements of the page into an SVG: words, boxes, drawings and images with their places, colours and fonts.

import { makeSvg } from "./elements.js";

const INLINED = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "opacity", "font-size"];
const MORE_INLINED = ["font-family", "font-weight", "text-anchor"];
const LEFT_OUT = ".unseen, select, button:not(table button)"; // in tables, buttons are names and numbers
const MARGIN = 12;
const GAP = 16; // the most between two elements

/** A drawing of some elements, which are one below the other on the page; what stands between them leaves no gap. */
export function toSvg(elements, background) {
  const frames = elements.map((element) => element.getBoundingClientRect());
  const skipped = gapsBefore(frames);
  const left = Math.min(...frames.map((frame) => frame.left)) - MARGIN;
  const top = Math.min(...frames.map((frame) => frame.top)) - MARGIN;
  const width = Math.ceil(Math.max(...frames.map((frame) => frame.right)) - left + MARGIN);
  const height = Math.ceil(Math.max(...frames.map((frame, k) => frame.bottom - skipped[k])) - top + MARGIN);
  const svg = makeSvg("svg", { xmlns: "http://www.w3.org/2000/svg", width, height, viewBox: `0 0 ${width} ${height}` });
  svg.append(makeSvg("rect", { width, height, fill: background }));
  elements.forEach((element, k) => addElement(svg, element, { left, top: top + skipped[k] }));
  return svg;
}

/** For each frame, from top to bottom, by how much all gaps above it are too large. */
function gapsBefore(frames) {
  let [bottom, sum] = [frames[0].bottom, 0];
  return frames.map((frame) => {
    sum += Math.max(0, frame.top - bottom - GAP);
    bottom = Math.max(bottom, frame.bottom);
    return sum;
  });
}

function addElement(svg, element, origin) {
  const style = getComputedStyle(element);
  if (style.display === "none" || style.visibility === "hidden" || element.matches(LEFT_OUT)) return;
  if (element instanceof SVGSVGElement) return svg.append(copySvg(element, origin));
  addBoxes(svg, element, style, origin);
  if (element instanceof HTMLCanvasElement) return svg.append(copyCanvas(element, origin));
  for (const child of element.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) addWords(svg, child, style, origin);
    else if (child.nodeType === Node.ELEMENT_NODE) addElement(svg, child, origin);
  }
}

/** The background of an element, with a box for each line. */
function addBoxes(svg, element, { backgroundColor, backgroundImage, borderRadius }, origin) {
  const gradient = backgroundImage.startsWith("linear-gradient") && element.matches("#legend i");
  if (backgroundColor === "rgba(0, 0, 0, 0)" && !gradient) return;
  for (const frame of element.getClientRects()) {
    const box = { ...placeOf(frame, origin), rx: parseFloat(borderRadius) || 0 };
    if (gradient) addGradient(svg, box, backgroundImage);
    else svg.append(makeSvg("rect", { ...box, fill: backgroundColor }));
  }
}

/** The colour bar of the legend. */
function addGradient(svg, box, image) {
  const colours = image.match(/rgba?\([^)]*\)/g) ?? [];
  const stops = colours.map((colour, k) =>
    makeSvg("stop", { offset: k / Math.max(1, colours.length - 1), "stop-color": colour }),
  );
  const id = `scale-${svg.querySelectorAll("linearGradient").length}`;
  svg.append(makeSvg("linearGradient", { id }, ...stops), makeSvg("rect", { ...box, fill: `url(#${id})` }));
}

/** The words of a text, each where it stands. */
function addWords(svg, text, style, origin) {
  const range = document.createRange();
  const font = { "font-family": style.fontFamily, "font-size": style.fontSize, "font-weight": style.fontWeight };
  for (const { 0: word, index } of text.data.matchAll(/\S+/g)) {
    range.setStart(text, index);
    range.setEnd(text, index + word.length);
    const frame = range.getClientRects()[0];
    if (!frame) continue;
    const { x, y, width, height } = placeOf(frame, origin);
    const base = y + height / 2 + 0.35 * parseFloat(style.fontSize);
    svg.append(makeSvg("text", { x, y: base, fill: style.color, "font-style": style.fontStyle, ...font }, word));
    if (style.textDecorationLine.includes("line-through")) {
      const line = { x1: x, x2: x + width, y1: y + height / 2, y2: y + height / 2, stroke: style.color };
      svg.append(makeSvg("line", { ...line, "stroke-width": 2 }));
    }
  }
}

/** A drawing of the page with its styles inside, as the style sheet does not travel with it. */
function copySvg(source, origin) {
  const copy = source.cloneNode(true);
  const [originals, copies] = [source, copy].map((root) => [root, ...root.querySelectorAll("*")]);
  originals.forEach((element, k) => {
    const style = getComputedStyle(element);
    for (const name of [...INLINED, ...MORE_INLINED]) copies[k].style.setProperty(name, style.getPropertyValue(name));
  });
  const place = placeOf(source.getBoundingClientRect(), origin);
  for (const [name, value] of Object.entries(place)) copy.setAttribute(name, value);
  return copy;
}

function copyCanvas(canvas, origin) {
  const image = { href: canvas.toDataURL("image/png"), preserveAspectRatio: "none" };
  const pixelated = makeSvg("image", { ...placeOf(canvas.getBoundingClientRect(), origin), ...image });
  pixelated.style.setProperty("image-rendering", "pixelated");
  return pixelated;
}

function placeOf(frame, { left, top }) {
  return { x: frame.left - left, y: frame.top - top, width: frame.width, height: frame.height };
}
