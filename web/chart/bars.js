// Bars: parts of a whole, and what spoke for and against something.
import { s } from "/ui/dom.js";

/** A whole cut into parts: [{name, value, color, title}] with colours "c0" to "c8". */
export function stacked(parts, whole, { label, height = 34 }) {
  let at = 0;
  return s("svg", { class: "chart", viewBox: `0 0 1000 ${height}`, preserveAspectRatio: "none", role: "img", "aria-label": label },
    s("rect", { class: "c0", x: 0, y: 0, width: 1000, height }),
    parts.map((part) => {
      const width = whole > 0 ? (part.value / whole) * 1000 : 0;
      const own = s("rect", { class: part.color, x: at, y: 0, width: Math.max(0, width - (width > 4 ? 1.5 : 0)), height }, s("title", null, part.title || part.name));
      at += width;
      return own;
    }));
}

/** One value from -1 to 1 as a bar from the middle. */
export function balance(value, label) {
  const width = Math.min(1, Math.abs(value)) * 100;
  return s("svg", { class: "chart", viewBox: "0 0 200 10", preserveAspectRatio: "none", role: "img", "aria-label": label },
    s("rect", { class: "c0", x: 0, y: 0, width: 200, height: 10 }),
    s("rect", { class: value < 0 ? "bar" : "against", x: value < 0 ? 100 - width : 100, y: 0, width, height: 10 }),
    s("line", { class: "axis", x1: 100, x2: 100, y1: 0, y2: 10 }));
}

/** Counts by bucket, such as the buckets of a histogram: [{name, value, title}]. */
export function columns(all, { label, height = 90 }) {
  const most = Math.max(1, ...all.map((one) => one.value));
  const WIDE = 340;  // about what a column of the page has, so that letters keep their size
  const width = WIDE / Math.max(1, all.length);
  return s("svg", { class: "chart", viewBox: `0 0 ${WIDE} ${height + 18}`, role: "img", "aria-label": label },
    s("line", { class: "axis", x1: 0, x2: WIDE, y1: height, y2: height }),
    all.map((one, i) => {
      const tall = (one.value / most) * (height - 6);
      return [s("rect", { class: "bar", x: i * width + 2, y: height - tall, width: Math.max(1, width - 4), height: tall, rx: 2 }, s("title", null, one.title || one.name)),
        one.name && s("text", { x: i * width + width / 2, y: height + 13, "text-anchor": "middle" }, one.name)];
    }));
}
