// A text: its units on the colours of their scores, with arcs between units that interact.

import { labelsOf, spansOf } from "./blocks.js";
import { paint } from "./colours.js";
import { ofElements, unitData } from "./element_picture.js";
import { make, makeSvg } from "./elements.js";
import { interactionsOf } from "./units.js";

export function drawText(picture, box, { listed, units, bySentence, entry, arcs }) {
  const spans = spansOf(picture.spans);
  const labels = labelsOf(picture, spans.length);
  const paragraph = make("p", { dir: "auto" });
  const sentences = bySentence ? spansOf(picture.sentences) : [[0, listed.text.length]];
  let at = 0;
  let spanNumber = 0;
  const plain = (into, end) => {
    if (end > at) into.append(listed.text.slice(at, end));
    at = Math.max(at, end);
  };
  sentences.forEach(([start, stop], number) => {
    plain(paragraph, start);
    const into = bySentence ? make("span", { class: "unit", "data-unit": number }) : paragraph;
    for (; spanNumber < spans.length && spans[spanNumber][0] < stop; spanNumber++) {
      plain(into, spans[spanNumber][0]);
      const word = listed.text.slice(at, spans[spanNumber][1]);
      if (labels[spanNumber] < 0 || !word) continue;
      into.append(makeWord(word, labels[spanNumber], !bySentence));
      at = spans[spanNumber][1];
    }
    plain(into, stop);
    if (into !== paragraph) paragraph.append(into);
  });
  plain(paragraph, listed.text.length);
  box.append(paragraph);
  for (const element of box.querySelectorAll(".unit")) paint(element, units.drawn[element.dataset.unit], units.limit);
  const arched = arcs && !bySentence && "pairs" in entry;
  box.classList.toggle("arched", arched);
  if (arched) drawArcs(box, entry, units);
  return ofElements(box);
}

/** A word that can be masked, and that is scored itself unless its sentence is. */
function makeWord(text, unit, scored) {
  return make("span", scored ? { ...unitData(unit), class: "unit" } : { "data-part": unit }, text);
}

/** Arcs between units that interact, wide where they do so strongly; over a line's end they leave and come back. */
function drawArcs(box, entry, units) {
  const { pairs, scores: values, drawn, limit: largest } = interactionsOf(entry, units);
  const frame = box.getBoundingClientRect();
  const places = new Map();
  for (const word of box.querySelectorAll("[data-part]")) {
    const place = word.getClientRects()[0];
    if (!place || places.has(word.dataset.part)) continue;
    places.set(word.dataset.part, [place.left + place.width / 2 - frame.left, place.top - frame.top]);
  }
  const edges = getComputedStyle(box.firstChild).direction === "rtl" ? [0, frame.width] : [frame.width, 0];
  const svg = makeSvg("svg", { class: "arcs", "aria-hidden": "true" });
  pairs.forEach((pair, k) => {
    const share = Math.abs(values[k]) / largest;
    const [from, to] = pair.map((unit) => places.get(String(unit)));
    if (share < 0.02 || drawn[k] !== values[k] || !from || !to) return;
    const arc = makeSvg("path", { d: arcPath(from, to, edges), class: values[k] > 0 ? "positive" : "negative" });
    arc.style.setProperty("stroke-width", `${1 + 3 * share}px`);
    arc.style.setProperty("opacity", `${0.35 + 0.65 * share}`);
    svg.append(arc);
  });
  box.append(svg);
}

/** From one place to another: an arc on the same line, else out at the end of one and in at the start of the other. */
function arcPath([x, y], [u, v], [end, start]) {
  if (Math.abs(y - v) < 4) {
    const height = Math.min(16, 6 + Math.abs(u - x) / 12);
    return `M${x},${y} C${x},${y - height} ${u},${y - height} ${u},${v}`;
  }
  return `M${x},${y} Q${x},${y - 12} ${end},${y - 12} M${start},${v - 12} Q${u},${v - 12} ${u},${v}`;
}
