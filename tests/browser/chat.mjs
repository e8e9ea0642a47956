// A chat on the page: a new conversation with the model behind the server, whose prompt holds what was said before.
import assert from "node:assert/strict";
import { launch, open } from "./chromium.mjs";

const [url] = process.argv.slice(2);
const PATIENCE = { timeout: 20000 };
const browser = await launch();
const { page, wrong } = await open(browser, url, "#/stream?session=s", {});
await page.waitForSelector(".message.user", PATIENCE);
await page.getByRole("button", { name: "New conversation" }).click();
await page.getByRole("button", { name: "Write to the model…" }).click();
for (const text of ["When does the ferry leave?", "And from where?"]) {
  await page.fill("textarea[name=say]", text, PATIENCE);
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.waitForFunction((said) => [...document.querySelectorAll(".message.assistant .what")].some((one) => one.textContent.includes("You said: " + said)), text, PATIENCE);
}
assert.equal(await page.locator(".message.user").count(), 2);
await page.waitForFunction(() => document.querySelectorAll(".aside .pick").length === 2, null, PATIENCE);  // a conversation of its own
assert.ok(await page.locator("textarea[name=say]").isVisible(), "one goes on writing");
assert.deepEqual(wrong, [], "the console told of errors");
await browser.close();
console.log("ok");
