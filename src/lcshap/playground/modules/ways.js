// The columns: which methods, targets and references stand side by side.

import { about, bench } from "./bench.js";
import { byId, make } from "./elements.js";

let tellWays = () => {};

export function startWays(onChange) {
  tellWays = onChange;
  byId("add").onclick = () => {
    bench.ways.push({ method: "l-shapley" });
    showWays();
    tellWays();
    byId(`way-${bench.ways.length - 1}-method`).focus();
  };
  showWays();
}

export function showWays() {
  byId("ways").replaceChildren(...bench.ways.map(makeWay));
  byId("add").disabled = bench.ways.length >= about().limits.columns;
}

function makeWay(way, number) {
  const { auto, methods, classes, references } = about();
  const set = (name, value) => {
    if (value === "" || value === undefined) delete way[name];
    else way[name] = value;
    tellWays();
  };
  const id = (name) => `way-${number}-${name}`;
  const pick = (title, name, values, value, take) => {
    const options = values.map(([key, text]) => make("option", { value: key }, text));
    const select = make("select", { id: id(name) }, ...options);
    select.value = value;
    select.onchange = () => take(select.value);
    return make("div", {}, make("label", { for: id(name) }, title), select);
  };
  const named = classes.map((name) => [name, name]);
  const [target, against] = Array.isArray(way.target) ? way.target : [way.target ?? "", ""];
  const setTarget = () => {
    const [one, other] = [byId(id("target")).value, byId(id("against")).value];
    set("target", one && other && one !== other ? [one, other] : one);
  };
  const listed = [["auto", auto.name], ...methods.map(({ name }) => [name, name])];
  const parts = [
    pick("Method", "method", listed, way.method ?? "auto", (name) => {
      delete way.interactions;
      set("method", name === "auto" ? "" : name);
      showWays();
      byId(id("method")).focus();
    }),
    makeBudget(way, id("budget"), set),
  ];
  if (named.length) {
    parts.push(pick("Why", "target", [["", "what it says"], ...named], target, setTarget));
    parts.push(pick("and not", "against", [["", "(anything)"], ...named], against, setTarget));
  }
  if (references.length > 1) {
    const take = (name) => set("reference", name === about().own ? "" : name);
    parts.push(pick("Absent units", "reference", references.map((r) => [r, r]), way.reference ?? about().own, take));
  }
  if ((way.method ? methods.find(({ name }) => name === way.method) : auto)?.pairs) {
    const box = make("input", { type: "checkbox", id: id("pairs") });
    box.checked = way.interactions === true;
    box.onchange = () => set("interactions", box.checked || undefined);
    parts.push(make("label", { class: "pairs" }, box, "Pair interactions"));
  }
  if (bench.ways.length > 1) parts.push(makeRemove(number));
  return make("div", { class: "way", role: "group", "aria-label": `Column ${number + 1}` }, ...parts);
}

function makeBudget(way, id, set) {
  const budget = make("input", { id, value: way.budget ?? "", placeholder: "8d", autocomplete: "off" });
  budget.onchange = () => set("budget", /^\d+$/.test(budget.value) ? Number(budget.value) : budget.value.trim());
  return make("div", {}, make("label", { for: id }, "Calls (8d: 8 a unit)"), budget);
}

function makeRemove(number) {
  const button = make("button", { type: "button" }, "Remove");
  button.onclick = () => {
    bench.ways.splice(number, 1);
    showWays();
    tellWays();
    byId("add").focus();
  };
  return button;
}
