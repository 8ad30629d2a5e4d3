// All columns side by side. Each is drawn by the functions of the report.

import { byId, make } from "./elements.js";
import { drawInto } from "./picture_panel.js";
import { contentOf, shown } from "./shown.js";
import { state } from "./state.js";

export function showSideBySide() {
  const box = byId("side-by-side");
  const { entries } = shown.listed;
  box.hidden = entries.length < 2;
  if (box.hidden) return box.replaceChildren();
  const panes = entries.map((_, number) => {
    const content = contentOf(state.sample, number);
    const title = content.output ? `${content.method}: ${content.output}` : content.method;
    const drawing = make("div", { role: "group" });
    const calls = content.entry.facts.filter(([name]) => name === "calls").map(([name, count]) => `${count} ${name}`);
    const note = make("p", { class: "note" }, calls.join());
    const pane = make("div", { class: "pane" }, make("h3", {}, title), drawing, note);
    return [pane, drawing, content];
  });
  box.replaceChildren(...panes.map(([pane]) => pane)); // Drawings need the width of their element on the page.
  for (const [, drawing, content] of panes) drawInto(drawing, content);
}
