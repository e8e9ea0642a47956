// What is known of a share from few trials: the mean of a Beta posterior with its interval of 95 %.
import { s } from "/ui/dom.js";

// The logarithm of the Gamma function by Stirling's series, with the recurrence for small arguments.
function log_gamma(x) {
  let shift = 0;
  while (x < 8) shift -= Math.log(x++);
  const inverse = 1 / (x * x);
  return shift + (x - 0.5) * Math.log(x) - x + 0.5 * Math.log(2 * Math.PI) + (1 / 12 - inverse * (1 / 360 - inverse / 1260)) / x;
}

/** The bounds between which a share lies with probability 0.95 after `good` of `all` trials, even prior. */
export function beta_interval(alpha, beta) {
  const STEPS = 2000;
  const norm = log_gamma(alpha + beta) - log_gamma(alpha) - log_gamma(beta);
  const density = (x) => Math.exp(norm + (alpha - 1) * Math.log(x) + (beta - 1) * Math.log(1 - x));
  let sum = 0;
  let low = 0;
  let high = 1;
  let found = false;
  for (let i = 0; i < STEPS; ++i) {
    const x = (i + 0.5) / STEPS;
    sum += density(x) / STEPS;
    if (!found && sum >= 0.025) {
      low = x;
      found = true;
    }
    if (sum >= 0.975) {
      high = x;
      break;
    }
  }
  return { low, high, mean: alpha / (alpha + beta) };
}

/** Rows of intervals on one scale from 0 to 1: [{name, alpha, beta, kind}]; kinds: "", "variant". */
export function interval_chart(rows, { label }) {
  const LEFT = 76;
  const W = 340;
  const x = (value) => LEFT + value * (W - LEFT - 24);
  const height = rows.length * 24 + 20;
  const figure = s("svg", { class: "chart", viewBox: `0 0 ${W} ${height}`, role: "img", "aria-label": label },
    [0, 0.25, 0.5, 0.75, 1].map((value) => [
      s("line", { class: "grid", x1: x(value), x2: x(value), y1: 2, y2: height - 16 }),
      s("text", { x: x(value), y: height - 4, "text-anchor": "middle" }, value * 100 + " %")]),
    rows.map((row, i) => {
      const { low, high, mean } = beta_interval(row.alpha, row.beta);
      const y = 14 + i * 24;
      const kind = row.kind || "";
      return [s("text", { x: LEFT - 10, y: y + 4, "text-anchor": "end" }, row.name),
        s("line", { class: "interval " + kind, x1: x(low), x2: x(high), y1: y, y2: y }),
        s("circle", { class: "mean " + kind, cx: x(mean), cy: y, r: 4.5 }, s("title", null, `${(mean * 100).toFixed(0)} % (${(low * 100).toFixed(0)}–${(high * 100).toFixed(0)} %)`))];
    }));
  figure.style.setProperty("max-width", "360px");
  return figure;
}
