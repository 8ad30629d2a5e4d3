// Requests to the server: some have one response, runs have a stream of events.

import { byId } from "./elements.js";

async function post(path, content, signal) {
  const response = await fetch(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(content),
    signal,
  });
  if (response.ok) return response;
  const text = await response.text();
  let message = text;
  try {
    message = JSON.parse(text).error;
  } catch {
    // A response that is not JSON is the message itself.
  }
  throw new Error(message || `The server answered with status ${response.status}.`);
}

/** Send a request and return its response. */
export async function postJson(path, content, signal) {
  return (await post(path, content, signal)).json();
}

/** Send a request and call `onEvent(name, content)` for each event of its response, as soon as it arrives. */
export async function streamEvents(path, content, signal, onEvent) {
  const response = await post(path, content, signal);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const events = (text + value).split("\n\n");
    text = events.pop(); // The last event may be incomplete.
    for (const event of events) {
      const [name, data] = event.split("\n").map((line) => line.slice(line.indexOf(": ") + 2));
      onEvent(name, JSON.parse(data));
    }
  }
}

/** Show an error, or remove the shown one if there is none. A cancelled request is not an error. */
export function showError(error) {
  const text = !error || error.name === "AbortError" ? "" : error.message;
  const message = error instanceof TypeError ? "The server does not answer. Has it been stopped?" : text;
  byId("error").textContent = message;
  byId("error").hidden = !message;
}
