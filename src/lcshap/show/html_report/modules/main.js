// Starts the page: registers the functions that draw its parts in the order in which they are called, and draws them.

import { showAnswer } from "./answer_panel.js";
import { read } from "./blocks.js";
import { showControls } from "./controls.js";
import { showView, startDataset } from "./dataset_panel.js";
import { byId } from "./elements.js";
import { startExport } from "./export_panel.js";
import { showKept, startKept } from "./keep_panel.js";
import { list, revealChosen, showList, startList } from "./list.js";
import { showStep, startMasking } from "./masking.js";
import { hasManyOutputs, showOutputs } from "./outputs_panel.js";
import { showFacts, showInteractions, showSentences, showTop } from "./panels.js";
import { startLinks, writeLink } from "./permalink.js";
import { showPicture, startPicture, startResizing } from "./picture_panel.js";
import { showPin, togglePin } from "./pin_panel.js";
import { startPrinting } from "./print.js";
import { showSettings, startSettings } from "./settings_panel.js";
import { findShown, shown } from "./shown.js";
import { DEFAULTS, openAwaited, redraw, state, watch } from "./state.js";
import { startTheme } from "./theme.js";

const ENTRY = "sample method output sentences interactions";
const NUMBERS = `${ENTRY} scale threshold alike`;
const FILTERS = "search word label predicted verdict";

watch(NUMBERS, findShown);
watch("sample", () => (byId("name").textContent = shown.listed.name));
watch(`${NUMBERS} outputs`, showControls);
watch(NUMBERS, showAnswer);
watch(NUMBERS, showPicture);
watch(`${NUMBERS} outputs`, showOutputs);
watch(ENTRY, showFacts);
watch(ENTRY, showSentences);
watch(`${NUMBERS} all`, showTop);
watch(ENTRY, showInteractions);
watch(ENTRY, showSettings);
watch(`${NUMBERS} step`, showStep);
watch(`${NUMBERS} all pin`, showPin);
watch(`${NUMBERS} kept`, showKept);
watch(`sort reversed method output ${FILTERS}`, showList);
watch("sample", revealChosen);
watch("view method label predicted", showView);
watch(Object.keys(DEFAULTS).join(" "), writeLink);

function startPage() {
  startTheme(redraw);
  startList();
  startDataset();
  startPicture(togglePin);
  startMasking();
  startKept();
  startExport();
  startSettings();
  startPrinting();
  state.outputs = hasManyOutputs(read("index").samples);
  startLinks();
  redraw();
  startResizing(() => {
    showPicture();
    showStep();
    showOutputs();
    showPin();
    list.rows.refresh();
  });
}

// The other samples follow this script in the page. Without a link to one of them, the first is shown at once.
document.addEventListener("DOMContentLoaded", location.hash.length > 1 ? startPage : openAwaited);
if (location.hash.length <= 1) startPage();
