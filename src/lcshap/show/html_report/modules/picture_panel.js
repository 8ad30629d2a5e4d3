// The input in the colours of its scores, and the unit under the pointer or the keyboard.

import { byId } from "./elements.js";
import { counted, describe, format } from "./numbers.js";
import { PICTURES } from "./pictures.js";
import { shown } from "./shown.js";

export function showPicture() {
  hideTip();
  shown.picture = drawInto(byId("picture"), shown);
  const [low, , high] = byId("legend").children;
  const { clip, sides } = shown.entry;
  const limit = clip ? clip * (shown.units.factor ?? 1) : shown.units.limit;
  low.textContent = `${sides[0]} ${clip ? "≤ " : ""}${format(-limit, 3)}`;
  high.textContent = `${sides[1]} ${clip ? "≥ " : ""}${format(limit, 3, true)}`;
}

/** Draw an entry into an element. The returned functions are described in pictures.js. */
export function drawInto(box, content) {
  const { kind } = content.packed;
  const label = pictureLabel(content);
  box.replaceChildren();
  box.className = kind;
  box.setAttribute("aria-label", label);
  return PICTURES[kind](content.packed, box, { ...content, label });
}

function pictureLabel({ units, packed }) {
  const top = Array.from(units.leading.slice(0, 3), (unit) => describe(units, unit));
  const count = units.scores.length;
  return `${packed.kind}, ${counted(count, "unit")}; left and right go from unit to unit. Largest: ${top.join("; ")}`;
}

/** `choose` is called with the unit that is clicked, or on which Enter is pressed. */
export function startPicture(choose = () => {}) {
  const box = byId("picture");
  box.onclick = (event) => {
    const unit = shown.picture.unitAt(event);
    if (unit >= 0) choose(unit);
  };
  const follow = (event) => markUnit(shown.picture.unitAt(event), { x: event.clientX, y: event.clientY });
  box.onpointermove = follow;
  box.onpointerdown = follow;
  document.addEventListener("pointerdown", (event) => box.contains(event.target) || hideTip());
  // The tip stays when a finger is lifted.
  box.onpointerleave = (event) => event.pointerType === "mouse" && hideTip();
  box.onblur = hideTip;
  box.onkeydown = (event) => {
    if (event.key === "Escape") hideTip();
    if (event.key === "Enter" && shown.marked !== undefined) choose(shown.marked);
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const count = shown.units.scores.length;
    const next = shown.marked === undefined ? (step > 0 ? 0 : count - 1) : (shown.marked + step + count) % count;
    markUnit(next);
  };
}

/** Pictures that fit the width are drawn again when it changes. */
export function startResizing(draw) {
  let width = byId("picture").clientWidth;
  new ResizeObserver(() => {
    if (byId("picture").clientWidth === width) return;
    width = byId("picture").clientWidth;
    draw();
  }).observe(byId("picture"));
}

/** Outline a unit and show its score, at the pointer or at the unit itself. */
function markUnit(unit, at) {
  if (unit === undefined || unit < 0) return hideTip();
  if (unit !== shown.marked) shown.place = shown.picture.mark(unit, !at) ?? byId("picture");
  shown.marked = unit;
  if (!at) shown.place.scrollIntoView({ block: "nearest" });
  const place = shown.place.getBoundingClientRect();
  showTip(describe(shown.units, unit), at ?? { x: place.left - 12, y: place.bottom - 12 });
}

/** A text beside a place on the screen, for screen readers too. */
export function showTip(text, at) {
  const tip = byId("tip");
  if (tip.textContent !== text) tip.textContent = text;
  const room = document.documentElement.clientWidth - tip.offsetWidth - 8;
  tip.style.setProperty("left", `${Math.max(8, Math.min(at.x + 12, room)) + scrollX}px`);
  tip.style.setProperty("top", `${at.y + 18 + scrollY}px`);
}

export function hideTip() {
  byId("tip").textContent = "";
  if (shown.marked !== undefined) shown.picture.mark(-1);
  shown.marked = undefined;
}
