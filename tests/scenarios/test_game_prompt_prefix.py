"""A planned prompt goes on from the one before: the state is told once, later turns say what has changed since."""

import random
import unittest
import uuid

from scenario import Scenario, text_of, whole


def flat(messages):
    return "\x00".join(message["role"] + "\x01" + text_of(message) for message in messages)


class PromptPrefix(Scenario):
    settings = ("embedding.provider=none",)

    def setUp(self):
        self.user = "prefix-" + uuid.uuid4().hex[:8]
        self.history = []

    def put(self, state):
        self.call("PUT", "/v1/state/default", {"state": state}, user=self.user)

    def apply(self, *operations):
        self.call("POST", "/v1/state/default", {"operations": list(operations)}, user=self.user)

    def say(self, text, answer="You go on.", **body):
        self.history.append({"role": "user", "content": text})
        woven = self.call("POST", "/v1/sessions/s/context",
                          {"planned": True, "system": "You tell the story.", "messages": self.history, **body}, user=self.user)
        self.history.append({"role": "assistant", "content": answer})
        return woven

    def kept(self, woven):
        return woven["report"]["prefix_equal_bytes"] / max(1, woven["report"]["last_prompt_bytes"])

    def town(self):
        return {"turn": 0, "player": {"name": "Kai", "hp": {"value": 40, "max": 50}},
                "people": [{"name": name, "mood": "calm", "job": "weaver"} for name in ("Oda", "Bo", "Lin", "Mara", "Tove")]}

    def test_AC_10_the_state_stands_once_and_its_changes_are_told(self):
        for talk in (["I look at the harbour.", "I walk on to the mill.", "I sit down and rest.", "I look for the ferry.",
                      "I wait for the evening.", "I light the lamp."],
                     ["我看看港口。", "我往磨坊走。", "我坐下来休息。", "我去找渡船。", "我等到傍晚。", "我点上灯。"]):
            self.setUp()
            self.put(self.town())
            for i, said in enumerate(talk):
                value = random.Random(i).randrange(100, 999)
                if i:
                    self.apply(["ADD", "turn", 1], ["SET", "player.coins", value])
                woven = self.say(said)
                sent, last = whole(woven["messages"]), text_of(woven["messages"][-1])
                self.assertEqual(sent.count("name: Mara") + sent.count('name: "Mara"'), 1, sent)
                self.assertTrue(last.endswith(said), last)
                if i:
                    self.assertIn("coins: %d" % value, last)
                    self.assertNotIn("Mara", last)
                if i > 1:
                    self.assertGreater(self.kept(woven), 0.75, said)

    def test_AC_10_what_is_told_last_is_what_holds(self):
        self.put(self.town())
        self.say("I look at the harbour.")
        for value in (33, 21, 9):
            self.apply(["SET", "player.hp", value])
            last = text_of(self.say("I fight on with number %d." % value)["messages"][-1])
            self.assertRegex(last, r"hp: %d\b|value: %d\b" % (value, value))
            for old in {40, 33, 21, 9} - {value}:
                self.assertNotRegex(last, r"hp: %d\b|value: %d\b" % (old, old))

    def test_AC_10_another_world_is_told_in_full_and_the_old_one_is_gone(self):
        self.put(self.town())
        self.say("I look at the harbour.")
        self.put({"ship": {"captain": "Ibsen", "cargo": ["salt", "herring", "timber"]}, "weather": "storm",
                  "crew": [{"name": n} for n in ("Per", "Kari", "Jo", "Liv", "Nils")]})
        sent = whole(self.say("I wake up at sea.")["messages"])
        self.assertIn("Ibsen", sent)
        self.assertNotIn("Mara", sent)

    def test_AC_10_a_restart_tells_it_anew(self):
        self.put(self.town())
        self.say("I look at the harbour.")
        self.apply(["SET", "player.hp", 12])
        self.server.restart()
        woven = self.say("I walk on.")
        self.assertIn("Mara", text_of(woven["messages"][-1]))
        self.assertRegex(text_of(woven["messages"][-1]), r"hp: 12\b|value: 12\b")
        self.assertEqual(whole(woven["messages"]).count("Mara"), 1)

    def test_AC_10_where_its_turn_is_no_longer_sent_the_state_is_told_in_full(self):
        self.put(self.town())
        for i in range(14):
            answer = "It is a long road past mill number %d. " % i + "The hedges are high and the wind is cold. " * 60
            woven = self.say("I walk on, step %d." % i, answer, window=8192)
            sent = whole(woven["messages"])
            self.assertEqual(sent.count("Mara"), 1, "step %d" % i)
            self.assertLessEqual(woven["report"]["tokens"], woven["report"]["usable"])


if __name__ == "__main__":
    unittest.main()
