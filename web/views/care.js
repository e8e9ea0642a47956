// Buttons that delete, correct or pin one memory. Memory, Stream and Context share them.
import { h, said } from "/ui/dom.js";
import { t } from "/ui/i18n.js";
import { button, dialog, doing } from "/ui/parts.js";
import { at, get, maybe, send } from "/ui/api.js";
import { scope } from "/ui/settings.js";

const ENTRY = /^\s*[-*]\s+/;

/** The path of the profile that belongs to the scope that is shown. */
export function profile_path() {
  const own = scope();
  return at("profiles", own.kind, own.id || "default");
}

// MEMORY.md without the line of this entry, or with another text in its place.
async function change_knowledge(text, other) {
  const { text: file } = await get("/v1/knowledge");
  const is_it = (line) => ENTRY.test(line) && line.replace(ENTRY, "").replace(/<!--.*?-->/g, "").trim() === text.trim();
  const lines = file.split("\n");
  if (!lines.some(is_it)) throw new Error(t("care.gone"));
  const changed = lines.flatMap((line) => !is_it(line) ? [line] : other ? ["- " + other] : []);
  await send("PUT", "/v1/knowledge", { text: changed.join("\n"), force: true });
}

const erase = (memory) => send("POST", "/v1/erase", { messages: memory.sources, session: memory.session || "" });

/** Shows the memory's text and asks for a decision. Gives {text, also}, or null if the person cancels. `edited`: the text can
 * be changed; `also`: the label of a box to tick. */
function ask(title, explained, { text, edited, act, danger, also }) {
  const field = edited && h("textarea", { class: "field", name: "text", rows: 4, "aria-label": title }, text);
  const box = also && h("input", { type: "checkbox", name: "also", checked: true });
  return dialog(title, (close) => h("form", { method: "dialog", onsubmit: (event) => {
    event.preventDefault();
    const wanted = edited ? field.value.replace(/\s+/g, " ").trim() : text;
    if (wanted) close({ text: wanted, also: Boolean(box?.checked) });
  } }, h("p", null, explained), edited ? field : h("blockquote", { class: "original what" }, said(text)),
  also && h("label", { class: "labelled" }, box, also),
  h("div", { class: "buttons" }, h("button", { class: "button main" + (danger ? " danger" : "") }, act), button(t("part.cancel"), () => close(null))))).then((answer) => answer ?? null);
}

async function remove(memory) {
  const of_file = memory.kind === "knowledge";
  const explained = of_file ? t("care.delete_line") : t("care.delete_what", { n: memory.sources.length });
  if (!await ask(t("care.delete_title"), explained, { text: memory.text, act: t("care.delete"), danger: true })) return false;
  if (of_file) await change_knowledge(memory.text, "");
  else await erase(memory);
  return true;
}

async function correct(memory) {
  const of_file = memory.kind === "knowledge";
  const answer = await ask(t("care.correct_title"), t(of_file ? "care.correct_line" : "care.correct_what"), {
    text: memory.text, edited: true, act: t("care.correct"), also: !of_file && t("care.correct_also", { n: memory.sources.length }) });
  if (!answer || answer.text === memory.text) return false;
  if (of_file) {
    await change_knowledge(memory.text, answer.text);
    return true;
  }
  // The new words are stored first, so that a failure of the erasure does not lose them.
  await send("POST", "/v1/knowledge/entries", { section: t("care.section"), text: answer.text });
  if (answer.also) await erase(memory);
  return true;
}

const PINNED = /^## +(?:Pinned|置顶) *\n+/m;

// A profile with one more line below its heading of what is pinned.
function with_pinned(body, text) {
  const line = `- ${text}\n`;
  if (PINNED.test(body)) return body.replace(PINNED, (heading) => heading + line);
  return `${body.trimEnd()}\n\n## ${t("care.pinned")}\n\n${line}`.trimStart();
}

// The profile is in every prompt, so what is pinned is a line of it.
async function pin(memory) {
  const answer = await ask(t("care.pin_title"), t("care.pin_what"), { text: memory.text, edited: true, act: t("care.pin") });
  if (!answer) return false;
  const path = profile_path();
  const body = (await maybe(path))?.body || "";
  await send("PUT", path, { body: with_pinned(body, answer.text) });
  return true;
}

/** Buttons for a memory: {kind, text, session, sources}. `changed` is called after one of them has changed something. */
export function care_buttons(memory, changed) {
  if (memory.kind === "profile" || memory.kind === "lore") return [];  // these are edited in Profiles and with the lore operations
  const act = (name, work) => button(t("care." + name), doing(async () => {
    if (await work(memory)) await changed();
  }), { kind: "plain", "data-care": name });
  const own = memory.kind === "knowledge" || memory.sources?.length > 0;
  return [own && act("correct", correct), act("pin", pin), own && act("delete", remove)];
}

/** The memory with this id, found by its words; null where it is not there any more. */
export async function memory_of(id, words, signal) {
  if (!words) return null;
  const { hits } = await send("POST", "/v1/search", { query: words, top_k: 50 }, signal);
  return hits.find((one) => one.id === id) || null;
}
