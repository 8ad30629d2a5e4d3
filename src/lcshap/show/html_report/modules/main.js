// Puts the page together: who is told what, in this order, and the first drawing.

import { read } from "./blocks.js";
import { showControls } from "./controls.js";
import { byId } from "./elements.js";
import { list, revealChosen, showList, startList } from "./list.js";
import { showStep, startMasking } from "./masking.js";
import { hasManyOutputs, showOutputs } from "./outputs_panel.js";
import { showFacts, showInteractions, showSentences, showTop } from "./panels.js";
import { showPicture, startPicture, startResizing } from "./picture_panel.js";
import { startPrinting } from "./print.js";
import { showSettings, startSettings } from "./settings_panel.js";
import { findShown, shown } from "./shown.js";
import { redraw, watch } from "./state.js";
import { startTheme } from "./theme.js";

const ENTRY = "sample method output sentences interactions";

watch(ENTRY, findShown);
watch("sample", () => (byId("name").textContent = shown.listed.name));
watch(`${ENTRY} outputs`, showControls);
watch(ENTRY, showPicture);
watch(`${ENTRY} outputs`, showOutputs);
watch(ENTRY, showFacts);
watch(ENTRY, showSentences);
watch(`${ENTRY} all`, showTop);
watch(ENTRY, showInteractions);
watch(ENTRY, showSettings);
watch(`${ENTRY} step`, showStep);
watch("sort reversed search method output", showList);
watch("sample", revealChosen);

startTheme(redraw);
startList();
startPicture();
startMasking();
startSettings();
startPrinting();
redraw({ outputs: hasManyOutputs(read("index").samples) });
startResizing(() => {
  showPicture();
  showStep();
  showOutputs();
  list.rows.refresh();
});
