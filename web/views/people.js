// What is believed of somebody's preferences, and what only a person can answer or approve.
import { h, said } from "/ui/dom.js";
import { named, number, percent, t, time } from "/ui/i18n.js";
import { button, card, chip, doing, empty, facts, inside, into, word } from "/ui/parts.js";
import { at, list, send } from "/ui/api.js";
import { interval_chart } from "/ui/chart/interval.js";

export async function beliefs_view(signal) {
  const place = h("div");
  const say = (way, one, refresh) => doing(async () => {
    await send("POST", "/v1/beliefs/" + way, { dimension: one.dimension, value: one.value });
    await refresh();
  });
  const refresh = () => into(place, async () => {
    const all = await list("/v1/beliefs", "beliefs", signal);
    if (!all.length) return empty(t("growth.no_beliefs"), t("growth.no_beliefs_hint"));
    return card(t("growth.beliefs"), h("ul", { class: "list" }, all.map((one) => h("li", { class: "belief" },
      h("div", null, h("strong", null, named("dimension", one.dimension)), h("div", null, word("belief_value", one.value))),
      h("div", null, interval_chart([{ name: percent(one.confidence), alpha: one.alpha, beta: one.beta, kind: "variant" }], { label: t("growth.belief_label", { what: named("dimension", one.dimension) + " " + named("belief_value", one.value), share: percent(one.confidence) }) }),
        h("div", { class: "faint" }, t("growth.signals", { for: number(one.evidence_count), against: number(one.contradictions || 0) }), one.told && [" · ", said("“" + one.told + "”")])),
      h("div", { class: "buttons" }, one.confirmed ? chip(t("growth.confirmed"), "good") : button(t("growth.confirm"), say("confirm", one, refresh)), one.needs_confirmation && chip(t("growth.unsure"), "warn"),
        button(t("growth.reject"), say("reject", one, refresh)), button(t("growth.forget"), say("forget", one, refresh), { kind: "plain" }))))));
  }, signal);
  await refresh();
  return place;
}

const OPEN = new Set(["queued", "asked"]);

/** The arguments of a call that is to be approved, which a person may change before it is made. */
function edited_arguments(one, refresh) {
  if (one.kind !== "approval" || !one.arguments) return null;
  const field = h("textarea", { class: "field", name: "arguments", rows: 4, spellcheck: "false", "aria-label": t("growth.arguments") }, JSON.stringify(one.arguments, null, 2));
  return h("details", null, h("summary", null, t("growth.edit_arguments")), h("div", { class: "stack" }, field, h("div", null, button(t("growth.allow_edited"), doing(async () => {
    await send("POST", at("questions", one.id), { answer: "allow", arguments: JSON.parse(field.value) });
    await refresh();
  })))));
}

function question_card(one, refresh) {
  const answer = (text) => doing(async () => {
    await send("POST", at("questions", one.id), { answer: text });
    await refresh();
  });
  const field = h("input", { class: "field grow", name: "answer", placeholder: t("growth.answer"), "aria-label": t("growth.answer_to", { text: one.text }), autocomplete: "off" });
  const open = OPEN.has(one.stage);
  return card(said(one.text), inside(h("div", { class: "stack" },
    h("div", { class: "row" }, chip(named("question", one.stage), open ? "warn" : one.stage === "answered" ? "good" : ""), chip(named("question_kind", one.kind)), chip(named("grade", one.urgency), one.urgency === "HIGH" ? "bad" : "")),
    facts([[t("growth.for"), one.why && said(one.why)], [t("growth.fallback"), one.fallback && said(one.fallback)], [t("growth.expires"), one.expires && time(one.expires)], [t("growth.run"), one.run && h("a", { href: "#/growth?tab=runs&run=" + encodeURIComponent(one.run) }, said(one.run))], [t("growth.answered"), one.answer && said(one.answer)]]),
    open && h("div", { class: "buttons" }, (one.choices || []).map((choice) => button(said(choice), answer(choice)))),
    open && edited_arguments(one, refresh),
    open && h("form", { class: "row", onsubmit: (event) => {
      event.preventDefault();
      if (field.value.trim()) answer(field.value.trim())({ currentTarget: event.submitter || field });
    } }, field, h("button", { class: "button main" }, t("growth.send")), button(t("growth.withdraw"), doing(async () => {
      await send("DELETE", at("questions", one.id));
      await refresh();
    }), { kind: "plain" })))));
}

export async function questions_view(signal) {
  const place = h("div");
  const refresh = () => into(place, async () => {
    const [all, mutations, rules, runs] = await Promise.all([list("/v1/questions", "questions", signal), list("/v1/mutations", "mutations", signal), list("/v1/rules", "rules", signal), list("/v1/tasks?limit=50", "runs", signal)]);
    const waiting = mutations.filter((one) => one.stage === "awaiting_approval").length;
    const candidates = rules.filter((one) => one.stage === "candidate").length;
    const asking = runs.filter((one) => one.status === "waiting");
    const open = all.filter((one) => OPEN.has(one.stage));
    const past = all.filter((one) => !OPEN.has(one.stage)).reverse();
    const tile = (count, text, tab) => h("a", { class: "tile", href: "#/growth?tab=" + tab, onclick: () => document.querySelector(`[role=tab][data-id=${tab}]`)?.click() }, h("strong", { class: "number" }, number(count)), " ", text);
    return h("div", { class: "stack" }, h("div", { class: "tiles" }, tile(waiting, t("growth.changes_wait", { n: waiting }), "mutations"), tile(candidates, t("growth.rules_wait", { n: candidates }), "rules"), tile(asking.length, t("growth.runs_wait", { n: asking.length }), "runs")),
      open.length ? open.map((one) => question_card(one, refresh)) : empty(t("growth.no_questions"), t("growth.no_questions_hint")),
      past.length > 0 && h("details", null, h("summary", null, t("growth.past_questions", { n: past.length })), h("div", { class: "stack" }, past.map((one) => question_card(one, refresh)))));
  }, signal);
  await refresh();
  return place;
}
