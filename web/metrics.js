// Metrics as Prometheus reads them, read here.

const LINE = /^(\w+)(?:\{(.*)\})?\s+(\S+)$/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/** [{name, labels, value}] */
export function read_metrics(text) {
  const out = [];
  for (const line of text.split("\n")) {
    const found = line.startsWith("#") ? null : line.match(LINE);
    if (!found) continue;
    const labels = {};
    for (const [, name, value] of (found[2] || "").matchAll(LABEL)) labels[name] = value;
    out.push({ name: found[1], labels, value: Number(found[3]) });
  }
  return out;
}

/** Histograms of a name, by a label's value: {buckets: [{to, count}], count, sum}; buckets hold what is in them alone. */
export function histograms(metrics, name, by) {
  const out = new Map();
  const of = (labels) => {
    const key = labels[by] || "";
    if (!out.has(key)) out.set(key, { buckets: [], count: 0, sum: 0 });
    return out.get(key);
  };
  for (const one of metrics) {
    if (one.name === name + "_bucket") of(one.labels).buckets.push({ to: one.labels.le === "+Inf" ? Infinity : Number(one.labels.le), upto: one.value });
    if (one.name === name + "_count") of(one.labels).count = one.value;
    if (one.name === name + "_sum") of(one.labels).sum = one.value;
  }
  for (const histogram of out.values()) {
    let before = 0;
    for (const bucket of histogram.buckets) {
      bucket.count = bucket.upto - before;
      before = bucket.upto;
    }
  }
  return out;
}

/** The value below which the share lies, in the unit of the buckets; straight within a bucket. */
export function quantile(histogram, share) {
  const wanted = histogram.count * share;
  let before = 0;
  let from = 0;
  for (const { to, upto } of histogram.buckets) {
    if (upto >= wanted && upto > before) return to === Infinity ? from : from + ((wanted - before) / (upto - before)) * (to - from);
    before = upto;
    from = to;
  }
  return from;
}

export function value_of(metrics, name, labels = {}) {
  return metrics.find((one) => one.name === name && Object.entries(labels).every(([key, value]) => one.labels[key] === value))?.value ?? 0;
}
