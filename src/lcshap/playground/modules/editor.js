// The editor of the input: a text, a row of a table, or a file. It says when the input has changed.

import { about, bench } from "./bench.js";
import { byId, make } from "./elements.js";
import { makeSeriesEditor, showChart } from "./series_editor.js";
import { complain } from "./talk.js";

const TITLES = { text: "Text", smiles: "SMILES", tokens: "Token ids", image: "Image", bytes: "File" };
let tellEdit = () => {};

export function startEditor(onChange) {
  tellEdit = onChange;
  const { kind, examples } = about().input;
  if (examples.length > 1 || kind === "examples") {
    const options = examples.map(({ title }, k) => make("option", { value: k }, title));
    const select = make("select", { id: "example" }, ...options);
    select.onchange = () => choose(Number(select.value));
    byId("examples").append(make("label", { for: "example" }, "Examples"), select);
  }
  const build = { table: buildTable, image: buildFile, bytes: buildFile, series: buildSeries }[kind] ?? buildText;
  if (kind !== "examples") build(kind);
}

/** Take an example. */
function choose(number) {
  const { kind, examples } = about().input;
  const { content } = examples[number];
  setInput(content === null || kind === "examples" ? { example: number } : { [kind]: content });
}

export function chooseFirst() {
  if (about().input.examples.length) choose(0);
}

/** Make this the input, and show it in the editor. */
export function setInput(input) {
  take(input);
  const { kind } = about().input;
  const content = input[kind];
  if (byId("text") && content !== undefined) byId("text").value = content;
  if (kind === "series") showChart();
  if (kind === "table" && content)
    content.forEach((value, k) => (byId(`cell-${k}`).value = value ?? ""));
  if (kind === "image") showImage(content ?? about().input.examples[input.example]?.picture);
  tellEdit();
}

/** How many characters an input may have, and what is said of one that has more. */
function tooLong(length) {
  const { text, body } = about().limits;
  const most = ["text", "smiles", "tokens"].includes(about().input.kind) ? text : body;
  const counts = `at most ${most.toLocaleString("en")} characters, got ${length.toLocaleString("en")}`;
  return length > most ? `Expected ${counts}. Give a shorter input.` : null;
}

/** An input that is too long for the server stays in the editor, and is not sent. */
function take(input) {
  const content = input[about().input.kind];
  bench.problem = tooLong(typeof content === "string" ? content.length : 0);
  Object.assign(bench, { input, refused: null });
}

/** What is much too long does not even get into the editor: browsers take long to lay out a megabyte of text. */
function guard(box) {
  box.onbeforeinput = (event) => {
    const added = event.data ?? event.dataTransfer?.getData("text/plain") ?? "";
    bench.refused = tooLong(added.length);
    if (!bench.refused) return;
    event.preventDefault();
    complain(new Error(bench.refused));
  };
  return box;
}

function buildText(kind) {
  const rows = kind === "text" ? 7 : 3;
  const box = make("textarea", { id: "text", rows, spellcheck: "false", dir: "auto" });
  box.oninput = () => {
    take({ [kind]: box.value });
    tellEdit();
  };
  byId("edit").append(make("label", { for: "text" }, TITLES[kind] ?? kind), guard(box));
}

function buildSeries() {
  const parts = makeSeriesEditor((series) => {
    take({ series });
    tellEdit();
  });
  byId("edit").append(...parts);
  guard(byId("text"));
}

function buildTable() {
  const { columns, numeric, offered } = about().input;
  const cells = columns.map((name, k) => {
    const keys = numeric[k] ? { inputmode: "decimal" } : {};
    const cell = make("input", { id: `cell-${k}`, autocomplete: "off", ...keys });
    cell.oninput = () => {
      take({ table: columns.map((_, i) => byId(`cell-${i}`).value) });
      tellEdit();
    };
    const parts = [make("label", { for: `cell-${k}` }, name), cell];
    if (offered[k].length) {
      cell.setAttribute("list", `offered-${k}`);
      parts.push(make("datalist", { id: `offered-${k}` }, ...offered[k].map((value) => make("option", { value }))));
    }
    return make("div", {}, ...parts);
  });
  byId("edit").append(make("div", { class: "cells" }, ...cells));
}

function buildFile(kind) {
  const input = make("input", { type: "file", id: "file", ...(kind === "image" ? { accept: "image/*" } : {}) });
  const label = make("label", { for: "file" }, `${TITLES[kind]}: choose or drop one`);
  const drop = make("div", { class: "drop" }, label, input);
  input.onchange = () => input.files[0] && takeFile(kind, input.files[0]);
  drop.ondragover = (event) => {
    event.preventDefault();
    drop.classList.add("over");
  };
  drop.ondragleave = () => drop.classList.remove("over");
  drop.ondrop = (event) => {
    event.preventDefault();
    drop.classList.remove("over");
    if (event.dataTransfer.files[0]) takeFile(kind, event.dataTransfer.files[0]);
  };
  byId("edit").append(drop);
}

function takeFile(kind, file) {
  const reader = new FileReader();
  reader.onload = () => setInput({ [kind]: reader.result.slice(reader.result.indexOf(",") + 1) });
  reader.readAsDataURL(file);
}

function showImage(content) {
  const drop = byId("edit").querySelector(".drop");
  drop.querySelector("img")?.remove();
  if (content) drop.append(make("img", { src: `data:image/*;base64,${content}`, alt: "The image that was given" }));
}
