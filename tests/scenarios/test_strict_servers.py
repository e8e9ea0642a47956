"""Servers whose templates take one system message only, at the head, and roles in turn."""

import unittest
import uuid

from scenario import Scenario, text_of

SAYINGS = {
    "qwen": "System message must be at the beginning.",
    "mistral": "Conversation roles must alternate user/assistant/user/assistant/...",
    "other": "Only the first message can be system",
}


def strict(body):
    """As such a template refuses; None where it would not."""
    roles = [message["role"] for message in body["messages"]]
    if "system" in roles[1:]:
        return 400, {"error": {"message": SAYINGS[body["model"].split("-")[0]] if body["model"].split("-")[0] in SAYINGS
                               else SAYINGS["qwen"], "code": 400}}
    spoken = [role for role in roles if role in ("user", "assistant")]
    for i, role in enumerate(spoken):
        if role != ("user", "assistant")[i % 2]:
            return 400, {"error": {"message": SAYINGS["mistral"]}}
    return None


class StrictServers(Scenario):
    toml = '[catalogue."several-*"]\nsystem_messages = "several"\n'

    def setUp(self):
        self.user = "u-" + uuid.uuid4().hex[:8]
        self.model.rules.clear()
        self.model.rules.append(strict)

    def a_chat(self, model, turns, session=None, begin=None):
        history = list(begin or [])
        for i in range(turns):
            text = "Fact %d: my box number %d is called %s." % (i, i, uuid.uuid4().hex[:8]) if i % 3 else \
                   "What is my box number %d called? 我的第%d个盒子叫什么？" % (i, i)
            self.talk(history, text, user=self.user, session=session, model=model)
        return history

    def test_AC_13_a_chat_of_thirty_turns_is_never_refused_by_default(self):
        for model in ("qwen-strict", "mistral-strict", "nobody-knows-it"):
            refused = len([1 for _, body in self.model.seen if strict(body)])
            self.a_chat(model, 30, begin=[{"role": "system", "content": "You are terse."}])
            self.assertEqual(len([1 for _, body in self.model.seen if strict(body)]), refused)
            self.assertIn("You are terse.", text_of(self.sent()[0]))

    def test_AC_13_what_a_refusal_teaches_is_kept(self):
        self.a_chat("quiet", 3)  # something to remember
        self.settle()
        model = "several-" + uuid.uuid4().hex[:6]
        refused = lambda: len([1 for _, body in self.model.seen if body["model"] == model and strict(body)])
        history = self.a_chat(model, 12, begin=[{"role": "system", "content": "You are terse."}])
        self.assertEqual(len(history), 25)
        self.assertLessEqual(refused(), 1)
        self.assertIsNone(strict(self.model.seen[-1][1]))

    def test_AC_13_a_clients_own_second_system_message_is_no_matter_of_ours(self):
        messages = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "yes?"},
                    {"role": "system", "content": "speak slowly"}, {"role": "user", "content": "go on"}]
        before = len(self.model.seen)
        try:
            self.chat(messages, user=self.user, model="qwen-strict")
        except Exception as error:  # refused as it would be without us, or mended: both will do
            self.assertEqual(error.code, 400)
        self.assertLessEqual(len(self.model.seen) - before, 2)


if __name__ == "__main__":
    unittest.main()
