// A unit that the reader has clicked: its score by every method, its interactions, and where else it occurs.

import { read } from "./blocks.js";
import { makeTable, scoreCells } from "./draw_table.js";
import { byId, make } from "./elements.js";
import { clip, errorOf, format } from "./numbers.js";
import { hasUnit, wordPattern } from "./selection.js";
import { contentOf, shown } from "./shown.js";
import { isLoaded, openSample, state, update } from "./state.js";
import { bySize, interactionsOf } from "./units.js";

const FEW_PINNED = 12;
const MOST_READ = 200; // samples that are read to find a unit in them

export function togglePin(unit) {
  update({ pin: unit === state.pin ? -1 : unit });
}

export function showPin() {
  const box = byId("pinned");
  for (const button of document.querySelectorAll("[data-pin]"))
    button.setAttribute("aria-pressed", Number(button.dataset.pin) === state.pin);
  box.hidden = state.pin < 0 || state.pin >= shown.units.names.length;
  shown.picture.pin?.(box.hidden ? -1 : state.pin);
  if (box.hidden) return box.replaceChildren();
  const close = make("button", { type: "button", id: "unpin" }, "Close");
  close.onclick = () => update({ pin: -1 });
  const name = clip(shown.units.names[state.pin], 80);
  const head = make("div", { class: "row" }, make("h3", { dir: "auto" }, `Unit “${name}”`), close);
  const tables = [byMethod(), partners(), elsewhere()].filter(Boolean);
  box.replaceChildren(head, make("div", { class: "tables" }, ...tables));
}

/** The score of the unit in every entry of the sample. */
function byMethod() {
  const { methods } = read("index");
  const rows = shown.listed.entries.map(([method, output], k) => {
    const { units } = contentOf(state.sample, k);
    const name = [methods[method], output].filter(Boolean).join(", ");
    const rank = make("td", { class: "number" }, `${units.ranks[state.pin]} of ${units.scores.length}`);
    return make("tr", {}, make("th", { scope: "row" }, clip(name, 80)), rank, ...scoreCells(units, state.pin));
  });
  return makeTable("Score by every method", ["Method", "Rank", "Score", ""], rows);
}

function partners() {
  const { entry, words, bySentence } = shown;
  if (bySentence || !("pairs" in entry)) return undefined;
  const interactions = interactionsOf(entry, words);
  const { pairs, scores } = interactions;
  const ofUnit = bySize(interactions.drawn).filter((k) => pairs[k].includes(state.pin) && scores[k] !== 0);
  const rows = ofUnit.slice(0, FEW_PINNED).map((k) => {
    const other = pairs[k][0] === state.pin ? pairs[k][1] : pairs[k][0];
    const name = make("th", { scope: "row", dir: "auto" }, clip(words.names[other], 60));
    return make("tr", {}, name, ...scoreCells(interactions, k));
  });
  return rows.length ? makeTable("Interactions with other units", ["Interacts with", "Value", ""], rows) : undefined;
}

/** Other samples that have a unit of the same name, those with the largest scores first. */
function elsewhere() {
  const plain = plainName(shown.units.names[state.pin]);
  const { samples } = read("index");
  if (!plain || samples.length < 2 || ["image", "bytes"].includes(shown.packed.kind)) return undefined;
  const pattern = wordPattern(plain);
  const others = Array.from(samples.keys()).filter((i) => i !== state.sample && isLoaded(i));
  const matches = others.filter((i) => hasUnit(samples[i], pattern));
  const places = matches.slice(0, MOST_READ).flatMap((i) => {
    const k = samples[i].entries.findIndex(([method, output]) => {
      return read("index").methods[method] === shown.method && output === shown.output;
    });
    if (k < 0) return [];
    const { units } = contentOf(i, k);
    const unit = units.leading.find((other) => plainName(units.names[other]) === plain);
    return unit === undefined ? [] : [{ i, unit, units, score: units.scores[unit] }];
  });
  places.sort((a, b) => Math.abs(b.score) - Math.abs(a.score) || a.i - b.i);
  if (!places.length) return make("p", { class: "note" }, "It occurs in no other sample of this method and output.");
  const rows = places.slice(0, FEW_PINNED).map(({ i, unit, units, score }) => {
    const button = make("button", { type: "button", class: "link", dir: "auto" }, clip(samples[i].name, 60));
    button.onclick = () => {
      openSample(i);
      update({ pin: unit });
    };
    const number = make("td", { class: "number" }, format(score, 4, true) + errorOf(units, unit));
    return make("tr", {}, make("th", { scope: "row" }, button), number);
  });
  const more = places.length > FEW_PINNED ? `, ${FEW_PINNED} of ${places.length}` : "";
  return makeTable("Where else it occurs", [`Also in${more}`, "Score"], rows);
}

/** A name without the number or value that distinguishes equal units, and without punctuation around it. */
function plainName(name) {
  const bare = name.replace(/ \(\d+\)(?= = |$)/, "").replace(/ = .*$/s, "");
  return bare.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "").toLowerCase();
}
