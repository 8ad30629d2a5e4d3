// Filters of the list: by true class, by prediction, right or wrong, by a unit.

import { menu, replaceKeepingFocus } from "./controls.js";
import { byId, make } from "./elements.js";
import { classesOf } from "./selection.js";
import { state, update } from "./state.js";

export function showFilters() {
  const parts = [];
  for (const [field, title] of [["label", "True class"], ["predicted", "Predicted"]]) {
    const classes = classesOf(field);
    const change = (name) => ({ [field]: name === "all" ? "" : name });
    if (classes.length > 1 || (classes.length && field === "label"))
      parts.push(menu(title, `by-${field}`, ["all", ...classes], state[field] || "all", change));
  }
  if (classesOf("label").length) {
    const change = (verdict) => ({ verdict: verdict === "all" ? "" : verdict });
    parts.push(menu("Right or wrong", "by-verdict", ["all", "right", "wrong"], state.verdict || "all", change));
  }
  if (state.word) parts.push(chip(`with “${state.word}”`, { word: "" }, "by-word"));
  byId("filters").hidden = !parts.length;
  replaceKeepingFocus(byId("filters"), parts);
}

/** A filter that a click takes away. */
function chip(text, change, id) {
  const button = make("button", { type: "button", id, "aria-label": `Remove the filter ${text}` }, `${text} ✕`);
  button.onclick = () => update(change);
  return button;
}
