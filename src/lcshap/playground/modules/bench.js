// What the playground works on: the input as it was sent, the columns, and the run that is shown.

import { read } from "./blocks.js";

export const bench = {
  input: null, // as it is sent to the server
  problem: null, // why the input cannot be sent
  refused: null, // why what was last typed or pasted did not get into the editor
  ways: [{}], // the columns that the next run has
  ran: null, // { input, ways, labels, result } of the run that is shown
  running: null, // the AbortController of a run
};

export function about() {
  return read("about");
}

/** The column that an entry of the page belongs to, by its label. */
export function wayOf(label) {
  return bench.ran?.ways[bench.ran.labels.indexOf(label)] ?? {};
}
