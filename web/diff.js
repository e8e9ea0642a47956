// Two texts, line by line.
import { h } from "/ui/dom.js";
import { t } from "/ui/i18n.js";

/** [{kind: "same" | "added" | "removed", text}] by the longest common sequence of lines. */
export function diff_lines(before, after) {
  const a = before.split("\n");
  const b = after.split("\n");
  const length = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; --i)
    for (let j = b.length - 1; j >= 0; --j) length[i][j] = a[i] === b[j] ? length[i + 1][j + 1] + 1 : Math.max(length[i + 1][j], length[i][j + 1]);
  const out = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      out.push({ kind: "same", text: a[i++] });
      ++j;
    } else if (i < a.length && (j === b.length || length[i + 1][j] >= length[i][j + 1])) out.push({ kind: "removed", text: a[i++] });
    else out.push({ kind: "added", text: b[j++] });
  }
  return out;
}

const MARKS = { same: " ", added: "+", removed: "−" };

function shown(lines) {
  return h("ul", { class: "diff", "aria-label": t("diff.label") }, lines.map((line) => h("li", { class: line.kind },
    h("span", { "aria-label": line.kind === "same" ? undefined : t("diff." + line.kind), role: line.kind === "same" ? undefined : "img" }, MARKS[line.kind]), h("span", null, line.text || " "))));
}

/** The differences of two texts as a list. */
export function diff(before, after) {
  const lines = diff_lines(before, after);
  if (lines.every((line) => line.kind === "same")) return h("p", { class: "quiet" }, t("diff.none"));
  return shown(lines);
}

/** A diff that the server made, with "+" and "-" at the begin of lines. */
export function given_diff(text) {
  if (!text.trim()) return h("p", { class: "quiet" }, t("diff.none"));
  return shown(text.split("\n").filter((line) => line).map((line) => ({
    kind: line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : "same", text: line.replace(/^[+\- ] ?/, ""),
  })));
}
