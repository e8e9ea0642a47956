"""Chat clients as they are (PF-26, IC-10): calls that they make for themselves, answers with thoughts in the text, and calls
in other forms than the model's server takes. Nobody's words get lost, and nothing that nobody said is remembered."""

import base64
import json
import os
import unittest
import urllib.request
import uuid

from scenario import Scenario, whole

TITLE = "### Task:\nWrite a title of 3-5 words for the chat history.\n### Chat History:\n<chat_history>\n%s\n</chat_history>"


class ClientsAsTheyAre(Scenario):
    settings = ("embedding.provider=none", "proxy.ask_models=false")

    def setUp(self):
        self.user = "u" + uuid.uuid4().hex
        self.model.rules.clear()

    def post(self, path, body):
        request = urllib.request.Request(self.server.url + path, data=json.dumps(body).encode(), method="POST",
                                         headers={"Content-Type": "application/json", "X-Weft-User": self.user})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer), answer.headers

    def kept(self, words):
        return json.dumps(self.call("POST", "/v1/search", {"query": words}, user=self.user), ensure_ascii=False)

    def sessions(self):
        return self.call("GET", "/v1/sessions", user=self.user)["sessions"]

    def said(self, role=None):
        """All that the sessions hold, or what one role said."""
        messages = [one for session in self.sessions()
                    for one in self.call("GET", "/v1/sessions/%s/messages" % session["session"], user=self.user)["messages"]]
        return json.dumps([one for one in messages if role in (None, one["role"])], ensure_ascii=False)

    def metrics(self):
        with urllib.request.urlopen(self.server.url + "/metrics", timeout=60) as answer:
            return answer.read().decode()

    def test_PF_26_tasks_of_a_client_are_passed_on_and_not_remembered(self):
        fact = "The oars are kept in shed %s." % uuid.uuid4().hex[:8]
        self.chat([{"role": "user", "content": fact}], user=self.user)
        task = TITLE % ("USER: %s\nASSISTANT: I see." % fact)
        self.chat([{"role": "user", "content": task}], user=self.user)
        self.assertEqual(whole(self.sent()), task)
        self.post("/v1/messages", {"model": "scripted", "max_tokens": 1, "messages": [{"role": "user", "content": "quota"}]})
        self.post("/v1/responses", {"model": "scripted", "input": task})
        self.settle()
        self.assertEqual(len(self.sessions()), 1)
        self.assertNotIn("Chat History", self.kept("chat history title oars"))
        self.chat([{"role": "user", "content": "Where are the oars kept?"}], user=self.user)
        sent = whole(self.sent())
        self.assertIn(fact, sent)
        self.assertNotIn("chat_history", sent)
        self.assertIn('weft_proxy_helper_calls_total{kind="title"} 2', self.metrics())
        self.assertIn('weft_proxy_helper_calls_total{kind="probe"} 1', self.metrics())

    def test_PF_26_a_chat_that_a_person_pastes_is_theirs(self):
        secret = uuid.uuid4().hex[:8]
        self.chat([{"role": "user", "content": "Can you give me a title for this chat with my landlord?\n\nUser: Where is "
                                               "the meter?\nAssistant: In cellar %s." % secret}], user=self.user)
        self.settle()
        self.assertEqual(len(self.sessions()), 1)
        self.assertIn(secret, self.kept("meter cellar landlord"))

    def test_PF_26_what_a_program_puts_into_user_messages_is_not_remembered(self):
        """Codex (chat completions and Responses), Claude Code (Anthropic's form): all of it reaches the model."""
        agents = "# AGENTS.md instructions for /p\n\n<INSTRUCTIONS>\nAlways feed the heron.\n</INSTRUCTIONS>"
        place = "<environment_context>\n<cwd>/heron</cwd>\n</environment_context>"
        reminder = "<system-reminder>\nThe heron is hungry.\n</system-reminder>"
        local = ("<command-name>/model</command-name>\n<command-message>model</command-message>\n<command-args>heron</command-args>",
                 "<local-command-stdout>Set model to heron</local-command-stdout>")
        self.model.rules[:] = [lambda body: (200, {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [
            {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "noted"}}]})]
        for path, parts in (("/v1/chat/completions", (agents, place)), ("/v1/responses", (agents, place)),
                            ("/v1/messages", (reminder, *local))):
            self.user = "u" + uuid.uuid4().hex
            fact = "The oars are kept in shed %s." % uuid.uuid4().hex[:8]
            history = [{"role": "user", "content": text} for text in (*parts, fact)]
            if path == "/v1/messages":
                history = [{"role": "user", "content": [{"type": "text", "text": text} for text in (*parts, fact + " " + reminder)]}]
            for turn in range(2):
                body = {"model": "scripted", "max_tokens": 100, "input" if "responses" in path else "messages": history}
                self.post(path, body)
                sent = whole(self.sent())
                for text in (*parts, fact):
                    self.assertIn(text.splitlines()[-1], sent, path)
                history += [{"role": "assistant", "content": "noted"}, {"role": "user", "content": parts[-1]},
                            {"role": "user", "content": "thank you"}]
            self.settle()
            self.assertEqual(len(self.sessions()), 1, path)
            self.assertNotIn("heron", self.said(), path)
            self.assertIn(fact, self.said(), path)
            self.assertNotIn("heron", self.kept("heron oars model"))
            self.chat([{"role": "user", "content": "Where are the oars kept?"}], user=self.user)
            self.assertIn(fact, whole(self.sent()))
            self.assertNotIn("heron", whole(self.sent()))

    def test_PF_26_a_message_that_is_nothing_but_a_programs_text_is_said_by_nobody(self):
        self.chat([{"role": "user", "content": "<system-reminder>\nThe heron is hungry.\n</system-reminder>"}], user=self.user)
        self.settle()
        self.assertNotIn("heron", self.said("user"))  # the model's answer repeats it
        own = "<div>The heron is mine.</div>"
        self.chat([{"role": "user", "content": own}], user=self.user)
        self.settle()
        self.assertIn("heron", self.said("user"))

    def test_PF_22_names_that_look_like_ours_are_refused(self):
        body = {"model": "scripted", "messages": [{"role": "user", "content": "hello"}]}
        for path, more in (("/v1/chat/completions", {"X-Weft-UserId": "bob"}), ("/v1/chat/completions", {"X_Weft_User": "bob"}),
                           ("/v1/messages", {"X-Weft-UserId": "bob"}), ("/v1/sessions/s/messages", {"X-Weft-Usr": "bob"})):
            status, error = self.fails("POST", path, {**body, "max_tokens": 9}, user=self.user, headers=more)
            self.assertEqual(status, 400, path)
            self.assertIn("X-Weft-User", json.dumps(error))
        self.assertEqual(self.fails("POST", "/v1/chat/completions", {**body, "User": "bob"}, user=self.user)[0], 400)
        self.assertEqual(self.fails("POST", "/v1/chat/completions?user=bob", body, user=self.user)[0], 400)
        self.call("POST", "/v1/chat/completions?api-version=1", body, user=self.user, headers={"X-User-Id": "bob"})

    def test_PF_26_an_answer_that_is_none_reaches_the_client_and_nobody_else(self):
        for answer in ({"error": {"message": "no heron today"}}, {"choices": []}):
            self.model.rules[:] = [lambda body: (200, answer)]
            told = self.call("POST", "/v1/chat/completions", {"model": "scripted", "messages": [{"role": "user", "content": "hello oars"}]},
                             user=self.user)
            self.assertEqual(told, answer)
            for path in ("/v1/messages", "/v1/responses"):
                status, _ = self.fails("POST", path, {"model": "scripted", "max_tokens": 9, "input": "hello oars",
                                                      "messages": [{"role": "user", "content": "hello oars"}]}, user=self.user)
                self.assertEqual(status, 502, path)
        self.settle()
        self.assertNotIn("heron", self.kept("heron oars"))

    def test_PF_26_thoughts_in_an_answer_are_not_remembered(self):
        for thought, answer in (("<think>The guest may keep falcons.</think> ", "Good morning"),
                                ("<thinking>\nThe guest may keep falcons.\n</thinking>\n", "Good evening"),
                                ("The guest may keep falcons.\n</think>\n\n", "Good night"), ("<think>falcons", "")):
            self.user = "u" + uuid.uuid4().hex
            said = thought + answer
            self.model.rules[:] = [lambda body: (200, {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [
                {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": said}}]})]
            history = [{"role": "user", "content": "hello there, my name is Quill"}]
            self.assertEqual(self.chat(history, user=self.user)["content"], said)
            self.settle()
            self.assertNotIn("falcons", self.kept("falcons guest"))
            # Sent again with the thought or without, it is the same conversation.
            for again in (said, answer):
                self.chat(history + [{"role": "assistant", "content": again}, {"role": "user", "content": "and now?"}],
                          user=self.user)
            self.settle()
            self.assertNotIn("falcons", self.kept("falcons guest"))
            if answer:
                self.assertEqual(len(self.sessions()), 1, self.sessions())
            self.chat([{"role": "user", "content": "Does the guest keep falcons?"}], user=self.user)
            self.assertNotIn("may keep", whole(self.sent()))

    def test_PF_26_thoughts_that_are_observed_are_not_remembered(self):
        self.observe("s", [{"role": "user", "content": "hello there"},
                           {"role": "assistant", "content": "<think>The guest may keep falcons.</think>Welcome to the inn."}],
                     user=self.user)
        self.settle()
        self.assertNotIn("falcons", self.kept("falcons guest"))
        self.assertIn("Welcome to the inn.", self.kept("welcome inn"))

    def test_IC_10_pictures_count_as_pictures_wherever_they_stand(self):
        picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png",
                                               "data": base64.b64encode(os.urandom(300_000)).decode()}}
        result = {"type": "tool_result", "tool_use_id": "t", "content": [picture]}
        turns = [{"role": "user", "content": "look"},
                 {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "Read", "input": {}}]}]
        for messages in ([{"role": "user", "content": [picture]}], turns + [{"role": "user", "content": [result]}]):
            count, _ = self.post("/v1/messages/count_tokens", {"model": "scripted", "messages": messages})
            self.assertAlmostEqual(count["input_tokens"], 1200, delta=300)

    def test_IC_10_a_strict_template_is_met_by_one_more_try(self):
        self.model.rules.append(lambda body: (400, {"error": {"message": "System message must be at the beginning."}})
                                if any(one["role"] == "system" for one in body["messages"][1:]) else None)
        messages = [{"role": "system", "content": "SYS"}, {"role": "user", "content": "a"}, {"role": "assistant", "content": "b"},
                    {"role": "system", "content": "NOTE"}, {"role": "user", "content": "c"}]
        model = "strict-" + uuid.uuid4().hex[:6]
        before = len(self.model.seen)
        _, headers = self.post("/v1/chat/completions", {"model": model, "messages": messages})
        self.assertEqual(headers["X-Weft-Retried"], "system-messages")
        self.assertEqual(len(self.model.seen) - before, 2)
        self.assertEqual([one["role"] for one in self.sent()], ["system", "user", "assistant", "user"])
        self.assertIn("NOTE", self.sent()[0]["content"])


if __name__ == "__main__":
    unittest.main()
