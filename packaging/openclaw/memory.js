// Weft over HTTP, for a host that must never wait and never fail because of its memory.
import { textOf } from "./turn.js";

const kPause = 15_000; // ms without recall after a failure: one slow turn is enough to know

const queues = new Map(); // by the spool's file: what was begun last

/** The server said no. `status` is HTTP's, `code` the kind of error. */
class Refused extends Error {
  constructor(status, error) {
    super(error?.message ?? `the server answered with ${status}`);
    this.status = status;
    this.code = error?.code ?? "internal";
  }
}

// Later the same call may go through: the server was away or too busy, was at fault itself, or asked for another key.
const mayPass = (error) => !(error instanceof Refused) || error.status >= 500 || [401, 408, 429].includes(error.status);

/** One line for the log, without anything of the request. */
function inWords(error, patience) {
  if (error.name === "TimeoutError") return `no answer within ${patience} ms`;
  return error.cause?.code ?? error.message;
}

/** Why a key cannot be one, or nothing. The key itself is never named: this goes to logs. */
export function wrongKey(key) {
  if (key === undefined || /^[\x21-\x7e]+$/.test(key)) return undefined;
  return "the configured key holds characters that no key of Weft has";
}

export class WeftMemory {
  /** `options` as the plug-in's configuration, complete; `spool` keeps what could not be handed over. */
  constructor(options, spool, logger) {
    this.options = options;
    this.spool = spool;
    this.logger = logger;
    this.away = false; // it has been said that the server does not answer
    this.pausedUntil = 0;
  }

  /** Runs `work` when everything before it that concerns the same spool is done, also by an instance that went before. */
  inTurn(work) {
    const done = (queues.get(this.spool.file) ?? Promise.resolve()).then(work);
    queues.set(this.spool.file, done);
    return done;
  }

  /**
   * The answer's JSON. Throws Refused where the server says no, and where it cannot be reached or takes too long.
   * @param {string} method
   * @param {string} path
   * @param {{ place?: { user?: string, group?: string }, body?: unknown, patience: number, signal?: AbortSignal }} how
   */
  async call(method, path, { place, body, patience, signal }) {
    const headers = { Accept: "application/json" };
    if (body !== undefined) headers["Content-Type"] = "application/json";
    if (this.options.key) headers["X-Weft-Key"] = this.options.key;
    if (place?.user) headers["X-Weft-User"] = encodeURIComponent(place.user);
    if (place?.group) headers["X-Weft-Group"] = encodeURIComponent(place.group);
    const timeout = AbortSignal.timeout(patience);
    const answer = await fetch(this.options.url.replace(/\/+$/, "") + path, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      redirect: "error", // the key is for this server only
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    const text = await answer.text();
    let json;
    try {
      json = JSON.parse(text);
    } catch {
      json = undefined;
    }
    if (!answer.ok) throw new Refused(answer.status, json?.error);
    if (json === undefined) throw new Error("the server's answer is no JSON");
    this.answered();
    return json;
  }

  answered() {
    this.pausedUntil = 0;
    if (this.away) this.logger.info("weft: the memory answers again");
    this.away = false;
  }

  failed(doing, error, patience) {
    const refused = error instanceof Refused && !mayPass(error);
    if (!refused) this.pausedUntil = Date.now() + kPause;
    if (this.away && !refused) return;
    this.away ||= !refused;
    this.logger.warn(`weft: ${doing}: ${inWords(error, patience)}; the host goes on without it`);
  }

  /**
   * What is to be known before the model answers: { system, context }, either may be empty. Nothing where the server
   * fails or does not answer in time. `seen` are the messages that the model gets anyway, and are not repeated.
   */
  async recall(place, seen, request) {
    if (Date.now() < this.pausedUntil) return { system: "", context: "" };
    const patience = this.options.recallMs;
    try {
      const messages = [...seen, { role: "user", content: request }];
      const woven = await this.call("POST", `/v1/sessions/${encodeURIComponent(place.session)}/context`, {
        place, patience, body: { messages, observe: false },
      });
      return beside(woven.messages, request);
    } catch (error) {
      this.failed("nothing could be recalled", error, patience);
      return { system: "", context: "" };
    }
  }

  /** Hands a turn over, after those that still wait. Never fails: what the server cannot take now waits in the spool. */
  observe(place, messages) {
    const turn = { user: place.user, group: place.group, session: place.session, messages };
    if (messages.length === 0) return Promise.resolve();
    return this.inTurn(() => this.deliver(turn).catch((error) => this.logger.warn(`weft: a turn is lost: ${error.message}`)));
  }

  async deliver(turn) {
    const waiting = await this.spool.read();
    const turns = [...waiting, turn];
    const patience = this.options.observeMs;
    const until = Date.now() + patience;
    let taken = 0;
    for (const one of turns) {
      const left = until - Date.now();
      if (left <= 0) break;
      const error = await this.hand(one, left);
      if (error && mayPass(error)) {
        this.failed("a turn waits to be observed", error, patience);
        break;
      }
      if (error) this.failed("a turn was refused", error, patience);
      taken += 1;
    }
    if (waiting.length === 0 && taken === turns.length) return;
    const dropped = await this.spool.write(turns.slice(taken));
    if (dropped) this.logger.warn(`weft: too many turns wait for the memory; the oldest ${dropped} were dropped`);
  }

  // The error, or nothing. Messages that the server has already are no error.
  async hand(turn, patience) {
    try {
      await this.call("POST", `/v1/sessions/${encodeURIComponent(turn.session)}/messages`, {
        place: turn, patience, body: { messages: turn.messages },
      });
      return undefined;
    } catch (error) {
      return error;
    }
  }

  /** The conversation is over: its topic is closed, when all that was said is handed over. */
  close(place) {
    const patience = this.options.recallMs; // at its shutdown the host has little time
    const path = `/v1/sessions/${encodeURIComponent(place.session)}/save`;
    return this.inTurn(() =>
      this.call("POST", path, { place, patience }).catch((error) => this.failed("a topic stays open", error, patience)),
    );
  }

  /** Hits of a search, the best first; those that say nothing but what a better one says are left out. */
  async search(place, query, most, signal) {
    const answer = await this.call("POST", "/v1/search", {
      place, signal, patience: this.options.observeMs, body: { query, top_k: most },
    });
    const told = new Set();
    return answer.hits.filter((hit) => {
      const sources = hit.sources ?? [];
      const fresh = sources.length === 0 || sources.some((id) => !told.has(`${hit.session}\n${id}`));
      sources.forEach((id) => told.add(`${hit.session}\n${id}`));
      return fresh;
    });
  }

  /** Lines of a message as it was said. */
  message(place, session, id, from, lines, signal) {
    const query = new URLSearchParams({ session });
    if (from) query.set("from_line", String(from));
    if (lines) query.set("lines", String(lines));
    return this.call("GET", `/v1/messages/${encodeURIComponent(id)}?${query}`, {
      place, signal, patience: this.options.observeMs,
    });
  }
}

// What was woven in beside the request itself. The rest of the prompt is the host's own, and stays as it is.
function beside(messages, request) {
  const system = messages.filter((message) => message.role === "system").map(textOf).join("\n\n").trim();
  const last = textOf(messages.at(-1));
  const context = last.endsWith(request) ? last.slice(0, last.length - request.length).trim() : "";
  return { system, context };
}
