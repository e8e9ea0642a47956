"""OpenAI's official clients for Python and Node.js against a real `weft serve` with a scripted model server behind it."""

import json
import os
import shutil
import subprocess
import unittest
import urllib.request

from scripted_openai import ScriptedOpenAI
from weft_server import WeftServer, settle, skip

try:
    import openai
except ImportError:
    skip("the openai package is not installed (make setup-tests)")

TOOLS = [{"type": "function", "function": {"name": "get_weather", "parameters": {
    "type": "object", "properties": {"city": {"type": "string"}}}}}]


class Clients(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.upstream = ScriptedOpenAI()
        cls.server = WeftServer(cls.upstream.url)
        cls.base_url = cls.server.url + "/v1"

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()
        cls.upstream.close()
        assert cls.server.exit_code == 0, cls.server.exit_code

    def client(self, user, **headers):
        headers = {"X-Weft-" + name.capitalize(): value for name, value in headers.items()}
        return openai.OpenAI(base_url=self.base_url, api_key="client-key", max_retries=0,
                             default_headers={"X-Weft-User": user, **headers})

    def chat(self, client, *messages, **more):
        messages = [{"role": "user", "content": m} if isinstance(m, str) else m for m in messages]
        return client.chat.completions.create(model="scripted", messages=messages, **more)

    def sent(self):
        return self.upstream.seen[-1]

    def settle(self):
        def health():
            with urllib.request.urlopen(self.server.url + "/healthz", timeout=30) as answer:
                return json.load(answer)
        settle(health)

    def test_whole_answers(self):
        answer = self.chat(self.client("whole"), "hello", temperature=0.7, seed=5)
        self.assertEqual(answer.choices[0].message.content, "You said: hello")
        headers, body = self.sent()
        self.assertEqual((body["temperature"], body["seed"]), (0.7, 5))
        self.assertEqual(headers["authorization" if "authorization" in headers else "Authorization"], "Bearer client-key")

    def test_streamed_answers(self):
        stream = self.chat(self.client("streamed"), "你好，世界", stream=True)
        text = "".join(chunk.choices[0].delta.content or "" for chunk in stream)
        self.assertEqual(text, "You said: 你好，世界")

    def test_tool_calls_go_round(self):
        for stream in (False, True):
            client = self.client("tools", session="tools-%s" % stream)
            question = {"role": "user", "content": "What is the weather?"}
            if stream:
                with client.chat.completions.stream(model="scripted", messages=[question], tools=TOOLS) as events:
                    message = events.get_final_completion().choices[0].message
            else:
                message = self.chat(client, question, tools=TOOLS).choices[0].message
            call = message.tool_calls[0]
            self.assertEqual(json.loads(call.function.arguments), {"city": "杭州"})
            asked = {"role": "assistant", "content": None, "tool_calls": [
                {"id": call.id, "type": "function",
                 "function": {"name": call.function.name, "arguments": call.function.arguments}}]}
            output = {"role": "tool", "tool_call_id": call.id, "content": "晴，24°C"}
            answer = self.chat(client, question, asked, output, tools=TOOLS)
            self.assertEqual(answer.choices[0].message.content, "The tool says: 晴，24°C")
            got = self.sent()[1]["messages"][-3:]
            self.assertEqual(got[1:], [asked, output])
            # What is remembered stands in the user's message, before what was said.
            self.assertTrue(got[0]["content"].endswith(question["content"]), got[0])

    def test_memory_of_the_first_conversation_reaches_the_second(self):
        for user, fact, question, mark in (
                ("ann", "My violin teacher is called Marguerite.", "Who is my violin teacher?", "Marguerite"),
                ("小明", "我的小提琴老师叫林秋月。", "我的小提琴老师是谁？", "林秋月")):
            user = urllib.request.quote(user)
            client = self.client(user, session="first")
            first = self.chat(client, fact).choices[0].message.content
            self.chat(client, fact, {"role": "assistant", "content": first}, "/save")
            self.settle()
            parts = [{"type": "text", "text": question}, {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}]
            self.chat(self.client(user, session="second"), {"role": "user", "content": parts})
            messages = self.sent()[1]["messages"]
            # The user's profile stands at the head.
            self.assertEqual([message["role"] for message in messages], ["system", "user"])
            *before, text, image = messages[-1]["content"]
            self.assertIn(mark, json.dumps([messages[0], before, text], ensure_ascii=False))
            self.assertTrue(text["text"].endswith(question), text)
            self.assertEqual(image, parts[1])
            self.chat(self.client("stranger", session="second"), question)
            self.assertNotIn(mark, json.dumps(self.sent()[1], ensure_ascii=False))

    def test_save_is_answered_without_the_model(self):
        client = self.client("saver", session="s")
        first = self.chat(client, "remember the milk").choices[0].message.content
        calls = len(self.upstream.seen)
        messages = ("remember the milk", {"role": "assistant", "content": first}, "/save")
        self.assertIn("Saved", self.chat(client, *messages).choices[0].message.content)
        stream = self.chat(client, *messages, stream=True)
        self.assertTrue("".join(chunk.choices[0].delta.content or "" for chunk in stream))
        self.assertEqual(len(self.upstream.seen), calls)

    def test_errors_keep_their_kind(self):
        client = self.client("errors")
        for status, kind in ((400, openai.BadRequestError), (401, openai.AuthenticationError),
                             (429, openai.RateLimitError), (500, openai.InternalServerError)):
            with self.assertRaises(kind) as caught:
                self.chat(client, "fail with %d" % status)
            self.assertEqual(caught.exception.code, "scripted_%d" % status)
            self.assertEqual(caught.exception.response.headers["retry-after"], "0")
        with self.assertRaises(openai.BadRequestError):
            self.chat(self.client("%00"), "hello")

    def test_a_stream_that_breaks_off_is_an_error(self):
        with self.assertRaises(openai.APIError) as caught:
            for _ in self.chat(self.client("broken"), "break off", stream=True):
                pass
        self.assertIn("closed the stream", str(caught.exception))

    def test_leaving_cancels_the_model(self):
        self.upstream.left.clear()
        stream = self.chat(self.client("leaver"), "slowly please", stream=True)
        next(iter(stream))
        stream.close()
        self.assertTrue(self.upstream.left.wait(10))

    def test_models(self):
        self.assertEqual([model.id for model in self.client("models").models.list()], ["scripted"])

    def test_node(self):
        modules = os.environ.get("WEFT_NODE_MODULES", os.path.expanduser("~/.cache/weft/node/node_modules"))
        if not shutil.which("node") or not os.path.isdir(os.path.join(modules, "openai")):
            self.skipTest("the openai package for Node.js is not installed (make setup-tests)")
        self.upstream.left.clear()
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "openai_node.mjs")
        run = subprocess.run(["node", script, self.base_url], capture_output=True, text=True, timeout=120,
                             env={**os.environ, "WEFT_NODE_MODULES": modules})
        self.assertEqual(run.returncode, 0, run.stderr)
        found = json.loads(run.stdout)
        self.assertEqual(found["models"], ["scripted"])
        self.assertEqual(found["whole"], "You said: hello from node")
        self.assertEqual(found["streamed"], "You said: hello streamed")
        self.assertEqual(json.loads(found["arguments"]), {"city": "杭州"})
        self.assertEqual(found["tool"], "The tool says: sunny")
        self.assertEqual((found["rate"]["name"], found["rate"]["status"]), ("RateLimitError", 429))
        self.assertEqual((found["server"]["name"], found["server"]["status"]), ("InternalServerError", 500))
        self.assertIn("closed the stream", found["broken"]["message"])
        self.assertEqual(found["invalid"]["status"], 400)
        self.assertTrue(self.upstream.left.wait(10))


if __name__ == "__main__":
    unittest.main()
