// What stands in the place of a unit: a form that suits the kind of input, or why there is none.

import { about } from "./bench.js";
import { byId, make } from "./elements.js";

const HINTS = { number: "a number", hex: "bytes, such as 00 ff", value: "a value", text: "a text" };

/** `take` is called with what the reader wants instead. */
export function startReplacing(take) {
  const { kind, colours } = about().replace;
  const form = byId("replace");
  if (kind === null) return;
  const label = make("label", { for: "instead" }, "Replace ", make("em", { id: "which", dir: "auto" }), " by");
  const fields = kind === "image" ? makeColours(colours) : [makeField(kind)];
  form.append(label, ...fields, make("button", { type: "submit" }, "Replace"));
  form.onsubmit = (event) => {
    event.preventDefault();
    take(byId("instead").value || byId("colour").value);
  };
}

function makeField(kind) {
  const number = kind === "number" ? { inputmode: "decimal" } : {};
  return make("input", { id: "instead", type: "text", autocomplete: "off", placeholder: HINTS[kind], ...number });
}

/** The names of what the server can put there, and any colour. */
function makeColours(names) {
  const options = names.map((name) => make("option", { value: name }, name));
  const select = make("select", { id: "instead" }, ...options, make("option", { value: "" }, "a colour"));
  const colour = make("input", { id: "colour", type: "color", value: "#ff0000", "aria-label": "The colour" });
  colour.hidden = true;
  select.onchange = () => (colour.hidden = select.value !== "");
  return [select, colour];
}

/** Show the form for a unit, by its name; null for none. */
export function showReplacing(name) {
  const { kind, why } = about().replace;
  byId("replace").hidden = kind === null || name === null;
  byId("why").textContent = kind === null && name !== null ? why : "";
  if (kind !== null && name !== null) byId("which").textContent = name;
}
