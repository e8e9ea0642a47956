// A server that wants a key: the page asks for it, keeps it for this window alone, and then shows what it shows.
import assert from "node:assert/strict";
import { launch, open } from "./chromium.mjs";

const [url, key] = process.argv.slice(2);
const browser = await launch();
const { page, context } = await open(browser, url, "#/memory", {});
await page.waitForSelector("dialog input[type=password]", { timeout: 20000 });
await page.fill("dialog input[type=password]", key);
await page.keyboard.press("Enter");
await page.waitForSelector("#hits .empty", { timeout: 20000 });
assert.equal(await page.evaluate(() => sessionStorage.getItem("weft.key")), key);
assert.equal(await page.evaluate(() => Object.values({ ...localStorage }).join(" ").includes("sesame")), false);
await page.waitForFunction(() => document.querySelector(".live").dataset.state === "live", null, { timeout: 20000 });
await context.close();
await browser.close();
console.log("ok");
