// The answer of a language model beside its prompt. Pointing at a part of the answer highlights its sources.

import { spansOf } from "./blocks.js";
import { paint } from "./colours.js";
import { byId, make } from "./elements.js";
import { outputsOf } from "./outputs_panel.js";
import { hideTip, showTip } from "./picture_panel.js";
import { contentOf, shown } from "./shown.js";
import { state, update } from "./state.js";

export function showAnswer() {
  const box = byId("answer");
  const text = shown.packed.answer;
  const parts = text === undefined ? [] : partsOf(text);
  box.hidden = !parts.length;
  if (box.hidden) return box.replaceChildren();
  const paragraph = make("p", { dir: "auto" });
  let at = 0;
  for (const part of parts) {
    paragraph.append(text.slice(at, part.start), makePart(part, text.slice(part.start, part.end)));
    at = part.end;
  }
  paragraph.append(text.slice(at));
  const notes = ["Point at a part of the answer to highlight the sources that support it."];
  if (parts.some(({ bare }) => bare)) notes.push("A wavy underline marks a part that is not supported by the context.");
  box.replaceChildren(make("h3", {}, "The answer"), paragraph, make("p", { class: "note" }, notes.join(" ")));
}

/** The parts of the answer that one method explains, in their order; the whole answer if there are no parts. */
function partsOf(text) {
  const [method] = shown.listed.entries[shown.number];
  const all = outputsOf(shown.listed, method)
    .filter((k) => "part" in shown.entries[k])
    .map((k) => {
      const { part, rests, bare } = shown.entries[k];
      const [[start, end]] = spansOf(part);
      return { k, start, end, rests, bare, output: shown.listed.entries[k][1] };
    });
  const inner = all.filter(({ start, end }) => start > 0 || end < text.length);
  const ordered = (inner.length ? inner : all.slice(0, 1)).sort((a, b) => a.start - b.start);
  return ordered.filter(({ start }, i) => i === 0 || start >= Math.max(...ordered.slice(0, i).map(({ end }) => end)));
}

function makePart({ k, output, rests, bare }, text) {
  const chosen = output === shown.output;
  const part = make("span", { class: bare ? "part bare" : "part", role: "button", tabindex: 0 }, text);
  part.setAttribute("aria-pressed", String(chosen));
  part.setAttribute("aria-description", rests);
  const highlight = () => {
    const { units } = contentOf(state.sample, k);
    colour(bare ? { ...units, limit: Infinity } : units); // An infinite limit leaves all sources without colour.
  };
  part.onpointerenter = highlight;
  part.onpointermove = (event) => showTip(rests, { x: event.clientX, y: event.clientY });
  part.onfocus = () => {
    const { left, bottom } = part.getBoundingClientRect();
    highlight();
    showTip(rests, { x: left - 12, y: bottom - 12 });
  };
  part.onpointerleave = part.onblur = () => {
    hideTip();
    colour(shown.units);
  };
  part.onclick = () => update({ output });
  part.onkeydown = (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    update({ output });
  };
  return part;
}

/** Colour the units of the picture by some scores. */
function colour(units) {
  for (const element of byId("picture").querySelectorAll(".unit"))
    paint(element, units.drawn[element.dataset.unit], units.limit);
}
