// Talks to the server whose base URL is the first argument with OpenAI's official client, and prints what it found as
// one JSON object. Run by test_openai_clients.py.
import { createRequire } from "node:module";
import { join } from "node:path";

const require = createRequire(join(process.env.WEFT_NODE_MODULES, "/"));
const OpenAI = require("openai").default ?? require("openai");

const client = new OpenAI({ baseURL: process.argv[2], apiKey: "client-key", maxRetries: 0,
                            defaultHeaders: { "X-Weft-User": "node" } });
const tools = [{ type: "function", function: { name: "get_weather", parameters: { type: "object",
  properties: { city: { type: "string" } } } } }];
const call = (content, more = {}) =>
  client.chat.completions.create({ model: "scripted", messages: [{ role: "user", content }], ...more });

async function streamed(stream) {
  let text = "";
  for await (const chunk of stream) text += chunk.choices[0]?.delta?.content ?? "";
  return text;
}

async function failure(promise) {
  try {
    await promise;
    return null;
  } catch (error) {
    return { name: error.constructor.name, status: error.status ?? null, message: String(error.message) };
  }
}

const found = {};
found.models = (await client.models.list()).data.map((model) => model.id);
found.whole = (await call("hello from node")).choices[0].message.content;
found.streamed = await streamed(await call("hello streamed", { stream: true }));

const question = { role: "user", content: "weather?" };
const first = await client.chat.completions.create({ model: "scripted", messages: [question], tools });
const asked = first.choices[0].message;
found.arguments = asked.tool_calls[0].function.arguments;
const second = await client.chat.completions.create({ model: "scripted", tools, messages: [question, asked,
  { role: "tool", tool_call_id: asked.tool_calls[0].id, content: "sunny" }] });
found.tool = second.choices[0].message.content;

found.rate = await failure(call("fail with 429"));
found.server = await failure(call("fail with 500"));
found.broken = await failure((async () => streamed(await call("break off", { stream: true })))());
found.invalid = await failure(call("hello", { user: "bad\nname" }).then(() => client.chat.completions.create(
  { model: "scripted", messages: [question], metadata: { weft_user: ["x"] } }, { headers: { "X-Weft-User": null } })));

const leaving = await call("slowly please", { stream: true });
for await (const _ of leaving) break;
leaving.controller.abort();

console.log(JSON.stringify(found));
