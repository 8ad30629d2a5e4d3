// Puts the playground together: who is told what, in this order.

import { bench } from "./bench.js";
import { showBeside } from "./beside.js";
import { showControls } from "./controls.js";
import { chooseFirst, setInput, startEditor } from "./editor.js";
import { startGestures } from "./gestures.js";
import { keepLink, readLink, showSaves, startKeeping } from "./keeping.js";
import { showOutputs } from "./outputs_panel.js";
import { showFacts, showInteractions, showSentences, showTop } from "./panels.js";
import { startPaths } from "./paths.js";
import { showPicture, startPicture, startResizing } from "./picture_panel.js";
import { predictSoon } from "./prediction.js";
import { run, startRunning } from "./running.js";
import { showSettings, startSettings } from "./settings_panel.js";
import { findShown } from "./shown.js";
import { redraw, watch } from "./state.js";
import { startTheme } from "./theme.js";
import { showWays, startWays } from "./ways.js";
import { beginChanges, refreshWhatIf, showWhatIf, startWhatIf } from "./what_if.js";

const PARTS = "sample method output sentences interactions scale threshold alike";
let drawn = null; // the run whose changes are on the page
let linked = readLink(location.hash);

watch(PARTS, findShown);
watch(`${PARTS} outputs`, showControls);
watch(PARTS, showPicture);
watch(`${PARTS} outputs`, showOutputs);
watch(PARTS, showFacts);
watch(PARTS, showSentences);
watch(`${PARTS} all`, showTop);
watch(PARTS, showInteractions);
watch(PARTS, showSettings);
watch(PARTS, showSaves);
watch(PARTS, showBeside);
watch(PARTS, () => {
  if (drawn === bench.ran) return refreshWhatIf();
  drawn = bench.ran;
  const same = linked && JSON.stringify(linked.input) === JSON.stringify(bench.ran.input);
  beginChanges(same ? linked : null);
  linked = null;
});

startTheme(() => bench.ran && redraw());
startEditor(predictSoon);
startWays(predictSoon);
startRunning(() => {
  showSaves();
  keepLink();
});
startPicture();
startGestures();
startWhatIf(keepLink);
startPaths();
startKeeping();
startSettings();
startResizing(() => {
  if (!bench.ran) return;
  showPicture();
  showBeside();
  showWhatIf();
});

if (linked) {
  bench.ways = linked.ways;
  showWays();
  setInput(linked.input);
  run();
} else {
  chooseFirst();
}
