// Context: a prompt's budget as a picture, each item with why it is there or is not, and two turns side by side.
import { append, h, replace, said, text_of } from "/ui/dom.js";
import { clock, has_words, milliseconds, named, number, percent, t, time } from "/ui/i18n.js";
import { card, chip, empty, facts, failure, inside, into, loading, picker, table, title, word } from "/ui/parts.js";
import { at, get, list, page_of, send } from "/ui/api.js";
import { long_list, older_buttons } from "/ui/long_list.js";
import { listen } from "/ui/live.js";
import { stacked } from "/ui/chart/bars.js";
import { care_buttons, memory_of } from "/ui/views/care.js";

// The session that a question is tried in as if it began a new conversation: nothing is kept in it but reports of prompts.
const TRIAL = "page-trial";

// A section keeps its colour over all prompts.
const COLORS = { system: "c7", rules: "c5", profile: "c3", preferences: "c4", end_summaries: "c8", days: "c3", skills: "c5", task: "c6", tools: "c8", skeleton: "c4", curation: "c5", errors: "c6", compaction: "c8", summary: "c8", history: "c2", memory: "c1", "earlier memories": "c1", input: "c6" };

function color(name) {
  return COLORS[name] || "c7";
}

// The last section is the sum of all, looked through once more.
function own_sections(report) {
  return report.sections.filter((one) => one.name !== "check");
}

function parts_of(report) {
  return own_sections(report).filter((one) => one.tokens > 0).map((one) => ({
    name: one.name, value: one.tokens, color: color(one.name), title: `${named("section", one.name)}: ${number(one.tokens)} ${t("context.tokens")}`,
  }));
}

function budget(report) {
  const parts = parts_of(report);
  const label = t("context.budget_label", { tokens: number(report.tokens), usable: number(report.usable), parts: parts.map((one) => one.title).join("; ") });
  return h("div", { class: "budget stack" }, stacked(parts, parts.reduce((sum, one) => sum + one.value, 0), { label }),
    h("div", { class: "used" }, stacked([{ name: "used", value: report.tokens, color: "c1" }], Math.max(report.usable, report.tokens), { label: t("context.of_usable", { share: percent(report.tokens / report.usable, 1), usable: number(report.usable) }), height: 8 }), h("span", { class: "faint number" }, t("context.of_usable", { share: percent(report.tokens / report.usable, 1), usable: number(report.usable) }))),
    h("ul", { class: "legend" }, parts.map((one) => h("li", null, h("i", { class: "swatch " + one.color }), `${named("section", one.name)} `, h("span", { class: "number" }, number(one.value)))),
      h("li", null, h("i", { class: "swatch c0" }), t("context.free"), " ", h("span", { class: "number" }, number(Math.max(0, report.usable - report.tokens))))));
}

function prefix(report) {
  if (!report.last_prompt_bytes) return h("p", { class: "quiet" }, t("context.first_prompt"));
  const share = report.prompt_bytes ? report.prefix_equal_bytes / report.prompt_bytes : 0;
  return h("div", { class: "stack" }, stacked([{ name: "kept", value: report.prefix_equal_bytes, color: "c5" }], report.prompt_bytes, { label: t("context.prefix_kept", { n: percent(share) }), height: 12 }),
    h("p", { class: "quiet" }, t("context.prefix_kept", { n: percent(share) }), report.prefix_break ? " " + t("context.prefix_break", { section: report.prefix_break.split(" → ").map((one) => named("section", one)).join(" → ") }) : ""));
}

// A reason such as "over budget" or "recall failed: …" in the words of the page.
function why(text) {
  if (has_words("why", text)) return named("why", text);
  if (text.startsWith("duplicate of ")) return named("why", "duplicate of");
  const [begin, rest] = text.split(/[:;] (.*)/s);
  return rest && has_words("why", begin) ? [named("why", begin), ": ", said(rest)] : said(text);
}

// The whole text of an item, and what can be done with it; null where only its beginning is known.
async function memory_behind(item, session, signal) {
  if (item.source !== "turn") return memory_of(item.id, item.preview.replace(/…$/, ""), signal);
  const message = await get(at("messages", item.id) + "?session=" + encodeURIComponent(session), signal);
  return { kind: "message", id: item.id, session, sources: [item.id], text: message.text };
}

const KEPT_KINDS = new Set(["message", "event", "narrative", "knowledge", "turn"]);

function item_text(item, { session, signal, changed }) {
  const begin = said(item.preview || item.id);
  if (!KEPT_KINDS.has(item.source) || !item.id) return begin;
  const place = h("div", { class: "stack opened" });
  return h("details", { ontoggle: (event) => event.currentTarget.open && !place.children.length && into(place, async () => {
    const memory = await memory_behind(item, session, signal);
    if (!memory) return h("p", { class: "faint" }, t("care.gone"));
    return [h("p", { class: "prose" }, said(memory.text)), h("div", { class: "row" }, care_buttons(memory, changed))];
  }, signal) }, h("summary", null, begin), place);
}

function item_rows(items, hooks) {
  return items.map((item) => h("tr", { class: item.kept ? "" : "item-dropped" },
    h("td", null, item_text(item, hooks)), h("td", null, named("kind", item.source)),
    h("td", null, item.kept ? chip(t("context.kept"), "good") : chip(t("context.dropped"), "bad"), " ", why(item.why)),
    h("td", { class: "number" }, item.score ? item.score.toFixed(2) : ""), h("td", { class: "number" }, number(item.tokens))));
}

function section_card(section, hooks) {
  const dropped = section.items.filter((item) => !item.kept).length;
  return h("details", { class: "card", open: section.items.length > 0 && section.items.length <= 12 },
    h("summary", { class: "inside section-head" }, h("i", { class: "swatch " + color(section.name) }), h("strong", null, named("section", section.name)),
      h("span", { class: "quiet number" }, t("context.section_tokens", { tokens: number(section.tokens), budget: number(section.budget) })),
      dropped > 0 && chip(t("context.dropped_count", { n: dropped }), "warn")),
    section.items.length ? table([t("context.item"), t("context.source"), t("context.why"), { text: t("context.score"), number: true }, { text: t("context.counted"), number: true }], item_rows(section.items, hooks), named("section", section.name))
      : inside(h("p", { class: "faint" }, t("context.no_items"))));
}

function timings(report) {
  const all = Object.entries(report.timings_ms).filter(([, took]) => took >= 0.05);
  return h("p", { class: "faint" }, all.map(([name, took]) => `${named("timing", name)} ${milliseconds(took)}`).join(t("part.semicolon")));
}

function summary(context) {
  const { report } = context;
  return facts([[t("context.when"), time(context.time)], [t("context.model"), context.model && said(context.model)], [t("context.window"), number(report.window)], [t("context.usable"), number(report.usable)],
    [t("context.counted"), named("token_mode", report.token_mode)], [t("context.by"), named("by", report.by)], [t("context.layout"), word("layout", report.layout)], [t("context.compaction"), report.compaction && said(report.compaction)]]);
}

// The messages of a prompt, as they were sent: one to open each.
function sent_card(messages) {
  return card(t("context.sent"), h("ul", { class: "list" }, messages.map((one, i) => h("li", null, h("details", { class: "inside", open: i + 1 === messages.length },
    h("summary", null, h("strong", null, named("role", one.role)), " ", h("span", { class: "faint number" }, t("context.characters", { n: number([...text_of(one.content)].length) })),
      h("span", { class: "clip faint", translate: "no" }, text_of(one.content).slice(0, 120))),
    h("pre", { class: "sent", tabindex: 0, translate: "no", "aria-label": named("role", one.role) }, text_of(one.content), (one.tool_calls || []).map((call) => "\n" + text_of(call))))))));
}

function whole(context, hooks) {
  const { report } = context;
  return h("div", { class: "stack" },
    card(t("context.budget"), inside(h("div", { class: "stack" }, context.input && h("p", { translate: "no" }, h("strong", null, context.input)), budget(report), timings(report)))),
    hooks.sent && sent_card(hooks.sent),
    h("div", { class: "pair" }, card(t("context.prefix"), inside(prefix(report))), card(t("context.terms"), inside(summary(context)))),
    own_sections(report).filter((one) => one.tokens > 0 || one.items.length > 0).map((one) => section_card(one, hooks)));
}

// What one prompt holds and the other does not.
function difference(before, after) {
  const ids = (report) => new Map(report.sections.flatMap((section) => section.items.filter((item) => item.kept).map((item) => [section.name + "/" + item.id, { section: section.name, item }])));
  const a = ids(before.report);
  const b = ids(after.report);
  const only = (own, other) => [...own].filter(([id]) => !other.has(id)).map(([, one]) => h("li", { class: "row" }, chip(named("section", one.section)), h("span", { class: "grow clip", translate: "no" }, one.item.preview || one.item.id), h("span", { class: "faint number" }, number(one.item.tokens))));
  const lists = (label, rows, kind) => card(label, inside(rows.length ? h("ul", { class: "stack diff-" + kind }, rows) : h("p", { class: "quiet" }, t("context.nothing"))));
  return h("div", { class: "stack" },
    h("div", { class: "compare" }, [before, after].map((one) => card([clock(one.time), " · ", said(one.input || one.session)], inside(budget(one.report)), { level: 2 }))),
    h("div", { class: "compare" }, lists(t("context.only_before"), only(a, b), "before"), lists(t("context.only_after"), only(b, a), "after")),
    table([t("context.section"), { text: t("context.before"), number: true }, { text: t("context.after"), number: true }, { text: t("context.change"), number: true }], sections_changed(before.report, after.report), t("context.compare")));
}

function sections_changed(before, after) {
  const names = [...new Set([...own_sections(before), ...own_sections(after)].map((one) => one.name))];
  const tokens = (report, name) => report.sections.find((one) => one.name === name)?.tokens || 0;
  return names.map((name) => {
    const [a, b] = [tokens(before, name), tokens(after, name)];
    return h("tr", null, h("td", null, named("section", name)), h("td", { class: "number" }, number(a)), h("td", { class: "number" }, number(b)), h("td", { class: "number" }, (b > a ? "+" : "") + number(b - a)));
  });
}

export default async function context(root, { query, signal, go }) {
  const side = h("div", { class: "scroll" }, loading());
  const shown = h("div");
  const sent = new Map();  // messages of the prompts that were tried here, by the prompt's id
  let sessions = [];
  let session = query.get("session") || "";
  let contexts = [];
  const prompts = long_list((cursor) => page_of(at("sessions", session, "contexts") + "?limit=40", "contexts", cursor, signal), { most: 200 });
  let chosen = 0;
  const choose_session = h("select", { class: "field", "aria-label": t("context.session"), onchange: (event) => {
    session = event.target.value;
    go("context", { session });
    refresh(true);
  } });
  const other = h("select", { class: "field", "aria-label": t("context.compare_with"), onchange: () => draw() });
  const draw = () => {
    const own = contexts.find((one) => one.id === chosen);
    const against = contexts.find((one) => String(one.id) === other.value);
    if (!own) replace(shown, empty(t("context.nothing_woven"), t("context.nothing_woven_hint")));
    else replace(shown, against && against !== own ? difference(...[own, against].sort((a, b) => a.id - b.id)) : whole(own, { session, signal, sent: sent.get(own.id), changed: () => refresh(false) }));
  };
  const choose = (id) => {
    chosen = Number(id);
    draw();
  };
  async function refresh(newest) {
    await into(side, async () => {
      if (session) await prompts.first();
      return draw_prompts(newest);
    }, signal);
  }
  function draw_prompts(newest) {
    contexts = prompts.all;
    if (newest || !contexts.some((one) => one.id === chosen)) chosen = contexts[0]?.id || 0;
    const against = other.value;
    replace(other, h("option", { value: "" }, t("context.compare_none")), contexts.map((one) => h("option", { value: one.id, translate: "no" }, `${clock(one.time)} ${one.input.slice(0, 40)}`)));
    other.value = contexts.some((one) => String(one.id) === against) ? against : "";
    draw();
    if (!contexts.length) return empty(t("context.no_prompts"), t("context.since_start"));
    return [picker(contexts.map((one) => ({ id: one.id, content: [
      h("span", { class: "first" }, h("span", { class: "clip" }, one.input ? said(one.input) : t("context.no_input")), h("span", { class: "faint nowrap" }, clock(one.time))),
      h("span", { class: "faint number" }, t("context.of", { tokens: number(one.report.tokens), usable: number(one.report.usable) }))] })), chosen, choose, t("context.prompts")), older_buttons(prompts, () => replace(side, draw_prompts(false)))];
  }
  const try_input = h("input", { class: "field grow", name: "try", placeholder: t("context.try_placeholder"), "aria-label": t("context.try"), autocomplete: "off" });
  const trying = h("form", { class: "row inside", onsubmit: async (event) => {
    event.preventDefault();
    if (!try_input.value.trim() || !session) return;
    try {
      const { messages } = await send("POST", at("sessions", session, "context"), { input: try_input.value.trim() }, signal);
      await refresh(true);
      sent.set(chosen, messages);
      draw();
    } catch (error) {
      replace(shown, failure(error));
    }
  } }, try_input, h("button", { class: "button" }, t("context.weave")));
  append(root, [title(t("view.context"), t("context.about"), [choose_session, h("label", { class: "labelled" }, t("context.compare_with"), other)]),
    h("div", { class: "split" }, h("div", { class: "aside" }, card(t("context.prompts"), [trying, side])), shown)]);
  sessions = await list("/v1/sessions?limit=1000", "sessions", signal);
  if (session && !sessions.some((one) => one.session === session)) sessions.unshift({ session, title: session });
  replace(choose_session, h("option", { value: TRIAL }, t("context.new_conversation")),
    sessions.filter((one) => one.session !== TRIAL).map((one) => h("option", { value: one.session, translate: "no" }, one.title ? `${one.session} — ${one.title.slice(0, 40)}` : one.session)));
  if (!session) session = sessions.length ? await newest_woven(sessions, signal) : TRIAL;
  choose_session.value = session;
  await refresh(true);
  signal.addEventListener("abort", listen((event) => {
    if (event.kind === "dropped" || (event.kind === "context" && event.about === session)) refresh(true);
  }));
}

// The first of the newest sessions for which a prompt was woven.
async function newest_woven(sessions, signal) {
  for (const one of sessions.slice(0, 12)) {
    const woven = await list(at("sessions", one.session, "contexts") + "?limit=1", "contexts", signal);
    if (woven.length) return one.session;
  }
  return sessions[0].session;
}
