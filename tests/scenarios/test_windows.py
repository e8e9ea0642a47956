"""The window of the model that is called: from the catalogue, from its server, from a header, from a refusal."""

import json
import time
import unittest
import uuid

from scenario import Scenario, whole

TOOL = {"type": "function", "function": {"name": "look", "description": "Looks. " * 400,
                                         "parameters": {"type": "object", "properties": {}}}}


def size(messages):
    """Tokens, roughly: plain English words."""
    return len(whole(messages).split()) * 1.3


class LongChats(Scenario):
    toml = '[catalogue."house-*"]\nwindow = 9000\n[catalogue."house-large*"]\nwindow = 60000\n'

    def setUp(self):
        self.user = "u-" + uuid.uuid4().hex[:8]
        self.model.rules.clear()

    def long_history(self, words=24000):
        """A long chat: the first message says what must stay, the last asks."""
        history = []
        turns = 40
        for i in range(turns):
            history.append({"role": "user", "content": "Part %d. " % i + "word " * (words // turns // 2)})
            history.append({"role": "assistant", "content": "Noted part %d. " % i + "fine " * (words // turns // 2)})
        history.append({"role": "user", "content": "And what is part 39 about?"})
        return history

    def sent_size(self, model, **more):
        self.chat(self.long_history(), user=self.user, session="s-" + uuid.uuid4().hex, model=model, **more)
        return size(self.sent())

class Carried(LongChats):
    """What a call carries beside its messages, where nothing is compacted: then a prompt fills its window."""

    settings = ("compaction.enabled=false",)

    def test_IC_10_what_the_body_asks_for_and_carries_counts(self):
        plain = self.sent_size("house-large", headers={"X-Weft-Window": "24000"})
        self.assertLess(self.sent_size("house-large", headers={"X-Weft-Window": "24000"}, max_tokens=10000), plain - 3000)
        tools = [dict(TOOL, function=dict(TOOL["function"], name="look_%d" % i)) for i in range(7)]
        self.assertLess(self.sent_size("house-large", headers={"X-Weft-Window": "24000"}, tools=tools), plain - 2500)
        history = self.long_history()
        image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
        history[-1]["content"] = [{"type": "text", "text": "What is on these?"}] + [image] * 6
        self.chat(history, user=self.user, session="i-" + uuid.uuid4().hex, model="house-large",
                  headers={"X-Weft-Window": "24000"})
        self.assertEqual(self.sent()[-1]["content"][-1], image)
        self.assertLess(size(self.sent()), plain - 3000)


class Windows(LongChats):
    def test_IC_10_the_catalogue_and_what_is_shipped_decide(self):
        small = self.sent_size("house-small")
        self.assertLess(small, 9000)
        large = self.sent_size("house-large-2")
        self.assertGreater(large, 25000)
        for name in ("openai/gpt-4o-2024-08-06", "Claude-Sonnet-4-20250514", "models/gemini-2.5-pro", "deepseek-chat"):
            self.assertGreater(self.sent_size(name), 28000, name)
        self.assertLess(self.sent_size("phi-4:latest"), 16384)
        self.assertLess(self.sent_size("a-name-that-nobody-knows"), 32768)

    def test_IC_10_headers_override_and_bad_ones_are_refused(self):
        self.assertLess(self.sent_size("gpt-4o", headers={"X-Weft-Window": "12000"}), 12000)
        self.assertGreater(self.sent_size("house-small", headers={"X-Weft-Window": "100000"}), 28000)
        less = self.sent_size("house-large", headers={"X-Weft-Window": "30000", "X-Weft-Output": "15000"})
        self.assertLess(less, 15000)
        before = len(self.model.seen)
        for name, value in (("X-Weft-Window", "big"), ("X-Weft-Window", "-5"), ("X-Weft-Output", "1.5"),
                            ("X-Weft-Window", "500")):
            status, error = self.fails("POST", "/v1/chat/completions",
                                       {"model": "gpt-4o", "messages": [{"role": "user", "content": "hi"}]},
                                       user=self.user, headers={name: value})
            self.assertEqual(status, 400, value)
            self.assertIn("token", error["message"])
        self.assertEqual(len(self.model.seen), before)

    def test_IC_10_windows_are_learnt_from_the_upstreams_list(self):
        name = "listed-" + uuid.uuid4().hex[:8]
        self.model.models.append({"id": name, "object": "model", "max_model_len": 9000})
        self.call("GET", "/v1/models", user=self.user)  # as clients do; its answer passes through
        self.assertLess(self.sent_size(name), 9000)

    def test_IC_10_context_of_the_api_knows_the_model_too(self):
        report = self.context("c-" + uuid.uuid4().hex, user=self.user, model="gpt-4o-mini", input="Hello")["report"]
        self.assertEqual(report["window"], 128000)
        report = self.context("c-" + uuid.uuid4().hex, user=self.user, model="house-small", input="Hello")["report"]
        self.assertEqual(report["window"], 9000)

    def refuse_over(self, limit, error):
        refused = []

        def rule(body):
            if size(body["messages"]) > limit:
                refused.append(body)
                return error
        self.model.rules.append(rule)
        return refused

    def test_IC_10_a_refusal_for_length_leads_to_one_more_try(self):
        forms = (
            (400, {"error": {"message": "This model's maximum context length is 8000 tokens. However, your messages "
                                        "resulted in 20000 tokens.", "code": "context_length_exceeded"}}),
            (400, {"type": "error", "error": {"type": "invalid_request_error",
                                              "message": "prompt is too long: 20000 tokens > 8000 maximum"}}),
            (400, {"error": {"code": 400, "type": "exceed_context_size_error", "n_ctx": 8000, "n_prompt_tokens": 20000,
                             "message": "the request exceeds the available context size"}}),
            (400, {"error": {"code": 400, "message": "The input token count (20000) exceeds the maximum number of tokens "
                                                     "allowed (8000)."}}),
        )
        for stream in (False, True):
            for form in forms:
                self.model.rules.clear()
                refused = self.refuse_over(8000, form)
                name = "house-large-" + uuid.uuid4().hex[:6]
                session = "r-" + uuid.uuid4().hex
                status, headers, text = self.raw_chat(name, session, self.long_history(), stream)
                self.assertEqual((status, len(refused)), (200, 1), form)
                self.assertEqual(headers["X-Weft-Retried"], "context-length")
                self.assertNotIn("maximum", text)
                self.assertIn("part 39", whole(self.sent()))
                # Learnt: the next call fits at once.
                self.raw_chat(name, session, self.long_history(), stream)
                self.assertEqual(len(refused), 1)

    def test_IC_10_a_second_refusal_is_passed_on(self):
        answer = (400, {"error": {"message": "maximum context length is 8000 tokens", "code": "context_length_exceeded"}})
        self.model.rules.append(lambda body: answer)
        before = len(self.model.seen)
        status, _, text = self.raw_chat("house-large-x", "t-" + uuid.uuid4().hex, self.long_history(), False)
        self.assertEqual(status, 400)
        self.assertEqual(json.loads(text), answer[1])
        self.assertEqual(len(self.model.seen) - before, 2)

    def raw_chat(self, model, session, messages, stream):
        import urllib.error
        import urllib.request
        data = json.dumps({"model": model, "messages": messages, "stream": stream}).encode()
        request = urllib.request.Request(self.server.url + "/v1/chat/completions", data=data,
                                         headers={"Content-Type": "application/json", "X-Weft-User": self.user,
                                                  "X-Weft-Session": session})
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return answer.status, answer.headers, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.headers, error.read().decode()


class ListedAtTheStart(Scenario):
    @classmethod
    def setUpClass(cls):
        from scripted_openai import ScriptedOpenAI
        from weft_server import WeftServer
        cls.model = ScriptedOpenAI()
        cls.model.models.append({"id": "from-the-start", "meta": {"n_ctx_train": 131072, "n_ctx": 8192}})
        cls.server = WeftServer(upstream=cls.model.url)

    def test_IC_10_the_list_is_read_in_the_background_at_the_start(self):
        for _ in range(100):
            report = self.context("s", model="from-the-start", input="Hello")["report"]
            if report["window"] == 8192:
                break
            time.sleep(0.1)
        self.assertEqual(report["window"], 8192)


if __name__ == "__main__":
    unittest.main()
