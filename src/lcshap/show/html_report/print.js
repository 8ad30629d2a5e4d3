// -- printing: all samples one below the other, in the colours of light paper -----------------------------------

const MOST_PRINTED = 500;

function startPrinting() {
  addEventListener("beforeprint", preparePrint);
  addEventListener("afterprint", finishPrint);
}

/** Draw every sample in turn, and keep a copy of each. */
function preparePrint() {
  if (shown.printing) return;
  shown.printing = { ...state, theme: document.documentElement.dataset.theme };
  document.documentElement.dataset.theme = "light";
  readColours();
  const samples = list.order.length ? list.order : [state.sample];
  const copies = samples.slice(0, MOST_PRINTED).map((i) => {
    openSample(i);
    return copyOf(byId("sample"));
  });
  if (samples.length > MOST_PRINTED)
    copies.push(make("p", {}, `The first ${MOST_PRINTED} of ${samples.length} samples: search to print others.`));
  byId("prints").replaceChildren(...copies);
  document.body.classList.add("printing");
}

/** A copy of an element with what is drawn on its canvases. */
function copyOf(element) {
  const copy = element.cloneNode(true);
  const canvases = element.querySelectorAll("canvas");
  copy.querySelectorAll("canvas").forEach((canvas, k) => canvas.getContext("2d").drawImage(canvases[k], 0, 0));
  for (const dump of copy.querySelectorAll(".dump")) dump.scrollTop = 0;
  return copy;
}

/** Back to what was shown before. */
function finishPrint() {
  if (!shown.printing) return;
  const { theme, ...before } = shown.printing;
  delete shown.printing;
  byId("prints").replaceChildren();
  document.body.classList.remove("printing");
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
  readColours();
  openSample(before.sample);
  Object.assign(state, before);
  showEntry();
}
