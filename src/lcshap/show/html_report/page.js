// -- what is shown ----------------------------------------------------------------------------------------------

const state = { sample: 0, method: null, output: null, step: 0, interactions: false, sentences: false, all: false };
const shown = {}; // the sample, the entry, the units and the picture on the page

/** Which entry of a sample suits the chosen method and output best. */
function chosenEntry(i) {
  const { methods, samples } = read("index");
  const fits = samples[i].entries.map(
    ([method, output]) => 2 * (methods[method] === state.method) + (output === state.output),
  );
  return fits.indexOf(Math.max(...fits));
}

function openSample(i) {
  Object.assign(state, { sample: i, step: 0, all: false });
  shown.listed = read("index").samples[i];
  shown.content = read(`sample-${i}`);
  byId("name").textContent = shown.listed.name;
  showControls();
  showEntry();
  revealChosen();
}

/** Everything that depends on the method, the output and the size of the units. */
function showEntry() {
  const { listed, content } = shown;
  const number = chosenEntry(state.sample);
  shown.entry = content.entries[number];
  shown.method = read("index").methods[listed.entries[number][0]];
  shown.output = listed.entries[number][1];
  shown.words = unitsOf(listed, content.picture, shown.entry);
  shown.bySentence = state.sentences && "sentences" in content.picture;
  shown.units = shown.bySentence ? sentencesOf(listed, content.picture, shown.words) : shown.words;
  shown.steps = stepsOf(shown.entry, shown.words.scores.length);
  updateControls();
  showPicture();
  showFacts();
  showSentences();
  showTop();
  showInteractions();
  showSettings();
  byId("slider").max = shown.steps.percents.length - 1;
  state.step = Math.min(state.step, shown.steps.percents.length - 1);
  byId("slider").value = state.step;
  showStep();
}

function showPicture() {
  hideTip();
  const box = byId("picture");
  box.replaceChildren();
  box.className = shown.content.picture.kind;
  box.setAttribute("aria-label", pictureLabel());
  shown.picture = PICTURES[shown.content.picture.kind](shown.content.picture, box, shown);
  const [low, , high] = byId("legend").children;
  const { clip, sides } = shown.entry;
  const limit = clip ?? shown.units.limit;
  low.textContent = `${sides[0]} ${clip ? "≤ " : ""}${format(-limit, 3)}`;
  high.textContent = `${sides[1]} ${clip ? "≥ " : ""}${format(limit, 3, true)}`;
  const most = sides[1] === "for" ? "speak most for it" : "raise it most";
  byId("mask").textContent = `Mask the units that ${most}`;
}

function pictureLabel() {
  const { units } = shown;
  const top = Array.from(units.leading.slice(0, 3), (unit) => describe(units, unit));
  const kind = shown.content.picture.kind;
  return `${kind}, ${units.scores.length} units; left and right go from unit to unit. Largest: ${top.join("; ")}`;
}

// -- controls ---------------------------------------------------------------------------------------------------

function showControls() {
  const { methods } = read("index");
  const { entries } = shown.listed;
  const names = [...new Set(entries.map(([method]) => methods[method]))];
  const outputs = [...new Set(entries.map((entry) => entry[1]))];
  const parts = [];
  if (names.length > 1) parts.push(radios("Method", "method", names));
  if (outputs.length > 1) parts.push(radios("Output", "output", outputs));
  if ("sentences" in shown.content.picture) parts.push(radios("Units", "level", ["words", "sentences"]));
  if (shown.content.entries.some((entry) => "pairs" in entry)) {
    const box = make("input", { type: "checkbox", id: "pairs" });
    box.onchange = () => {
      state.interactions = box.checked;
      showEntry();
    };
    parts.push(make("div", { class: "switch" }, make("label", {}, box, "Interactions")));
  }
  byId("controls").replaceChildren(...parts);
}

function radios(title, name, values) {
  const labels = values.map((value, i) => {
    const radio = make("input", { type: "radio", name, value: i });
    radio.onchange = () => choose(name, value);
    return make("label", {}, radio, make("span", {}, value || "(unnamed)"));
  });
  return make("fieldset", { "data-values": JSON.stringify(values) }, make("legend", {}, title), ...labels);
}

function choose(name, value) {
  if (name === "level") state.sentences = value === "sentences";
  else state[name] = value;
  showEntry();
  list.rows.refresh();
}

/** Check what is chosen; outputs that the chosen method lacks cannot be. */
function updateControls() {
  const { methods } = read("index");
  const { entries } = shown.listed;
  const [method, output] = entries[chosenEntry(state.sample)];
  const values = { method: methods[method], output, level: shown.bySentence ? "sentences" : "words" };
  const there = new Set(entries.filter((entry) => entry[0] === method).map((entry) => entry[1]));
  for (const radio of byId("controls").querySelectorAll("input[type=radio]")) {
    const value = JSON.parse(radio.closest("fieldset").dataset.values)[radio.value];
    radio.checked = value === values[radio.name];
    radio.disabled = radio.name === "output" && !there.has(value);
  }
  const pairs = byId("pairs");
  if (!pairs) return;
  pairs.checked = state.interactions;
  pairs.disabled = shown.bySentence || !("pairs" in shown.entry);
}

// -- masking ----------------------------------------------------------------------------------------------------

/** Where the slider stops: at numbers of units, each once: where the curve has values, or at all of a few, or 20. */
function stepsOf(entry, count) {
  const stops = Math.min(count, count > 40 ? 20 : count);
  const evenly = Array.from({ length: stops + 1 }, (_, k) => Math.round((k * count) / stops));
  const steps = entry.curve ?? { counts: evenly };
  const own = steps.counts.map((_, k) => k).filter((k) => !k || steps.counts[k] > steps.counts[k - 1]);
  const counts = own.map((k) => steps.counts[k]);
  const percents = counts.map((masked) => (100 * masked) / count);
  return { ...steps, counts, percents, values: steps.values && own.map((k) => steps.values[k]) };
}

function showStep() {
  const { percents, counts, values, what } = shown.steps;
  const masked = new Uint8Array(shown.words.scores.length);
  for (const unit of shown.words.ranking.slice(0, counts[state.step])) masked[unit] = 1;
  shown.masked = masked;
  shown.picture.mask(masked);
  const of = `${counts[state.step]} of ${masked.length} units masked (${format(percents[state.step], 3)} %)`;
  byId("step").textContent = values ? `${of}: ${what} ${curveValue(values[state.step], 4)}` : of;
  byId("slider").setAttribute("aria-valuetext", of);
  showCurve();
}

// -- the unit under the pointer or the keyboard -----------------------------------------------------------------

function startPicture() {
  const box = byId("picture");
  const follow = (event) => markUnit(shown.picture.unitAt(event), { x: event.clientX, y: event.clientY });
  box.onpointermove = follow;
  box.onpointerdown = follow;
  document.addEventListener("pointerdown", (event) => box.contains(event.target) || hideTip());
  box.onpointerleave = (event) => event.pointerType === "mouse" && hideTip(); // a finger leaves when it is lifted
  box.onblur = hideTip;
  box.onkeydown = (event) => {
    if (event.key === "Escape") hideTip();
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const count = shown.units.scores.length;
    const next = shown.marked === undefined ? (step > 0 ? 0 : count - 1) : (shown.marked + step + count) % count;
    markUnit(next);
  };
}

/** Outline a unit and say its score, at the pointer or at the unit itself. */
function markUnit(unit, at) {
  if (unit === undefined || unit < 0) return hideTip();
  if (unit !== shown.marked) shown.place = shown.picture.mark(unit, !at) ?? byId("picture");
  shown.marked = unit;
  if (!at) shown.place.scrollIntoView({ block: "nearest" });
  const place = shown.place.getBoundingClientRect();
  const tip = byId("tip");
  const text = describe(shown.units, unit);
  if (tip.textContent !== text) tip.textContent = text;
  const x = at ? at.x + 12 : place.left;
  const y = at ? at.y + 18 : place.bottom + 6;
  const room = document.documentElement.clientWidth - tip.offsetWidth - 8;
  tip.style.setProperty("left", `${Math.max(8, Math.min(x, room)) + scrollX}px`);
  tip.style.setProperty("top", `${y + scrollY}px`);
}

function hideTip() {
  byId("tip").textContent = "";
  if (shown.marked !== undefined) shown.picture.mark(-1);
  shown.marked = undefined;
}

// -- light and dark ---------------------------------------------------------------------------------------------

function startTheme() {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (document.documentElement.dataset.theme ?? (system.matches ? "dark" : "light")) === "dark";
  const update = () => {
    byId("theme").textContent = isDark() ? "Light" : "Dark";
    byId("theme").setAttribute("aria-label", `Switch to ${isDark() ? "light" : "dark"} colours`);
    readColours();
  };
  const change = () => {
    update();
    showEntry();
  };
  byId("theme").onclick = () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    change();
  };
  system.addEventListener("change", change);
  update();
}

/** Pictures that fit the width are drawn again when it changes. */
function startResizing() {
  let width = byId("picture").clientWidth;
  new ResizeObserver(() => {
    if (byId("picture").clientWidth === width) return;
    width = byId("picture").clientWidth;
    showPicture();
    showStep();
    list.rows.refresh();
  }).observe(byId("picture"));
}

function start() {
  byId("slider").oninput = () => {
    state.step = Number(byId("slider").value);
    showStep();
  };
  startTheme();
  startList();
  startPicture();
  startSettings();
  startPrinting();
  openSample(0);
  arrange();
  startResizing();
}

start();
