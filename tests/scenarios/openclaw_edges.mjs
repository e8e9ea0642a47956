// A host of a few lines for what the real one seldom does: it takes what the plug-in registers, and calls it as the
// documents of OpenClaw's hooks say. Arguments: the plug-in's folder, a folder for state, the server's address, its key.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import http from "node:http";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [plugin, state, url, key] = process.argv.slice(2);
const { default: weft } = await import(pathToFileURL(path.join(plugin, "index.js")));

/** The plug-in with these settings: its hooks and tools, and all that it has logged. */
function hosted(config, folder = state) {
  const host = { log: [], hooks: {}, tools: {}, capability: undefined };
  const log = (message) => host.log.push(message);
  weft.register({
    pluginConfig: { url, key, user: "ann", recallMs: 10_000, observeMs: 10_000, ...config },
    logger: { info: log, warn: log, error: log },
    runtime: { state: { resolveStateDir: () => folder } },
    on: (name, handler) => (host.hooks[name] = handler),
    registerTool: (make, { name }) => (host.tools[name] = make),
    registerMemoryCapability: (capability) => (host.capability = capability),
  });
  return host;
}

const talk = (run, more = {}) => ({ runId: run, agentId: "main", sessionKey: "agent:main:main", sessionId: `s-${run}`, trigger: "user", ...more });
const user = (text) => ({ role: "user", content: text, timestamp: Date.parse("2026-10-01T09:00:00Z") });
const assistant = (text, more = {}) => ({ role: "assistant", content: [{ type: "text", text }], timestamp: Date.parse("2026-10-01T09:00:07Z"), ...more });

/** A whole turn: recall, then its end. Gives what was recalled. */
async function turn(host, ctx, before, request, ...answers) {
  const given = await host.hooks.before_prompt_build({ prompt: request, messages: before }, ctx);
  const messages = [...before, user(request), ...answers];
  await host.hooks.agent_end({ runId: ctx.runId, messages, success: true }, ctx);
  return given;
}

async function kept(session, headers = { "X-Weft-User": "ann" }) {
  const answer = await fetch(`${url}/v1/sessions/${encodeURIComponent(session)}/messages`, { headers: { "X-Weft-Key": key, ...headers } });
  return (await answer.json()).messages.map((message) => `${message.role}: ${message.content}`);
}

async function serving(handle, work) {
  const server = http.createServer(handle).listen(0, "127.0.0.1");
  await new Promise((ready) => server.once("listening", ready));
  try {
    return await work(`http://127.0.0.1:${server.address().port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const checks = {
  async "what was said of a turn, with the time of the host"() {
    const host = hosted({});
    const thought = { type: "thinking", thinking: "they want to know" };
    const call = { type: "toolCall", id: "c", name: "read", arguments: {} };
    await turn(host, talk("a1"), [user("Old."), assistant("Older.")], "Two questions: when, 何时？",
      assistant("", { content: [thought, call] }), { role: "toolResult", toolCallId: "c", content: [{ type: "text", text: "secret" }] },
      assistant("At nine, 九点。"), assistant("half a", { stopReason: "aborted" }), assistant("NO_REPLY"));
    assert.deepEqual(await kept("openclaw:main:s-a1"), ["user: Two questions: when, 何时？", "assistant: At nine, 九点。"]);
    const answer = await fetch(`${url}/v1/sessions/openclaw%3Amain%3As-a1/messages`, { headers: { "X-Weft-Key": key, "X-Weft-User": "ann" } });
    assert.equal((await answer.json()).messages[1].time, "2026-10-01T09:00:07Z");
  },

  async "an end that comes twice, and turns that failed"() {
    const host = hosted({});
    await turn(host, talk("b1"), [], "Once only.", assistant("Yes."));
    await host.hooks.agent_end({ runId: "b1", messages: [user("Once only."), assistant("Yes.")], success: true }, talk("b1"));
    assert.equal((await kept("openclaw:main:s-b1")).length, 2);
    // The host begins anew and asks again for the same run: the server has its messages.
    await turn(hosted({}), talk("b1"), [], "Once only.", assistant("Yes."));
    assert.equal((await kept("openclaw:main:s-b1")).length, 2);
    await host.hooks.before_prompt_build({ prompt: "It breaks.", messages: [] }, talk("b2"));
    await host.hooks.agent_end({ runId: "b2", messages: [user("It breaks.")], success: false, error: "x" }, talk("b2"));
    assert.deepEqual(await kept("openclaw:main:s-b2"), []);
    await host.hooks.agent_end({ runId: "b3", messages: [user("Nobody asked.")], success: true }, talk("b3"));
    assert.deepEqual(await kept("openclaw:main:s-b3"), []);
  },

  async "what is no talk with a person"() {
    const host = hosted({});
    for (const [run, more] of Object.entries({
      c1: { trigger: "heartbeat" }, c2: { trigger: "cron" }, c3: { inputProvenance: { kind: "inter_session" } },
      c4: { sessionKey: "agent:main:subagent:7" }, c5: { sessionKey: "agent:main:cron:7:run:8" },
    })) {
      assert.equal(await turn(host, talk(run, more), [], "Look after the house.", assistant("Done.")), undefined, run);
      assert.deepEqual(await kept(`openclaw:main:s-${run}`), [], run);
    }
    assert.equal(host.tools.memory_search({ sessionKey: "agent:main:subagent:7" }), null);
  },

  async "whose memory it is"() {
    const host = hosted({ user: undefined });
    const from = (run, channel, senderId, sessionKey) => talk(run, { channel, senderId, sessionKey });
    await turn(host, from("d1", "telegram", "7", "agent:main:telegram:direct:7"), [], "Seven speaks.", assistant("Yes."));
    assert.equal((await kept("openclaw:main:s-d1", { "X-Weft-User": "telegram%3A7" })).length, 2);
    await turn(host, from("d2", "discord", "8", "agent:main:discord:channel:99:thread:1"), [], "Eight speaks.", assistant("Yes."));
    assert.equal((await kept("openclaw:main:s-d2", { "X-Weft-Group": "discord%3A99" })).length, 2);
    assert.equal((await kept("openclaw:main:s-d2", { "X-Weft-User": "discord%3A8" })).length, 0);
    const long = "x".repeat(400) + "\u0007";
    await turn(host, talk("d3", { sessionId: long, senderId: long, channel: "irc" }), [], "A long name.", assistant("Yes."));
    assert.deepEqual(host.log, []);
  },

  async "a session's end closes its topic, whoever's it is"() {
    const host = hosted({ user: undefined });
    const ctx = talk("i1", { channel: "telegram", senderId: "9", sessionKey: "agent:main:telegram:direct:9" });
    const open = async () => {
      const answer = await fetch(`${url}/v1/sessions/openclaw%3Amain%3As-i1/turns`,
        { headers: { "X-Weft-Key": key, "X-Weft-User": "telegram%3A9" } });
      return (await answer.json()).topics.map((topic) => topic.open);
    };
    await turn(host, ctx, [], "The boiler needs water.", assistant("Yes."));
    while ((await open()).length === 0) await new Promise((next) => setTimeout(next, 20));  // its topic is decided behind the answer
    await host.hooks.session_end({ sessionId: "s-i1", messageCount: 2, reason: "compaction" }, ctx);
    assert.deepEqual(await open(), [true]);
    await host.hooks.session_end({ sessionId: "s-i1", messageCount: 2, reason: "new" }, { sessionId: "s-i1" });
    assert.deepEqual(await open(), [false]);
    await host.hooks.session_end({ sessionId: "another", messageCount: 0, reason: "new" }, { sessionId: "another" });
    assert.deepEqual(host.log, []);
  },

  async "a steered turn, and a request that the host has decorated"() {
    const host = hosted({});
    const ctx = talk("e1");
    await host.hooks.before_prompt_build({ prompt: "[meta]\nBook a table.", currentUserMessage: "Book a table.", messages: [] }, ctx);
    await host.hooks.agent_end({ runId: "e1", success: true, messages: [
      user("[Mon] Book a table.\n\nRuntime: x"), assistant("For how many?"), user("For five, 五个人。"), assistant("Done.")] }, ctx);
    assert.deepEqual(await kept("openclaw:main:s-e1"),
      ["user: Book a table.", "assistant: For how many?", "user: For five, 五个人。", "assistant: Done."]);
  },

  async "the tools say what is wrong"() {
    const host = hosted({});
    const get = host.tools.memory_get({ sessionKey: "agent:main:main" });
    await assert.rejects(get.execute("1", { path: "../../etc/passwd" }), /take the path from a result/);
    await assert.rejects(get.execute("1", { path: "openclaw%3Amain%3As-a1/none" }), /there is no message/);
    const lines = host.capability.promptBuilder({ availableTools: new Set(["memory_search"]) });
    assert.match(lines.join("\n"), /memory_search/);
  },

  async "a server that hangs, drips, lies or sends elsewhere"() {
    let elsewhere = 0;
    const ways = {
      hang: () => {},
      drip: (_, out) => { out.writeHead(200); const timer = setInterval(() => out.write(" "), 20); out.on("close", () => clearInterval(timer)); },
      lie: (_, out) => out.end("<html>"),
      broken: (_, out) => { out.writeHead(500); out.end("{}"); },
    };
    for (const [name, way] of Object.entries(ways))
      await serving(way, async (address) => {
        const host = hosted({ url: address, recallMs: 200, observeMs: 300 }, path.join(state, name));
        const begun = Date.now();
        const given = await host.hooks.before_prompt_build({ prompt: "Good morning.", messages: [] }, talk("f1"));
        assert.deepEqual(given, {}, name);
        await host.hooks.agent_end({ runId: "f1", success: true, messages: [user("Good morning."), assistant("Hello.")] }, talk("f1"));
        assert.ok(Date.now() - begun < 20_000, name);
        assert.match(readFileSync(path.join(state, name, "weft/waiting.jsonl"), "utf8"), /Good morning/);
        assert.equal(host.log.length, 1, `${name}: ${host.log}`);
        assert.ok(!host.log.join().includes(key));
      });
    await serving((_, out) => { elsewhere += 1; out.end("{}"); }, (there) =>
      serving((_, out) => { out.writeHead(307, { location: there + "/v1/search" }); out.end(); }, async (address) => {
        const host = hosted({ url: address }, path.join(state, "elsewhere"));
        await turn(host, talk("f2"), [], "Good morning.", assistant("Hello."));
      }));
    assert.equal(elsewhere, 0, "the key went to another server");
  },

  async "what waited comes first, and bad lines hurt nobody"() {
    const folder = path.join(state, "waits");
    const away = hosted({ url: "http://127.0.0.1:9" }, folder);
    await turn(away, talk("g1"), [], "The first, 第一。", assistant("Yes."));
    await turn(away, talk("g2"), [], "The second.", assistant("Yes."));
    const file = path.join(folder, "weft/waiting.jsonl");
    const { appendFileSync } = await import("node:fs");
    appendFileSync(file, '{"user":"ann","sess');
    const host = hosted({}, folder);
    await turn(host, talk("g3"), [], "The third.", assistant("Yes."));
    for (const run of ["g1", "g2", "g3"]) assert.equal((await kept(`openclaw:main:s-${run}`)).length, 2, run);
    assert.ok(!existsSync(file));
  },

  async "a key that cannot be one is told without it"() {
    for (const wrong of ["weft_a\nb", "schlüssel", "a b"]) {
      const host = hosted({ key: wrong });
      assert.equal(host.log.length, 1);
      assert.ok(!host.log[0].includes(wrong.slice(0, 6)));
      assert.deepEqual(host.hooks, {});
    }
    const host = hosted({ key: "weft_wrong" }, path.join(state, "wrong"));
    await turn(host, talk("h1"), [], "Good morning.", assistant("Hello."));
    assert.equal(host.log.length, 1, host.log.join());
    assert.ok(!host.log[0].includes("weft_wrong"));
  },
};

for (const [name, check] of Object.entries(checks)) {
  try {
    await check();
  } catch (error) {
    error.message = `${name}: ${error.message}`;
    throw error;
  }
}
console.log(`${Object.keys(checks).length} checks`);
