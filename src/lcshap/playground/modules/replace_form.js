// The form that replaces a unit. It suits the kind of input; if units cannot be replaced, the reason is shown.

import { byId, make } from "./elements.js";
import { serverInfo } from "./playground_state.js";

const HINTS = { number: "a number", hex: "bytes, such as 00 ff", value: "a value", text: "a text" };

/** `onSubmit` is called with the replacement. */
export function startReplaceForm(onSubmit) {
  const { kind, colours } = serverInfo().replace;
  const form = byId("replace");
  if (kind === null) return;
  const name = make("em", { id: "replaced-unit", dir: "auto" });
  const label = make("label", { for: "replacement" }, "Replace ", name, " by");
  const fields = kind === "image" ? makeColours(colours) : [makeField(kind)];
  form.append(label, ...fields, make("button", { type: "submit" }, "Replace"));
  form.onsubmit = (event) => {
    event.preventDefault();
    onSubmit(byId("replacement").value || byId("colour").value);
  };
}

function makeField(kind) {
  const number = kind === "number" ? { inputmode: "decimal" } : {};
  return make("input", { id: "replacement", type: "text", autocomplete: "off", placeholder: HINTS[kind], ...number });
}

/** The replacements that the server knows by name, and any colour. */
function makeColours(names) {
  const options = names.map((name) => make("option", { value: name }, name));
  const select = make("select", { id: "replacement" }, ...options, make("option", { value: "" }, "a colour"));
  const colour = make("input", { id: "colour", type: "color", value: "#ff0000", "aria-label": "The colour" });
  colour.hidden = true;
  select.onchange = () => (colour.hidden = select.value !== "");
  return [select, colour];
}

/** Show the form for a unit by its name; without a name, hide it. */
export function showReplaceForm(name) {
  const { kind, why } = serverInfo().replace;
  byId("replace").hidden = kind === null || name === null;
  byId("replace-reason").textContent = kind === null && name !== null ? why : "";
  if (kind !== null && name !== null) byId("replaced-unit").textContent = name;
}
