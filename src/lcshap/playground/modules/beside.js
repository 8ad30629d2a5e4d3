// All columns side by side, each drawn as the report draws it.

import { byId, make } from "./elements.js";
import { drawInto } from "./picture_panel.js";
import { contentOf, shown } from "./shown.js";
import { state } from "./state.js";

export function showBeside() {
  const box = byId("beside");
  const { entries } = shown.listed;
  box.hidden = entries.length < 2;
  if (box.hidden) return box.replaceChildren();
  const panes = entries.map((_, number) => {
    const content = contentOf(state.sample, number);
    const title = content.output ? `${content.method}: ${content.output}` : content.method;
    const place = make("div", { role: "group" });
    const facts = content.entry.facts.filter(([name]) => name === "calls").map(([name, said]) => `${said} ${name}`);
    const note = make("p", { class: "note" }, facts.join());
    const pane = make("div", { class: "pane" }, make("h3", {}, title), place, note);
    return [pane, place, content];
  });
  box.replaceChildren(...panes.map(([pane]) => pane)); // first, so that drawings know their width
  for (const [, place, content] of panes) drawInto(place, content);
}
