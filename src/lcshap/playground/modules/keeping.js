// Keeping a run: files to save, a link that leads back to it, and how local the model is.

import { bench, wayOf } from "./bench.js";
import { makeTable } from "./draw_table.js";
import { byId, make } from "./elements.js";
import { format } from "./numbers.js";
import { during } from "./running.js";
import { shown } from "./shown.js";
import { ask } from "./talk.js";
import { stepsTaken } from "./what_if.js";

const LONGEST_LINK = 100_000; // characters of a link
const MOST_STEPS = 200; // of "what if" that a link may lead back to
const FILES = [
  ["html", "the report, a page that needs no server"],
  ["json", "this column as JSON, for lcshap.load"],
  ["python", "this column as a Python program"],
];

export function showSaves() {
  const result = bench.ran?.result;
  const column = encodeURIComponent(shown.method);
  const links = FILES.map(([kind, title]) =>
    make("li", {}, make("a", { href: `/api/results/${result}/${kind}?column=${column}`, download: "" }, title)),
  );
  byId("saves").replaceChildren(...(result ? links : [make("li", {}, "when the run is finished")]));
}

/** The input, the columns and the steps of "what if" as a part of the address; empty where they are too long. */
function linkOf({ input, ways }) {
  const bytes = new TextEncoder().encode(JSON.stringify({ input, ways, ...stepsTaken() }));
  const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return text.length > LONGEST_LINK ? "" : `#${text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
}

/** What a link says: { input, ways, steps, at }, or null. Anybody may have written it. */
export function readLink(hash) {
  try {
    const text = atob(hash.slice(1).replaceAll("-", "+").replaceAll("_", "/"));
    const found = JSON.parse(new TextDecoder().decode(Uint8Array.from(text, (letter) => letter.charCodeAt(0))));
    if (!found || typeof found.input !== "object" || !Array.isArray(found.ways) || !found.ways.length) return null;
    const steps = Array.isArray(found.steps) ? found.steps.slice(0, MOST_STEPS) : [];
    return { ...found, steps: steps.every(isStep) ? steps : [] };
  } catch {
    return null;
  }
}

function isStep(step) {
  const { removed, replaced, text } = step ?? {};
  if (typeof text !== "string" || !Array.isArray(removed) || !removed.every(Number.isInteger)) return false;
  return typeof replaced === "object" && Object.values(replaced ?? {}).every((value) => typeof value === "string");
}

/** The address of the page leads to this run from now on, once it is finished. */
export function keepLink() {
  if (!bench.ran?.result) return;
  history.replaceState(null, "", linkOf(bench.ran) || location.pathname);
  byId("linked").textContent = "";
}

export function startKeeping() {
  byId("link").onclick = async () => {
    const link = bench.ran && linkOf(bench.ran);
    if (!link) return (byId("linked").textContent = "The input is too large for a link. Save the run instead.");
    keepLink();
    try {
      await navigator.clipboard.writeText(location.href);
      byId("linked").textContent = "Copied";
    } catch {
      byId("linked").textContent = "It is the address of this page now";
    }
  };
  byId("local").onclick = measure;
}

async function measure() {
  if (bench.running) return;
  const { target, reference } = wayOf(shown.method);
  const column = { ...(target ? { target } : {}), ...(reference ? { reference } : {}) };
  byId("locality").replaceChildren();
  await during(async (signal) => {
    const { distances, calls } = await ask("/api/locality", { input: bench.ran.input, column }, signal);
    const rows = distances.map(({ parameters, distance, low, high, relative }) =>
      make(
        "tr",
        {},
        make("th", { scope: "row" }, parameters),
        make("td", { class: "number" }, `${format(distance, 2)} (${format(low, 2)} to ${format(high, 2)})`),
        make("td", { class: "number" }, `${format(100 * relative, 2)} %`),
      ),
    );
    const titles = ["Method", "Distance to Shapley", "of its size"];
    const note = make("p", { class: "note" }, `Root mean square over units, 95 % intervals, ${calls} calls.`);
    byId("locality").replaceChildren(makeTable("Distance of local methods to the Shapley value", titles, rows), note);
    byId("status").textContent = `Measured how local the model is here, in ${calls.toLocaleString("en")} calls.`;
  });
}
