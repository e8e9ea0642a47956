// Skills: what was learnt or taught, with its uses and versions.
import { h, replace, said } from "/ui/dom.js";
import { named, number, percent, t, time } from "/ui/i18n.js";
import { button, card, chip, confirm, doing, empty, facts, inside, into, picker, tell } from "/ui/parts.js";
import { at, get, list, send } from "/ui/api.js";
import { given_diff } from "/ui/diff.js";
import { interval_chart } from "/ui/chart/interval.js";

const STAGES = { active: "good", probation: "warn", candidate: "", deprecated: "bad", retired: "bad", refused: "bad" };

export function stage_chip(stage) {
  return chip(named("stage", stage), STAGES[stage] ?? "");
}

/** How often something was used and how that went, with what is known of the share from so few. */
export function uses_chart(uses, label) {
  const good = uses?.succeeded || 0;
  const bad = uses?.failed || 0;
  const all = good + bad;
  if (!all) return h("p", { class: "faint" }, t("growth.never_used"));
  return h("div", { class: "stack" }, interval_chart([{ name: t("growth.success"), alpha: good + 1, beta: bad + 1, kind: "variant" }], { label: t("growth.uses_label", { what: label, good, all }) }),
    h("p", { class: "faint" }, t("growth.uses", { good: number(good), all: number(all) })));
}

/** What past tasks say of what is to be promoted, in words. */
export function gate_words(gate) {
  if (!gate?.stage || gate.stage === "none") return "";
  const runs = (name, ids) => ids?.length ? t("growth." + name, { runs: ids.join(", ") }) : "";
  return [named("gate", gate.stage), gate.replayed ? t("growth.replayed", { n: number(gate.replayed) }) : "", runs("mends", gate.repaired), runs("breaks", gate.broken), gate.stage === "held_back" || !gate.why ? "" : named("why", gate.why)].filter(Boolean).join("; ");
}

/** "user:ann" as words. */
export function owner_of(owner) {
  if (!owner) return "";
  const [kind, id] = owner.split(/:(.*)/s);
  return id && (kind === "user" || kind === "group") ? [t("shell." + kind), " ", said(id)] : said(owner);
}

function change_buttons(one, path, refresh, actions) {
  return actions.map((action) => button(named("action", action), doing(async () => {
    const why = await confirm(named("action", action), one.name || one.strategy, { reason: t("growth.why"), danger: action === "remove" });
    if (why === null) return;
    await send("POST", path, { action, why, by: "web" });
    await refresh();
  }), { kind: action === "remove" || action === "retire" || action === "refuse" ? "danger" : "" }));
}
export { change_buttons };

function actions_of(skill) {
  const out = [skill.pinned ? "unpin" : "pin", skill.disabled || skill.stage === "retired" ? "enable" : "disable"];
  if (skill.version_history?.length) out.push("rollback");
  if (skill.stage === "probation") out.unshift("approve");
  if (skill.stage !== "retired") out.push("retire");
  return [...out, "remove"];
}

function steps(skill) {
  if (skill.body) return h("pre", { translate: "no" }, skill.body);
  return h("ol", null, (skill.steps || []).map((step, i) => h("li", { class: "step" }, h("span", { class: "mark" }, String(i + 1)),
    h("div", { translate: "no" }, step.action, step.details && h("div", { class: "quiet" }, step.details), (step.tools || []).map((tool) => [chip(tool), " "])))));
}

function history(skill) {
  const all = skill.version_history || [];
  return h("ol", { class: "list" }, all.map((one) => h("li", { class: "row" }, h("strong", { class: "number" }, t("story.version_n", { n: one.version })), h("span", { class: "grow", translate: "no" }, one.note || ""), h("span", { class: "faint" }, time(one.time || "")))));
}

export function skill_detail(skill, refresh) {
  const path = at("skills", skill.skill_id);
  return card(said(skill.name), [inside(h("div", { class: "stack" },
    h("div", { class: "row" }, stage_chip(skill.stage), chip(named("origin", skill.origin)), skill.pinned && chip(t("growth.pinned"), "accent"), skill.disabled && chip(t("growth.disabled"), "bad")),
    h("p", { translate: "no" }, skill.description), steps(skill), h("div", { class: "buttons" }, change_buttons(skill, path, refresh, actions_of(skill)),
      skill.version_history?.length > 0 && button(t("profiles.show_changes"), async () => tell(t("profiles.differences"), given_diff((await get(path + "/diff")).diff)))))),
  inside(h("div", { class: "pair" }, h("div", null, h("h3", null, t("growth.how_it_went")), uses_chart(skill.uses, skill.name)),
    h("div", null, h("h3", null, t("growth.known_of_it")), facts([[t("growth.when_wanted"), skill.trigger_conditions?.length && said(skill.trigger_conditions.join("; "))], [t("growth.owner"), owner_of(skill.owner)], [t("growth.changed"), skill.last_updated], [t("growth.success_rate"), skill.success_rate === undefined ? "" : percent(skill.success_rate)], [t("growth.learned_from"), skill.learned_from?.length && said(skill.learned_from.join(", "))], [t("growth.gate"), gate_words(skill.gate)]]), history(skill))))]);
}

export async function skills_view(signal) {
  const place = h("div");
  let chosen = "";
  const refresh = () => into(place, async () => {
    const [all, problems] = await Promise.all([list("/v1/skills", "skills", signal), list("/v1/skill_problems", "problems", signal)]);
    const teach = h("form", { class: "inside stack", onsubmit: async (event) => {
      event.preventDefault();
      const text = event.currentTarget.elements.text.value.trim();
      await doing(async () => {
        chosen = (await send("POST", "/v1/skills", { text })).skill_id;
        await refresh();
      })({ currentTarget: event.submitter });
    } }, h("textarea", { class: "field", name: "text", rows: 4, required: true, placeholder: t("growth.teach_placeholder"), "aria-label": t("growth.teach") }), h("div", null, h("button", { class: "button" }, t("growth.teach_do"))));
    const teaching = h("details", { class: "card" }, h("summary", { class: "inside" }, t("growth.teach")), teach);
    if (!all.length) return h("div", { class: "stack" }, empty(t("growth.no_skills"), t("growth.no_skills_hint")), teaching);
    const shown = h("div");
    const choose = (id) => {
      chosen = id;
      replace(shown, skill_detail(all.find((one) => one.skill_id === id), refresh));
    };
    const first = all.some((one) => one.skill_id === chosen) ? chosen : all[0].skill_id;
    choose(first);
    return h("div", { class: "split" }, h("div", { class: "aside stack" },
      card(t("growth.skills"), picker(all.map((one) => ({ id: one.skill_id, content: [h("span", { class: "first" }, h("strong", { class: "clip", translate: "no" }, one.name), stage_chip(one.stage)), h("span", { class: "clip faint", translate: "no" }, one.description)] })), first, choose, t("growth.skills"))), teaching,
      problems.length > 0 && card(t("growth.problems"), inside(h("ul", null, problems.map((one) => h("li", { translate: "no" }, one)))))), shown);
  }, signal);
  await refresh();
  return place;
}
