// Long lists: what is shown is a window of the list, which older pages are loaded into. What leaves it on the other side
// is let go, so that the page stays small however long the list is; from there one comes back to the newest.
import { h, replace } from "/ui/dom.js";
import { t } from "/ui/i18n.js";
import { button, doing } from "/ui/parts.js";

/** A window of at most `most` things. `load(cursor)` gives a page, {all, next}; with `up` its things are older than those
 * that are there and stand before them. */
export function long_list(load, { most = 600, up = false } = {}) {
  const list = {
    all: [],
    next: "",        // the cursor of the page that is older than all that are here
    newest: true,    // the newest ones are here
    pages: 0,
    async first() {
      const page = await load("");
      Object.assign(list, { all: page.all, next: page.next, newest: true, pages: 1 });
    },
    async older() {
      const page = await load(list.next);
      const all = up ? [...page.all, ...list.all] : [...list.all, ...page.all];
      const beyond = all.length - most;
      if (beyond > 0) list.newest = false;
      list.all = beyond <= 0 ? all : up ? all.slice(0, most) : all.slice(beyond);
      list.next = page.next;
      list.pages += 1;
    },
    /** So many as are shown, for who loads them again. */
    count: (least) => Math.max(least, Math.min(most, list.all.length)),
  };
  return list;
}

/** Buttons below or above such a list; `redraw(what)` shows it anew after "older" or "newest". */
export function older_buttons(list, redraw) {
  const place = h("div", { class: "inside buttons older" });
  const act = (what, text, work, more) => button(text, doing(async () => {
    await work();
    await redraw(what);
    draw();
    // A button that was pressed is a new one now: whoever presses keys goes on from there.
    if (document.activeElement === document.body) place.querySelector("button")?.focus({ preventScroll: true });
  }), { ...more, "data-act": what });
  const draw = () => replace(place, list.next !== "" && act("older", t("part.older"), list.older),
    !list.newest && act("newest", t("part.newest"), list.first, { kind: "plain" }));
  draw();
  return place;
}
