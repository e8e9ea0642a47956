// The view over all users and groups, for administrators.
import { append, h } from "/ui/dom.js";
import { number, t, time } from "/ui/i18n.js";
import { empty, into, loading, title } from "/ui/parts.js";
import { get } from "/ui/api.js";
import { setScope } from "/ui/settings.js";

const SHOWN = 60;  // scopes whose newest conversation is read; the others show their names only

// The newest words of a scope, and how many conversations it has.
async function newest_of(kind, id, signal) {
  const { sessions, next } = await get("/v1/sessions?limit=20", signal, { "X-Weft-User": undefined, "X-Weft-Group": undefined, [kind === "group" ? "X-Weft-Group" : "X-Weft-User"]: encodeURIComponent(id) });
  if (!sessions.length) return h("span", { class: "faint" }, t("start.no_conversations"));
  return [h("span", { class: "clip", translate: "no" }, sessions[0].last || sessions[0].title), h("span", { class: "faint number" }, t("start.counts", { n: sessions.length, more: next ? "+" : "", time: time(sessions[0].newest) }))];
}

function scope_tile(kind, id, opened, signal) {
  const told = h("div", { class: "told" });
  const own = h("button", { type: "button", class: "tile scope-tile", "data-scope": id, onclick: () => {
    setScope(kind, id);
    opened();
  } }, h("span", { class: "faint" }, t("shell." + kind)), h("strong", { class: "clip", translate: "no" }, id), told);
  if (signal) into(told, () => newest_of(kind, id, signal), signal);
  return own;
}

export default async function start(root, { signal, opened }) {
  const place = h("div", null, loading());
  append(root, [title(t("view.start"), t("start.about")), place]);
  await into(place, async () => {
    const known = await get("/v1/scopes", signal);
    const all = [...known.users.map((id) => ["user", id]), ...known.groups.map((id) => ["group", id])];
    if (!all.length) return empty(t("stream.nothing"), t("stream.nothing_hint"));
    return h("div", { class: "stack" }, h("p", { class: "quiet" }, t("start.whose", { users: number(known.users.length), groups: number(known.groups.length) })),
      h("div", { class: "tiles scopes" }, all.map(([kind, id], i) => scope_tile(kind, id, opened, i < SHOWN && signal))), known.next && h("p", { class: "faint" }, t("start.more")));
  }, signal);
}
