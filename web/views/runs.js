// Runs of agents: which there are, and the steps of one as they come.
import { h, replace, said, text_of } from "/ui/dom.js";
import { clock, named, number, t, time } from "/ui/i18n.js";
import { button, card, chip, confirm, doing, empty, facts, inside, into, picker, word } from "/ui/parts.js";
import { at, get, list, page_of, send } from "/ui/api.js";
import { long_list, older_buttons } from "/ui/long_list.js";
import { listen } from "/ui/live.js";

const COLORS = { running: "accent", waiting: "warn", ended: "good", interrupted: "bad", stopped: "bad" };
const RUNS = 100;
const MARKS = { USER_MESSAGE: "U", MODEL_REPLY: "M", TOOL_INTENT: "→", TOOL_RESULT: "←", HUMAN_QUERY: "?", HUMAN_RESPONSE: "!", AGENT_OUTPUT: "✓", RUN_STARTED: "▸", LIMIT_REACHED: "×", INTERRUPTED: "‖", COMPACTED: "≡", LESSON: "✎", SUB_AGENT_STARTED: "⇣", SUB_AGENT_ENDED: "⇡", PROGRESS: "·" };

const call_text = (name, given) => h("pre", { tabindex: 0, translate: "no" }, `${name}(${text_of(given)})`);
const words = (text) => text !== undefined && text !== "" && h("p", { translate: "no" }, text);

// What an event says, by its type; else all of it.
function said_by({ type, payload }) {
  const p = payload || {};
  switch (type) {
    case "RUN_STARTED": return [words(p.task), p.model && h("p", { class: "faint" }, t("runs.model"), " ", word("model_role", p.model))];
    case "USER_MESSAGE": return words(p.message?.content ?? p.content);
    case "MODEL_REPLY": return [p.message?.reasoning_content && h("p", { class: "quiet", translate: "no" }, p.message.reasoning_content), words(p.message?.content), (p.message?.tool_calls || []).map((call) => call_text(call.function.name, call.function.arguments)), h("p", { class: "faint number" }, t("runs.reply", { tokens: number((p.prompt_tokens || 0) + (p.completion_tokens || 0)), ms: number(p.ms || 0) }))];
    case "TOOL_INTENT": return call_text(p.name, p.arguments);
    case "TOOL_RESULT": return h("pre", { tabindex: 0, translate: "no" }, p.output);
    case "HUMAN_QUERY": return words(p.question?.text);
    case "HUMAN_RESPONSE": return words(p.choice || p.text);
    case "AGENT_OUTPUT": return [words(p.text), p.why && h("p", { class: "faint" }, word("why", p.why))];
    default: return h("pre", { tabindex: 0, translate: "no" }, JSON.stringify(p, null, 1));
  }
}

function step(event) {
  return h("li", { class: "step" + (event.payload?.failed ? " failed" : ""), "data-id": event.id }, h("span", { class: "mark", "aria-hidden": "true" }, MARKS[event.type] || "·"),
    h("div", { class: "grow" }, h("div", { class: "faint" }, `${event.id} · ${named("event", event.type)} · ${clock(event.time)}`), said_by(event)));
}

function run_card(run, events, refresh) {
  const path = at("tasks", run.id);
  const act = (what, body) => doing(async () => {
    await send("POST", `${path}/${what}`, body);
    await refresh();
  });
  const say = h("input", { class: "field grow", name: "say", placeholder: t("runs.say"), "aria-label": t("runs.say"), autocomplete: "off" });
  const steps = h("ol", { class: "inside", "aria-label": t("runs.steps"), "data-run": run.id }, events.map(step));
  return card(said(run.task), [inside(h("div", { class: "stack" }, h("div", { class: "row" }, chip(named("run", run.status), COLORS[run.status] || ""), run.outcome && chip(named("outcome", run.outcome), run.outcome === "success" ? "good" : run.outcome === "failure" ? "bad" : ""), h("span", { class: "mono faint", translate: "no" }, run.id)),
    run.output && h("p", { class: "prose", translate: "no" }, run.output),
    facts([[t("runs.started"), time(run.started)], [t("runs.model_calls"), number(run.model_calls || 0)], [t("runs.tool_calls"), number(run.tool_calls || 0)], [t("runs.tokens"), number(run.tokens || 0)], [t("runs.why"), run.why && word("why", run.why)], [t("runs.limit"), run.limit && named("limit", run.limit)]]),
    (run.questions || []).map((one) => h("div", { class: "alert warn stack" }, h("strong", { translate: "no" }, one.text), h("div", { class: "buttons" }, (one.choices || []).map((choice) => button(said(choice), act("answers", { question: one.id, text: choice })))))),
    h("div", { class: "buttons" }, run.status === "running" && button(t("runs.interrupt"), act("interrupt", { why: "web" })), (run.status === "interrupted" || run.status === "stopped") && button(t("runs.resume"), act("resume")),
      button(t("runs.fork"), doing(async () => {
        if (await confirm(t("runs.fork"), t("runs.fork_what", { n: run.events })) === null) return;
        await send("POST", path + "/fork", { at: run.events });
        await refresh();
      }), { kind: "plain" })),
    h("form", { class: "row", onsubmit: (event) => {
      event.preventDefault();
      if (say.value.trim()) act("messages", { text: say.value.trim() })({ currentTarget: event.submitter || say });
    } }, say, h("button", { class: "button" }, t("growth.send"))))), steps]);
}

export async function runs_view(signal, wanted) {
  const place = h("div");
  const shown = h("div");
  let chosen = wanted || "";
  let begun = RUNS;
  const runs = long_list((cursor) => page_of(`/v1/tasks?limit=${cursor ? RUNS : begun}`, "runs", cursor, signal));
  const open = (id) => {
    chosen = id;
    return into(shown, async () => {
      const [run, events] = await Promise.all([get(at("tasks", id), signal), list(at("tasks", id, "events"), "events", signal)]);
      return run_card(run, events, refresh);
    }, signal);
  };
  const refresh = () => into(place, async () => {
    begun = runs.count(RUNS);
    if (runs.newest) await runs.first();
    return draw();
  }, signal);
  const draw = () => {
    const { all } = runs;
    const start = h("form", { class: "row inside", onsubmit: (event) => {
      event.preventDefault();
      const task = event.currentTarget.elements.task.value.trim();
      if (task) doing(async () => {
        chosen = (await send("POST", "/v1/tasks", { task })).id;
        await refresh();
      })({ currentTarget: event.submitter });
    } }, h("input", { class: "field grow", name: "task", placeholder: t("runs.task"), "aria-label": t("runs.task"), autocomplete: "off" }), h("button", { class: "button main" }, t("runs.start")));
    if (!all.length) return h("div", { class: "card" }, start, empty(t("runs.none"), t("runs.none_hint")));
    if (!all.some((one) => one.id === chosen)) chosen = all[0].id;
    open(chosen);
    return h("div", { class: "stack" }, h("div", { class: "card" }, start), h("div", { class: "split" }, h("div", { class: "aside" }, card(t("growth.runs"), h("div", { class: "scroll" }, picker(all.map((one) => ({ id: one.id, content: [
      h("span", { class: "first" }, h("span", { class: "clip", translate: "no" }, one.task), chip(named("run", one.status), COLORS[one.status] || "")), h("span", { class: "faint number" }, `${time(one.started)} · ${t("runs.counts", { n: one.events })}`)] })), chosen, open, t("growth.runs")), older_buttons(runs, () => replace(place, draw()))))), shown));
  };
  signal.addEventListener("abort", listen((event) => {
    if (event.kind === "dropped") return refresh();
    if (event.kind !== "run") return;
    const steps = shown.querySelector(`[data-run="${CSS.escape(event.about)}"]`);
    const known = steps && [...steps.children].some((one) => one.dataset.id === String(event.payload.id));
    if (steps && !known) steps.append(step(event.payload));
    if (["AGENT_OUTPUT", "HUMAN_QUERY", "RUN_STARTED", "INTERRUPTED", "LIMIT_REACHED"].includes(event.payload.type)) refresh();
  }));
  await refresh();
  return place;
}
