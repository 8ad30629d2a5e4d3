// Clicks, drags and keys on the picture, and what a unit does together with others while the pointer is on it.

import { byId } from "./elements.js";
import { clip, errorOf, format } from "./numbers.js";
import { shown } from "./shown.js";
import { bySize, interactionsOf } from "./units.js";
import { toggle } from "./what_if.js";

const MOST_PARTNERS = 5;
const drag = { from: -1, to: -1 };

export function startGestures() {
  const box = byId("picture");
  box.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    drag.from = drag.to = shown.picture.unitAt(event);
  });
  box.addEventListener("pointermove", (event) => {
    const unit = shown.picture.unitAt(event);
    showPartners(unit);
    if (!(event.buttons & 1) || drag.from < 0 || unit < 0 || event.pointerType === "touch") return;
    drag.to = unit;
    const chosen = range();
    for (const element of box.querySelectorAll("[data-unit]"))
      element.classList.toggle("selecting", chosen.length > 1 && chosen.includes(Number(element.dataset.unit)));
  });
  box.addEventListener("pointerleave", () => showPartners(-1));
  box.addEventListener("pointercancel", () => (drag.from = -1));
  document.addEventListener("pointerup", () => {
    for (const element of box.querySelectorAll(".selecting")) element.classList.remove("selecting");
    if (drag.from >= 0) toggle(range());
    drag.from = -1;
  });
  box.addEventListener("keydown", (event) => {
    if (!["Enter", "Delete", " "].includes(event.key) || shown.marked === undefined) return;
    event.preventDefault();
    toggle([shown.marked]);
  });
}

function range() {
  const [first, last] = [Math.min(drag.from, drag.to), Math.max(drag.from, drag.to)];
  if (!["text", "bytes"].includes(shown.packed.kind)) return [...new Set([drag.from, drag.to])];
  return Array.from({ length: last - first + 1 }, (_, k) => first + k);
}

/** The units that a unit interacts with most. */
function showPartners(unit) {
  const box = byId("picture");
  for (const element of box.querySelectorAll(".partner")) element.classList.remove("partner");
  byId("partners").textContent = "";
  if (unit < 0 || shown.bySentence || !("pairs" in shown.entry)) return;
  const found = interactionsOf(shown.entry, shown.words);
  const { pairs } = found;
  const own = bySize(found.drawn)
    .filter((k) => pairs[k].includes(unit))
    .slice(0, MOST_PARTNERS);
  const texts = own.map((k) => {
    const other = pairs[k][0] === unit ? pairs[k][1] : pairs[k][0];
    for (const element of box.querySelectorAll(`[data-unit="${other}"]`)) element.classList.add("partner");
    return `${clip(shown.words.names[other], 30)} ${format(found.scores[k], 3, true)}${errorOf(found, k)}`;
  });
  const name = clip(shown.words.names[unit], 30);
  if (texts.length) byId("partners").textContent = `${name} together with ${texts.join(", ")}`;
}
