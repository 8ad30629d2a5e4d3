// Switches above the picture: the method, the output, the size of the units, interactions.

import { read } from "./blocks.js";
import { byId, make } from "./elements.js";
import { shown } from "./shown.js";
import { state, update } from "./state.js";
import { SCALES } from "./units.js";

const FEW_BUTTONS = 8; // so many values have a button each, more of them a menu

export function showControls() {
  const { methods } = read("index");
  const { entries } = shown.listed;
  const names = [...new Set(entries.map(([method]) => methods[method]))];
  const outputs = [...new Set(entries.map((entry) => entry[1]))];
  const there = new Set(entries.filter(([method]) => methods[method] === shown.method).map((entry) => entry[1]));
  const parts = [];
  if (names.length > 1) parts.push(choice("Method", "method", names, shown.method));
  if (outputs.length > 1) parts.push(choice("Output", "output", outputs, shown.output, (name) => there.has(name)));
  if (there.size > 1)
    parts.push(checkbox("All outputs at once", "together", state.outputs, (outputs) => ({ outputs })));
  if ("sentences" in shown.packed) {
    const level = (value) => ({ sentences: value === "sentences" });
    parts.push(radios("Units", "level", ["words", "sentences"], shown.bySentence ? "sentences" : "words", level));
  }
  if (shown.entries.some((entry) => "pairs" in entry)) {
    const possible = !shown.bySentence && "pairs" in shown.entry;
    parts.push(checkbox("Interactions", "pairs", state.interactions, (interactions) => ({ interactions }), possible));
  }
  parts.push(...scaleControls());
  replaceKeepingFocus(byId("controls"), parts);
}

const THRESHOLDS = [0, 5, 10, 25, 50];

/** How scores are written and coloured. */
function scaleControls() {
  const titles = Object.values(SCALES);
  const scaleOfTitle = (title) => ({ scale: Object.keys(SCALES)[titles.indexOf(title)] });
  const shares = THRESHOLDS.map((share) => (share ? `${share} % of the largest` : "nothing"));
  const threshold = (share) => ({ threshold: THRESHOLDS[shares.indexOf(share)] });
  const parts = [
    menu("Numbers", "scale", titles, SCALES[state.scale], scaleOfTitle),
    menu("Hide below", "threshold", shares, shares[THRESHOLDS.indexOf(state.threshold)], threshold),
  ];
  if (read("index").samples.length > 1)
    parts.push(checkbox("Same colours in all samples", "alike", state.alike, (alike) => ({ alike })));
  return parts;
}

/** One of several names, which becomes a part of the state. */
function choice(title, name, values, chosen, possible = () => true) {
  const change = (value) => ({ [name]: value });
  const kind = values.length > FEW_BUTTONS ? menu : radios;
  return kind(title, name, values, chosen, change, possible);
}

function radios(title, name, values, chosen, change, possible = () => true) {
  const labels = values.map((value, i) => {
    const radio = make("input", { type: "radio", name, value: i, id: `${name}-${i}` });
    radio.checked = value === chosen;
    radio.disabled = !possible(value);
    radio.onchange = () => update(change(value));
    return make("label", {}, radio, make("span", {}, value || "(unnamed)"));
  });
  return make("fieldset", {}, make("legend", {}, title), ...labels);
}

export function menu(title, id, values, chosen, change, possible = () => true) {
  const options = values.map((value, i) => {
    const option = make("option", { value: i }, value || "(unnamed)");
    option.disabled = !possible(value);
    option.selected = value === chosen;
    return option;
  });
  const select = make("select", { id }, ...options);
  select.onchange = () => update(change(values[select.value]));
  return make("div", { class: "menu" }, make("label", { for: id }, title), select);
}

export function checkbox(title, id, checked, change, possible = true) {
  const box = make("input", { type: "checkbox", id });
  box.checked = checked;
  box.disabled = !possible;
  box.onchange = () => update(change(box.checked));
  return make("div", { class: "switch" }, make("label", {}, box, title));
}

/** New children; whoever used one of the old ones with the keyboard goes on with the new one of the same id. */
export function replaceKeepingFocus(box, parts) {
  const id = box.contains(document.activeElement) ? document.activeElement.id : "";
  box.replaceChildren(...parts);
  if (id) byId(id)?.focus();
}
