// A line over turns, with the cuts between topics: how alike each turn was to the open topic.
import { h, s } from "/ui/dom.js";

const H = 190;
const LEFT = 34;
const RIGHT = 10;
const TOP = 12;
const BOTTOM = 26;

/** `points`: [{value, second, cut, label, group, id}], values from 0 to 1. `choose(id)` is called for a point. */
export function line_chart(points, { label, chosen, choose = () => {}, lowLabel = "0", highLabel = "1" }) {
  // Drawn as wide as the place is, so that letters keep their size on a phone.
  const W = Math.max(300, Math.min(900, document.documentElement.clientWidth - 60));
  const width = W - LEFT - RIGHT;
  const height = H - TOP - BOTTOM;
  const x = (i) => LEFT + (points.length < 2 ? width / 2 : (i * width) / (points.length - 1));
  const y = (value) => TOP + height * (1 - Math.max(0, Math.min(1, value)));
  const path = (name) => {
    let drawn = "";
    let gap = true;
    points.forEach((point, i) => {
      if (point[name] === undefined) gap = true;
      else {
        drawn += (gap ? "M" : "L") + x(i).toFixed(1) + " " + y(point[name]).toFixed(1);
        gap = false;
      }
    });
    return drawn;
  };
  const half = points.length < 2 ? width / 2 : width / (points.length - 1) / 2;
  const bands = [];
  let begin = 0;
  points.forEach((point, i) => {
    if (i + 1 < points.length && points[i + 1].group === point.group) return;
    const from = begin === 0 ? LEFT : x(begin) - half;
    const to = i + 1 === points.length ? LEFT + width : x(i) + half;
    bands.push(s("rect", { class: "band" + (bands.length % 2 ? " odd" : ""), x: from, y: TOP, width: Math.max(0, to - from), height }));
    begin = i + 1;
  });
  const dots = points.map((point, i) => s("circle", {
    class: "dot" + (point.cut ? " cut" : "") + (point.id === chosen ? " chosen" : ""), cx: x(i), cy: y(point.value ?? point.second ?? 0),
    r: points.length > 120 ? 2.5 : 4, "data-id": point.id, onclick: () => choose(point.id),
  }, s("title", null, point.label)));
  return h("figure", { class: "inside" }, s("svg", { class: "chart", viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": label },
    bands,
    [0, 0.25, 0.5, 0.75, 1].map((value) => s("line", { class: "grid", x1: LEFT, x2: LEFT + width, y1: y(value), y2: y(value) })),
    s("text", { x: LEFT - 6, y: y(0) + 4, "text-anchor": "end" }, lowLabel), s("text", { x: LEFT - 6, y: y(1) + 4, "text-anchor": "end" }, highLabel),
    points.map((point, i) => point.cut && s("line", { class: "cut-line", x1: x(i) - half, x2: x(i) - half, y1: TOP, y2: TOP + height + 8 })),
    s("path", { class: "line second", d: path("second") }), s("path", { class: "line", d: path("value") }), dots,
    s("text", { x: LEFT, y: H - 6 }, points[0]?.time || ""), s("text", { x: LEFT + width, y: H - 6, "text-anchor": "end" }, points.at(-1)?.time || "")));
}
