// The editor of the input: a text, a row of a table, a series, or a file. It calls a function when the input changes.

import { showError } from "./api_client.js";
import { byId, make } from "./elements.js";
import { playground, serverInfo } from "./playground_state.js";
import { makeSeriesEditor, showChart } from "./series_editor.js";

const TITLES = { text: "Text", smiles: "SMILES", tokens: "Token ids", image: "Image", bytes: "File" };
let inputChanged = () => {};

export function startEditor(onChange) {
  inputChanged = onChange;
  const { kind, examples } = serverInfo().input;
  if (examples.length > 1 || kind === "examples") {
    const options = examples.map(({ title }, k) => make("option", { value: k }, title));
    const select = make("select", { id: "example" }, ...options);
    select.onchange = () => chooseExample(Number(select.value));
    byId("examples").append(make("label", { for: "example" }, "Examples"), select);
  }
  const build = { table: buildTable, image: buildFile, bytes: buildFile, series: buildSeries }[kind] ?? buildText;
  if (kind !== "examples") build(kind);
}

/** Make an example the input. */
function chooseExample(number) {
  const { kind, examples } = serverInfo().input;
  const { content } = examples[number];
  setInput(content === null || kind === "examples" ? { example: number } : { [kind]: content });
}

export function chooseFirstExample() {
  if (serverInfo().input.examples.length) chooseExample(0);
}

/** Make this the input, and show it in the editor. */
export function setInput(input) {
  setPlaygroundInput(input);
  const { kind } = serverInfo().input;
  const content = input[kind];
  if (byId("text") && content !== undefined) byId("text").value = content;
  if (kind === "series") showChart();
  if (kind === "table" && content)
    content.forEach((value, k) => (byId(`cell-${k}`).value = value ?? ""));
  if (kind === "image") showImage(content ?? serverInfo().input.examples[input.example]?.picture);
  inputChanged();
}

/** The error message for an input with too many characters; null if it is short enough. */
function lengthError(length) {
  const { text, body } = serverInfo().limits;
  const limit = ["text", "smiles", "tokens"].includes(serverInfo().input.kind) ? text : body;
  const counts = `at most ${limit.toLocaleString("en")} characters, got ${length.toLocaleString("en")}`;
  return length > limit ? `Expected ${counts}. Give a shorter input.` : null;
}

/** Store the input. One that is too long for the server stays in the editor and is not sent. */
function setPlaygroundInput(input) {
  const content = input[serverInfo().input.kind];
  playground.inputError = lengthError(typeof content === "string" ? content.length : 0);
  Object.assign(playground, { input, rejectedInput: null });
}

/** Reject a paste that is too long, because browsers take long to lay out a megabyte of text. */
function rejectLongPaste(box) {
  box.onbeforeinput = (event) => {
    const added = event.data ?? event.dataTransfer?.getData("text/plain") ?? "";
    playground.rejectedInput = lengthError(added.length);
    if (!playground.rejectedInput) return;
    event.preventDefault();
    showError(new Error(playground.rejectedInput));
  };
  return box;
}

function buildText(kind) {
  const rows = kind === "text" ? 7 : 3;
  const box = make("textarea", { id: "text", rows, spellcheck: "false", dir: "auto" });
  box.oninput = () => {
    setPlaygroundInput({ [kind]: box.value });
    inputChanged();
  };
  byId("edit").append(make("label", { for: "text" }, TITLES[kind] ?? kind), rejectLongPaste(box));
}

function buildSeries() {
  const parts = makeSeriesEditor((series) => {
    setPlaygroundInput({ series });
    inputChanged();
  });
  byId("edit").append(...parts);
  rejectLongPaste(byId("text"));
}

function buildTable() {
  const { columns, numeric, offered } = serverInfo().input;
  const cells = columns.map((name, k) => {
    const keys = numeric[k] ? { inputmode: "decimal" } : {};
    const cell = make("input", { id: `cell-${k}`, autocomplete: "off", ...keys });
    cell.oninput = () => {
      setPlaygroundInput({ table: columns.map((_, i) => byId(`cell-${i}`).value) });
      inputChanged();
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
  input.onchange = () => input.files[0] && readFile(kind, input.files[0]);
  drop.ondragover = (event) => {
    event.preventDefault();
    drop.classList.add("over");
  };
  drop.ondragleave = () => drop.classList.remove("over");
  drop.ondrop = (event) => {
    event.preventDefault();
    drop.classList.remove("over");
    if (event.dataTransfer.files[0]) readFile(kind, event.dataTransfer.files[0]);
  };
  byId("edit").append(drop);
}

function readFile(kind, file) {
  const reader = new FileReader();
  reader.onload = () => setInput({ [kind]: reader.result.slice(reader.result.indexOf(",") + 1) });
  reader.readAsDataURL(file);
}

function showImage(content) {
  const drop = byId("edit").querySelector(".drop");
  drop.querySelector("img")?.remove();
  if (content) drop.append(make("img", { src: `data:image/*;base64,${content}`, alt: "The input image" }));
}
