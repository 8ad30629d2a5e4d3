// The editor of the columns: each has a method, a target and a reference, and the page shows them side by side.

import { byId, make } from "./elements.js";
import { playground, serverInfo } from "./playground_state.js";

let columnsChanged = () => {};

export function startColumns(onChange) {
  columnsChanged = onChange;
  byId("add").onclick = () => {
    playground.columns.push({ method: "l-shapley" });
    showColumns();
    columnsChanged();
    byId(`column-${playground.columns.length - 1}-method`).focus();
  };
  showColumns();
}

export function showColumns() {
  byId("column-list").replaceChildren(...playground.columns.map(makeColumn));
  byId("add").disabled = playground.columns.length >= serverInfo().limits.columns;
}

function makeColumn(column, number) {
  const { auto, methods, classes, references } = serverInfo();
  const set = (name, value) => {
    if (value === "" || value === undefined) delete column[name];
    else column[name] = value;
    columnsChanged();
  };
  const id = (name) => `column-${number}-${name}`;
  const makeSelect = (title, name, values, value, onSelect) => {
    const options = values.map(([key, text]) => make("option", { value: key }, text));
    const select = make("select", { id: id(name) }, ...options);
    select.value = value;
    select.onchange = () => onSelect(select.value);
    return make("div", {}, make("label", { for: id(name) }, title), select);
  };
  const classNames = classes.map((name) => [name, name]);
  const [target, against] = Array.isArray(column.target) ? column.target : [column.target ?? "", ""];
  const setTarget = () => {
    const [chosen, contrast] = [byId(id("target")).value, byId(id("against")).value];
    set("target", chosen && contrast && chosen !== contrast ? [chosen, contrast] : chosen);
  };
  const methodNames = [["auto", auto.name], ...methods.map(({ name }) => [name, name])];
  const parts = [
    makeSelect("Method", "method", methodNames, column.method ?? "auto", (name) => {
      delete column.interactions;
      set("method", name === "auto" ? "" : name);
      showColumns();
      byId(id("method")).focus();
    }),
    makeBudget(column, id("budget"), set),
  ];
  if (classNames.length) {
    parts.push(makeSelect("Explain", "target", [["", "the predicted class"], ...classNames], target, setTarget));
    parts.push(makeSelect("rather than", "against", [["", "any other class"], ...classNames], against, setTarget));
  }
  if (references.length > 1) {
    const onSelect = (name) => set("reference", name === serverInfo().own ? "" : name);
    const options = references.map((name) => [name, name]);
    const chosen = column.reference ?? serverInfo().own;
    parts.push(makeSelect("Absent units", "reference", options, chosen, onSelect));
  }
  if ((column.method ? methods.find(({ name }) => name === column.method) : auto)?.pairs) {
    const box = make("input", { type: "checkbox", id: id("pairs") });
    box.checked = column.interactions === true;
    box.onchange = () => set("interactions", box.checked || undefined);
    parts.push(make("label", { class: "pairs" }, box, "Pair interactions"));
  }
  if (playground.columns.length > 1) parts.push(makeRemove(number));
  return make("div", { class: "column", role: "group", "aria-label": `Column ${number + 1}` }, ...parts);
}

function makeBudget(column, id, set) {
  const budget = make("input", { id, value: column.budget ?? "", placeholder: "8d", autocomplete: "off" });
  budget.onchange = () => set("budget", /^\d+$/.test(budget.value) ? Number(budget.value) : budget.value.trim());
  return make("div", {}, make("label", { for: id }, "Calls (8d: 8 per unit)"), budget);
}

function makeRemove(number) {
  const button = make("button", { type: "button" }, "Remove");
  button.onclick = () => {
    playground.columns.splice(number, 1);
    showColumns();
    columnsChanged();
    byId("add").focus();
  };
  return button;
}
