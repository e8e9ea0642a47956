// When the things of a list happened: a mark for each on a line of time.
import { h, s } from "/ui/dom.js";

/** `marks`: [{time, color, title, id}], times in milliseconds. The drawing is as wide as its place; what is written below it is not stretched with it. */
export function timeline(marks, { label, from, to, choose = () => {} }) {
  const W = 1000;
  const H = 46;
  const times = marks.map((one) => one.time).filter((one) => !Number.isNaN(one));
  let low = Math.min(...times);
  let high = Math.max(...times);
  if (low === high) {
    low -= 43200000;
    high += 43200000;
  }
  const x = (time) => 12 + ((time - low) / (high - low)) * (W - 24);
  // Marks at one place stand above one another.
  const stacked = new Map();
  const drawing = s("svg", { class: "chart", viewBox: `0 0 ${W} ${H}`, preserveAspectRatio: "none", role: "img", "aria-label": label },
    s("line", { class: "axis", x1: 12, x2: W - 12, y1: H - 2, y2: H - 2 }),
    marks.map((one) => {
      const at = Math.round(x(one.time) / 5);
      const row = stacked.get(at) || 0;
      stacked.set(at, row + 1);
      return row > 6 ? null : s("rect", { class: one.color, x: at * 5 - 1.5, y: H - 8 - row * 5.5, width: 4, height: 4.5, rx: 1, onclick: () => choose(one.id) }, s("title", null, one.title));
    }));
  return [drawing, h("div", { class: "ends" }, h("span", null, from(low)), h("span", null, to(high)))];
}
