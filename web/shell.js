// The frame: which views there are, whose memory is looked at, language, colours, key.
import { h, s, replace } from "/ui/dom.js";
import { LANGUAGES, language, setLanguage, t } from "/ui/i18n.js";
import { button, dialog, into_sight } from "/ui/parts.js";
import { get } from "/ui/api.js";
import { onState } from "/ui/live.js";
import { key, keep, kept, scope, setKey, setScope, showTheme, THEMES } from "/ui/settings.js";

// Each icon is one path in a square of 24.
const ICONS = {
  start: "M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z",
  stream: "M4 6h11M4 12h16M4 18h8M19 4v5M16.5 6.5h5",
  memory: "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14M16 16l5 5",
  context: "M4 5h16v14H4zM4 10h16M9 10v9M14 10v9",
  profiles: "M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8M4 21c1-5 4-6 8-6s7 1 8 6",
  story: "M12 3v6M12 9 5 15M12 9l7 6M5 15v4M19 15v4M10 3h4M3 19h4M17 19h4",
  growth: "M12 21V10M12 13C12 8 8 6 4 6c0 5 3 7 8 7M12 10c0-4 3-6 8-6 0 5-3 6-8 6",
  health: "M3 12h4l3-7 4 14 3-7h4",
};

export const VIEWS = ["stream", "memory", "context", "profiles", "story", "growth", "health"];
/** The view over all users and groups, which only administrators see. */
export const START = "start";

export function icon(path) {
  return s("svg", { viewBox: "0 0 24 24", fill: "none", stroke: "currentColor", "stroke-width": 1.8, "stroke-linecap": "round", "stroke-linejoin": "round", "aria-hidden": "true" }, s("path", { d: path }));
}

function navigation(current) {
  return h("nav", { "aria-label": t("shell.views") },
    h("div", { class: "brand" }, icon("M5 4v16M12 4v16M19 4v16M2 9c3-3 5 3 10 0s7 3 10 0M2 15c3 3 5-3 10 0s7-3 10 0"), "Weft"),
    h("div", { class: "views" }, [START, ...VIEWS].map((view, i) => h("a", {
    href: "#/" + view, "aria-current": view === current ? "page" : undefined, "data-view": view, "aria-keyshortcuts": String(i), hidden: view === START,
  }, icon(ICONS[view]), h("span", { class: "name" }, t("view." + view)), h("kbd", { "aria-hidden": "true" }, String(i))))));
}

/** Ids of users and groups that have memory; null if the key may not see them. */
export async function known_scopes() {
  try {
    return await get("/v1/scopes");
  } catch {
    return null;
  }
}

/** Shows administrators the view over all users, and ids to choose from. */
export function show_scopes(known) {
  replace(document.getElementById("scopes"), known && [...known.users, ...known.groups].slice(0, 500).map((id) => h("option", { value: id })));
  document.querySelector(`.views [data-view=${START}]`).hidden = !known;
  into_sight(document.querySelector(".views [aria-current=page]"));
}

function scope_form(changed) {
  const own = scope();
  const kind = h("select", { class: "field", "aria-label": t("shell.whose"), name: "kind", onchange: () => apply() },
    ["user", "group"].map((one) => h("option", { value: one, selected: one === own.kind }, t("shell." + one))));
  const list = h("datalist", { id: "scopes" });
  const id = h("input", { class: "field", list: "scopes", name: "id", value: own.id, placeholder: t("shell.default_user"), "aria-label": t("shell.scope_id"), autocomplete: "off", spellcheck: "false", onchange: () => apply() });
  const apply = () => {
    const now = scope();
    if (now.kind === kind.value && now.id === id.value.trim()) return;
    setScope(kind.value, id.value.trim());
    changed();
  };
  return h("form", { class: "scope", "aria-label": t("shell.scope"), onsubmit: (event) => {
    event.preventDefault();
    apply();
  } }, kind, id, list);
}

/** Asks for the key; gives whether one was typed in or taken out. */
export async function ask_key() {
  const field = h("input", { class: "field", type: "password", autocomplete: "off", name: "key", value: key(), "aria-label": t("shell.key") });
  const answer = await dialog(t("shell.key"), (close) => h("form", { method: "dialog", onsubmit: (event) => {
    event.preventDefault();
    close(field.value.trim());
  } }, h("p", { class: "quiet" }, t("shell.key_why")), field,
  h("div", { class: "buttons" }, h("button", { class: "button main" }, t("shell.key_use")), button(t("part.cancel"), () => close(undefined)))));
  if (answer === undefined) return false;
  setKey(answer);
  return true;
}

/** What keys do, as a dialog. */
export function show_keys() {
  const rows = [["0 … 7", "keys.views"], ["/", "keys.search"], ["↑ ↓", "keys.walk"], ["j k", "keys.hits"], ["g", "keys.scope"], ["d", "keys.theme"], ["?", "keys.help"], ["Esc", "keys.escape"]];
  return dialog(t("keys.title"), (close) => h("div", { class: "stack" },
    h("div", { class: "keys" }, rows.map(([name, text]) => [h("kbd", null, name), h("span", null, t(text))])),
    h("div", { class: "buttons" }, button(t("part.close"), () => close(), { kind: "main" }))));
}

function theme_label(theme) {
  return `${t("theme.label")}: ${t("theme." + theme)}`;
}

export function next_theme() {
  const next = THEMES[(THEMES.indexOf(kept("theme", "auto")) + 1) % THEMES.length];
  keep("theme", next);
  showTheme(next);
  const own = document.getElementById("theme");
  if (own) {
    own.textContent = t("theme." + next);
    own.setAttribute("aria-label", theme_label(next));
  }
  return next;
}

/** Builds the frame; gives the element that views are shown in. */
export function frame(current, { scopeChanged, languageChanged, keyChanged }) {
  const main = h("main", { id: "main", tabindex: -1 });
  const live = h("span", { class: "live", role: "status" });
  onState((state) => {
    live.dataset.state = state;
    live.textContent = t("live." + state);
    live.title = t("live." + state);
  });
  const words = h("select", { class: "field", "aria-label": t("shell.language"), onchange: async (event) => {
    await setLanguage(event.target.value);
    languageChanged();
  } }, Object.entries(LANGUAGES).map(([id, name]) => h("option", { value: id, selected: id === language(), lang: id }, name)));
  const bar = h("header", { class: "bar" }, scope_form(scopeChanged), live, h("div", { class: "right" },
    button(t("theme." + kept("theme", "auto")), next_theme, { id: "theme", "aria-label": theme_label(kept("theme", "auto")) }), words,
    button(t("shell.key_short"), async () => (await ask_key()) && keyChanged()),
    button("?", show_keys, { kind: "icon", "aria-label": "? " + t("keys.title"), title: t("keys.title") })));
  const side = h("div", { class: "side" },
    navigation(current),
    h("footer", { class: "faint" }, h("a", { href: "/openapi.json" }, "openapi.json"), h("a", { href: "/metrics" }, "metrics")));
  replace(document.getElementById("app"), h("div", { class: "shell" }, bar, side, main));
  return main;
}

export function mark_view(view) {
  for (const link of document.querySelectorAll(".views a")) {
    if (link.dataset.view === view) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  into_sight(document.querySelector(".views [aria-current=page]"));
  document.title = t("view." + view) + " · Weft";
}

/** A number beside a view's name; nothing for 0. */
export function mark_badge(view, count, label) {
  const link = document.querySelector(`.views a[data-view="${view}"]`);
  if (!link) return;
  link.querySelector(".badge")?.remove();
  if (count > 0) link.querySelector("kbd").before(h("span", { class: "badge", title: label, role: "img", "aria-label": label }, String(count)));
}
