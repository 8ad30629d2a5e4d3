// Starts the playground, and registers the functions that draw its parts in the order in which they are called.

import { showColumns, startColumns } from "./columns_editor.js";
import { showControls } from "./controls.js";
import { chooseFirstExample, setInput, startEditor } from "./editor.js";
import { startFlipSearch } from "./flip_search.js";
import { startGestures } from "./gestures.js";
import { startLocality } from "./locality_panel.js";
import { showOutputs } from "./outputs_panel.js";
import { showFacts, showInteractions, showSentences, showTop } from "./panels.js";
import { showPicture, startPicture, startResizing } from "./picture_panel.js";
import { playground } from "./playground_state.js";
import { schedulePrediction } from "./prediction.js";
import { run, startRunControls } from "./run_controls.js";
import { decodeLink, showDownloads, startSavePanel, updateAddress } from "./save_panel.js";
import { showSettings, startSettings } from "./settings_panel.js";
import { findShown } from "./shown.js";
import { showSideBySide } from "./side_by_side.js";
import { redraw, watch } from "./state.js";
import { startTheme } from "./theme.js";
import { showWhatIf, startHistory, startWhatIf, updateWhatIf } from "./what_if.js";

const FIELDS = "sample method output sentences interactions scale threshold alike";
let historyRun = null; // the run that the history of "What if?" belongs to
let linked = decodeLink(location.hash);

watch(FIELDS, findShown);
watch(`${FIELDS} outputs`, showControls);
watch(FIELDS, showPicture);
watch(`${FIELDS} outputs`, showOutputs);
watch(FIELDS, showFacts);
watch(FIELDS, showSentences);
watch(`${FIELDS} all`, showTop);
watch(FIELDS, showInteractions);
watch(FIELDS, showSettings);
watch(FIELDS, showDownloads);
watch(FIELDS, showSideBySide);
watch(FIELDS, () => {
  if (historyRun === playground.shownRun) return updateWhatIf();
  historyRun = playground.shownRun;
  const isLinked = linked && JSON.stringify(linked.input) === JSON.stringify(playground.shownRun.input);
  startHistory(isLinked ? linked : null);
  linked = null;
});

startTheme(() => playground.shownRun && redraw());
startEditor(schedulePrediction);
startColumns(schedulePrediction);
startRunControls(() => {
  showDownloads();
  updateAddress();
});
startPicture();
startGestures();
startWhatIf(updateAddress);
startFlipSearch();
startSavePanel();
startLocality();
startSettings();
startResizing(() => {
  if (!playground.shownRun) return;
  showPicture();
  showSideBySide();
  showWhatIf();
});

if (linked) {
  playground.columns = linked.columns;
  showColumns();
  setInput(linked.input);
  run();
} else {
  chooseFirstExample();
}
