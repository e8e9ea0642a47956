"""A run of an agent: one request and many steps. By all ways in (stored, sent along, proxy) and for several windows, the
request, the rules, the task and the last steps are in every prompt."""

import random
import unittest

from scenario import Scenario, whole

RULES = "# Rules\n\n- Never push to the branch release-7.\n- 回答必须用中文。\n"
WINDOWS = [8192, 32768, 131072]


def step(i, chance, words=120):
    """A call and its output, each with a name that stands nowhere else."""
    output = " ".join("w%x" % chance.getrandbits(24) for _ in range(words))
    call = {"id": "call_%d" % i, "type": "function",
            "function": {"name": "read_file", "arguments": '{"path": "src/part_%04d.py"}' % i}}
    return [{"role": "assistant", "content": "Now part %d." % i, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "call_%d" % i, "content": "line of part_%04d: %s" % (i, output)}]


class AgentHistory(Scenario):
    files = {"AGENTS.md": RULES}

    def assert_prompt(self, messages, request, last, task=None, steps=4):
        text = whole(messages)
        self.assertEqual(text.count(request), 1, "the request, once")
        self.assertIn("Never push to the branch release-7.", text)
        self.assertIn("回答必须用中文", text)
        if task:
            self.assertIn(task, text)
        for i in range(max(0, last - steps + 1), last + 1):
            self.assertIn("src/part_%04d.py" % i, text)
            self.assertIn("line of part_%04d" % i, text)
        roles = [message["role"] for message in messages]
        self.assertEqual(roles.count("system"), 1)
        self.assertEqual(roles[0], "system")
        self.assertEqual(messages[-1]["role"], "tool")
        open_calls = set()
        for message in messages:
            open_calls |= {call["id"] for call in message.get("tool_calls") or []}
            if message["role"] == "tool":
                self.assertIn(message["tool_call_id"], open_calls)

    def test_AC_14_a_stored_run_of_forty_steps_is_in_the_prompt_whole(self):
        chance = random.Random(1)
        request = "Mend the parser of dates, ticket 55e1."
        messages = [{"role": "user", "content": request}] + [m for i in range(40) for m in step(i, chance, 20)]
        self.observe("run40", messages)
        woven = self.context("run40", system="You mend programs.")["messages"]
        self.assert_prompt(woven, request, 39)
        for i in range(40):
            self.assertIn("src/part_%04d.py" % i, whole(woven))

    def test_AC_14_a_stored_run_keeps_its_request_at_every_length(self):
        for count in [5, 50, 500]:
            chance = random.Random(count)
            request = "Find what makes the tests slow, ticket %d." % count
            name = "length-%d" % count
            self.observe(name, [{"role": "user", "content": request}])
            steps = [m for i in range(count) for m in step(i, chance)]
            for at in range(0, len(steps), 200):
                self.observe(name, steps[at:at + 200])
            for window in WINDOWS:
                woven = self.context(name, system="You mend programs.", window=window,
                                     task={"description": "Make the tests fast", "warnings": ["keep python 3.8"]})
                self.assert_prompt(woven["messages"], request, count - 1, "Make the tests fast")
                self.assertLessEqual(woven["report"]["tokens"], woven["report"]["usable"])

    def test_AC_13_a_run_of_300_steps_that_is_sent_along_keeps_all_that_must_stay(self):
        for window in WINDOWS:
            chance = random.Random(window)
            request = "把日期解析器修好，工单编号 %d。" % window
            messages = [{"role": "user", "content": request}]
            for i in range(300):
                messages += step(i, chance)
                if i % 37 and i != 299:
                    continue
                woven = self.context("sent-%d" % window, messages=messages, window=window,
                                     task={"description": "修好日期解析器"})
                self.assert_prompt(woven["messages"], request, i, "修好日期解析器")
        kept = self.call("GET", "/v1/sessions/sent-8192/messages?limit=1000")["messages"]
        self.assertEqual(len(kept), 601, "what was sent along is remembered")

    def test_AC_13_a_run_of_300_steps_through_the_proxy_keeps_all_that_must_stay(self):
        chance = random.Random(9)
        request = "Mend the parser through the proxy, ticket 9."
        messages = [{"role": "system", "content": "You mend programs."}, {"role": "user", "content": request}]
        for i in range(300):
            messages += step(i, chance)
            if i % 37 and i != 299:
                continue
            self.chat(messages, session="proxied")
            self.assert_prompt(self.sent(), request, i)

    def test_AC_14_an_interrupted_run_goes_on_from_its_last_steps(self):
        chance = random.Random(4)
        self.observe("again", [{"role": "user", "content": "Sort the archive of box 81."}] +
                     [m for i in range(80) for m in step(i, chance)])
        self.observe("again", [{"role": "assistant", "content": "I stopped at part 79."},
                               {"role": "user", "content": "Go on with box 82."}] +
                     [m for i in range(80, 83) for m in step(i, chance)])
        for window in WINDOWS:
            woven = self.context("again", window=window)["messages"]
            self.assert_prompt(woven, "Go on with box 82.", 82, steps=3)
            self.assertEqual(whole(woven).count("Go on with box 82."), 1)

    def test_AC_14_the_input_that_is_stored_already_stands_once_and_before_its_steps(self):
        chance = random.Random(8)
        self.observe("once", [{"role": "user", "content": "Look into ticket 12."}] + step(0, chance) + step(1, chance))
        woven = self.context("once", input="Look into ticket 12.")["messages"]
        self.assertEqual(whole(woven).count("Look into ticket 12."), 1)
        self.assertEqual([m["role"] for m in woven[-5:]], ["user", "assistant", "tool", "assistant", "tool"])
        woven = self.context("once", input="And ticket 13?")["messages"]
        self.assertTrue(woven[-1]["content"].endswith("And ticket 13?"))


class Rules(Scenario):
    """AGENTS.md of some 8,000 tokens: its share is a warning, not a knife."""

    lines = ["- Rule %d: the module m%d may not import the module n%d." % (i, i, i) for i in range(450)]
    files = {"AGENTS.md": "# Rules\n\n" + "\n".join(lines) + "\n"}

    def test_AC_13_rules_over_their_share_are_in_every_prompt(self):
        self.observe("s", [{"role": "user", "content": "What may m7 import?"}])
        woven = self.context("s")
        for text in (whole(woven["messages"]), self.proxied()):
            for line in self.lines:
                self.assertIn(line, text)
        rules = [i for s in woven["report"]["sections"] for i in s["items"] if i["source"] == "rules"]
        self.assertIn("over its share", rules[0]["why"])

    def proxied(self):
        self.chat([{"role": "user", "content": "What may m8 import?"}])
        return whole(self.sent())

    def test_AC_13_rules_that_cannot_fit_are_an_error_and_not_left_out(self):
        self.observe("t", [{"role": "user", "content": "What may m9 import?"}])
        status, error = self.fails("POST", "/v1/sessions/t/context", {"window": 8192})
        self.assertEqual((status, error["code"]), (413, "too_large"))
        self.assertIn("AGENTS.md", error["hint"])
        before = len(self.model.seen)
        status, error = self.fails("POST", "/v1/chat/completions", {"model": "scripted", "messages": [
            {"role": "user", "content": "What may m9 import?"}]}, headers={"X-Weft-Window": "8192"})
        self.assertEqual(status, 400)
        self.assertEqual(len(self.model.seen), before, "nothing went out without the rules")


if __name__ == "__main__":
    unittest.main()
