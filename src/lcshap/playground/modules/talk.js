// Talking to the server: questions with one answer, and runs with many events.

import { byId } from "./elements.js";

async function send(path, content, signal) {
  const answer = await fetch(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(content),
    signal,
  });
  if (answer.ok) return answer;
  const text = await answer.text();
  let said = text;
  try {
    said = JSON.parse(text).error;
  } catch {
    // not JSON: the text itself says it
  }
  throw new Error(said || `The server answered ${answer.status}.`);
}

/** The answer to a question. */
export async function ask(path, content, signal) {
  return (await send(path, content, signal)).json();
}

/** Call `take(name, content)` for each event of a run, as they come. */
export async function listen(path, content, signal, take) {
  const answer = await send(path, content, signal);
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const events = (text + value).split("\n\n");
    text = events.pop();
    for (const event of events) {
      const [name, data] = event.split("\n").map((line) => line.slice(line.indexOf(": ") + 2));
      take(name, JSON.parse(data));
    }
  }
}

/** Show what went wrong, or nothing; what was cancelled is no error. */
export function complain(error) {
  const text = !error || error.name === "AbortError" ? "" : error.message;
  const lost = error instanceof TypeError ? "The server does not answer. Has it been stopped?" : text;
  byId("wrong").textContent = lost;
  byId("wrong").hidden = !lost;
}
