// A headless Chromium of the system, driven by Playwright. What a page says is wrong is collected.
import { createRequire } from "node:module";
import { existsSync } from "node:fs";
import { join } from "node:path";

const require = createRequire(join(process.env.WEFT_NODE_MODULES, "/"));
const { chromium } = require("playwright-core");
export const axe_path = () => require.resolve("axe-core/axe.min.js");

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

export function browser_path() {
  return process.env.WEFT_CHROMIUM || PLACES.find((path) => existsSync(path));
}

export async function launch() {
  // Containers give their root user no sandbox; the pages that are looked at are our own.
  const args = process.getuid() === 0 ? ["--no-sandbox"] : [];
  return chromium.launch({ executablePath: browser_path(), args: [...args, "--disable-gpu", "--disable-sync"], timeout: 120000 });
}

/** A fresh page at the server, as a browser with this language and these colours. `wrong` collects errors. */
export async function open(browser, url, hash, { user = "ann", locale = "en-GB", colorScheme = "light", width = 1280, height = 860, key = "", ...more } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, locale, colorScheme, ...more });
  const page = await context.newPage();
  const wrong = [];
  const outside = [];
  page.on("console", (message) => message.type() === "error" && wrong.push(message.text()));
  page.on("pageerror", (error) => wrong.push(String(error)));
  page.on("request", (request) => !request.url().startsWith(url) && !request.url().startsWith("data:") && outside.push(request.url()));
  await page.addInitScript(({ user, key }) => {
    if (user && localStorage.getItem("weft.scope.id") === null) localStorage.setItem("weft.scope.id", user);
    if (key) sessionStorage.setItem("weft.key", key);
  }, { user, key });
  await page.goto(url + "/ui" + hash, { waitUntil: "load" });
  return { page, context, wrong, outside };
}
