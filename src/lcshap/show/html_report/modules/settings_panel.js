// How the explanation was made: a table of settings, and a Python snippet to copy.

import { read } from "./blocks.js";
import { makeTable } from "./draw_table.js";
import { byId, make } from "./elements.js";
import { shown } from "./shown.js";

export function showSettings() {
  const [settings, python] = read(`pool-${shown.entry.made}`);
  const rows = settings.map(([name, value]) =>
    make("tr", {}, make("th", { scope: "row" }, name.replaceAll("_", " ")), make("td", {}, value)),
  );
  byId("made").replaceChildren(makeTable("Settings", ["Setting", "Value"], rows));
  byId("python").textContent = python;
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
