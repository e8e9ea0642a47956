// Words of the page, by language; numbers and times as that language writes them.
import { keep, kept } from "/ui/settings.js";

export const LANGUAGES = { en: "English", zh: "中文" };

let words = {};
let fallback = {};
let current = "en";

export function language() {
  return current;
}

function wanted() {
  const chosen = kept("language");
  if (LANGUAGES[chosen]) return chosen;
  return (navigator.languages || ["en"]).some((one) => one.toLowerCase().startsWith("zh")) &&
    !(navigator.language || "").toLowerCase().startsWith("en") ? "zh" : "en";
}

export async function load(name = wanted()) {
  fallback = (await import("/ui/lang/en.js")).default;
  words = name === "en" ? fallback : (await import(`/ui/lang/${name}.js`)).default;
  current = name;
  document.documentElement.lang = name === "zh" ? "zh-CN" : "en";
  document.getElementById("skip").textContent = t("shell.skip");
}

export async function setLanguage(name) {
  keep("language", name);
  await load(name);
}

/** The words by name; `{n}` in them is replaced by `given.n`, `{n|turn|turns}` by the first for 1, else by the second. */
export function t(name, given = {}) {
  const text = words[name] ?? fallback[name] ?? name;
  const plural = text.replace(/\{(\w+)\|([^|}]*)\|([^}]*)\}/g, (_, one, single, many) => (String(given[one]) === "1" ? single : many));
  return plural.replace(/\{(\w+)\}/g, (whole, one) => (one in given ? String(given[one]) : whole));
}

/** The words of a name that the server gave, such as "adsorb"; the name itself where there are none. */
export function named(group, name) {
  return words[group + "." + name] ?? fallback[group + "." + name] ?? String(name).replaceAll("_", " ");
}

/** Whether the page has words for a name of the server. */
export function has_words(group, name) {
  return group + "." + name in fallback;
}

export function number(value, digits = 0) {
  return Number(value).toLocaleString(current === "zh" ? "zh-CN" : "en-GB", { maximumFractionDigits: digits });
}

export function percent(value, digits = 0) {
  return (value * 100).toFixed(digits) + " %";
}

export function milliseconds(value) {
  if (value >= 1000) return number(value / 1000, 2) + " s";
  return number(value, value < 10 ? 1 : 0) + " ms";
}

const DAY = { year: "numeric", month: "short", day: "numeric" };
const CLOCK = { hour: "2-digit", minute: "2-digit" };

export function time(text, options = { ...DAY, ...CLOCK }) {
  const when = new Date(text);
  if (Number.isNaN(when.getTime())) return text || "";
  return when.toLocaleString(current === "zh" ? "zh-CN" : "en-GB", options);
}

export function day(text) {
  return time(text, DAY);
}

export function clock(text) {
  return time(text, CLOCK);
}
