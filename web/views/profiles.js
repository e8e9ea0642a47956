// Profiles: what is known of a user or a group over the long run; reading, editing, versions with their differences.
import { append, h, replace, said } from "/ui/dom.js";
import { day, named, percent, t, time } from "/ui/i18n.js";
import { button, card, chip, confirm, doing, empty, facts, inside, into, loading, picker, title, word } from "/ui/parts.js";
import { at, get, list, maybe, send } from "/ui/api.js";
import { diff } from "/ui/diff.js";
import { scope } from "/ui/settings.js";

const COMMENT = /<!--\s*(.*?)\s*-->/g;

// The text of a line and its day; the ids in its comment are for programs.
function entry(line) {
  const notes = [...line.matchAll(COMMENT)].map((one) => one[1]).join(" ");
  const when = notes.match(/ at (\d{4}-\d\d-\d\d\S*)/);
  return h("li", null, said(line.replace(COMMENT, "").replace(/^\s*[-*]\s+/, "").trim()), when && h("span", { class: "faint nowrap", title: notes }, day(when[1])));
}

// Headings, entries with the day they are from (their source is told by a pointer at rest), and whatever else stands there.
function prose(text) {
  const out = [];
  let entries = null;
  for (const line of text.split("\n")) {
    if (/^\s*[-*]\s/.test(line)) {
      if (!entries) out.push(entries = h("ul", { class: "entries" }));
      entries.append(entry(line));
      continue;
    }
    if (!line.trim() || line.startsWith("# ")) continue;
    entries = null;
    out.push(line.startsWith("#") ? h("h3", null, line.replace(/^#+\s*/, "")) : h("p", null, line));
  }
  return h("div", { class: "prose", translate: "no" }, out);
}

// Whose profile: the scope's own; the server's default user where none is named.
function entity() {
  const own = scope();
  return { type: own.kind, id: own.id || "default" };
}

function editor(profile, path, saved) {
  const field = h("textarea", { class: "field", rows: 22, "aria-label": t("profiles.text"), spellcheck: "false" });
  field.value = profile?.body || "";
  const changes = h("div");
  const show = () => replace(changes, diff(profile?.body || "", field.value));
  return h("div", { class: "stack" }, h("p", { class: "quiet" }, t("profiles.edit_hint")), field,
    h("div", { class: "buttons" },
      button(t("profiles.save"), doing(async () => {
        await send("PUT", path, { body: field.value });
        await saved();
      }), { kind: "main" }), button(t("profiles.show_changes"), show)), changes);
}

function versions(path, profile, all, refresh) {
  if (!all.length) return empty(t("profiles.no_versions"));
  const shown = h("div", { class: "inside" }, h("p", { class: "quiet" }, t("profiles.choose_version")));
  const newest_first = [...all].reverse();
  const show = (number) => into(shown, async () => {
    const kept = await get(`${path}/history/${number}`);
    return h("div", { class: "stack" }, h("div", { class: "row" }, h("h3", { class: "grow" }, t("profiles.now_against", { n: number })),
      button(t("profiles.roll_back", { n: number }), doing(async () => {
        if (await confirm(t("profiles.roll_back", { n: number }), t("profiles.roll_back_what")) === null) return;
        await send("POST", `${path}/rollback/${number}`);
        await refresh();
      }))), diff(kept.body, profile.body));
  });
  return h("div", { class: "split" }, h("div", { class: "aside" }, card(t("profiles.versions"), h("div", { class: "scroll" }, picker(newest_first.map((one) => ({
    id: one.version, content: [
      h("span", { class: "first" }, h("strong", null, t("profiles.version", { n: one.version })), chip(named("origin", one.origin))), h("span", { class: "faint" }, time(one.taken))],
  })), null, show, t("profiles.versions"))), { level: 3 })), card(t("profiles.differences"), shown, { level: 3 }));
}

async function preferences(place, refresh) {
  return into(place, async () => {
    const all = await list("/v1/preferences", "preferences");
    const field = h("input", { class: "field grow", name: "preference", placeholder: t("profiles.preference_new"), "aria-label": t("profiles.preference_new"), autocomplete: "off" });
    const put = (now) => send("PUT", "/v1/preferences", now);
    return h("div", { class: "stack" }, all.length ? h("ul", { class: "stack" }, all.map((one) => h("li", { class: "row" }, h("span", { class: "grow", translate: "no" }, one.text), h("span", { class: "faint number" }, percent(one.confidence)),
      button(t("profiles.preference_forget"), doing(async () => {
        await put(all.filter((other) => other !== one));
        await refresh();
      }), { kind: "plain" })))) : h("p", { class: "quiet" }, t("profiles.no_preferences")),
    h("form", { class: "row", onsubmit: async (event) => {
      event.preventDefault();
      if (!field.value.trim()) return;
      await put([...all, { text: field.value.trim(), confidence: 1, task_types: [] }]);
      await refresh();
    } }, field, h("button", { class: "button" }, t("profiles.preference_add"))));
  });
}

export default async function profiles(root, { signal }) {
  const own = entity();
  const path = at("profiles", own.type, own.id);
  const head = h("div", null, loading());
  const preferred = h("div", { class: "inside" });
  const edited = h("div");
  const kept = h("div");
  append(root, [title(t("view.profiles"), t("profiles.about")), h("div", { class: "stack" }, head, edited, card(t("profiles.preferences"), preferred), kept)]);
  const refresh = async () => {
    await into(head, async () => {
      const profile = await maybe(path, signal);
      const all = profile ? await list(path + "/history", "versions", signal) : [];
      replace(edited);
      replace(kept, profile && h("div", { class: "stack" }, h("h2", null, t("profiles.history")), versions(path, profile, all, refresh)));
      const edit = button(t("profiles.edit"), () => {
        if (edited.children.length) return replace(edited);
        replace(edited, card(t("profiles.edit"), inside(editor(profile, path, refresh))));
        edited.querySelector("textarea").focus();
      });
      const name = [t("shell." + own.type), " ", said(own.id)];
      if (!profile) return card(name, empty(t("profiles.none"), t("profiles.none_hint")), { buttons: edit });
      return card(profile.name ? said(profile.name) : name, inside(h("div", { class: "beside" }, prose(profile.body), facts([
        [t("profiles.changed"), time(profile.updated_at)], [t("profiles.from"), profile.source_event_id && said(profile.source_event_id)],
        [t("profiles.tags"), h("span", { class: "row" }, (profile.tags || []).map((tag) => chip(word("tag", tag))))], [t("profiles.versions"), String(all.length)]]))), { buttons: edit });
    }, signal);
  };
  const refresh_preferences = () => preferences(preferred, refresh_preferences);
  await Promise.all([refresh(), refresh_preferences()]);
}
