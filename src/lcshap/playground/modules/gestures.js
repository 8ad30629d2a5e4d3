// Clicks, drags and keys on the picture. While the pointer is on a unit, its largest interactions are shown.

import { labelsOf } from "./blocks.js";
import { byId } from "./elements.js";
import { clip, errorOf, format } from "./numbers.js";
import { shown } from "./shown.js";
import { bySize, interactionsOf } from "./units.js";
import { toggle } from "./what_if.js";

const MAX_PARTNERS = 5;
const DRAG_PIXELS = 4; // A pointer that moves less than this clicks; otherwise it drags.
const drag = { event: null, unit: -1, chosen: [] }; // where the drag began, on which unit, and the selected units

export function startGestures() {
  const box = byId("picture");
  box.addEventListener("pointerdown", (event) => {
    const unit = shown.picture.unitAt(event);
    if (event.button === 0) Object.assign(drag, { event, unit, chosen: unit < 0 ? [] : [unit] });
  });
  box.addEventListener("pointermove", (event) => {
    const here = elementUnderPointer(box, event);
    showPartners(here ? shown.picture.unitAt(here) : -1);
    if (!drag.event || !(event.buttons & 1)) return;
    if (Math.hypot(event.clientX - drag.event.clientX, event.clientY - drag.event.clientY) < DRAG_PIXELS) return;
    drag.chosen = selectedUnits(box, here);
    showSelection(box, event);
  });
  box.addEventListener("pointerleave", () => showPartners(-1));
  box.addEventListener("pointercancel", () => endDrag(box)); // The browser scrolls instead.
  document.addEventListener("pointerup", () => {
    const { chosen } = drag;
    endDrag(box);
    if (chosen.length) toggle(chosen);
  });
  box.addEventListener("keydown", (event) => {
    if (event.key === "Escape") endDrag(box);
    if (!["Enter", "Delete", " "].includes(event.key) || shown.marked === undefined) return;
    event.preventDefault();
    toggle([shown.marked]);
  });
}

function endDrag(box) {
  Object.assign(drag, { event: null, unit: -1, chosen: [] });
  for (const element of box.querySelectorAll(".selecting")) element.classList.remove("selecting");
  byId("band").hidden = true;
}

/** The element under the pointer; null outside. Events of a finger have the element on which the touch began. */
function elementUnderPointer(box, event) {
  const target = document.elementFromPoint(event.clientX, event.clientY);
  return box.contains(target) ? { target, clientX: event.clientX, clientY: event.clientY } : null;
}

/** The units between the two ends of the drag: in reading order, or in the rectangle that the ends span. */
function selectedUnits(box, here) {
  const { kind } = shown.packed;
  if (["text", "bytes"].includes(kind)) {
    const unit = here ? shown.picture.unitAt(here) : -1;
    if (unit < 0 || drag.unit < 0) return drag.chosen;
    const [first, last] = [Math.min(drag.unit, unit), Math.max(drag.unit, unit)];
    return Array.from({ length: last - first + 1 }, (_, k) => first + k);
  }
  if (!here) return drag.chosen;
  return kind === "image" ? regionsBetween(here) : elementsBetween(box, bandOf(here));
}

function bandOf({ clientX, clientY }) {
  const [x, y] = [drag.event.clientX, drag.event.clientY];
  const [left, top] = [Math.min(x, clientX), Math.min(y, clientY)];
  return { left, top, right: Math.max(x, clientX), bottom: Math.max(y, clientY) };
}

/** The units of all pixels in the rectangle. */
function regionsBetween(here) {
  const canvas = drag.event.target.closest("canvas");
  if (!canvas || here.target.closest("canvas") !== canvas) return drag.chosen;
  const { width, height } = shown.packed;
  const place = canvas.getBoundingClientRect();
  const { left, top, right, bottom } = bandOf(here);
  const column = (x) => Math.min(width - 1, Math.floor(((x - place.left) / place.width) * width));
  const row = (y) => Math.min(height - 1, Math.floor(((y - place.top) / place.height) * height));
  const labels = labelsOf(shown.packed, width * height);
  const units = new Set();
  for (let y = row(top); y <= row(bottom); y++)
    for (let x = column(left); x <= column(right); x++) units.add(labels[y * width + x]);
  return [...units].filter((unit) => unit >= 0).sort((a, b) => a - b);
}

/** The units of all elements that the rectangle touches. */
function elementsBetween(box, frame) {
  const units = new Set();
  for (const element of box.querySelectorAll("[data-unit]")) {
    const { left, top, right, bottom } = element.getBoundingClientRect();
    if (left <= frame.right && right >= frame.left && top <= frame.bottom && bottom >= frame.top)
      units.add(Number(element.dataset.unit));
  }
  return [...units].sort((a, b) => a - b);
}

/** Outline the selected units, and draw the rectangle for pictures that are not read line by line. */
function showSelection(box, event) {
  const chosen = new Set(drag.chosen);
  for (const element of box.querySelectorAll("[data-unit]"))
    element.classList.toggle("selecting", chosen.has(Number(element.dataset.unit)));
  const band = byId("band");
  band.hidden = ["text", "bytes"].includes(shown.packed.kind);
  const { left, top, right, bottom } = bandOf(event);
  const sides = { left: left + scrollX, top: top + scrollY, width: right - left, height: bottom - top };
  for (const [side, size] of Object.entries(sides)) band.style.setProperty(side, `${size}px`);
}

/** Show the units with the largest interactions with a unit. */
function showPartners(unit) {
  const box = byId("picture");
  for (const element of box.querySelectorAll(".partner")) element.classList.remove("partner");
  byId("partners").textContent = "";
  if (unit < 0 || shown.bySentence || !("pairs" in shown.entry)) return;
  const interactions = interactionsOf(shown.entry, shown.words);
  const { pairs } = interactions;
  const largest = bySize(interactions.drawn)
    .filter((k) => pairs[k].includes(unit))
    .slice(0, MAX_PARTNERS);
  const texts = largest.map((k) => {
    const other = pairs[k][0] === unit ? pairs[k][1] : pairs[k][0];
    for (const element of box.querySelectorAll(`[data-unit="${other}"]`)) element.classList.add("partner");
    const score = format(interactions.scores[k], 3, true) + errorOf(interactions, k);
    return `${clip(shown.words.names[other], 30)} ${score}`;
  });
  const name = clip(shown.words.names[unit], 30);
  if (texts.length) byId("partners").textContent = `Interactions of ${name} with ${texts.join(", ")}`;
}
