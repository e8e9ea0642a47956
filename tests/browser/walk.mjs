// Walks through every view at the server whose address is the first argument, in both languages, on a desktop and on a
// phone, light and dark. Prints a line a view: "ok NAME" or "failed NAME: why". The second argument is a folder for
// pictures of all of them and the page that shows them side by side.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { axe_path, launch, open } from "./chromium.mjs";

const [url, folder, only] = process.argv.slice(2);
const axe = readFileSync(axe_path(), "utf8");
const PATIENCE = { timeout: 20000 };

const VIEWS = [
  ["start", "#/start", ".scope-tile .told .number"], ["stream", "#/stream?session=days-in-march", ".message"], ["memory", "#/memory", ".hit"], ["search", "#/memory?q=knee", ".hit .signals"],
  ["context", "#/context?session=later", ".budget svg"], ["profiles", "#/profiles", ".prose"], ["state", "#/story?tab=state", "[role=tree]"], ["quests", "#/story?tab=quests", "svg .node"],
  ["lore", "#/story?tab=lore", "table td .chip"], ["waiting", "#/growth?tab=waiting", ".tile"], ["skills", "#/growth?tab=skills", ".split .pick"], ["rules", "#/growth?tab=rules", ".split .pick"],
  ["mutations", "#/growth?tab=mutations", "svg .interval"], ["beliefs", "#/growth?tab=beliefs", ".belief"], ["runs", "#/growth?tab=runs", ".step"], ["health", "#/health", ".tile"],
];
const SEEN = [
  { language: "en", locale: "en-GB", width: 1280, height: 860, colorScheme: "light" }, { language: "en", locale: "en-GB", width: 390, height: 800, colorScheme: "dark" },
  { language: "zh", locale: "zh-CN", width: 1280, height: 860, colorScheme: "dark" }, { language: "zh", locale: "zh-CN", width: 390, height: 800, colorScheme: "light" },
];

// Names that are the same in every language.
const NAMES = new Set(["Weft", "API", "JSON", "YAML", "Markdown", "MEMORY", "md", "POST", "PUT", "NAME", "ID", "URL", "upstream", "sessions", "messages", "state", "quests", "lore", "openapi", "json", "metrics", "English", "ms", "tokens"]);

/** Lists texts that are in the other language or are no texts. Runs in the browser. */
function wrong_texts(language, names) {
  const wrong = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode.data;
    const own = walker.currentNode.parentElement;
    if (own.closest("script, noscript, svg title")) continue;
    if (/\[object |undefined|\bNaN\b|\{\w+\}/.test(text) && !own.closest("pre, code, .tree, details [translate=no]")) wrong.push("not a text: " + text);
    if (own.closest("[translate=no], kbd, code, footer, [lang]:not(html)")) continue;
    const foreign = language === "zh" ? (text.match(/[A-Za-z]{2,}/g) || []).filter((word) => !names.includes(word)) : text.match(/[\u4e00-\u9fff]+/g) || [];
    if (foreign.length) wrong.push(`another language: ${foreign.join(" ")} in "${text.trim().slice(0, 80)}"`);
  }
  for (const field of document.querySelectorAll("[placeholder]"))
    if (language === "zh" && /[A-Za-z]{3,}/.test(field.placeholder.replace(/\[.*\]/, "")) && !/^(default)$/.test(field.placeholder)) wrong.push("another language: " + field.placeholder);
  return wrong;
}

/** Lists elements that are wider than the window and not inside something that scrolls. Runs in the browser. */
function too_wide() {
  const out = [];
  if (document.documentElement.scrollWidth > window.innerWidth) out.push(`the page: ${document.documentElement.scrollWidth}`);
  for (const one of document.querySelectorAll("#main *")) {
    const box = one.getBoundingClientRect();
    if (box.width === 0 || box.right <= window.innerWidth + 1 || one.closest("svg") !== null && one.tagName !== "svg") continue;
    let around = one.parentElement;
    while (around && !/auto|scroll|hidden/.test(getComputedStyle(around).overflowX)) around = around.parentElement;
    if (!around || around.getBoundingClientRect().right > window.innerWidth + 1) out.push(`${one.tagName}.${one.className}: ${Math.round(box.right)}`);
  }
  return out.slice(0, 5);
}

/** Lists texts in columns so narrow that they have one letter a line. Runs in the browser. */
function too_narrow() {
  return [...document.querySelectorAll("#main p, #main li > span, #main td, #main dd, #main .what, #main .text")].filter((one) => {
    const box = one.getBoundingClientRect();
    return one.innerText?.trim().length > 20 && box.width > 0 && box.width < 40 && box.height > 120;
  }).map((one) => one.innerText.slice(0, 40));
}

const browser = await launch();
let failed = 0;
const pictures = [];
for (const { language, ...seen } of SEEN) {
  for (const [view, hash, ready] of VIEWS) {
    const name = `${view}-${language}-${seen.width}-${seen.colorScheme}`;
    if (only && !name.includes(only)) continue;
    // The checker itself is put in past the policy, which lets nothing in.
    const { page, context, wrong, outside } = await open(browser, url, hash, { ...seen, bypassCSP: true });
    try {
      await page.waitForSelector(ready, { ...PATIENCE, state: /svg/.test(ready) ? "attached" : "visible" });
      await page.waitForFunction(() => !document.querySelector("#main .loading"), null, PATIENCE);
      await page.screenshot({ path: join(folder, name + ".png"), fullPage: true });
      pictures.push(name);
      assert.deepEqual(await page.evaluate(({ language, names, look }) => new Function("return " + look)()(language, names), { language, names: [...NAMES], look: wrong_texts.toString() }), []);
      assert.deepEqual(await page.evaluate(too_wide), [], "wider than the window");
      assert.deepEqual(await page.evaluate(too_narrow), [], "narrower than a word");
      const hidden = await page.evaluate(() => {
        const [title, bar] = [document.querySelector("h1"), document.querySelector(".bar")].map((one) => one.getBoundingClientRect());
        const chosen = [document.querySelector(".views [aria-current=page]"), document.querySelector("[role=tab][aria-selected=true]")].filter(Boolean).map((one) => one.getBoundingClientRect());
        return [title.top < bar.bottom && getComputedStyle(document.querySelector(".bar")).position === "sticky" && "the title", ...chosen.map((box) => (box.left < 0 || box.right > window.innerWidth + 1) && "the chosen tab")].filter(Boolean);
      });
      assert.deepEqual(hidden, [], "out of sight");
      await page.evaluate(axe);
      const found = await page.evaluate(() => window.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }));
      assert.deepEqual(found.violations.map((one) => `${one.id}: ${one.help}: ${one.nodes.slice(0, 2).map((node) => node.html.slice(0, 160)).join(" | ")}`), []);
      assert.deepEqual(wrong, [], "the console told of errors");
      assert.deepEqual(outside, [], "something was asked of others");
      console.log("ok " + name);
    } catch (error) {
      ++failed;
      console.log(`failed ${name}: ${error.message}`);
    } finally {
      await context.close();
    }
  }
}
await browser.close();
writeFileSync(join(folder, "index.html"), `<!doctype html><title>The page</title><style>body{display:flex;flex-wrap:wrap;gap:12px;font:12px sans-serif}figure{margin:0;width:300px}img{width:100%}</style>${pictures.map((name) => `<figure><a href="${name}.png"><img src="${name}.png" alt=""></a><figcaption>${name}</figcaption></figure>`).join("")}`);
process.exit(failed ? 1 : 0);
