// A server that wants a key: the page asks for it, keeps it for this window alone, and then shows what it shows; with a
// key of one user each view shows what that key reaches, and says so where it reaches no further.
import assert from "node:assert/strict";
import { launch, open } from "./chromium.mjs";

const [url, key, bound] = process.argv.slice(2);
const PATIENCE = { timeout: 20000 };
const browser = await launch();

async function asked_for() {
  const { page, context } = await open(browser, url, "#/memory", {});
  await page.waitForSelector("dialog input[type=password]", PATIENCE);
  await page.fill("dialog input[type=password]", key);
  await page.keyboard.press("Enter");
  await page.waitForSelector("#hits .hit", PATIENCE);
  assert.equal(await page.evaluate(() => sessionStorage.getItem("weft.key")), key);
  assert.equal(await page.evaluate((secret) => Object.values({ ...localStorage }).join(" ").includes(secret), key), false);
  await page.waitForFunction(() => document.querySelector(".live").dataset.state === "live", null, PATIENCE);
  await context.close();
}

async function of_one_user() {
  for (const [view, ready] of [["stream", ".message"], ["memory", ".hit"], ["context", "#main .card"], ["profiles", "#main .card"], ["story", "[role=tab]"], ["growth", "[role=tab]"], ["health", ".tile"]]) {
    const { page, context } = await open(browser, url, "#/" + view, { user: "ann", key: bound });
    await page.waitForSelector(ready, PATIENCE);
    await page.waitForFunction(() => document.querySelector(".live").dataset.state === "live", null, PATIENCE);
    assert.equal(await page.locator("#main .alert, dialog").count(), 0, view);
    if (view === "health") assert.match(await page.locator("#main").innerText(), /A key for one user does not show/);
    await context.close();
  }
  const { page, context } = await open(browser, url, "#/memory", { user: "bob", key: bound });
  await page.waitForSelector("#main .alert", PATIENCE);
  assert.equal(await page.locator(".hit").count(), 0, "another user's memory");
  await context.close();
}

await asked_for();
await of_one_user();
await browser.close();
console.log("ok");
