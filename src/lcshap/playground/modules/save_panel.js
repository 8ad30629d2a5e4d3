// Saving a run: files to download, and a link that restores the run.

import { byId, make } from "./elements.js";
import { playground } from "./playground_state.js";
import { shown } from "./shown.js";
import { savedSteps } from "./what_if.js";

const MAX_LINK_LENGTH = 100_000; // characters
const MAX_LINK_STEPS = 200; // steps of "What if?" that are read from a link
const FILES = [
  ["html", "the report, a page that needs no server"],
  ["json", "this column as JSON, for lcshap.load"],
  ["python", "this column as a Python program"],
];

export function showDownloads() {
  const result = playground.shownRun?.result;
  const column = encodeURIComponent(shown.method);
  const links = FILES.map(([kind, title]) =>
    make("li", {}, make("a", { href: `/api/results/${result}/${kind}?column=${column}`, download: "" }, title)),
  );
  byId("saves").replaceChildren(...(result ? links : [make("li", {}, "available when the run is finished")]));
}

/**
 * The input, the columns and the steps of "What if?" as the fragment of the address; empty if they are too long.
 * The columns are called `ways` there, so that links of earlier versions can be read.
 */
function encodeLink({ input, columns }) {
  const bytes = new TextEncoder().encode(JSON.stringify({ input, ways: columns, ...savedSteps() }));
  const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return text.length > MAX_LINK_LENGTH ? "" : `#${text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
}

/** The content of a link: { input, columns, steps, at }, or null. Links are not trusted: anybody can write one. */
export function decodeLink(hash) {
  try {
    const text = atob(hash.slice(1).replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
    const { ways: columns, ...content } = JSON.parse(new TextDecoder().decode(bytes)) ?? {};
    if (typeof content.input !== "object" || !Array.isArray(columns) || !columns.length) return null;
    const steps = Array.isArray(content.steps) ? content.steps.slice(0, MAX_LINK_STEPS) : [];
    return { ...content, columns, steps: steps.every(isStep) ? steps : [] };
  } catch {
    return null;
  }
}

function isStep(step) {
  const { removed, replaced, text } = step ?? {};
  if (typeof text !== "string" || !Array.isArray(removed) || !removed.every(Number.isInteger)) return false;
  return typeof replaced === "object" && Object.values(replaced ?? {}).every((value) => typeof value === "string");
}

/** Put the link to the run into the address bar, if the run is finished. */
export function updateAddress() {
  if (!playground.shownRun?.result) return;
  history.replaceState(null, "", encodeLink(playground.shownRun) || location.pathname);
  byId("link-status").textContent = "";
}

export function startSavePanel() {
  byId("link").onclick = async () => {
    const link = playground.shownRun && encodeLink(playground.shownRun);
    if (!link) return (byId("link-status").textContent = "The input is too large for a link. Save the run instead.");
    updateAddress();
    try {
      await navigator.clipboard.writeText(location.href);
      byId("link-status").textContent = "Copied";
    } catch {
      byId("link-status").textContent = "The link is in the address bar";
    }
  };
}
