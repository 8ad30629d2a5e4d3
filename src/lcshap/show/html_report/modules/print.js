// Printing: the data set if it is shown, then all samples one below the other, in the colours of light paper.

import { read } from "./blocks.js";
import { readColours } from "./colours.js";
import { byId, make } from "./elements.js";
import { list } from "./list.js";
import { counted } from "./numbers.js";
import { chosenEntry, shown } from "./shown.js";
import { isLoaded, openSample, redraw, state } from "./state.js";

const MOST_PRINTED = 500;
const FEW_IN_FULL = 10; // more samples than these are printed in short: sentence, picture, numbers and a few units
let before; // the state and the theme before printing

export function startPrinting() {
  addEventListener("beforeprint", preparePrint);
  addEventListener("afterprint", finishPrint);
}

/** Draw every sample in turn, and keep a copy of each. */
function preparePrint() {
  if (before) return;
  before = { state: { ...state }, theme: document.documentElement.dataset.theme };
  document.documentElement.dataset.theme = "light";
  readColours();
  const samples = list.order.length ? list.order.filter(isLoaded) : [state.sample];
  redraw();
  const copies = state.view === "all" ? [copyOf(byId("sample"))] : []; // the data set comes first
  const isShort = samples.length > FEW_IN_FULL;
  if (isShort) copies.push(make("p", {}, methodsOf(samples)));
  for (const i of samples.slice(0, MOST_PRINTED)) {
    openSample(i);
    const copy = copyOf(byId("sample"));
    if (isShort && isBeginning(shown.listed)) copy.querySelector("#name").remove();
    copies.push(copy);
  }
  if (samples.length > MOST_PRINTED)
    copies.push(make("p", {}, `The first ${MOST_PRINTED} of ${samples.length} samples: search to print others.`));
  byId("prints").replaceChildren(...copies);
  byId("prints").classList.toggle("many", isShort);
  document.body.classList.add("printing");
}

/** Whether the name of a sample is the beginning of its text, which the picture shows anyway. */
function isBeginning({ name, text }) {
  return text !== undefined && text.trim().replace(/\s+/g, " ").startsWith(name.replace(/…$/, ""));
}

/** The number of samples and their methods, once for many samples. */
function methodsOf(samples) {
  const { methods, samples: all } = read("index");
  const names = new Set(samples.map((i) => methods[all[i].entries[chosenEntry(i)][0]]));
  return `${counted(samples.length, "sample")}, explained by ${[...names].join("; ")}.`;
}

/** A copy of an element with what is drawn on its canvases, without the view that is not shown. */
function copyOf(element) {
  const copy = element.cloneNode(true);
  const canvases = element.querySelectorAll("canvas");
  copy.querySelectorAll("canvas").forEach((canvas, k) => canvas.getContext("2d").drawImage(canvases[k], 0, 0));
  copy.querySelector("#dataset[hidden], #one[hidden]")?.remove();
  for (const dump of copy.querySelectorAll(".dump")) dump.scrollTop = 0;
  return copy;
}

/** Back to what was shown before. */
function finishPrint() {
  if (!before) return;
  const { state: chosen, theme } = before;
  before = undefined;
  byId("prints").replaceChildren();
  document.body.classList.remove("printing");
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
  readColours();
  redraw(chosen);
}
