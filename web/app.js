// Begins: language and colours, then the view that the address names. "#/memory?q=kyoto" is the view "memory".
import { load, t } from "/ui/i18n.js";
import { onRefused, get, list } from "/ui/api.js";
import { failure, loading } from "/ui/parts.js";
import { replace, say } from "/ui/dom.js";
import { keep, kept, scope, showTheme } from "/ui/settings.js";
import { restart } from "/ui/live.js";
import { ask_key, frame, known_scopes, mark_badge, mark_view, next_theme, show_keys, show_scopes, START, VIEWS } from "/ui/shell.js";

let main = null;
let leave = null;  // ends the view that is shown

function where() {
  const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
  const view = path === START || VIEWS.includes(path) ? path : VIEWS.includes(kept("view")) ? kept("view") : "stream";
  return { view, query: new URLSearchParams(query || "") };
}

async function show({ focus = false } = {}) {
  const { view, query } = where();
  if (leave) leave.abort();
  leave = new AbortController();
  const { signal } = leave;
  if (view !== START) keep("view", view);
  mark_view(view);
  replace(main, loading());
  try {
    const { default: make } = await import(`/ui/views/${view}.js`);
    if (signal.aborted) return;
    const place = document.createElement("div");
    const ready = make(place, { query, signal, go, opened });
    replace(main, place);
    await ready;
  } catch (error) {
    if (!signal.aborted && error.name !== "AbortError") replace(main, failure(error));
  }
  if (focus && !signal.aborted) {
    window.scrollTo(0, 0);
    if (!main.contains(document.activeElement)) main.focus({ preventScroll: true });
    say(t("view." + view));
  }
}

// Another memory was chosen in the view over all.
function opened() {
  history.pushState(null, "", "#/stream");
  restart();
  build();
}

/** Changes what the address says of the view without leaving it. */
function go(view, query = {}) {
  const words = new URLSearchParams(Object.entries(query).filter(([, value]) => value));
  const hash = "#/" + view + (words.size ? "?" + words : "");
  if (where().view === view) history.replaceState(null, "", hash);
  else location.hash = hash;
}

// How much waits for a person, beside the names of the views.
async function badges() {
  try {
    const health = await get("/healthz");
    mark_badge("health", health.problems.length, t("badge.problems", { n: health.problems.length }));
    const [questions, mutations] = await Promise.all([list("/v1/questions", "questions"), list("/v1/mutations", "mutations")]);
    const open = questions.filter((one) => one.stage === "queued" || one.stage === "asked").length +
      mutations.filter((one) => one.stage === "awaiting_approval").length;
    mark_badge("growth", open, t("badge.waiting", { n: open }));
  } catch {
    // Without an answer there is nothing to count.
  }
}

// An administrator who has not chosen a memory begins at the view over all of them.
let bare = !location.hash && !scope().id;
async function scopes() {
  const known = await known_scopes();
  show_scopes(known);
  if (known && bare && known.users.concat(known.groups).some((id) => id !== "default")) location.hash = "#/" + START;
  bare = false;
}

function build() {
  main = frame(where().view, {
    scopeChanged: () => {
      restart();
      badges();
      show();
    },
    languageChanged: () => {
      build();
      document.querySelector(".bar select[aria-label]:last-of-type")?.focus();
    },
    keyChanged: () => {
      restart();
      badges();
      scopes();
      show();
    },
  });
  badges();
  scopes();
  return show();
}

function typing(event) {
  const at = event.target;
  return at.closest?.("input, textarea, select, dialog") || event.ctrlKey || event.metaKey || event.altKey;
}

function on_key(event) {
  if (typing(event)) return;
  if (event.key === "0") location.hash = "#/" + START;
  else if (event.key >= "1" && event.key <= String(VIEWS.length)) location.hash = "#/" + VIEWS[Number(event.key) - 1];
  else if (event.key === "/") find();
  else if (event.key === "?") show_keys();
  else if (event.key === "g") document.querySelector(".scope input")?.focus();
  else if (event.key === "d") say(t("theme." + next_theme()));
  else return;
  event.preventDefault();
}

function find() {
  if (where().view !== "memory") location.hash = "#/memory";
  else document.querySelector("input[type=search]")?.focus();
}

showTheme();
await load();
let asking = false;
onRefused(async () => {
  if (asking) return;
  asking = true;
  if (await ask_key()) {
    restart();
    badges();
    show();
  }
  asking = false;
});
document.addEventListener("keydown", on_key);
window.addEventListener("hashchange", () => show({ focus: true }));
document.getElementById("skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
restart();
await build();
