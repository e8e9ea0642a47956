// How long people wait for the page: first paint, and each key of a search, until its hits are drawn. The address of a
// server with many memories is the first argument; words to type are the others.
import { launch, open } from "../browser/chromium.mjs";

const [url, ...words] = process.argv.slice(2);
const middle = (all, share) => [...all].sort((a, b) => a - b)[Math.min(all.length - 1, Math.floor(all.length * share))];
const browser = await launch();

const paints = [];
const complete = [];
for (let i = 0; i < 7; ++i) {
  const { page, context } = await open(browser, url, "#/memory", {});
  await page.waitForSelector(".hit", { timeout: 60000 });
  paints.push(await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0].startTime));
  complete.push(await page.evaluate(() => performance.now()));
  await context.close();
}

// A key goes down, the input changes, and the frame after the hits were drawn has been painted.
const { page, context } = await open(browser, url, "#/memory", {});
await page.waitForSelector(".hit", { timeout: 60000 });
await page.evaluate(() => {
  window.waits = [];
  const hits = document.getElementById("hits");
  document.querySelector("input[type=search]").addEventListener("input", () => (window.begun = performance.now()));
  new MutationObserver(() => window.begun && requestAnimationFrame(() => setTimeout(() => {
    if (window.begun) window.waits.push(performance.now() - window.begun);
    window.begun = 0;
  }))).observe(hits, { childList: true });
});
for (const text of words) {
  await page.fill("input[type=search]", "");
  for (const letter of text) {
    const before = await page.evaluate(() => window.waits.length);
    await page.keyboard.type(letter);
    await page.waitForFunction((n) => window.waits.length > n, before, { timeout: 20000 });
  }
}
const waits = await page.evaluate(() => window.waits);
await context.close();
await browser.close();
console.log(JSON.stringify({
  first_paint_ms: { median: middle(paints, 0.5), worst: Math.max(...paints) }, first_hits_ms: { median: middle(complete, 0.5) },
  search_as_you_type_ms: { keys: waits.length, median: middle(waits, 0.5), p95: middle(waits, 0.95), worst: Math.max(...waits) },
}, null, 1));
