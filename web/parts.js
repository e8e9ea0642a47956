// Parts that all views use: buttons, tabs, lists that one walks with arrow keys, dialogs, what is empty or went wrong.
import { h, replace, said, say } from "/ui/dom.js";
import { has_words, named, t } from "/ui/i18n.js";

let numbers = 0;
/** An id that no other element has. */
export function fresh_id(name) {
  return name + "-" + ++numbers;
}

export function button(text, click, { kind = "", ...more } = {}) {
  return h("button", { type: "button", class: "button " + kind, onclick: click, ...more }, text);
}

export function chip(text, kind = "", title) {
  return h("span", { class: "chip " + kind, title }, text);
}

/** A name of the server in the page's words; where it has none, as data. */
export function word(group, name) {
  return has_words(group, name) ? named(group, name) : said(name);
}

export function card(title, inside, { buttons, level = 2 } = {}) {
  const id = fresh_id("card");
  return h("section", { class: "card", "aria-labelledby": id },
    h("header", null, h("h" + level, { id }, title), buttons && h("div", { class: "buttons" }, buttons)), inside);
}

export function inside(...children) {
  return h("div", { class: "inside" }, children);
}

export function empty(text, hint) {
  return h("div", { class: "empty" }, h("p", null, text), hint && h("p", null, hint));
}

export function loading() {
  return h("div", { class: "loading", role: "status" }, t("part.loading"));
}

export function failure(error) {
  const what = error instanceof TypeError ? t("part.unreachable") : error.message;  // what fetch throws without an answer
  return h("div", { class: "alert", role: "alert" }, h("strong", null, what), error.hint && h("p", { class: "faint" }, error.hint));
}

/** Shows what `make` gives; what goes wrong takes its place. Nothing where the view was left meanwhile. */
export async function into(element, make, signal) {
  try {
    const made = await make();
    if (!signal?.aborted) replace(element, made);
  } catch (error) {
    if (error.name !== "AbortError" && !signal?.aborted) replace(element, failure(error));
  }
  return element;
}

/** Does something for a button: it cannot be pressed twice, and screen readers are told how it ended. */
export function doing(work, done) {
  return async (event) => {
    const pressed = event.currentTarget;
    pressed.disabled = true;
    try {
      await work();
      say(done || t("part.done"));
    } catch (error) {
      await tell(t("part.failed"), failure(error));
    } finally {
      pressed.disabled = false;
    }
  };
}

// Arrow keys move among elements of which one can be tabbed to.
function walk(event, all, forward, back) {
  const here = all.indexOf(document.activeElement);
  const next = { [forward]: here + 1, [back]: here - 1, Home: 0, End: all.length - 1 }[event.key];
  if (next === undefined || here < 0) return null;
  event.preventDefault();
  const chosen = all[Math.max(0, Math.min(all.length - 1, next))];
  for (const one of all) one.tabIndex = one === chosen ? 0 : -1;
  chosen.focus();
  return chosen;
}

/** A list of which one element is chosen. `rows`: {id, content}. Arrow keys move, Enter chooses. */
export function picker(rows, chosen, choose, label) {
  const items = rows.map((row) => h("button", {
    type: "button", class: "pick", "data-id": row.id, tabindex: row.id === chosen ? 0 : -1,
    "aria-current": row.id === chosen ? "true" : undefined, onclick: () => mark(row.id, true),
  }, row.content));
  if (items.length && !items.some((one) => one.tabIndex === 0)) items[0].tabIndex = 0;
  const mark = (id, tell_it) => {
    for (const item of items) {
      const own = item.dataset.id === String(id);
      item.tabIndex = own ? 0 : -1;
      if (own) item.setAttribute("aria-current", "true");
      else item.removeAttribute("aria-current");
    }
    if (tell_it) choose(id);
  };
  const list = h("ul", { class: "list", "aria-label": label, onkeydown: (event) => walk(event, items, "ArrowDown", "ArrowUp") },
    items.map((item) => h("li", null, item)));
  list.mark = mark;
  return list;
}

/** Scrolls a row that is wider than its place sideways until this element of it is seen; the page itself stays. */
export function into_sight(element) {
  const row = element?.closest(".tabs, .side");
  if (row) row.scrollLeft += element.getBoundingClientRect().left - row.getBoundingClientRect().left - (row.clientWidth - element.offsetWidth) / 2;
}

/** Tabs: [{id, title, make}]; `make` fills the panel when its tab is chosen. */
export function tabs(all, chosen, label, changed = () => {}) {
  const panel = h("div", { role: "tabpanel", tabindex: 0, id: fresh_id("panel") });
  const heads = all.map((one) => h("button", {
    type: "button", role: "tab", id: fresh_id("tab"), "aria-controls": panel.id, "data-id": one.id,
    onclick: () => open(one.id),
  }, one.title));
  const open = (id) => {
    all.forEach((one, i) => {
      heads[i].setAttribute("aria-selected", String(one.id === id));
      heads[i].tabIndex = one.id === id ? 0 : -1;
      if (one.id !== id) return;
      requestAnimationFrame(() => into_sight(heads[i]));
      panel.setAttribute("aria-labelledby", heads[i].id);
      replace(panel, loading());
      into(panel, one.make);
    });
    changed(id);
  };
  const bar = h("div", { class: "tabs", role: "tablist", "aria-label": label,
    onkeydown: (event) => walk(event, heads, "ArrowRight", "ArrowLeft")?.click() }, heads);
  open(all.some((one) => one.id === chosen) ? chosen : all[0].id);
  return h("div", null, bar, panel);
}

/** Buttons of which any number is pressed. `all`: [{id, text}], `pressed`: a Set that is changed. */
export function toggles(all, pressed, changed, label) {
  return h("div", { class: "toggles", role: "group", "aria-label": label }, all.map((one) => {
    const own = h("button", { type: "button", class: "toggle", "aria-pressed": String(pressed.has(one.id)), onclick: () => {
      if (pressed.has(one.id)) pressed.delete(one.id);
      else pressed.add(one.id);
      own.setAttribute("aria-pressed", String(pressed.has(one.id)));
      changed();
    } }, one.text);
    return own;
  }));
}

/** Opens a dialog; gives a promise of what it was closed with. `make(close)` gives its content. */
export function dialog(title, make, { large = false } = {}) {
  const id = fresh_id("dialog");
  return new Promise((done) => {
    const box = h("dialog", { "aria-labelledby": id, class: large ? "large" : "" });
    const close = (answer) => {
      box.returned = answer;
      box.close();
    };
    replace(box, h("h2", { id }, title), make(close));
    box.addEventListener("close", () => {
      box.remove();
      done(box.returned);
    });
    document.body.append(box);
    box.showModal();
  });
}

export function tell(title, content) {
  return dialog(title, (close) => h("div", { class: "stack" }, content,
    h("div", { class: "buttons" }, button(t("part.close"), () => close(), { kind: "main" }))));
}

/** Asks whether something is to be done, with a reason where `reason` names the field. Gives null where it is not. */
export function confirm(title, text, { reason, act = t("part.yes"), danger = false } = {}) {
  const field = reason && h("input", { class: "field", name: "why", autocomplete: "off" });
  return dialog(title, (close) => h("form", { method: "dialog", onsubmit: (event) => {
    event.preventDefault();
    close(field ? field.value : "");
  } }, text && h("p", null, text), field && h("label", { class: "labelled" }, reason, field),
  h("div", { class: "buttons" }, h("button", { class: "button main" + (danger ? " danger" : "") }, act),
    button(t("part.cancel"), () => close(null))))).then((answer) => answer ?? null);
}

export function title(text, explained, tools) {
  return h("div", { class: "title" }, h("h1", null, text), explained && h("p", null, explained),
    tools && h("div", { class: "tools" }, tools));
}

export function facts(pairs) {
  return h("dl", { class: "facts" }, pairs.filter(([, value]) => value !== undefined && value !== "" && value !== null)
    .map(([name, value]) => [h("dt", null, name), h("dd", null, value)]));
}

/** A table that is scrolled sideways where it is too wide. A head without a text is that of buttons. */
export function table(heads, rows, label) {
  return h("div", { class: "wide", tabindex: 0, role: "group", "aria-label": label },
    h("table", null, h("thead", null, h("tr", null, heads.map((head) => h("th", { scope: "col", class: head.number ? "number" : "" }, head ? head.text ?? head : h("span", { class: "unseen" }, t("part.actions")))))),
      h("tbody", null, rows)));
}
