// The state of the playground: the input that is sent to the server, the columns, and the run on the page.

import { read } from "./blocks.js";

export const playground = {
  input: null, // the input in the form that is sent to the server
  inputError: null, // why the input cannot be sent
  rejectedInput: null, // why the last typed or pasted text was not inserted into the editor
  columns: [{}], // the settings of the columns of the next run
  shownRun: null, // { input, columns, labels, result } of the run on the page
  activeRequest: null, // the AbortController of a run in progress
};

/** What the server says about itself: kinds of input, methods, classes and limits. */
export function serverInfo() {
  return read("about");
}

/** The settings of the column that an entry of the page belongs to, by its label. */
export function columnOf(label) {
  const run = playground.shownRun;
  return run?.columns[run.labels.indexOf(label)] ?? {};
}
