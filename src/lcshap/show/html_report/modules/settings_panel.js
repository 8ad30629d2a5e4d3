// How the explanation was made: a table of settings, and a Python snippet to copy.

import { makeTable } from "./draw_table.js";
import { byId, make } from "./elements.js";
import { shown } from "./shown.js";

export function showSettings() {
  const rows = shown.entry.settings.map(([name, value]) =>
    make("tr", {}, make("th", { scope: "row" }, name.replaceAll("_", " ")), make("td", {}, value)),
  );
  byId("made").replaceChildren(makeTable("Settings", ["Setting", "Value"], rows));
  byId("python").textContent = shown.entry.python;
  byId("copied").textContent = "";
}

export function startSettings() {
  byId("copy").onclick = async () => {
    const range = document.createRange();
    range.selectNodeContents(byId("python"));
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    try {
      await navigator.clipboard.writeText(byId("python").textContent);
      byId("copied").textContent = "Copied";
    } catch {
      byId("copied").textContent = document.execCommand("copy") ? "Copied" : "Selected: copy it with the keyboard";
    }
  };
}
