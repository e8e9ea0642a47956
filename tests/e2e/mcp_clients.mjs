// The official MCP clients for Node.js, of both major versions, against `weft mcp` and /mcp. Prints what each found as
// one JSON object. Arguments: program, workspace, address.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(process.env.WEFT_NODE_MODULES + "/x.js");
const load = (name) => import(pathToFileURL(require.resolve(name)));
const [program, workspace, address] = process.argv.slice(2);

const old = {
  ...(await load("@modelcontextprotocol/sdk/client/index.js")),
  ...(await load("@modelcontextprotocol/sdk/client/stdio.js")),
  ...(await load("@modelcontextprotocol/sdk/client/streamableHttp.js")),
  ...(await load("@modelcontextprotocol/sdk/types.js")),
};
const now = { ...(await load("@modelcontextprotocol/client")), ...(await load("@modelcontextprotocol/client/stdio")) };

const command = { command: program, args: ["mcp", "--workspace", workspace] };
const asking = { command: program, args: ["mcp", "--workspace", workspace, "--tools", "question_ask"] };
const messages = [{ role: "user", content: "My violin teacher is called Marguerite." }];

async function round(client, user) {
  const found = {};
  found.tools = (await client.listTools()).tools.map((tool) => tool.name);
  await client.callTool({ name: "memory_observe", arguments: { messages } });
  const progress = [];
  const result = await client.callTool(
    { name: "memory_search", arguments: { query: "Who is my violin teacher?" } },
    ...(user === "old" ? [undefined] : []), { onprogress: (one) => progress.push(one) });
  found.text = result.content[0].text;
  found.structured = result.structuredContent;
  found.progress = progress.length;
  found.resources = (await client.listResources()).resources.map((one) => one.uri);
  found.templates = (await client.listResourceTemplates()).resourceTemplates.length;
  found.memory = (await client.readResource({ uri: "weft://memory" })).contents[0].mimeType;
  found.prompt = (await client.getPrompt({ name: "recall", arguments: { about: "violin teacher" } })).messages[0].content.text;
  found.completed = (await client.complete({
    ref: { type: "ref/prompt", name: "recall" }, argument: { name: "language", value: "z" } })).completion.values;
  try {
    await client.readResource({ uri: "weft://nothing" });
  } catch (error) {
    found.missing = error.code;
  }
  await client.close();
  return found;
}

async function ask(client) {
  const result = await client.callTool({ name: "question_ask", arguments: { text: "Which city?", urgency: "HIGH" } });
  await client.close();
  return result.structuredContent.answer;
}

const who = { name: "weft-tests", version: "1" };
const out = {};
const http = () => new URL(address + "/mcp");

let client = new old.Client(who, { capabilities: {} });
await client.connect(new old.StdioClientTransport(command));
out.old_stdio = await round(client, "old");
client = new old.Client(who, { capabilities: {} });
await client.connect(new old.StreamableHTTPClientTransport(http()));
out.old_http = await round(client, "old");
client = new old.Client(who, { capabilities: { elicitation: {} } });
client.setRequestHandler(old.ElicitRequestSchema, async () => ({ action: "accept", content: { answer: "Utrecht" } }));
await client.connect(new old.StdioClientTransport(asking));
out.old_asked = await ask(client);
client = new old.Client(who, { capabilities: { elicitation: {} } });
client.setRequestHandler(old.ElicitRequestSchema, async () => ({ action: "accept", content: { answer: "Utrecht" } }));
await client.connect(new old.StreamableHTTPClientTransport(new URL(address + "/mcp?tools=question.ask")));
out.old_http_asked = await ask(client);

for (const [name, mode] of [["new_stdio", { pin: "2026-07-28" }], ["auto_stdio", "auto"], ["legacy_stdio", "legacy"]]) {
  client = new now.Client(who, { capabilities: {}, versionNegotiation: { mode } });
  await client.connect(new now.StdioClientTransport(command));
  out[name] = await round(client, "new");
}
for (const [name, mode] of [["new_http", { pin: "2026-07-28" }], ["auto_http", "auto"], ["legacy_http", "legacy"]]) {
  client = new now.Client(who, { capabilities: {}, versionNegotiation: { mode } });
  await client.connect(new now.StreamableHTTPClientTransport(http()));
  out[name] = await round(client, "new");
}
client = new now.Client(who, { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: { pin: "2026-07-28" } } });
client.setRequestHandler("elicitation/create", async () => ({ action: "accept", content: { answer: "Utrecht" } }));
await client.connect(new now.StdioClientTransport(asking));
out.new_asked = await ask(client);
console.log(JSON.stringify(out));
process.exit(0);
