// Rules that were learnt, on trial or told; and changes of skills on trial against the original.
import { h, replace, said } from "/ui/dom.js";
import { day, named, number, percent, t, time } from "/ui/i18n.js";
import { button, card, chip, confirm, doing, empty, facts, inside, into, picker, tell } from "/ui/parts.js";
import { at, get, list, send } from "/ui/api.js";
import { given_diff } from "/ui/diff.js";
import { interval_chart } from "/ui/chart/interval.js";
import { change_buttons, gate_words, owner_of, stage_chip, uses_chart } from "/ui/views/skills.js";

function rule_actions(rule) {
  const out = [];
  if (rule.stage === "candidate" || rule.stage === "probation" || rule.stage === "refused" || rule.stage === "retired") out.push("approve");
  if (rule.stage === "candidate" || rule.stage === "probation") out.push("refuse");
  if (rule.stage === "active") out.push("retire");
  out.push(rule.pinned ? "unpin" : "pin", rule.disabled ? "enable" : "disable");
  if (rule.history?.length) out.push("rollback");
  return out;
}

function trial(rule) {
  if (rule.stage !== "probation") return null;
  const done = (rule.uses?.succeeded || 0) + (rule.uses?.failed || 0);
  return h("p", { class: "quiet" }, t("growth.trial", { done, goal: rule.goal_tasks, share: percent(rule.goal_rate) }));
}

function rule_detail(rule, refresh) {
  const path = at("rules", rule.id);
  return card(said(rule.strategy), [inside(h("div", { class: "stack" },
    h("div", { class: "row" }, stage_chip(rule.stage), chip(named("grade", rule.confidence)), chip(named("provenance", rule.provenance)), rule.restricts && chip(t("growth.restricts"), "warn"), rule.pinned && chip(t("growth.pinned"), "accent"), rule.disabled && chip(t("growth.disabled"), "bad")),
    facts([[t("growth.applies_to"), rule.applies_to && said(rule.applies_to)], [t("growth.expected"), rule.expected && said(rule.expected)], [t("growth.note"), rule.note && said(rule.note)], [t("growth.gate"), gate_words(rule.gate)], [t("growth.owner"), owner_of(rule.owner)], [t("growth.changed"), time(rule.updated)]]), trial(rule),
    h("div", { class: "buttons" }, change_buttons(rule, path, refresh, rule_actions(rule)), rule.history?.length > 0 && button(t("profiles.show_changes"), async () => tell(t("profiles.differences"), given_diff((await get(path + "/diff")).diff)))))),
  inside(h("h3", null, t("growth.how_it_went")), uses_chart(rule.uses, rule.strategy)),
  (rule.evidence || []).length > 0 && inside(h("h3", null, t("growth.evidence")), h("ul", { class: "stack" }, rule.evidence.map((one) => h("li", { class: "row" }, said(one.task || one.reflection), chip(named("outcome", one.outcome), one.outcome === "success" ? "good" : one.outcome === "failure" ? "bad" : ""), h("span", { class: "faint" }, [one.day && day(one.day), named("provenance", one.provenance)].filter(Boolean).join(t("part.semicolon")))))))]);
}

export async function rules_view(signal) {
  const place = h("div");
  let chosen = "";
  const refresh = () => into(place, async () => {
    const all = await list("/v1/rules", "rules", signal);
    if (!all.length) return empty(t("growth.no_rules"), t("growth.no_rules_hint"));
    const shown = h("div");
    const choose = (id) => {
      chosen = id;
      replace(shown, rule_detail(all.find((one) => one.id === id), refresh));
    };
    const first = all.some((one) => one.id === chosen) ? chosen : all[0].id;
    choose(first);
    return h("div", { class: "split" }, h("div", { class: "aside" }, card(t("growth.rules"), h("div", { class: "scroll" }, picker(all.map((one) => ({ id: one.id, content: [
      h("span", { class: "first" }, h("span", { class: "clip", translate: "no" }, one.strategy), stage_chip(one.stage)), h("span", { class: "clip faint", translate: "no" }, one.applies_to)] })), first, choose, t("growth.rules"))))), shown);
  }, signal);
  await refresh();
  return place;
}

const VERDICTS = { kept: "good", discarded: "bad", inconclusive: "", testing: "accent", awaiting_approval: "warn" };

function mutation_card(one, refresh) {
  const judge = (approve) => doing(async () => {
    const why = await confirm(t(approve ? "growth.approve" : "growth.refuse"), one.change, { reason: t("growth.why") });
    if (why === null) return;
    await send("POST", at("mutations", one.id), { approve, why });
    await refresh();
  });
  const counts = { a: one.original_successes || 0, all_a: one.original_uses || 0, b: one.variant_successes || 0, all_b: one.variant_uses || 0 };
  const row = (name, successes, uses, kind) => ({ name, alpha: successes + 1, beta: uses - successes + 1, kind });
  const label = t("growth.trial_label", { a: `${counts.a}/${counts.all_a}`, b: `${counts.b}/${counts.all_b}` });
  const open = one.stage === "awaiting_approval" || one.stage === "testing";
  return card(said(one.change), inside(h("div", { class: "stack" },
    h("div", { class: "row" }, chip(named("mutation", one.stage), VERDICTS[one.stage] ?? ""), chip(named("change_type", one.type)), h("span", { class: "mono faint", translate: "no" }, one.skill_id)),
    h("div", { class: "pair" }, h("div", null, interval_chart([row(t("growth.original"), counts.a, counts.all_a, ""), row(t("growth.variant"), counts.b, counts.all_b, "variant")], { label }),
      h("p", { class: "quiet" }, counts.all_a + counts.all_b > 0 ? t("growth.better", { share: percent(one.probability_better || 0) }) : t("growth.not_tried"))),
    facts([[t("growth.reason"), one.reason && said(one.reason)], [t("growth.risk"), one.risk && said(one.risk)], [t("growth.validation"), one.validation && said(one.validation)], [t("growth.decided"), one.decided && said(one.decided)], [t("growth.counts"), `${number(counts.a)}/${number(counts.all_a)} · ${number(counts.b)}/${number(counts.all_b)}`]])),
    open && h("div", { class: "buttons" }, button(t("growth.approve"), judge(true), { kind: "main" }), button(t("growth.refuse"), judge(false), { kind: "danger" })))));
}

export async function mutations_view(signal) {
  const place = h("div");
  const refresh = () => into(place, async () => {
    const [all, skills] = await Promise.all([list("/v1/mutations", "mutations", signal), list("/v1/skills", "skills", signal)]);
    const select = h("select", { class: "field", "aria-label": t("growth.skill") }, skills.map((one) => h("option", { value: one.skill_id, translate: "no" }, one.name)));
    const propose = skills.length > 0 && h("div", { class: "row" }, select, button(t("growth.propose"), doing(async () => {
      await send("POST", "/v1/mutations", { skill: select.value });
      await refresh();
    })));
    return h("div", { class: "stack" }, propose, all.length ? all.map((one) => mutation_card(one, refresh)) : empty(t("growth.no_mutations"), t("growth.no_mutations_hint")));
  }, signal);
  await refresh();
  return place;
}
