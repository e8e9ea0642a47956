// Memory: what is remembered, searched while one types.
import { append, debounced, h, replace, said, say } from "/ui/dom.js";
import { day, language, milliseconds, named, t, time } from "/ui/i18n.js";
import { button, card, chip, empty, failure, fresh_id, inside, title, toggles } from "/ui/parts.js";
import { at, get, page_of, send } from "/ui/api.js";
import { long_list, older_buttons } from "/ui/long_list.js";
import { stacked } from "/ui/chart/bars.js";
import { timeline } from "/ui/chart/timeline.js";
import { care_buttons } from "/ui/views/care.js";

const KINDS = ["message", "event", "narrative", "knowledge", "profile", "lore"];
const COLORS = { message: "c2", event: "c1", narrative: "c4", knowledge: "c5", profile: "c3", lore: "c7" };
const ROLES = new Set(["user", "assistant", "tool", "system"]);
const PAGE = 30;
const MOST = 300;  // that are held at a time; those before them are let go
const PAUSE = 25;  // milliseconds: less than the time between two keys, enough for a pasted text to come whole

function signal_bar(hit) {
  const parts = hit.signals.filter((one) => one.share > 0).map((one, i) => ({ name: one.name, value: one.share, color: "c" + (i % 8 + 1), title: `${named("signal", one.name)} ${one.share.toFixed(3)}` }));
  if (!parts.length) return null;
  const sum = parts.reduce((all, one) => all + one.value, 0);
  const words = hit.signals.filter((one) => one.share !== 0).map((one) => `${named("signal", one.name)} ${one.share > 0 ? "+" : ""}${one.share.toFixed(2)}`).join(" · ");
  return h("div", { class: "signals" }, stacked(parts, sum, { label: words, height: 8 }), h("div", { class: "faint" }, words));
}

/** Puts the messages that a memory was made from into a place. */
export async function originals(item, place) {
  const found = await Promise.all(item.sources.slice(0, 8).map((id) =>
    get(at("messages", id) + (item.session ? "?session=" + encodeURIComponent(item.session) : "")).catch(() => null)));
  replace(place, found.filter(Boolean).map((one) => h("div", { class: "original" },
    h("div", { class: "faint" }, named("role", one.role)),
    h("div", { class: "what", translate: "no" }, one.text))));
  if (!place.children.length) replace(place, h("p", { class: "faint" }, t("memory.no_original")));
}

function event_facts(event) {
  if (!event) return [];
  const out = [];
  if (event.valid_until) out.push(chip(t("memory.until", { time: day(event.valid_until) }), "warn"));
  if (event.superseded_by) out.push(chip(t("memory.superseded"), "warn"));
  if (event.location_abs) out.push(chip(said(event.location_abs)));
  return out;
}

function hit_row(hit, browsing, more) {
  const item = hit;
  const place = h("div", { id: fresh_id("original") });
  const show = item.sources.length > 0 && button(t("memory.original"), async (event) => {
    const open = place.children.length > 0;
    event.currentTarget.setAttribute("aria-expanded", String(!open));
    if (open) replace(place);
    else await originals(item, place);
  }, { kind: "plain", "aria-expanded": "false", "aria-controls": place.id });
  return h("li", { class: "hit", tabindex: -1, "data-id": item.id },
    h("div", { class: "meta" }, h("i", { class: "swatch " + (COLORS[item.kind] || "c8") }), named("kind", item.kind), item.who && h("button", { type: "button", class: "chip", title: t("memory.only_person"), onclick: () => more.person(item.who) }, ROLES.has(item.who) ? named("role", item.who) : said(item.who)),
      h("time", { datetime: item.time }, time(item.time)), item.topic && h("button", { type: "button", class: "chip mono", translate: "no", title: t("memory.only_topic"), onclick: () => more.topic(item.topic) }, item.topic),
      event_facts(item.metadata), !browsing && h("span", { class: "number" }, t("memory.relevance", { n: Math.round(hit.relevance * 100) }))),
    h("div", { class: "text", translate: "no" }, item.text),
    (item.over || []).map((one) => h("div", { class: "over" }, t("memory.over", { what: one.what, time: day(one.until) }))),
    !browsing && signal_bar(hit), h("div", { class: "actions row" }, show, care_buttons(item, more.changed), item.session && h("a", { class: "faint", translate: "no", href: "#/stream?session=" + encodeURIComponent(item.session) }, item.session)), place);
}

export default async function memory(root, { query, signal, go }) {
  const chosen = { q: query.get("q") || "", kinds: new Set((query.get("kinds") || "").split(",").filter(Boolean)), from: "", to: "", as_of: query.get("as_of") || "", who: query.get("who") || "", topic: query.get("topic") || "", session: query.get("session") || "" };
  let found = null;
  let under_way = null;
  const field = (name, label, more = {}) => h("label", { class: "labelled" }, label, h("input", { class: "field", name, value: chosen[name], autocomplete: "off", ...more, oninput: (event) => {
    chosen[name] = event.target.value.trim();
    search();
  } }));
  const people = h("datalist", { id: "people" });
  const input = h("input", { class: "field", type: "search", name: "q", value: chosen.q, placeholder: t("memory.placeholder"), "aria-label": t("memory.search"), autocomplete: "off", spellcheck: "false", enterkeyhint: "search", oninput: (event) => {
    chosen.q = event.target.value;
    search();
  } });
  const status = h("p", { class: "faint number", role: "status" });
  const hits = h("ol", { class: "list", id: "hits", "aria-label": t("memory.results") }, h("li", { class: "loading" }, t("part.loading")));
  const times = h("div", { class: "timeline" });
  const below = h("div");

  const narrow = (name) => (value) => {
    chosen[name] = value;
    const own = root.querySelector(`[name=${name}]`);
    if (own) own.value = value;
    search.now();
  };
  const more = { person: narrow("who"), topic: narrow("topic"), changed: () => search.now() };

  function body() {
    // Without words the newest come first; that recipe reads no words, and an empty question is none.
    const asked = { query: chosen.q.trim() || " ", top_k: PAGE };
    if (!chosen.q.trim()) asked.recipe = "recent";
    if (chosen.kinds.size) asked.kinds = [...chosen.kinds];
    for (const name of ["from", "to", "as_of", "who", "topic", "session"]) if (chosen[name]) asked[name] = chosen[name];
    return asked;
  }

  // Without words and filters all there is is walked through, from the newest on; else the best hits of a search.
  const browses = () => !chosen.q.trim() && chosen.kinds.size < 2 && !["from", "to", "as_of", "who", "topic", "session"].some((name) => chosen[name]);
  async function load(cursor, own) {
    if (browses()) {
      const page = await page_of(`/v1/items?order=newest&kind=${[...chosen.kinds][0] || "all"}&limit=${PAGE}`, "items", cursor, own);
      return { ...page, result: null };
    }
    const result = await send("POST", "/v1/search", cursor ? { ...body(), cursor } : body(), own);
    return { all: result.hits, next: result.next || "", result };
  }

  function draw(result, took) {
    const browsing = !chosen.q.trim();
    const shown = found.all;
    replace(hits, shown.map((hit) => hit_row(hit, browsing, more)));
    if (!shown.length) replace(hits, h("li", null, empty(t("memory.none"), t("memory.none_hint"))));
    else replace(times, timeline(shown.map((hit) => ({ id: hit.id, time: Date.parse(hit.time), color: COLORS[hit.kind] || "c8", title: `${time(hit.time)} ${hit.text.slice(0, 80)}` })),
      { label: t("memory.timeline", { n: shown.length }), from: (at) => day(new Date(at)), to: (at) => day(new Date(at)), choose: jump }));
    const count = t(browsing ? "memory.newest" : result?.known ? "memory.found" : "memory.unsure", { n: shown.length });
    const how = result && named("by", result.by);
    status.textContent = [count, how, t("memory.took", { time: milliseconds(took) })].filter(Boolean).join(t("part.semicolon"));
    status.dataset.took = took.toFixed(1);
    replace(people, [...new Set(shown.map((hit) => hit.who).filter(Boolean))].map((who) => h("option", { value: who })));
  }

  async function run() {
    under_way?.abort();
    const own = under_way = new AbortController();
    signal.addEventListener("abort", () => own.abort());
    go("memory", { q: chosen.q, kinds: [...chosen.kinds].join(","), as_of: chosen.as_of, who: chosen.who, topic: chosen.topic, session: chosen.session });
    let result = null;
    let took = 0;
    const list = long_list(async (cursor) => {
      const begun = performance.now();
      const page = await load(cursor, own.signal);
      result = page.result;
      took = performance.now() - begun;
      return page;
    }, { most: MOST });
    try {
      await list.first();
      if (own.signal.aborted) return;
      found = list;
      draw(result, took);
      replace(below, older_buttons(list, () => draw(result, took)));
    } catch (error) {
      if (error.name === "AbortError" || own.signal.aborted) return;
      // While a date is being typed it is none yet.
      replace(times);
      replace(below);
      replace(hits, h("li", { class: "inside" }, failure(error)));
      status.textContent = "";
    }
  }
  const search = debounced(() => run(), PAUSE);

  function jump(id) {
    const row = hits.querySelector(`[data-id="${CSS.escape(id)}"]`);
    row?.scrollIntoView({ block: "center" });
    row?.focus();
  }

  function walk(event) {
    const rows = [...hits.querySelectorAll(".hit")];
    const here = rows.indexOf(document.activeElement.closest?.(".hit"));
    if (event.target.closest("input, select, textarea, dialog")) {
      if (event.key === "ArrowDown" && event.target === input && rows.length) rows[0].focus();
      else if (event.key === "Escape" && event.target === input) input.blur();
      else return;
    } else if (event.key === "j") rows[Math.min(rows.length - 1, here + 1)]?.focus();
    else if (event.key === "k") here <= 0 ? input.focus() : rows[here - 1].focus();
    else if (event.key === "o" && here >= 0) rows[here].querySelector("[aria-expanded]")?.click();
    else return;
    event.preventDefault();
  }
  document.addEventListener("keydown", walk);
  signal.addEventListener("abort", () => document.removeEventListener("keydown", walk));

  const kinds = toggles(KINDS.map((id) => ({ id, text: named("kinds", id) })), chosen.kinds, () => search.now(), t("memory.kinds"));
  append(root, [title(t("view.memory"), t("memory.about")), h("div", { class: "stack" },
    h("search", { class: "card" }, inside(h("div", { class: "stack" }, h("div", { class: "search" }, input), kinds,
      h("div", { class: "filters" }, field("who", t("memory.person"), { list: "people" }), people, field("topic", t("memory.topic")), field("session", t("memory.session")), field("from", t("memory.from"), { placeholder: language() === "zh" ? "三月 / 2026-03-01" : "March / 2026-03-01" }), field("to", t("memory.to")), field("as_of", t("memory.as_of"), { placeholder: t("memory.as_of_hint") }))))),
    card(t("memory.results"), [inside(status, times), hits, below]))]);
  await run();
  if (chosen.q || !matchMedia("(pointer: coarse)").matches) input.focus();
  say(status.textContent);
}
