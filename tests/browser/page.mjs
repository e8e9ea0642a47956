// Uses the page at the server whose address is the first argument as people do, and prints a line a check: "ok NAME", or
// "failed NAME: why". Run by test_page.py, which has filled the workspace with seed.py.
import assert from "node:assert/strict";
import { launch, open } from "./chromium.mjs";

const url = process.argv[2];
const only = process.argv[3];
const browser = await launch();
const checks = [];
const check = (name, work) => checks.push({ name, work });
const PATIENCE = { timeout: 20000 };

const api = async (method, path, body, headers = {}) => {
  const answer = await fetch(url + path, { method, headers: { "Content-Type": "application/json", "X-Weft-User": "ann", ...headers }, body: body && JSON.stringify(body) });
  assert.ok(answer.ok, `${method} ${path}: ${answer.status}`);
  return answer.json();
};

async function with_page(hash, options, work) {
  const opened = await open(browser, url, hash, options);
  try {
    await work(opened.page, opened);
    assert.deepEqual(opened.wrong, [], "the console told of errors");
    assert.deepEqual(opened.outside, [], "something was asked of others");
  } finally {
    await opened.context.close();
  }
}

// Lines of a chart have no height, and count as hidden: that they are there is enough.
const seen = (page, selector) => page.waitForSelector(selector, { ...PATIENCE, state: /svg/.test(selector) ? "attached" : "visible" });
const gone_on = (page, work) => page.waitForFunction(work, null, PATIENCE);

// ---- Each view's main job.

check("stream: messages, topics, and why one was cut", () => with_page("#/stream?session=days-in-march", {}, async (page) => {
  await seen(page, ".message.user");
  assert.ok(await page.locator(".topic-head").count() >= 4, "the talk has several topics");
  assert.ok(await page.locator("svg.chart .dot.cut").count() >= 3, "cuts stand on the line");
  assert.match(await page.locator("svg.chart[role=img]").first().getAttribute("aria-label"), /\d+ turns .* \d+ topic changes/);
  const cut = await page.locator("svg.chart .dot.cut").first().getAttribute("data-id");
  await page.locator(`svg.chart .dot[data-id="${cut}"]`).click({ force: true });
  assert.match(await page.locator("[aria-live=polite] .chip").first().innerText(), /new topic/);
  assert.ok(await page.locator(".reasons li").count() > 0, "with its reasons");
}));

check("stream: a message comes while one looks on", () => with_page("#/stream?session=live", {}, async (page) => {
  await gone_on(page, () => document.querySelector(".live")?.dataset.state === "live");
  await api("POST", "/v1/sessions/live/messages", { messages: [{ role: "user", content: "The ferry leaves at <b>noon</b>." }, { role: "assistant", content: "Noted." }] });
  await page.waitForFunction(() => document.querySelector("[data-session=live]")?.textContent.includes("The ferry leaves at <b>noon</b>."), null, PATIENCE);
  assert.equal(await page.locator("[data-session=live] b").count(), 0, "what was said is text, never markup");
}));

check("memory: search as one types, with filters, original words, as of", () => with_page("#/memory", {}, async (page) => {
  await seen(page, ".hit");
  await page.fill("input[type=search]", "");
  // What earlier letters found would be replaced under the finger by what all of them find.
  const found = page.waitForResponse((one) => one.url().includes("/v1/search") && one.request().postData()?.includes("knee of my father"), PATIENCE);
  await page.locator("input[type=search]").pressSequentially("knee of my father", { delay: 15 });
  await (await found).finished();
  await gone_on(page, () => document.querySelector(".hit .text")?.textContent.includes("knee") && document.querySelector(".hit .signals")?.textContent.includes("words"));
  const hit = page.locator(".hit").first();
  await hit.getByRole("button", { name: "Original words" }).click();
  await seen(page, ".original");
  assert.match(await page.locator(".original").first().innerText(), /My father has a bad knee/);
  assert.equal(await page.locator(".timeline svg").count(), 1);
  await page.getByRole("button", { name: "Messages", exact: true }).click();
  await gone_on(page, () => [...document.querySelectorAll(".hit .meta")].every((one) => one.textContent.startsWith("Message")));
  await page.fill("input[name=to]", "2026-03-01");
  await gone_on(page, () => document.querySelector("#hits .empty"));
  await page.fill("input[name=to]", "");
  await page.fill("input[name=who]", "assistant");
  await gone_on(page, () => document.querySelector(".hit") && [...document.querySelectorAll(".hit .meta button:first-of-type")].every((one) => one.textContent === "assistant"));
}));

check("memory: as of a moment, what held then", () => with_page("#/memory?q=" + encodeURIComponent("knee") + "&as_of=2026-03-01", {}, async (page) => {
  await seen(page, "#hits .empty");
  await page.fill("input[name=as_of]", "2026-03-10");
  await seen(page, ".hit");
}));

check("context: budget, items with why, prefix, two turns compared", () => with_page("#/context?session=later", {}, async (page) => {
  await seen(page, ".budget svg[role=img]");
  assert.match(await page.locator(".budget svg").first().getAttribute("aria-label"), /tokens are used/);
  assert.ok(await page.locator("tr.item-dropped").count() > 0, "what was left out stands there, too");
  assert.ok(await page.locator("table td .chip.good").count() > 0);
  const others = await page.locator("label:has-text('Compare with') select option").evaluateAll((all) => all.map((one) => one.value).filter(Boolean));
  assert.ok(others.length >= 3, "all prompts of the session are listed");
  await page.locator("label:has-text('Compare with') select").selectOption(others.at(-1));
  await seen(page, ".compare");
  assert.match(await page.locator("#main").innerText(), /Only in the later prompt/);
}));

check("context: trying a question shows its prompt", () => with_page("#/context?session=later", {}, async (page) => {
  await seen(page, ".budget svg");
  const before = await page.locator(".aside .pick").count();
  await page.fill("input[name=try]", "Where do we stay?");
  await page.keyboard.press("Enter");
  await page.waitForFunction((n) => document.querySelectorAll(".aside .pick").length > n, before, PATIENCE);
  assert.match(await page.locator(".aside .pick").first().innerText(), /Where do we stay/);
}));

check("context: an item is opened; a question in a new conversation shows the prompt as it is sent", () => with_page("#/context?session=later", {}, async (page) => {
  await seen(page, ".budget svg");
  const section = page.locator("details.card", { hasText: "history" }).last();
  await section.locator("td details summary").first().click();
  await seen(page, "td details[open] [data-care=delete]");
  await page.locator(".title select").first().selectOption("page-trial");
  await page.fill("input[name=try]", "Where does my sister live?");
  await page.keyboard.press("Enter");
  await seen(page, "details[open] > pre.sent");
  assert.match(await page.locator("pre.sent").last().innerText(), /Where does my sister live\?/);
}));

check("profiles: read, edit, differences, roll back", () => with_page("#/profiles", {}, async (page) => {
  await seen(page, ".prose");
  assert.match(await page.locator(".prose").innerText(), /Utrecht/);
  await page.getByRole("button", { name: "Edit" }).click();
  const field = page.locator("textarea");
  const old = await field.inputValue();
  await field.fill(old.trimEnd() + "\n- Plays the cello.\n");
  await page.getByRole("button", { name: "Show changes" }).click();
  assert.match(await page.locator(".diff .added").last().innerText(), /cello/);
  await page.getByRole("button", { name: "Save" }).click();
  await gone_on(page, () => document.querySelector(".prose")?.textContent.includes("cello"));
  await page.locator(".aside .pick").first().click();
  await seen(page, ".diff .added");
  await page.getByRole("button", { name: /Restore version/ }).click();
  await page.locator("dialog").getByRole("button", { name: "Yes" }).click();
  await gone_on(page, () => !document.querySelector(".prose")?.textContent.includes("cello"));
  assert.ok(!(await api("GET", "/v1/profiles/user/ann")).body.includes("cello"));
}));

check("state: tree, log, an operation, an older version", () => with_page("#/story?tab=state", {}, async (page) => {
  await seen(page, "[role=tree]");
  assert.match(await page.locator("[role=tree]").innerText(), /Broken Oar/);
  const { version } = await api("GET", "/v1/state/default");
  await page.fill("input[name=operation]", '["ADD", "hero.gold", 5]');
  await page.getByRole("button", { name: "Apply" }).click();
  await page.waitForFunction((n) => document.querySelector("#main h2")?.textContent.includes(String(n)), version + 1, PATIENCE);
  await page.getByRole("button", { name: "Show version 1" }).click();
  await gone_on(page, () => document.querySelector("#main h2")?.textContent.trim() === "Version 1");
}));

check("quests: what comes before what, and moving one on", () => with_page("#/story?tab=quests", {}, async (page) => {
  await seen(page, "svg .node");
  assert.equal(await page.locator("svg .node").count(), 4);
  assert.ok(await page.locator("svg .edge").count() >= 4);
  await page.locator("#main select").last().selectOption("cliff_light");
  await page.getByRole("button", { name: "Start" }).click();
  await gone_on(page, () => [...document.querySelectorAll(".chip")].some((one) => one.textContent === "in progress"));
  const quests = (await api("GET", "/v1/quests")).quests;
  assert.equal(quests.find((one) => one.id === "cliff_light").status, "in_progress");
}));

check("growth: skills with versions, teaching one", () => with_page("#/growth?tab=skills", {}, async (page) => {
  await seen(page, ".split .pick");
  await page.locator("summary", { hasText: "Teach a skill" }).click();
  await page.fill("textarea[name=text]", "Water the plants on Sunday.\n1. Fill the can\n2. Water each pot until it drips");
  await page.getByRole("button", { name: "Teach", exact: true }).click();
  await gone_on(page, () => [...document.querySelectorAll(".split .pick")].some((one) => one.textContent.includes("Water the plants")));
}));

check("growth: rules with their stages, and approving one", () => with_page("#/growth?tab=rules", {}, async (page) => {
  await seen(page, ".split .pick");
  const name = page.locator(".split > :last-child .buttons button", { hasText: "Pin" }).first();
  await name.click();
  await page.locator("dialog input").fill("it has helped");
  await page.locator("dialog .button.main").click();
  await seen(page, ".split .chip:text('pinned')");
}));

check("growth: a change on trial with its uncertainty, approved by a person", () => with_page("#/growth?tab=mutations", {}, async (page) => {
  await seen(page, "svg .interval.variant");
  assert.match(await page.locator("#main svg[role=img]").first().getAttribute("aria-label"), /95 %/);
}));

check("growth: beliefs and their signs", () => with_page("#/growth?tab=beliefs", {}, async (page) => {
  await seen(page, ".belief svg .interval");
  assert.match(await page.locator(".belief").first().innerText(), /signs? for it/);
}));

check("growth: a question is answered", () => with_page("#/growth?tab=waiting", {}, async (page) => {
  await page.getByRole("button", { name: "wait", exact: true }).click(PATIENCE);
  await gone_on(page, () => !document.querySelector("#main").innerText.includes("Friday"));
  const questions = (await api("GET", "/v1/questions")).questions;
  assert.equal(questions.find((one) => one.text.includes("Friday")).stage, "answered");
}));

check("health: figures, latency, counters", () => with_page("#/health", {}, async (page) => {
  await seen(page, ".tile");
  assert.match(await page.locator("#main").innerText(), /Response times/);
  assert.match(await page.locator("#main").innerText(), /Model usage/);
  assert.ok(await page.locator("#main svg .bar").count() > 2);
  await page.locator("summary").click();
  assert.ok(await page.locator("details tbody tr").count() > 10);
}));

// What a person does with one memory: of their own, so that the checks above find theirs.
const kept = async (session, text) => {
  await api("POST", `/v1/sessions/${session}/messages`, { messages: [{ id: "k1", role: "user", content: text }, { id: "k2", role: "assistant", content: "I see." }] });
};
const until = async (work, what) => {
  for (const end = Date.now() + PATIENCE.timeout; Date.now() < end; await new Promise((done) => setTimeout(done, 50))) if (await work()) return;
  assert.fail(what);
};
const finds = async (text) => (await api("POST", "/v1/search", { query: text, top_k: 20 })).hits.some((one) => one.text.includes(text));
const press = (page, row, name) => page.locator(row).getByRole("button", { name, exact: true }).click(PATIENCE);
const accept = (page, name) => page.locator("dialog").getByRole("button", { name, exact: true }).click(PATIENCE);

check("memory: one is deleted, with all that came of it", async () => {
  await kept("to-delete", "My locker code is 4711 zebra.");
  await with_page("#/memory?q=" + encodeURIComponent("locker code zebra"), {}, async (page) => {
    const row = ".hit:has-text('4711 zebra')";
    await seen(page, row);
    await press(page, row + " >> nth=0", "Delete");
    assert.match(await page.locator("dialog blockquote").innerText(), /4711 zebra/);
    await accept(page, "Delete");
    await gone_on(page, () => ![...document.querySelectorAll(".hit")].some((one) => one.textContent.includes("4711 zebra")));
  });
  assert.equal(await finds("4711 zebra"), false);
});

check("stream: a message is corrected, and only the right words are left", async () => {
  await kept("to-correct", "The spare key hangs at the walrus hook.");
  await with_page("#/stream?session=to-correct", {}, async (page) => {
    await page.locator(".message.user").hover(PATIENCE);
    await press(page, ".message.user", "Correct");
    await page.fill("dialog textarea", "The spare key hangs at the otter hook.");
    await accept(page, "Correct");
    await until(async () => !await finds("walrus hook"), "what was wrong is still remembered");
  });
  assert.equal(await finds("otter hook"), true);
  // Knowledge that was corrected is corrected in its place.
  await with_page("#/memory?q=" + encodeURIComponent("spare key otter hook"), {}, async (page) => {
    await seen(page, ".hit:has-text('otter hook')");
    await press(page, ".hit:has-text('otter hook') >> nth=0", "Correct");
    await page.fill("dialog textarea", "The spare key hangs at the heron hook.");
    await accept(page, "Correct");
    await seen(page, ".hit:has-text('heron hook')");
  });
  assert.equal(await finds("otter hook"), false);
});

check("memory: one is pinned, and is in the profile of every prompt", async () => {
  await kept("to-pin", "Never book the lemur express for me.");
  await with_page("#/memory?q=" + encodeURIComponent("lemur express"), {}, async (page) => {
    await seen(page, ".hit:has-text('lemur express')");
    await press(page, ".hit:has-text('lemur express') >> nth=0", "Pin");
    await page.fill("dialog textarea", "Never book the lemur express.");
    await accept(page, "Pin");
    await until(async () => /## Pinned\n\n- Never book the lemur express\.\n/.test((await api("GET", "/v1/profiles/user/ann")).body), "it is not in the profile");
  });
  const { messages } = await api("POST", "/v1/sessions/pin-test/context", { input: "Good morning." });
  assert.match(JSON.stringify(messages), /lemur express/);
});

check("stream: without a model the page says how to connect one", async () => {
  const opened = await open(browser, url, "#/stream?session=days-in-march");
  await opened.page.getByRole("button", { name: "Write to the model…" }).click(PATIENCE);
  await opened.page.waitForSelector("#main .alert, textarea[name=say], #main .quiet:has-text('--upstream')", PATIENCE);
  await opened.context.close();
});

check("start: whoever may see all memories begins there, and chooses one", () => with_page("", { user: "" }, async (page) => {
  await seen(page, ".scope-tile");
  assert.match(await page.locator("[data-scope=ann] .told").innerText(), /conversations/, "with what was said last");
  await page.locator("[data-scope=ann]").click();
  await seen(page, ".pick");
  assert.equal(await page.locator(".scope input").inputValue(), "ann");
}));

check("a view that is chosen begins at its title", () => with_page("#/memory", { height: 500 }, async (page) => {
  await seen(page, ".hit");
  await page.evaluate(() => window.scrollTo(0, 400));
  await page.locator(".views [data-view=health]").click();
  await seen(page, ".tile");
  assert.ok(await page.evaluate(() => document.querySelector("h1").getBoundingClientRect().top >= document.querySelector(".bar").getBoundingClientRect().bottom));
}));

check("scope: another user's memory is another one's", () => with_page("#/memory", {}, async (page) => {
  await seen(page, ".hit");
  await page.fill(".scope input", "nobody-else");
  await page.keyboard.press("Enter");
  await seen(page, "#hits .empty");
}));

// ---- Languages, colours, keyboard, screen readers.

check("Chinese by the browser's language, and switched by hand", () => with_page("#/memory", { locale: "zh-CN" }, async (page) => {
  await seen(page, ".hit");
  assert.equal(await page.locator("html").getAttribute("lang"), "zh-CN");
  assert.match(await page.locator("h1").innerText(), /记忆/);
  await page.locator(".bar .right select").selectOption("en");
  await gone_on(page, () => document.querySelector("h1")?.textContent === "Memory");
  assert.equal(await page.locator("html").getAttribute("lang"), "en");
}));

check("every word stands in both languages", async () => {
  const words = async (name) => (await import(new URL(`../../web/lang/${name}.js`, import.meta.url))).default;
  const [en, zh] = [await words("en"), await words("zh")];
  assert.deepEqual(Object.keys(en).sort(), Object.keys(zh).sort());
  const holes = (text) => [...text.matchAll(/\{(\w+)\}/g)].map((one) => one[1]).sort();
  for (const name of Object.keys(en)) assert.deepEqual(holes(zh[name]), holes(en[name]), name);
});

check("dark by the system, light by the switch", () => with_page("#/health", { colorScheme: "dark" }, async (page) => {
  await seen(page, ".tile");
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const dark = await ground();
  await page.locator("#theme").click();
  assert.notEqual(await ground(), dark);
  assert.equal(await page.locator("html").getAttribute("data-theme"), "light");
}));

check("with the keyboard alone: skip link, views, list, tabs, dialog, search", () => with_page("#/stream", {}, async (page) => {
  await seen(page, ".pick");
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.id), "skip");
  assert.ok(await page.evaluate(() => document.activeElement.getBoundingClientRect().top >= 0), "and it is seen");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.id), "main");
  await page.keyboard.press("6");
  await seen(page, "[role=tab]");
  await page.locator("[role=tab][aria-selected=true]").focus();
  await page.keyboard.press("ArrowRight");
  await seen(page, "[role=tab][data-id=skills][aria-selected=true]");
  await seen(page, ".split .pick[aria-current=true]");
  await page.locator(".split .pick[aria-current=true]").focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await gone_on(page, () => document.querySelectorAll(".split .pick")[1].getAttribute("aria-current") === "true");
  await page.keyboard.press("?");
  await seen(page, "dialog[open]");
  await page.keyboard.press("Escape");
  await gone_on(page, () => !document.querySelector("dialog"));
  await page.keyboard.press("/");
  await gone_on(page, () => document.activeElement?.type === "search");
  // The hits of the first letters would be replaced, and the focus with them.
  const found = page.waitForResponse((one) => one.url().includes("/v1/search") && one.request().postData()?.includes("Kyoto"), PATIENCE);
  await page.keyboard.type("Kyoto");
  await (await found).finished();
  await gone_on(page, () => document.querySelector(".signals") && document.querySelector(".hit .text")?.textContent.includes("Kyoto"));
  await page.keyboard.press("ArrowDown");
  await gone_on(page, () => document.activeElement?.classList.contains("hit"));
  await page.keyboard.press("o");
  await seen(page, ".original");
}));

check("a tree is walked with arrow keys", () => with_page("#/story", {}, async (page) => {
  await seen(page, "[role=treeitem][tabindex='0']");
  await page.locator("[role=treeitem][tabindex='0']").focus();
  await page.keyboard.press("ArrowLeft");
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-expanded")), "false");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowDown");
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-level")), "2");
}));

let failed = 0;
for (const { name, work } of checks) {
  if (only && !name.includes(only)) continue;
  try {
    await work();
    console.log("ok " + name);
  } catch (error) {
    ++failed;
    console.log(`failed ${name}: ${error.message}`);
  }
}
await browser.close();
process.exit(failed ? 1 : 0);
