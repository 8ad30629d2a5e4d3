// Printing: the data set if it is shown, then all samples one below the other, in the colours of light paper.

import { readColours } from "./colours.js";
import { byId, make } from "./elements.js";
import { list } from "./list.js";
import { openSample, redraw, state } from "./state.js";

const MOST_PRINTED = 500;
let before; // what was shown before printing began

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
  const samples = list.order.length ? list.order : [state.sample];
  redraw();
  const copies = state.view === "all" ? [copyOf(byId("sample"))] : []; // the data set comes first
  for (const i of samples.slice(0, MOST_PRINTED)) {
    openSample(i);
    copies.push(copyOf(byId("sample")));
  }
  if (samples.length > MOST_PRINTED)
    copies.push(make("p", {}, `The first ${MOST_PRINTED} of ${samples.length} samples: search to print others.`));
  byId("prints").replaceChildren(...copies);
  document.body.classList.add("printing");
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
