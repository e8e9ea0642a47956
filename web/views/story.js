// State and quests: the tree of a state with its log, quests as a graph of what comes before what, lore.
import { append, h, replace, said, text_of } from "/ui/dom.js";
import { named, t, time } from "/ui/i18n.js";
import { button, card, chip, confirm, doing, empty, facts, inside, into, table, tabs, title } from "/ui/parts.js";
import { at, list, maybe, page_of, send } from "/ui/api.js";
import { long_list, older_buttons } from "/ui/long_list.js";
import { graph_chart } from "/ui/chart/graph.js";
import { tree } from "/ui/views/tree.js";

const VERSIONS = 100;
const MOVES = ["available", "in_progress", "completed", "failed"];

// ["ADD", "hero.gold", 5] as words: "add to hero.gold: 5". Long values are folded, never cut.
function operation_text([verb, path, value]) {
  const head = [named("state_verb", verb), " ", h("code", { translate: "no" }, text_of(path) || t("story.whole"))];
  if (value === undefined) return h("div", null, head);
  const text = text_of(value);
  if (text.length <= 120) return h("div", null, head, ": ", h("code", { translate: "no" }, text));
  return h("details", null, h("summary", null, head), h("pre", { translate: "no" }, JSON.stringify(value, null, 1)));
}

function paths_of(version) {
  return new Set((version?.operations || []).map((one) => String(one[1])).filter(Boolean));
}

function state_view(name, signal) {
  const place = h("div", { class: "stack" });
  let newest = 0;
  const path = at("state", name);
  let begun = VERSIONS;
  const versions = long_list((cursor) => page_of(`${path}/log?limit=${cursor ? VERSIONS : begun}`, "versions", cursor, signal), { up: true });
  const refresh = (version, older = false) => into(place, async () => {
    const view = await maybe(path + (version ? "?version=" + version : ""), signal);
    if (!view) return empty(t("story.no_state"), t("story.no_state_hint"));
    begun = versions.count(VERSIONS);
    if (!older) await versions.first();
    const log = versions.all;
    if (versions.newest) newest = Math.max(0, ...log.map((one) => one.version));
    const shown = version || newest;
    const rows = [...log].reverse().map((one) => h("tr", null, h("td", { class: "number" }, String(one.version)), h("td", { class: "nowrap" }, time(one.time)), h("td", null, said(one.author || "")), h("td", null, (one.operations || []).map(operation_text)),
      h("td", { class: "nowrap" }, button(t("story.look"), () => refresh(one.version === newest ? 0 : one.version), { kind: "plain", "aria-label": t("story.look_at", { n: one.version }) }),
        one.version !== newest && button(t("story.roll_back"), doing(async () => {
          if (await confirm(t("story.roll_back_to", { n: one.version }), t("story.roll_back_what")) === null) return;
          await send("POST", path + "/rollback", { version: one.version });
          await refresh();
        }), { kind: "plain", "aria-label": `${t("story.roll_back")}: ${t("story.tree", { n: one.version })}` }))));
    const field = h("input", { class: "field grow mono", name: "operation", placeholder: '["ADD", "hero.gold", 5]', "aria-label": t("story.operation"), autocomplete: "off", spellcheck: "false" });
    const apply = h("form", { class: "row inside", onsubmit: async (event) => {
      event.preventDefault();
      await doing(async () => {
        await send("POST", path, { operations: [JSON.parse(field.value)] });
        await refresh();
      })({ currentTarget: event.submitter || field });
    } }, field, h("button", { class: "button" }, t("story.apply")));
    return h("div", { class: "stack" },
      card(t("story.tree", { n: shown }), [inside(tree(view.state, t("story.tree", { n: shown }), paths_of(log.find((one) => one.version === shown)))), shown === newest && apply],
        { buttons: shown !== newest && button(t("story.newest"), () => refresh()) }),
      card(t("story.log"), [table([{ text: t("story.version"), number: true }, t("story.time"), t("story.author"), t("story.operations"), ""], rows, t("story.log")), older_buttons(versions, () => refresh(version, true))]));
  }, signal);
  refresh();
  return place;
}

function quest_card(quest, all, moved) {
  const title_of = (id) => all.find((one) => one.id === id)?.title || id;
  const names = (ids) => ids?.length ? said(ids.map(title_of).join(t("part.comma"))) : "";
  return card(said(quest.title || quest.id), inside(h("div", { class: "stack" }, quest.objective && h("p", { translate: "no" }, quest.objective),
    facts([[t("story.status"), chip(named("quest", quest.status), quest.status === "completed" ? "good" : quest.status === "failed" ? "bad" : quest.status === "in_progress" ? "accent" : "")], [t("story.progress"), quest.progress && said(quest.progress)], [t("story.outcome"), quest.outcome && said(quest.outcome)],
      [t("story.needs"), names(quest.prerequisites)], [t("story.unlocks"), names(quest.successors)]]),
    h("div", { class: "buttons" }, MOVES.filter((one) => one !== quest.status).map((one) => button(named("quest_move", one), doing(async () => {
      await send("POST", at("quests", quest.id), { status: one });
      await moved();
    })))))));
}

async function quests_view(signal) {
  const place = h("div");
  const chosen_card = h("div");
  let chosen = "";
  const refresh = () => into(place, async () => {
    const all = await list("/v1/quests", "quests", signal);
    if (!all.length) return empty(t("story.no_quests"), t("story.no_quests_hint"));
    const choose = (id) => {
      chosen = id;
      select.value = id;
      replace(chosen_card, quest_card(all.find((one) => one.id === id), all, refresh));
    };
    const select = h("select", { class: "field", "aria-label": t("story.quest"), onchange: (event) => choose(event.target.value) }, all.map((one) => h("option", { value: one.id, translate: "no" }, one.title || one.id)));
    const nodes = all.map((one) => ({ id: one.id, title: one.title || one.id, note: named("quest", one.status), kind: one.status, before: one.prerequisites || [] }));
    const label = t("story.graph_label", { all: all.map((one) => `${one.title || one.id}: ${named("quest", one.status)}${one.prerequisites?.length ? ", " + t("story.needs") + " " + one.prerequisites.join(", ") : ""}`).join("; ") });
    const view = h("div", { class: "stack" }, card(t("story.graph"), h("div", { class: "inside wide", tabindex: 0, role: "group", "aria-label": t("story.graph") }, graph_chart(nodes, { label, choose }))), h("div", { class: "row" }, select), chosen_card);
    choose(chosen && all.some((one) => one.id === chosen) ? chosen : (all.find((one) => one.status === "in_progress") || all[0]).id);
    return view;
  }, signal);
  await refresh();
  return place;
}

async function lore_view(signal) {
  const all = await list("/v1/lore", "lore", signal);
  if (!all.length) return empty(t("story.no_lore"), t("story.no_lore_hint"));
  return card(t("story.lore"), table([t("story.entry"), t("story.when"), t("story.keys"), t("story.text")], all.map((one) => h("tr", { class: one.enabled ? "" : "quiet" }, h("td", null, h("strong", { translate: "no" }, one.title || one.id)),
    h("td", null, !one.enabled ? chip(t("story.disabled"), "bad") : one.constant ? chip(t("story.constant"), "accent") : chip(t("story.by_keys"))),
    h("td", null, (one.keys || []).map((key) => [chip(said(key)), " "])), h("td", { translate: "no" }, one.text))), t("story.lore")));
}

export default async function story(root, { query, signal, go }) {
  let name = query.get("state") || "default";
  const place = h("div");
  const field = h("input", { class: "field", name: "state", value: name, "aria-label": t("story.state_name"), autocomplete: "off", onchange: (event) => {
    name = event.target.value.trim() || "default";
    go("story", { tab: "state", state: name });
    draw("state");
  } });
  const draw = (tab) => replace(place, tabs([
    { id: "state", title: t("story.state"), make: async () => state_view(name, signal) },
    { id: "quests", title: t("story.quests"), make: () => quests_view(signal) },
    { id: "lore", title: t("story.lore"), make: () => lore_view(signal) },
  ], tab, t("view.story"), (id) => go("story", { tab: id, state: name === "default" ? "" : name })));
  append(root, [title(t("view.story"), t("story.about"), h("label", { class: "labelled" }, t("story.state_name"), field)), place]);
  draw(query.get("tab") || "state");
}
