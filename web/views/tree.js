// A tree of values that one walks with arrow keys, as screen readers expect it.
import { h } from "/ui/dom.js";
import { t } from "/ui/i18n.js";

const shown_by_default = 2;  // levels

function text_of(value) {
  return value === null ? "null" : typeof value === "string" ? value : JSON.stringify(value);
}

// Things of a list are known by their names, not by their places.
function children(value) {
  return Object.entries(value).filter(([key]) => key !== "id" || Array.isArray(value))
    .map(([key, one], i) => [key, Array.isArray(value) ? text_of(one?.name ?? one?.title ?? one?.id ?? t("story.nth", { n: i + 1 })) : key, one]);
}

function node(name, value, level, changed, path) {
  const inner = value !== null && typeof value === "object";
  const entries = inner ? children(value) : [];
  const open = inner && level <= shown_by_default;
  const twist = h("span", { class: "twist", "aria-hidden": "true" }, entries.length ? (open ? "▾" : "▸") : "");
  const group = entries.length ? h("ul", { role: "group", hidden: !open }, entries.map(([key, shown, one]) => node(shown, one, level + 1, changed, path ? path + "." + key : key))) : null;
  const own = h("li", { role: "treeitem", "aria-level": level, "aria-expanded": group ? String(open) : undefined, tabindex: -1, "aria-selected": "false" },
    h("div", { class: "node-row" + (changed.has(path) ? " chip accent" : "") }, twist, h("span", { class: "name", translate: "no" }, name), !inner && h("span", { class: "value", translate: "no" }, text_of(value)),
      inner && !entries.length && h("span", { class: "faint" }, Array.isArray(value) ? "[]" : "{}"), inner && entries.length > 0 && h("span", { class: "faint" }, String(entries.length))), group);
  own.turn = (wanted) => {
    if (!group) return;
    group.hidden = !wanted;
    own.setAttribute("aria-expanded", String(wanted));
    twist.textContent = wanted ? "▾" : "▸";
  };
  own.firstChild.addEventListener("click", () => own.turn(group?.hidden));
  return own;
}

function focus(tree, item) {
  for (const one of tree.querySelectorAll("[role=treeitem]")) {
    one.tabIndex = one === item ? 0 : -1;
    one.setAttribute("aria-selected", String(one === item));
  }
  item.focus();
}

function on_key(event) {
  const tree = event.currentTarget;
  const here = document.activeElement.closest("[role=treeitem]");
  if (!here) return;
  const seen = [...tree.querySelectorAll("[role=treeitem]")].filter((one) => !one.parentElement.closest("[hidden]"));
  const at = seen.indexOf(here);
  const open = here.getAttribute("aria-expanded");
  const parent = here.parentElement.closest("[role=treeitem]");
  if (event.key === "ArrowDown") focus(tree, seen[Math.min(seen.length - 1, at + 1)]);
  else if (event.key === "ArrowUp") focus(tree, seen[Math.max(0, at - 1)]);
  else if (event.key === "Home") focus(tree, seen[0]);
  else if (event.key === "End") focus(tree, seen.at(-1));
  else if (event.key === "ArrowRight" && open === "false") here.turn(true);
  else if (event.key === "ArrowRight" && open === "true") focus(tree, here.querySelector("[role=treeitem]"));
  else if (event.key === "ArrowLeft" && open === "true") here.turn(false);
  else if (event.key === "ArrowLeft" && parent) focus(tree, parent);
  else if (event.key === "Enter" || event.key === " ") here.turn(open !== "true");
  else return;
  event.preventDefault();
}

/** `changed`: paths such as "hero.hp" that are marked. */
export function tree(value, label, changed = new Set()) {
  const all = h("ul", { class: "tree", role: "tree", "aria-label": label, onkeydown: on_key }, children(value || {}).map(([key, name, one]) => node(name, one, 1, changed, key)));
  const first = all.querySelector("[role=treeitem]");
  if (first) first.tabIndex = 0;
  return all;
}
