// A client of `weft serve`, for Node.js and browsers. Every answer is the JSON of the HTTP interface.

/** What was wrong: `code` is its kind, `hint` says what to do, `status` is HTTP's. */
export class WeftError extends Error {
  constructor(status, error = {}) {
    super(error.message ?? `the server answered with ${status}`);
    this.name = "WeftError";
    this.status = status;
    this.code = error.code ?? "internal";
    this.hint = error.hint ?? "";
  }
}

const segment = encodeURIComponent;

/** A server. */
export class Weft {
  /** `url` is the server's address, `key` one of its keys where it has any; `fetch` may be another than the platform's. */
  constructor({ url = "http://127.0.0.1:7077", key, timeout = 60_000, fetch = globalThis.fetch } = {}) {
    this.url = url.replace(/\/+$/, "");
    this.key = key;
    this.timeout = timeout;
    this.fetch = fetch;
  }

  /** Any operation; `names` says whose memory is meant: { user, group }. */
  async call(method, path, { body, query, user, group, signal } = {}) {
    const url = new URL(this.url + path);
    for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, String(value));
    const headers = { Accept: "application/json" };
    if (body !== undefined) headers["Content-Type"] = "application/json";
    if (this.key) headers["X-Weft-Key"] = this.key;
    if (user) headers["X-Weft-User"] = segment(user);
    if (group) headers["X-Weft-Group"] = segment(group);
    const answer = await this.fetch.call(globalThis, url, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: signal ?? AbortSignal.timeout(this.timeout),
    });
    const text = await answer.text();
    let json;
    try {
      json = JSON.parse(text);
    } catch {
      json = text;
    }
    if (!answer.ok) throw new WeftError(answer.status, json?.error);
    return json;
  }

  /** The private memory of a user. */
  user(name) {
    return new Scope(this, { user: name });
  }

  /** The shared memory of a group; `speaker` is who speaks now. */
  group(name, speaker) {
    return new Scope(this, { group: name, user: speaker });
  }

  /** How the server is. */
  health() {
    return this.call("GET", "/healthz");
  }
}

/** The memory of one user or one group. */
export class Scope {
  constructor(weft, names) {
    this.weft = weft;
    this.names = names;
  }

  call(method, path, options = {}) {
    return this.weft.call(method, path, { ...this.names, ...options });
  }

  session(id = "default") {
    return new Session(this, id);
  }

  /** Everything in a list, page by page: for await (const item of scope.list("/v1/items", "items", { kind: "event" })). */
  async *list(path, name, query = {}) {
    for (let cursor; ; ) {
      const page = await this.call("GET", path, { query: cursor ? { ...query, cursor } : query });
      yield* page[name];
      cursor = page.next;
      if (!cursor) return;
    }
  }

  /** What is remembered, the best first. */
  async search(query, more = {}) {
    return (await this.call("POST", "/v1/search", { body: { query, ...more } })).hits;
  }

  profile() {
    const kind = this.names.group ? "group" : "user";
    return this.call("GET", `/v1/profiles/${kind}/${segment(this.names[kind] ?? "default")}`);
  }

  erase(what) {
    return this.call("POST", "/v1/erase", { body: what });
  }
}

/** One conversation. */
export class Session {
  constructor(scope, id) {
    this.scope = scope;
    this.path = `/v1/sessions/${segment(id)}`;
  }

  observe(...messages) {
    return this.scope.call("POST", `${this.path}/messages`, { body: { messages: messages.flat() } });
  }

  /** The prompt of the next model call. */
  context(input, more = {}) {
    return this.scope.call("POST", `${this.path}/context`, { body: { input, ...more } });
  }

  end(report = {}) {
    return this.scope.call("POST", `${this.path}/end`, { body: report });
  }

  save() {
    return this.scope.call("POST", `${this.path}/save`);
  }

  async history(query = {}) {
    return (await this.scope.call("GET", `${this.path}/messages`, { query })).messages;
  }
}
