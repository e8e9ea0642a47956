// Stream: conversations, their messages as they come, turns, where topics were cut and why.
import { append, h, replace, said, text_of } from "/ui/dom.js";
import { clock, named, number, percent, t, time } from "/ui/i18n.js";
import { button, card, chip, doing, empty, failure, inside, into, loading, picker, title } from "/ui/parts.js";
import { at, list, page_of, send } from "/ui/api.js";
import { long_list, older_buttons } from "/ui/long_list.js";
import { listen } from "/ui/live.js";
import { line_chart } from "/ui/chart/line.js";
import { balance } from "/ui/chart/bars.js";
import { care_buttons } from "/ui/views/care.js";

const CUTS = new Set(["drift", "relay", "start"]);
const SESSIONS = 100;
const MESSAGES = 400;  // a page; two of them are held at a time
const TURNS = 200;
const FRESH = 300;     // messages that may come in while one looks on, before those that are far above are let go

function session_rows(sessions) {
  return sessions.map((one) => ({
    id: one.session,
    content: [
      h("span", { class: "first" }, h("strong", { class: "clip", translate: "no" }, one.title || one.session), h("span", { class: "faint nowrap" }, time(one.newest, { month: "short", day: "numeric" }))),
      h("span", { class: "clip faint" }, said(one.session), ` · ${t("stream.counts", { turns: one.turns, topics: one.topics })}${one.open ? " · " + t("stream.waits") : ""}`),
    ],
  }));
}

function message_row(message, session, changed) {
  const calls = (message.tool_calls || []).map((call) => h("div", { class: "call" }, `${call.function.name}(${text_of(call.function.arguments)})`));
  const memory = { kind: "message", text: text_of(message.content), session, sources: message.id ? [message.id] : [] };
  return h("div", { class: "message " + message.role, "data-sequence": message.sequence },
    h("div", { class: "who" }, message.name ? said(message.name) : named("role", message.role), h("div", { class: "faint" }, message.time ? clock(message.time) : "")),
    h("div", { class: "what", translate: "no" }, message.content || "", calls),
    message.content && h("div", { class: "care" }, care_buttons(memory, changed)));
}

function reasons_list(reasons) {
  return h("ul", { class: "reasons" }, reasons.map((one) => h("li", null, h("span", null, named("cue", one.name)),
    balance(one.weight / 3, `${named("cue", one.name)} ${one.weight.toFixed(2)}`), h("span", { class: "number" }, (one.weight > 0 ? "+" : "") + one.weight.toFixed(2)))));
}

function decision_line(decision) {
  const cut = CUTS.has(decision.verdict) && decision.verdict !== "start";
  return h("div", { class: "decision" }, chip(named("verdict", decision.verdict), cut ? "bad" : ""),
    decision.verdict !== "start" && decision.by === "model" && h("span", null, t("stream.similarity", { n: decision.similarity.toFixed(2) })),
    decision.shift > 0 && h("span", null, t("stream.shift", { n: percent(decision.shift) })));
}

function turn_detail(turn) {
  if (!turn) return h("p", { class: "quiet" }, t("stream.choose_turn"));
  const { decision } = turn;
  if (!decision) return h("p", { class: "quiet" }, turn.status === "open" ? t("stream.still_open") : t("stream.no_decision"));
  return h("div", { class: "stack" }, h("p", { translate: "no" }, h("strong", null, turn.asked)),
    h("div", { class: "row" }, chip(named("verdict", decision.verdict), decision.verdict === "drift" || decision.verdict === "relay" ? "bad" : "accent"),
      h("span", { class: "quiet" }, t("verdict_why." + decision.verdict)), chip(named("by", decision.by))),
    decision.verdict !== "start" && decision.by === "model" && h("p", { class: "quiet" }, t("stream.numbers", { similarity: decision.similarity.toFixed(2), shift: percent(decision.shift) })),
    decision.reasons.length > 0 ? [h("p", { class: "faint" }, t("stream.reasons")), reasons_list(decision.reasons)] : h("p", { class: "faint" }, t("stream.no_reasons")));
}

// Turns as points of the line; the first turn of a topic is where it was cut.
function points_of(turns) {
  return turns.map((turn) => ({
    id: turn.block, group: turn.topic || "", value: turn.decision && turn.decision.verdict !== "start" && turn.decision.by === "model" ? turn.decision.similarity : undefined,
    second: turn.decision?.shift || undefined, cut: turn.decision && (turn.decision.verdict === "drift" || turn.decision.verdict === "relay"),
    time: time(turn.started, { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" }),
    label: `${turn.asked} — ${turn.decision ? named("verdict", turn.decision.verdict) : ""}`,
  }));
}

function messages_list(messages, told, { session, choose, changed }) {
  const by_first = new Map(told.turns.map((turn) => [turn.first, turn]));
  const topics = new Map(told.topics.map((topic) => [topic.topic, topic]));
  let topic = null;
  let turn = null;
  return messages.map((message) => {
    const begun = by_first.get(message.sequence);
    const rows = [];
    if (begun) turn = begun;
    if (begun && begun.topic && begun.topic !== topic) {
      topic = begun.topic;
      const of = topics.get(topic);
      rows.push(h("div", { class: "topic-head" }, h("strong", null, t("stream.topic", { n: [...topics.keys()].indexOf(topic) + 1 })), h("span", { class: "mono", translate: "no" }, topic),
        of && h("span", null, t("stream.topic_counts", { turns: of.turns, tokens: number(of.tokens) })),
        of && chip(of.open ? t("stream.open") : named("reason", of.reason), of.open ? "accent" : ""), of?.written && chip(t("stream.written"), "good")));
    }
    const row = message_row(message, session, changed);
    if (turn?.last === message.sequence && turn.decision) {
      const own = turn;
      row.append(decision_line(own.decision));
      row.addEventListener("click", (event) => event.target.closest("button") || choose(own.block));
    }
    rows.push(row);
    return rows;
  });
}

function session_view(id, { messages, told }, { redraw, changed, chat }) {
  const detail = h("div", { "aria-live": "polite" });
  const choose = (block) => {
    replace(detail, turn_detail(told.turns.find((turn) => turn.block === block)));
    for (const dot of figure.querySelectorAll(".dot")) dot.classList.toggle("chosen", dot.dataset.id === block);
    select.value = block;
  };
  const points = points_of(told.turns);
  const cuts = points.filter((point) => point.cut).length;
  const figure = line_chart(points, { label: t("stream.chart", { turns: points.length, cuts }), choose });
  const select = h("select", { class: "field grow", "aria-label": t("stream.turn"), onchange: (event) => choose(event.target.value) },
    told.turns.map((turn, i) => h("option", { value: turn.block, translate: "no" }, `${i + 1}. ${turn.asked.slice(0, 60)}`)));
  const last_cut = told.turns.findLast((turn) => turn.decision?.verdict === "drift") || told.turns.findLast((turn) => turn.decision);
  const log = h("div", { class: "scroll", tabindex: 0, role: "log", "aria-label": t("stream.messages"), "data-session": id }, messages_list(messages.all, told, { session: id, choose, changed }));
  const view = h("div", { class: "stack" },
    card(t("stream.similarity_title"), [points.length ? figure : empty(t("stream.no_turns")),
      inside(h("ul", { class: "legend" }, h("li", null, h("i", { class: "swatch c1" }), t("stream.legend_similarity")), h("li", null, h("i", { class: "swatch c3" }), t("stream.legend_shift")), h("li", null, h("i", { class: "swatch c6" }), t("stream.legend_cut"))))]),
    card(t("stream.why"), inside(h("div", { class: "stack" }, points.length > 0 && h("div", { class: "row" }, select), detail))),
    card(t("stream.messages"), [older_buttons(messages, redraw), log, chat]));
  if (last_cut) choose(last_cut.block);
  else replace(detail, turn_detail(null));
  return view;
}

/** A form that writes to the model behind the server, as any chat client does: Weft adds memories to the prompt and
 * remembers the answer. */
function chat_form(session, shown, models, signal) {
  const field = h("textarea", { class: "field grow", name: "say", rows: 2, placeholder: t("stream.say"), "aria-label": t("stream.say") });
  const model = h("select", { class: "field", "aria-label": t("context.model"), translate: "no" }, models.map((one) => h("option", { value: one }, one)));
  const wrong = h("div", { "aria-live": "polite" });
  let chat = [];  // up to the last answer, which the page may not have read again yet
  const ask = async () => {
    const text = field.value.trim();
    if (!text) return;
    replace(wrong, h("p", { class: "faint" }, t("stream.thinks")));
    const read = shown().filter((one) => one.active !== false && one.content && ["user", "assistant"].includes(one.role)).map(({ role, content }) => ({ role, content }));
    const sent = [...(read.length < chat.length ? chat : read), { role: "user", content: text }];
    try {
      const answer = await send("POST", "/v1/chat/completions", { model: model.value, messages: sent }, signal, { "X-Weft-Session": encodeURIComponent(session) });
      chat = [...sent, { role: "assistant", content: answer.choices[0].message.content || "" }];
      field.value = "";
      replace(wrong);
    } catch (error) {
      replace(wrong, failure(error));
    }
  };
  return h("form", { class: "stack", onsubmit: (event) => {
    event.preventDefault();
    doing(ask)({ currentTarget: event.submitter || field });
  } }, field, h("div", { class: "row" }, h("button", { class: "button main" }, t("growth.send")), models.length > 1 && model, h("span", { class: "faint" }, t("stream.say_what"))), wrong);
}

// The page asks for models only when somebody wants to write to one: without an upstream that call fails.
function chat_place(session, shown, signal) {
  const place = h("div", { class: "inside" }, button(t("stream.chat"), () => into(place, async () => {
    const models = (await list("/v1/models", "data", signal)).map((one) => one.id);
    return models.length ? chat_form(session, shown, models, signal) : h("p", { class: "quiet" }, t("stream.no_model"));
  }, signal)));
  return place;
}

/** What is shown of a conversation: its newest messages with their turns, and older ones as they are asked for. */
function conversation(id, signal) {
  const told = { turns: [], topics: [] };
  let older_turns = "";
  const add_turns = async (cursor) => {
    const page = await page_of(at("sessions", id, "turns") + "?limit=" + TURNS, "turns", cursor, signal);
    const known = new Set(told.topics.map((topic) => topic.topic));
    told.turns.unshift(...page.all);
    told.topics.unshift(...(page.answer?.topics || []).filter((topic) => !known.has(topic.topic)));
    older_turns = page.next;
  };
  const messages = long_list((cursor) => page_of(at("sessions", id, "messages") + "?limit=" + MESSAGES, "messages", cursor, signal),
    { most: 2 * MESSAGES, up: true });
  // Turns of the messages that are shown, and no others.
  const follow = async () => {
    const first = messages.all[0]?.sequence ?? 0;
    const last = messages.all.at(-1)?.sequence ?? 0;
    while (older_turns && (told.turns[0]?.first ?? 0) > first) await add_turns(older_turns);
    told.turns = told.turns.filter((turn) => turn.last >= first && turn.first <= last);
    const used = new Set(told.turns.map((turn) => turn.topic));
    told.topics = told.topics.filter((topic) => used.has(topic.topic));
  };
  const { first, older } = messages;
  messages.first = async () => {
    Object.assign(told, { turns: [], topics: [] });
    await Promise.all([first(), add_turns("")]);
    await follow();
  };
  messages.older = async () => {
    await older();
    await follow();
  };
  return { messages, told };
}

export default async function stream(root, { query, signal, go }) {
  const picked = h("div", { class: "scroll" }, loading());
  const shown = h("div", { class: "grow" });
  append(root, [title(t("view.stream"), t("stream.about")), h("div", { class: "split" }, h("div", { class: "aside" }, card(t("stream.sessions"), picked, { buttons: button(t("stream.new"), () => open(t("stream.new_id", { time: new Date().toISOString().slice(0, 16) }))) })), shown)]);
  let begun = 0;
  const sessions = long_list((cursor) => page_of(`/v1/sessions?limit=${cursor ? SESSIONS : begun}`, "sessions", cursor, signal));
  let chosen = query.get("session") || "";
  let current = null;
  // The form keeps its text while answers come.
  let chat = null;
  const chat_of = (session) => {
    if (chat?.session !== session) chat = { session, place: chat_place(session, () => current.messages.all, signal) };
    return chat.place;
  };
  const hooks = () => ({ redraw: (what) => draw_again(what), changed: () => open(chosen), chat: chat_of(chosen) });
  const draw = () => into(shown, async () => session_view(chosen, current, hooks()), signal);
  const log = () => shown.querySelector("[role=log]");
  // What one was looking at stays where it was when older messages come above it.
  const draw_again = async (what) => {
    const before = log().firstElementChild ? log().querySelector(".message")?.dataset.sequence : "";
    await draw();
    shown.querySelector(".older button")?.focus({ preventScroll: true });
    const row = what === "older" && before && log().querySelector(`[data-sequence="${before}"]`);
    if (row) log().scrollTop = row.offsetTop - log().offsetTop;
    else log().scrollTop = log().scrollHeight;
  };
  const open = async (id) => {
    chosen = id;
    go("stream", { session: id });
    const own = conversation(id, signal);
    const writes = chat?.session === id && chat.place.contains(document.activeElement) && document.activeElement;
    await into(shown, async () => {
      // Of a conversation that has not begun there is nothing to ask for.
      if (sessions.all.some((one) => one.session === id) || sessions.next || !sessions.newest) await own.messages.first();
      current = own;
      return session_view(id, own, hooks());
    }, signal);
    if (log()) log().scrollTop = log().scrollHeight;
    if (writes) writes.focus({ preventScroll: true });
  };
  const draw_sessions = () => {
    if (!sessions.all.length) return replace(picked, empty(t("stream.nothing"), t("stream.nothing_hint")));
    return replace(picked, picker(session_rows(sessions.all), chosen || sessions.all[0].session, open, t("stream.sessions")), older_buttons(sessions, draw_sessions));
  };
  const refresh = () => into(picked, async () => {
    begun = sessions.newest ? sessions.count(SESSIONS) : SESSIONS;
    if (sessions.newest) await sessions.first();
    draw_sessions();
    return [...picked.childNodes];
  }, signal);
  await refresh();
  if (chosen || sessions.all.length) await open(chosen || sessions.all[0].session);
  else replace(shown, empty(t("stream.nothing_chosen")));
  const at_end = () => log() && log().scrollHeight - log().scrollTop - log().clientHeight < 80;
  let again = 0;
  const end = listen((event) => {
    if (!["message", "turn", "topic", "dropped"].includes(event.kind)) return;
    const here = (event.about === chosen || event.kind === "dropped") && current?.messages.newest;
    if (event.kind === "message" && here && log()) {
      const follows = at_end();
      const row = message_row(event.payload, chosen, () => open(chosen));
      row.classList.add("fresh");
      if (!log().querySelector(`[data-sequence="${CSS.escape(row.dataset.sequence)}"]`)) log().append(row);
      if (follows) log().scrollTop = log().scrollHeight;
    }
    clearTimeout(again);
    again = setTimeout(async () => {
      await refresh();
      if (!chosen && sessions.all.length) return open(sessions.all[0].session);
      // Whoever reads what was said long ago is not taken away from it.
      const reads = current && (current.messages.pages > 1 || !current.messages.newest) && !at_end();
      const many = log() && log().children.length > current.messages.all.length * 2 + FRESH;
      if (here && !reads && (event.kind !== "message" || many)) await open(chosen);
    }, 700);
  });
  signal.addEventListener("abort", end);
}
