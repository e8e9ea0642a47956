// Stream: conversations, their messages as they come, turns, where topics were cut and why.
import { append, h, replace } from "/ui/dom.js";
import { clock, named, number, percent, t, time } from "/ui/i18n.js";
import { card, chip, empty, inside, into, loading, picker, title } from "/ui/parts.js";
import { at, list, maybe } from "/ui/api.js";
import { listen } from "/ui/live.js";
import { line_chart } from "/ui/chart/line.js";
import { balance } from "/ui/chart/bars.js";

const CUTS = new Set(["drift", "relay", "start"]);
const TURNS = 200;

function session_rows(sessions) {
  return sessions.map((one) => ({
    id: one.session,
    content: [
      h("span", { class: "first" }, h("strong", { class: "clip" }, one.title || one.session), h("span", { class: "faint nowrap" }, time(one.newest, { month: "short", day: "numeric" }))),
      h("span", { class: "clip faint" }, `${one.session} · ${t("stream.counts", { turns: one.turns, topics: one.topics })}${one.open ? " · " + t("stream.waits") : ""}`),
    ],
  }));
}

function message_row(message) {
  const calls = (message.tool_calls || []).map((call) => h("div", { class: "call" }, `${call.function.name}(${call.function.arguments})`));
  return h("div", { class: "message " + message.role },
    h("div", { class: "who" }, message.name || named("role", message.role), h("div", { class: "faint" }, message.time ? clock(message.time) : "")),
    h("div", { class: "what" }, message.content || "", calls));
}

function reasons_list(reasons) {
  return h("ul", { class: "reasons" }, reasons.map((one) => h("li", null, h("span", { class: "clip", title: one.name }, named("signal", one.name)),
    balance(one.weight / 3, `${one.name} ${one.weight.toFixed(2)}`), h("span", { class: "number" }, (one.weight > 0 ? "+" : "") + one.weight.toFixed(2)))));
}

function decision_line(decision) {
  const cut = CUTS.has(decision.verdict) && decision.verdict !== "start";
  return h("div", { class: "decision" }, chip(named("verdict", decision.verdict), cut ? "bad" : ""),
    decision.verdict !== "start" && decision.by === "model" && t("stream.similarity", { n: decision.similarity.toFixed(2) }),
    decision.shift > 0 && t("stream.shift", { n: percent(decision.shift) }),
    decision.reasons.length > 0 && h("span", null, decision.reasons.slice(0, 3).map((one) => named("signal", one.name)).join(", ")));
}

function turn_detail(turn) {
  if (!turn) return h("p", { class: "quiet" }, t("stream.choose_turn"));
  const { decision } = turn;
  if (!decision) return h("p", { class: "quiet" }, turn.status === "open" ? t("stream.still_open") : t("stream.no_decision"));
  return h("div", { class: "stack" }, h("p", null, h("strong", null, turn.asked)),
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

function messages_list(messages, told, choose) {
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
      rows.push(h("div", { class: "topic-head" }, h("strong", null, t("stream.topic", { n: [...topics.keys()].indexOf(topic) + 1 })), h("span", { class: "mono" }, topic),
        of && h("span", null, t("stream.topic_counts", { turns: of.turns, tokens: number(of.tokens) })),
        of && chip(of.open ? t("stream.open") : named("reason", of.reason), of.open ? "accent" : ""), of?.written && chip(t("stream.written"), "good")));
    }
    const row = message_row(message);
    if (turn?.last === message.sequence && turn.decision) {
      const own = turn;
      row.append(decision_line(own.decision));
      row.addEventListener("click", () => choose(own.block));
    }
    rows.push(row);
    return rows;
  });
}

function session_view(id, { messages, told }) {
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
    told.turns.map((turn, i) => h("option", { value: turn.block }, `${i + 1}. ${turn.asked.slice(0, 60)}`)));
  const last_cut = told.turns.findLast((turn) => turn.decision?.verdict === "drift") || told.turns.findLast((turn) => turn.decision);
  const said = h("div", { class: "scroll", tabindex: 0, role: "log", "aria-label": t("stream.messages"), "data-session": id }, messages_list(messages, told, choose));
  const view = h("div", { class: "stack" },
    card(t("stream.likeness"), [points.length ? figure : empty(t("stream.no_turns")),
      inside(h("ul", { class: "legend" }, h("li", null, h("i", { class: "swatch c1" }), t("stream.legend_similarity")), h("li", null, h("i", { class: "swatch c3" }), t("stream.legend_shift")), h("li", null, h("i", { class: "swatch c6" }), t("stream.legend_cut"))))]),
    card(t("stream.why"), inside(h("div", { class: "stack" }, h("div", { class: "row" }, select), detail))),
    card(t("stream.messages"), said));
  if (last_cut) choose(last_cut.block);
  else replace(detail, turn_detail(null));
  view.said = said;
  return view;
}

async function load_session(id, known, signal) {
  // Of a conversation that has not begun there is nothing to ask for.
  if (!known) return { messages: [], told: { turns: [], topics: [] } };
  const [messages, told] = await Promise.all([
    list(at("sessions", id, "messages") + "?limit=400", "messages", signal),
    maybe(at("sessions", id, "turns") + "?limit=" + TURNS, signal),
  ]);
  return { messages, told: told || { turns: [], topics: [] } };
}

export default async function stream(root, { query, signal, go }) {
  const picked = h("div", { class: "scroll" }, loading());
  const shown = h("div", { class: "grow" });
  append(root, [title(t("view.stream"), t("stream.about")), h("div", { class: "split" }, h("div", { class: "aside" }, card(t("stream.sessions"), picked)), shown)]);
  let sessions = [];
  let chosen = query.get("session") || "";
  let choices = null;
  const open = async (id) => {
    chosen = id;
    go("stream", { session: id });
    await into(shown, async () => session_view(id, await load_session(id, sessions.some((one) => one.session === id), signal)), signal);
    const said = shown.querySelector("[role=log]");
    if (said) said.scrollTop = said.scrollHeight;
  };
  const refresh = async () => {
    await into(picked, async () => {
      sessions = await list("/v1/sessions?limit=100", "sessions", signal);
      if (!sessions.length) return empty(t("stream.nothing"), t("stream.nothing_hint"));
      choices = picker(session_rows(sessions), chosen || sessions[0].session, open, t("stream.sessions"));
      return choices;
    }, signal);
  };
  await refresh();
  if (chosen || sessions.length) await open(chosen || sessions[0].session);
  else replace(shown, empty(t("stream.nothing_chosen")));
  let again = 0;
  const end = listen((event) => {
    if (event.kind !== "message" && event.kind !== "turn" && event.kind !== "topic") return;
    if (event.kind === "message" && event.about === chosen) {
      const said = shown.querySelector("[role=log]");
      const at_end = said && said.scrollHeight - said.scrollTop - said.clientHeight < 80;
      const row = message_row(event.payload);
      row.classList.add("fresh");
      said?.append(row);
      if (at_end) said.scrollTop = said.scrollHeight;
    }
    clearTimeout(again);
    again = setTimeout(async () => {
      await refresh();
      if (!chosen && sessions.length) await open(sessions[0].session);
      else if (event.about === chosen && event.kind !== "message") await open(chosen);
    }, 700);
  });
  signal.addEventListener("abort", end);
}
