// Uses the page with a conversation of very many messages, at the server whose address is the first argument; the second
// one is how many messages it has. Prints a line a check, as page.mjs does, and the longest time that the page's thread
// was held up in each. Run by test_long_lists.py, which has filled the workspace.
import assert from "node:assert/strict";
import { launch, open } from "./chromium.mjs";

const url = process.argv[2];
const messages = Number(process.argv[3]);
const browser = await launch();
const PATIENCE = { timeout: 60000 };
const MOST_ELEMENTS = 20000;  // of the whole page: hundreds of rows, not a hundred thousand

// From before the page's own scripts on; what holds the thread for less than 50 ms the browser does not tell.
const watch_thread = () => {
  window.held = [];
  new PerformanceObserver((all) => window.held.push(...all.getEntries().map((one) => one.duration))).observe({ type: "longtask", buffered: true });
};

async function check(name, hash, work) {
  const opened = await open(browser, url, "#/health", { user: "ann" });
  try {
    await opened.page.addInitScript(watch_thread);
    await opened.page.goto(url + "/ui" + hash, { waitUntil: "load" });
    await opened.page.reload({ waitUntil: "load" });
    await work(opened.page);
    assert.ok(await opened.page.evaluate(() => document.querySelectorAll("*").length) < MOST_ELEMENTS, "the page grew with the list");
    assert.deepEqual(opened.wrong, [], "the console told of errors");
    const held = await opened.page.evaluate(() => Math.round(Math.max(0, ...window.held)));
    console.log(`held ${held} ms: ${name}`);
    console.log("ok " + name);
  } catch (error) {
    console.log(`failed ${name}: ${String(error.message || error).slice(0, 2000)}`);
  } finally {
    await opened.context.close();
  }
}

const elements = (page) => page.evaluate(() => document.querySelectorAll("*").length);
const sequences = (page) => page.locator("[role=log] .message").evaluateAll((all) => all.map((one) => Number(one.dataset.sequence)));

await check("stream: opens at the newest, and older pages come above", "#/stream?session=endless", async (page) => {
  await page.waitForSelector("[role=log] .message", PATIENCE);
  let shown = await sequences(page);
  const newest = shown.at(-1);
  assert.ok(shown.length < 1000, "a page of the conversation, not all of it");
  const sizes = [];
  const seen = new Set(shown);
  for (let pages = 0; pages < 6; ++pages) {
    const first = shown[0];
    await page.locator("[role=log]").evaluate((one) => { one.scrollTop = 0; });
    await page.locator("section:has([role=log]) [data-act=older]").click(PATIENCE);
    await page.waitForFunction((before) => Number(document.querySelector("[role=log] .message")?.dataset.sequence) < before, first, PATIENCE);
    shown = await sequences(page);
    assert.deepEqual(shown, [...shown].sort((a, b) => a - b), "in their order");
    assert.ok(shown.includes(first), "without a gap");
    shown.forEach((one) => seen.add(one));
    sizes.push(await elements(page));
  }
  assert.equal(seen.size, newest - shown[0] + 1, "each of them was there");
  assert.ok(Math.max(...sizes.slice(2)) <= sizes[2] * 1.2, "the page does not grow: " + sizes);
  await page.locator("section:has([role=log]) [data-act=newest]").click(PATIENCE);
  await page.waitForFunction((wanted) => Number([...document.querySelectorAll("[role=log] .message")].at(-1)?.dataset.sequence) === wanted, newest, PATIENCE);
});

await check("stream: scrolls and chooses a turn", "#/stream?session=endless", async (page) => {
  await page.waitForSelector("[role=log] .message", PATIENCE);
  for (const share of [0, 0.5, 0.2, 0.9, 0]) {
    await page.locator("[role=log]").evaluate((one, at) => { one.scrollTop = one.scrollHeight * at; }, share);
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  }
  await page.locator("[role=log] .message.assistant").first().click(PATIENCE);
  await page.waitForSelector("[aria-live=polite] p", PATIENCE);
});

await check("memory: the newest first, and older ones below", "#/memory", async (page) => {
  await page.waitForSelector(".hit", PATIENCE);
  const sizes = [];
  const seen = new Set();
  for (let pages = 0; pages < 16; ++pages) {
    const ids = await page.locator(".hit").evaluateAll((all) => all.map((one) => one.dataset.id));
    assert.equal(new Set(ids).size, ids.length, "each once");
    ids.forEach((one) => seen.add(one));
    sizes.push(await elements(page));
    const last = ids.at(-1);
    await page.locator("[data-act=older]").click(PATIENCE);
    await page.waitForFunction((before) => [...document.querySelectorAll(".hit")].at(-1)?.dataset.id !== before, last, PATIENCE);
  }
  assert.ok(seen.size > 16 * 25, "more came with every page: " + seen.size);
  assert.ok(sizes.at(-1) <= Math.max(...sizes.slice(8, 12)) * 1.2, "the page does not grow: " + sizes);
  await page.locator("[data-act=newest]").click(PATIENCE);
  await page.waitForFunction(() => document.querySelectorAll(".hit").length === 30, null, PATIENCE);
});

await check("memory: finds the first message as one types", "#/memory", async (page) => {
  await page.waitForSelector(".hit", PATIENCE);
  await page.locator("input[type=search]").pressSequentially("the heron of the old lighthouse", { delay: 30 });
  await page.waitForFunction(() => document.querySelector(".hit .text")?.textContent.includes("heron"), null, PATIENCE);
  await page.fill("input[type=search]", "station 77");
  await page.waitForFunction(() => document.querySelector(".hit .text")?.textContent.includes("station 77"), null, PATIENCE);
});

await check("memory: every one of them can be reached", "#/health", async () => {
  const ask = async (cursor) => (await fetch(`${url}/v1/items?kind=message&limit=10000${cursor ? "&cursor=" + cursor : ""}`, { headers: { "X-Weft-User": "ann" } })).json();
  const ids = new Set();
  for (let cursor = ""; ;) {
    const page = await ask(cursor);
    page.items.forEach((one) => ids.add(one.id));
    if (!page.next) break;
    cursor = page.next;
  }
  assert.equal(ids.size, messages);
});

await browser.close();
