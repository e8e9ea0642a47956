// What comes before what: nodes in layers from left to right, each behind all that it waits for.
import { s } from "/ui/dom.js";

const WIDE = 204;
const TALL = 48;
const ACROSS = 254;
const DOWN = 64;

function layers_of(nodes) {
  const known = new Map(nodes.map((node) => [node.id, node]));
  const depth = new Map();
  const find = (id, path) => {
    if (depth.has(id)) return depth.get(id);
    if (path.has(id)) return 0;  // a circle has no first one
    const before = (known.get(id)?.before || []).filter((one) => known.has(one));
    const own = before.length ? 1 + Math.max(...before.map((one) => find(one, new Set([...path, id])))) : 0;
    depth.set(id, own);
    return own;
  };
  for (const node of nodes) find(node.id, new Set());
  return depth;
}

function cut(text, length) {
  const all = [...text];
  let width = 0;
  for (let i = 0; i < all.length; ++i) {
    width += all[i].codePointAt(0) > 0x2e7f ? 2 : 1;
    if (width > length) return all.slice(0, i).join("") + "…";
  }
  return text;
}

/** `nodes`: [{id, title, note, kind, before}]; `choose(id)` for a node that is clicked. */
export function graph_chart(nodes, { label, choose = () => {} }) {
  const depth = layers_of(nodes);
  const filled = new Map();
  const place = new Map();
  for (const node of nodes) {
    const layer = depth.get(node.id);
    const row = filled.get(layer) || 0;
    filled.set(layer, row + 1);
    place.set(node.id, { x: 8 + layer * ACROSS, y: 8 + row * DOWN });
  }
  const width = 16 + WIDE + Math.max(0, ...depth.values()) * ACROSS;
  const height = 8 + Math.max(1, ...filled.values()) * DOWN;
  const edges = nodes.flatMap((node) => (node.before || []).filter((one) => place.has(one)).map((one) => {
    const from = place.get(one);
    const to = place.get(node.id);
    const a = { x: from.x + WIDE, y: from.y + TALL / 2 };
    const b = { x: to.x - 6, y: to.y + TALL / 2 };
    const half = (b.x - a.x) / 2;
    return [s("path", { class: "edge", d: `M${a.x} ${a.y}C${a.x + half} ${a.y} ${b.x - half} ${b.y} ${b.x} ${b.y}` }),
      s("path", { class: "arrow", d: `M${b.x + 6} ${b.y}l-7 -4v8z` })];
  }));
  const figure = s("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label }, edges,
    nodes.map((node) => {
      const { x, y } = place.get(node.id);
      return s("g", { onclick: () => choose(node.id) }, s("title", null, node.title),
        s("rect", { class: "node " + node.kind, x, y, width: WIDE, height: TALL, rx: 7 }),
        s("text", { class: "node-title", translate: "no", x: x + 11, y: y + 20 }, cut(node.title, 23)), s("text", { x: x + 11, y: y + 37 }, cut(node.note, 28)));
    }));
  // Its place scrolls sideways before the letters become too small to read.
  figure.style.setProperty("max-width", width + "px");
  figure.style.setProperty("min-width", Math.round(width * 0.9) + "px");
  return figure;
}
