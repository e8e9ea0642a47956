// Elements, made from names, attributes and children. Texts become text nodes and nothing else: what was said to an
// agent can be shown here without ever becoming part of the page.

const SVG = "http://www.w3.org/2000/svg";

function put(element, name, value) {
  if (value === undefined || value === null || value === false) return;
  if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
  else if (name === "value" || name === "checked" || name === "disabled") element[name] = value;
  else element.setAttribute(name, value === true ? "" : value);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) put(element, name, value);
  append(element, children);
  return element;
}

/** Adds children: nodes, texts, numbers, lists of these; nothing for null and false. */
export function append(element, children) {
  for (const child of [children].flat(Infinity)) {
    if (child === undefined || child === null || child === false) continue;
    element.append(child instanceof Node ? child : text_of(child));
  }
}

/** An element of HTML. `attributes` whose names begin with "on" are listeners. */
export function h(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** An element of SVG. */
export function s(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/** A value of any kind as text: objects as JSON. */
export function text_of(value) {
  return value === undefined || value === null ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Marks text that people, models or programs wrote: the page shows it as it is, in whatever language. */
export function said(...children) {
  return h("span", { translate: "no" }, children);
}

/** Puts children in the place of what the element holds. */
export function replace(element, ...children) {
  element.replaceChildren();
  append(element, children);
  return element;
}

/** Says something to screen readers, without moving what is looked at. */
export function say(text) {
  document.getElementById("said").textContent = text;
}

/** Calls `work` once nothing has happened for so many milliseconds; `.now(…)` at once. */
export function debounced(work, ms) {
  let timer = 0;
  const later = (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => work(...given), ms);
  };
  later.now = (...given) => {
    clearTimeout(timer);
    work(...given);
  };
  return later;
}
