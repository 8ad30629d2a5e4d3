// The list of samples: searched, sorted, chosen.

import { read } from "./blocks.js";
import { byId, make } from "./elements.js";
import { showFilters } from "./filters.js";
import { clip, counted, format, percentOf } from "./numbers.js";
import { SORTS, possibleSorts, selectSamples, verdictOf } from "./selection.js";
import { chosenEntry } from "./shown.js";
import { openSample, state, update } from "./state.js";
import { WindowedRows } from "./windowed_rows.js";

export const list = { order: [] };

export function startList() {
  for (const key of possibleSorts()) byId("sort").append(make("option", { value: key }, SORTS[key].title));
  list.rows = new WindowedRows(byId("rows"), 52, renderRow);
  byId("sort").onchange = () => update({ sort: byId("sort").value });
  byId("direction").onclick = () => update({ reversed: !state.reversed });
  byId("search").oninput = () => update({ search: byId("search").value });
  byId("rows").onclick = (event) => {
    const row = event.target.closest("[data-sample]");
    if (row) openSample(Number(row.dataset.sample));
  };
  document.addEventListener("keydown", onListKey);
  document.body.classList.toggle("single", read("index").samples.length === 1);
}

export function showList() {
  list.order = selectSamples();
  const [count, all] = [list.order.length, read("index").samples.length];
  const filtered = count < all || state.search.trim();
  byId("found").textContent = `${filtered ? `${count.toLocaleString("en")} of ` : ""}${counted(all, "sample")}`;
  showFilters();
  byId("direction").textContent = state.reversed ? "↑" : "↓";
  byId("sort").value = state.sort;
  if (byId("search").value !== state.search) byId("search").value = state.search;
  list.rows.show(count);
  revealChosen();
}

function renderRow(at) {
  const i = list.order[at];
  const sample = read("index").samples[i];
  const entry = sample.entries[chosenEntry(i)];
  const chosen = i === state.sample;
  return make(
    "div",
    {
      class: chosen ? "sample chosen" : "sample",
      id: `row-${i}`,
      role: "option",
      "data-sample": i,
      "aria-selected": chosen,
      "aria-setsize": list.order.length,
      "aria-posinset": at + 1,
    },
    make("span", { class: "title", dir: "auto" }, sample.name),
    make("span", { class: "note" }, rowNote(sample, entry)),
  );
}

/** Below the name: the number by which samples are sorted, and the class; its probability where there is room. */
function rowNote(sample, entry) {
  const sorted = sortNote(sample, entry);
  return [sorted, rowClass(sample, entry, !sorted)].filter(Boolean).join(" · ");
}

/** The number by which samples are sorted; without such an order, the full value, unless the prediction is known. */
function sortNote(sample, entry) {
  const unsorted = ["order", "name"].includes(state.sort);
  if ((unsorted || state.sort === "confidence") && sample.confidence !== undefined) return "";
  const { title, column, field } = SORTS[unsorted ? "full" : state.sort];
  const sorted = field ? sample[field] : entry[column];
  return sorted === undefined ? "" : `${title.replace("|residual|", "residual")} ${format(sorted, 4)}`;
}

/** The predicted class of a sample, marked as right or wrong if the true class is known; else what is explained. */
function rowClass(sample, entry, room) {
  const { predicted, confidence, label } = sample;
  if (predicted === undefined) return clip(entry[1], 24);
  const verdict = verdictOf(sample);
  const prediction = clip(predicted, 20) + (room && confidence !== undefined ? ` ${percentOf(confidence)}` : "");
  if (verdict === "wrong") return `✗ ${prediction}, is ${clip(label, 20)}`;
  return (verdict && "✓ ") + prediction;
}

export function revealChosen() {
  const at = list.order.indexOf(state.sample);
  if (at >= 0) list.rows.reveal(at);
  else list.rows.refresh();
  if (at >= 0) byId("rows").setAttribute("aria-activedescendant", `row-${state.sample}`);
  else byId("rows").removeAttribute("aria-activedescendant");
}

/** The row that a key selects; undefined for other keys. */
function stepOf(key, at, count, page) {
  if (key === "Home" || key === "End") return key === "Home" ? 0 : count - 1;
  const step = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page }[key];
  return step && (at < 0 ? 0 : Math.min(Math.max(at + step, 0), count - 1));
}

function onListKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const where = document.activeElement;
  if (event.key === "/" && !where.matches("input[type=search], textarea")) {
    event.preventDefault();
    byId("search").focus();
    byId("search").select();
  }
  const arrow = event.key === "ArrowDown" || event.key === "ArrowUp";
  const here = where === byId("rows") || (arrow && (where === document.body || where === byId("search")));
  if (!here || !list.order.length) return;
  const next = stepOf(event.key, list.order.indexOf(state.sample), list.order.length, list.rows.page);
  if (next === undefined) return;
  event.preventDefault();
  openSample(list.order[next]);
}
