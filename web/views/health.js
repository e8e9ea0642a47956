// Health: what is wrong and what to do, the queue, what models cost, how long calls take.
import { append, h, said } from "/ui/dom.js";
import { milliseconds, named, number, percent, t, time } from "/ui/i18n.js";
import { button, card, chip, doing, empty, inside, into, loading, table, title, word } from "/ui/parts.js";
import { allowed, at, get, getText, list, send } from "/ui/api.js";
import { histograms, quantile, read_metrics, value_of } from "/ui/metrics.js";
import { columns } from "/ui/chart/bars.js";
import { listen } from "/ui/live.js";

const EVERY = 5000;
const USAGE_DAYS = 30;

function tile(name, value, more) {
  return h("div", { class: "tile" }, h("dt", null, name), h("dd", null, value), more && h("dd", { class: "faint" }, more));
}

function status_line(health) {
  const kinds = { ok: "good", degraded: "warn", failing: "bad" };
  return h("div", { class: "row" }, chip(named("health", health.status), kinds[health.status]), h("span", { class: "quiet" }, health.problems.length ? t("health.problems", { n: health.problems.length }) : t("health.well")));
}

function problems(all) {
  return all.map((one) => h("div", { class: "alert" + (one.failing ? "" : " warn"), role: "alert" }, h("strong", { translate: "no" }, one.what), " ", h("code", { translate: "no" }, one.code), h("p", { class: "faint", translate: "no" }, one.advice)));
}

function jobs_card(jobs, refresh) {
  const retry = (path) => doing(async () => {
    await send("POST", path);
    await refresh();
  });
  const failed = jobs.filter((one) => one.state === "failed");
  const rows = jobs.map((one) => h("tr", null, h("td", { class: "mono", translate: "no" }, one.id), h("td", null, named("job", one.kind)), h("td", null, chip(named("job_state", one.state), one.state === "failed" ? "bad" : one.state === "processing" ? "accent" : "")), h("td", { class: "number" }, String(one.attempts)),
    h("td", { translate: "no" }, one.reason || ""), h("td", { class: "nowrap" }, time(one.created)), h("td", null, one.state === "failed" && button(t("health.retry"), retry(at("jobs", one.id, "retry")), { "aria-label": t("health.retry_one", { id: one.id }) }))));
  return card(t("health.queue"), rows.length ? table([t("health.job"), t("health.kind"), t("health.state"), { text: t("health.attempts"), number: true }, t("health.reason"), t("health.created"), ""], rows, t("health.queue")) : empty(t("health.queue_empty"), t("health.queue_empty_hint")),
    { buttons: failed.length > 0 && button(t("health.retry_all", { n: failed.length }), retry("/v1/jobs/retry")) });
}

function bucket_name(to) {
  return to === Infinity ? "∞" : to < 1 ? to * 1000 + "" : to + " s";
}

function latency_card(metrics) {
  const all = [...histograms(metrics, "weft_call_seconds", "operation")].filter(([, one]) => one.count > 0);
  if (!all.length) return card(t("health.latency"), empty(t("health.no_calls")));
  const rows = all.map(([name, one]) => h("tr", null, h("td", null, named("operation", name)), h("td", { class: "number" }, number(one.count)), h("td", { class: "number" }, milliseconds((one.sum / one.count) * 1000)), h("td", { class: "number" }, milliseconds(quantile(one, 0.5) * 1000)), h("td", { class: "number" }, milliseconds(quantile(one, 0.95) * 1000))));
  return card(t("health.latency"), [table([t("health.operation"), { text: t("health.calls"), number: true }, { text: t("health.mean"), number: true }, { text: "p50", number: true }, { text: "p95", number: true }], rows, t("health.latency")),
    inside(h("div", { class: "pair" }, all.map(([name, one]) => {
      const seen = one.buckets.filter((bucket) => bucket.count > 0);
      const first = Math.max(0, one.buckets.indexOf(seen[0]) - 1);
      const shown = one.buckets.slice(first, one.buckets.indexOf(seen.at(-1)) + 2);
      return h("figure", { class: "stack" }, h("figcaption", { class: "faint" }, t("health.spread", { what: named("operation", name) })), columns(shown.map((bucket) => ({ name: bucket_name(bucket.to), value: bucket.count, title: `≤ ${bucket_name(bucket.to)}: ${bucket.count}` })),
        { label: t("health.spread_label", { what: named("operation", name), p50: milliseconds(quantile(one, 0.5) * 1000), p95: milliseconds(quantile(one, 0.95) * 1000) }), height: 60 }));
    })))]);
}

// What calls of models have cost, by role and model: in the last weeks, or since the start where the key sees no more.
function usage_card(name, rows) {
  const called = rows.filter((one) => one.calls > 0);
  if (!called.length) return card(name, empty(t("health.no_model_calls")));
  const cells = called.map((one) => h("tr", null, h("td", null, word("model_role", one.role)), h("td", { class: "mono", translate: "no" }, one.model || ""), h("td", { class: "number" }, number(one.calls)), h("td", { class: "number" }, one.failed ? chip(number(one.failed), "bad") : "0"), h("td", { class: "number" }, number(one.input_tokens)), h("td", { class: "number" }, number(one.output_tokens))));
  return card(name, table([t("health.role"), t("health.model"), { text: t("health.calls"), number: true }, { text: t("health.calls_failed"), number: true }, { text: t("health.tokens_in"), number: true }, { text: t("health.tokens_out"), number: true }], cells, name));
}

function usage_since_start(metrics) {
  const rows = new Map();
  const row = ({ role, model }) => {
    const key = JSON.stringify([role, model]);
    if (!rows.has(key)) rows.set(key, { role, model, calls: 0, failed: 0, input_tokens: 0, output_tokens: 0 });
    return rows.get(key);
  };
  for (const { name, labels, value } of metrics) {
    if (name === "weft_model_calls_total") {
      row(labels).calls += value;
      if (labels.outcome !== "answered") row(labels).failed += value;
    }
    if (name === "weft_model_tokens_total") row(labels)[labels.kind === "prompt" ? "input_tokens" : "output_tokens"] += value;
  }
  return [...rows.values()];
}

function models_card(usage, metrics) {
  return usage ? usage_card(t("health.usage"), usage) : usage_card(t("health.usage_since_start"), usage_since_start(metrics));
}

function days_ago(days) {
  return new Date(Date.now() - days * 86400000).toISOString().slice(0, 10);
}

// Every counter that has no card of its own, so that none is hidden.
function counters_card(metrics) {
  const rows = metrics.filter((one) => !/_(bucket|sum|count)$/.test(one.name) && !one.name.startsWith("weft_alarm")).map((one) => h("tr", null, h("td", { translate: "no" }, h("code", null, one.name.replace(/^weft_/, ""))), h("td", { translate: "no" }, Object.entries(one.labels).map(([name, value]) => [chip(`${name} ${value}`), " "])), h("td", { class: "number" }, number(one.value, 2))));
  return card(t("health.counters"), h("details", { class: "inside" }, h("summary", null, t("health.counters_show", { n: rows.length })), table([t("health.counter"), t("health.labels"), { text: t("health.value"), number: true }], rows, t("health.counters"))));
}

function tiles(health, metrics) {
  const worked = !metrics ? [] : work_tiles(health, metrics);
  return h("dl", { class: "tiles" }, tile(t("health.messages"), number(health.messages), health.waiting_blocks ? t("health.undecided", { n: number(health.waiting_blocks) }) : ""), tile(t("health.items"), number(health.items), health.unembedded ? t("health.unembedded", { n: number(health.unembedded) }) : t("health.all_embedded")),
    worked, tile(t("health.embedder"), word("model_state", health.embedder.state), said(health.embedder.name)));
}

// Of all users together.
function work_tiles(health, metrics) {
  const done = value_of(metrics, "weft_jobs_done_total");
  const failed = value_of(metrics, "weft_jobs_failed_total");
  const calls = metrics.filter((one) => one.name === "weft_model_calls_total").reduce((sum, one) => sum + one.value, 0);
  const tokens = metrics.filter((one) => one.name === "weft_model_tokens_total").reduce((sum, one) => sum + one.value, 0);
  return [tile(t("health.waiting"), number(health.queue.pending + health.queue.processing), t("health.failed", { n: number(health.queue.failed) })), tile(t("health.done"), number(done), done + failed ? t("health.success", { share: percent(done / (done + failed)) }) : ""),
    tile(t("health.model_calls"), number(calls), tokens ? t("health.tokens", { n: number(tokens) }) : health.chat !== "none" ? [t("health.chat"), " ", said(health.chat)] : t("health.no_chat"))];
}

export default async function health(root, { signal }) {
  const place = h("div", null, loading());
  append(root, [title(t("view.health"), t("health.about")), place]);
  let open = false;
  const refresh = () => into(place, async () => {
    open = place.querySelector("details")?.open ?? open;
    const [status, text, jobs, usage] = await Promise.all([get("/healthz", signal), allowed(getText("/metrics", signal)), allowed(list("/v1/jobs", "jobs", signal)), allowed(list(`/v1/usage/all?by=role,model&from=${days_ago(USAGE_DAYS)}`, "usage", signal))]);
    const metrics = read_metrics(text ?? "");
    const made = h("div", { class: "stack" }, status_line(status), problems(status.problems), tiles(status, text === undefined ? null : metrics),
      jobs ? jobs_card(jobs, refresh) : h("p", { class: "quiet" }, t("health.not_yours")), text !== undefined && [models_card(usage, metrics), latency_card(metrics), counters_card(metrics)]);
    if (text !== undefined) made.querySelector("details").open = open;
    return made;
  }, signal);
  await refresh();
  // Nothing moves below a person's hands: while something in it has the focus it stays as it is.
  const again = () => {
    if (!place.contains(document.activeElement) && !document.hidden) refresh();
  };
  const timer = setInterval(again, EVERY);
  const end = listen((event) => ["job", "dropped"].includes(event.kind) && again());
  signal.addEventListener("abort", () => {
    clearInterval(timer);
    end();
  });
}
