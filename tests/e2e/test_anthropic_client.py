"""Anthropic's official client for Python against a real `weft serve`: before a server of Anthropic's form, whose calls
go through as they are, and before one of OpenAI's, for which they are translated (PF-10, IC-10)."""

import json
import unittest
import urllib.request

from behind_model import BehindModel
from scripted_anthropic import ScriptedAnthropic
from scripted_openai import ScriptedOpenAI
from weft_server import WeftServer, skip

try:
    import anthropic
except ImportError:
    skip("the anthropic package is not installed (make setup-tests)")

TOOLS = [{"name": "get_weather", "description": "the weather of a city",
          "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}}}]
PICTURE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}


class Both(BehindModel):
    """What holds whatever form the model's server has."""

    def client(self, user, session=None):
        headers = {"X-Weft-User": user, **({"X-Weft-Session": session} if session else {})}
        return anthropic.Anthropic(base_url=self.server.url, api_key="client-key", max_retries=0,
                                   default_headers=headers)

    def ask(self, client, *messages, **more):
        messages = [{"role": "user", "content": m} if isinstance(m, str) else m for m in messages]
        return client.messages.create(model="scripted", max_tokens=500, messages=messages, **more)

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.server.url + path, data=data, method=method,
                                         headers={"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

    def test_whole_answers(self):
        answer = self.ask(self.client("whole"), "hello", system="Be brief.", extra_body={"temperature": 0.5})
        self.assertEqual((answer.role, answer.stop_reason), ("assistant", "end_turn"))
        self.assertEqual(answer.content[0].text, "You said: hello")

    def test_streamed_answers(self):
        client = self.client("streamed")
        with client.messages.stream(model="scripted", max_tokens=500,
                                    messages=[{"role": "user", "content": "你好，世界"}]) as stream:
            self.assertEqual("".join(stream.text_stream), "You said: 你好，世界")
            self.assertEqual(stream.get_final_message().stop_reason, "end_turn")

    def test_tools_go_round(self):
        for streamed in (False, True):
            client = self.client("tools", "tools-%s" % streamed)
            question = {"role": "user", "content": "What is the weather?"}
            if streamed:
                with client.messages.stream(model="scripted", max_tokens=500, tools=TOOLS,
                                            messages=[question]) as stream:
                    answer = stream.get_final_message()
            else:
                answer = self.ask(client, question, tools=TOOLS)
            self.assertEqual(answer.stop_reason, "tool_use")
            use = [block for block in answer.content if block.type == "tool_use"][0]
            self.assertEqual((use.name, use.input), ("get_weather", {"city": "杭州"}))
            asked = {"role": "assistant", "content": [{"type": "tool_use", "id": use.id, "name": use.name,
                                                       "input": use.input}]}
            result = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": use.id, "content": "晴，24°C"}]}
            answer = self.ask(client, question, asked, result, tools=TOOLS)
            self.assertTrue(answer.content[0].text.startswith("The tool says: 晴，24°C"), answer.content[0].text)

    def test_what_one_conversation_said_another_hears(self):
        client = self.client("ann", "first")
        self.ask(client, "My sister Mei is allergic to walnuts, remember that.")
        self.ask(client, "/save")
        before = self.seen_text()
        self.ask(self.client("ann", "second"), "What is Mei allergic to?", system="Be brief.")
        sent = self.seen_text()
        self.assertNotEqual(sent, before)
        self.assertIn("walnuts", sent)
        self.assertIn("What is Mei allergic to?", sent)
        self.ask(self.client("bob", "third"), "What is Mei allergic to?")
        self.assertNotIn("walnuts", self.seen_text())

    def test_errors_have_their_form(self):
        client = self.client("errors")
        with self.assertRaises(anthropic.BadRequestError) as caught:
            client.messages.create(model="scripted", max_tokens=5, messages=[{"role": "user", "content": 7}])
        self.assertEqual(caught.exception.body["type"], "error")

    def test_tokens_are_counted(self):
        count = self.client("count").messages.count_tokens(
            model="scripted", messages=[{"role": "user", "content": "How long is this?"}])
        self.assertGreater(count.input_tokens, 3)

    def seen_text(self):
        return json.dumps(self.model.seen[-1][1], ensure_ascii=False)


class AnthropicServer(Both, unittest.TestCase):
    Model = ScriptedAnthropic

    @classmethod
    def serve(cls):
        return WeftServer(settings=("proxy.anthropic_upstream=" + cls.model.url,))

    def test_a_call_goes_through_as_it_came(self):
        system = [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}]
        said = [{"role": "user", "content": [PICTURE, {"type": "text", "text": "What is this?"}]},
                {"role": "assistant", "content": "A picture."},
                {"role": "user", "content": "Thanks."}]
        self.ask(self.client("plain"), *said, system=system, metadata={"user_id": "opaque"}, extra_body={"top_k": 3})
        headers, body = self.model.seen[-1]
        self.assertEqual((body["messages"], body["system"]), (said, system))
        self.assertEqual((body["top_k"], body["metadata"]), (3, {"user_id": "opaque"}))
        headers = {name.lower(): value for name, value in headers.items()}
        self.assertIn("client-key", (headers.get("x-api-key"), headers.get("authorization", "")[len("Bearer "):]))
        self.assertIn("anthropic-version", headers)
        self.assertNotIn("x-weft-user", headers)

    def test_errors_of_the_server_come_through(self):
        with self.assertRaises(anthropic.NotFoundError) as caught:
            self.client("missing").messages.create(model="missing", max_tokens=5,
                                                   messages=[{"role": "user", "content": "hi"}])
        self.assertIn("no such model", str(caught.exception))

    def test_a_dead_server_is_told(self):
        server = WeftServer(settings=("proxy.anthropic_upstream=http://127.0.0.1:9/v1",))
        self.addCleanup(server.__exit__)
        client = anthropic.Anthropic(base_url=server.url, api_key="k", max_retries=0)
        with self.assertRaises(anthropic.APIStatusError) as caught:
            self.ask(client, "hi")
        self.assertEqual((caught.exception.status_code, caught.exception.body["type"]), (502, "error"))


class OpenAiServer(Both, unittest.TestCase):
    Model = ScriptedOpenAI

    def test_a_call_is_translated(self):
        self.ask(self.client("translated"), {"role": "user", "content": [PICTURE, {"type": "text", "text": "And this?"}]},
                 system="Be brief.", stop_sequences=["END"], tools=TOOLS, tool_choice={"type": "any"}, extra_body={"top_p": 0.9})
        headers, body = self.model.seen[-1]
        self.assertEqual(body["messages"][0], {"role": "system", "content": "Be brief."})
        parts = body["messages"][-1]["content"]
        self.assertEqual(parts[0], {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}})
        self.assertEqual((body["stop"], body["top_p"], body["max_tokens"]), (["END"], 0.9, 500))
        self.assertEqual(body["tools"][0]["function"]["parameters"], TOOLS[0]["input_schema"])
        self.assertEqual(body["tool_choice"], "required")
        headers = {name.lower(): value for name, value in headers.items()}
        self.assertEqual(headers["authorization"], "Bearer client-key")
        self.assertNotIn("anthropic-version", headers)


if __name__ == "__main__":
    unittest.main()
