// The pictures: server and folder are the arguments.
import { join } from "node:path";
import { launch, open } from "./chromium.mjs";

const [url, folder] = process.argv.slice(2);
const PICTURES = [
  { name: "stream", hash: "#/stream?session=days-in-march", ready: ".reasons li" },
  { name: "memory", hash: "#/memory?q=" + encodeURIComponent("my father's knee"), ready: ".signals", colorScheme: "dark" },
  { name: "context", hash: "#/context?session=later", ready: ".budget svg" },
  { name: "growth", hash: "#/growth?tab=mutations", ready: "svg .interval", colorScheme: "dark" },
  { name: "quests-zh", hash: "#/story?tab=quests", ready: "svg .node", locale: "zh-CN" },
  { name: "health", hash: "#/health", ready: ".tile" },
  { name: "narrow", hash: "#/memory?q=" + encodeURIComponent("my father's knee"), ready: ".signals", width: 390, height: 800 },
];

const browser = await launch();
for (const { name, hash, ready, ...options } of PICTURES) {
  const { page, context } = await open(browser, url, hash, { width: 1280, height: 800, ...options });
  // Lines of a chart have no height, and count as hidden.
  await page.waitForSelector(ready, { timeout: 60000, state: "attached" });
  await page.waitForTimeout(500);
  await page.screenshot({ path: join(folder, name + ".png") });
  await context.close();
}
await browser.close();
