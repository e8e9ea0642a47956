// Calls of the server. Every call names whose memory is meant, and sends the key where one was typed in.
import { key, scope } from "/ui/settings.js";

/** What the server said was wrong, and what to do. */
export class ApiError extends Error {
  constructor(status, error) {
    super(error.message || "HTTP " + status);
    this.status = status;
    this.code = error.code || "";
    this.hint = error.hint || "";
  }
}

export function headers() {
  const own = {};
  const { kind, id } = scope();
  if (id) own[kind === "group" ? "X-Weft-Group" : "X-Weft-User"] = encodeURIComponent(id);
  if (key()) own.Authorization = "Bearer " + key();
  return own;
}

let refused = () => {};
/** Who is told that a key is needed. */
export function onRefused(listener) {
  refused = listener;
}

async function error_of(answer) {
  let told = {};
  try {
    told = (await answer.json()).error || {};
  } catch {
    // An answer that is no JSON says only its status.
  }
  return new ApiError(answer.status, told);
}

async function request(method, path, { body, text, signal, type, more } = {}) {
  const own = Object.fromEntries(Object.entries({ ...headers(), ...more }).filter(([, value]) => value !== undefined));
  if (body !== undefined) own["Content-Type"] = "application/json";
  if (text !== undefined) own["Content-Type"] = type || "text/plain";
  const answer = await fetch(path, {
    method, headers: own, signal, cache: "no-store", body: text !== undefined ? text : body === undefined ? undefined : JSON.stringify(body),
  });
  if (answer.ok || answer.status === 503) return answer;
  const error = await error_of(answer);
  if (answer.status === 401) refused();
  throw error;
}

/** `more`: headers, such as those that name another user. */
export async function get(path, signal, more) {
  return (await request("GET", path, { signal, more })).json();
}

export async function getText(path, signal) {
  return (await request("GET", path, { signal })).text();
}

export async function send(method, path, body, signal, more) {
  return (await request(method, path, { body: body === undefined ? {} : body, signal, more })).json();
}

/** A path from its parts, each encoded. */
export function at(...parts) {
  return "/v1/" + parts.map(encodeURIComponent).join("/");
}

/** A page of a list: what it holds, and the cursor of the next one, empty where there is none. */
export async function page_of(path, name, cursor, signal) {
  try {
    const answer = await get(cursor ? path + (path.includes("?") ? "&" : "?") + "cursor=" + encodeURIComponent(cursor) : path, signal);
    return { all: answer[name] || [], next: answer.next || "", answer };
  } catch (error) {
    if (error.status === 404) return { all: [], next: "", answer: null };
    throw error;
  }
}

/** The list that an answer holds, or an empty one where there is nothing of the kind. */
export async function list(path, name, signal) {
  try {
    return (await get(path, signal))[name] || [];
  } catch (error) {
    if (error.status === 404) return [];
    throw error;
  }
}

/** What was asked for, or `otherwise` where the key does not reach so far, as that of one user. */
export async function allowed(asked, otherwise) {
  try {
    return await asked;
  } catch (error) {
    if (error.status === 403) return otherwise;
    throw error;
  }
}

/** The answer, or null where there is none. */
export async function maybe(path, signal) {
  try {
    return await get(path, signal);
  } catch (error) {
    if (error.status === 404) return null;
    throw error;
  }
}
