// What happens now: server-sent events, read with fetch, since EventSource can send neither a key nor a scope.
import { headers } from "/ui/api.js";

const listeners = new Set();
let stop = null;
let state = "off";
let told = () => {};

/** Calls `listener(event)` for what happens; gives a function that ends that. */
export function listen(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Told of "live", "waiting" and "off". */
export function onState(listener) {
  told = listener;
  told(state);
}

function become(next) {
  state = next;
  told(state);
}

// One event: lines of "field: value".
function event_of(text) {
  let data = "";
  let id = "";
  for (const line of text.split("\n")) {
    if (line.startsWith("data:")) data += line.slice(5).trimStart();
    if (line.startsWith("id:")) id = line.slice(3).trim();
  }
  return { id, data };
}

async function read(body, seen) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    rest += value;
    for (let end = rest.indexOf("\n\n"); end >= 0; end = rest.indexOf("\n\n")) {
      const { id, data } = event_of(rest.slice(0, end));
      rest = rest.slice(end + 2);
      if (id) seen.id = id;
      if (!data) continue;
      const event = JSON.parse(data);
      for (const listener of [...listeners]) listener(event);
    }
  }
}

async function look_on(signal) {
  const seen = { id: "" };
  let connected = false;
  for (let wait = 1000; !signal.aborted; wait = Math.min(wait * 2, 30000)) {
    try {
      const answer = await fetch("/v1/events", {
        headers: seen.id ? { ...headers(), "Last-Event-ID": seen.id } : headers(), signal, cache: "no-store",
      });
      if (answer.status === 404 || answer.status === 401 || answer.status === 403) return become("off");
      if (!answer.ok) throw new Error(String(answer.status));
      become("live");
      wait = 1000;
      // Events without a number that came meanwhile are lost: the views read anew.
      if (connected) for (const listener of [...listeners]) listener({ kind: "dropped" });
      connected = true;
      await read(answer.body, seen);
    } catch {
      if (signal.aborted) return;
    }
    become("waiting");
    await new Promise((done) => setTimeout(done, wait));
  }
}

/** Begins anew, with the scope and key that hold now. */
export function restart() {
  if (stop) stop.abort();
  stop = new AbortController();
  become("waiting");
  look_on(stop.signal);
}
