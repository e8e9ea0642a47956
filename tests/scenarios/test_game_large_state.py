"""A state, a profile and lore that are larger than their share are shortened to what matters, never left out."""

import json
import os
import unittest
import uuid

from scenario import Scenario, whole


class LargeState(Scenario):
    settings = ("embedding.provider=none",)

    def setUp(self):
        self.user = "big-" + uuid.uuid4().hex[:8]

    def say(self, text, **body):
        body = {"planned": True, "input": text, "system": "You tell the story.", "window": 16384, **body}
        return self.call("POST", "/v1/sessions/s/context", body, user=self.user)

    def big(self, people=1500):
        return {"player": {"name": "Kai", "hp": {"value": 40, "max": 50},
                           "bag": [{"name": "Brass Key", "count": 1}, {"name": "Rope", "count": 2}]},
                "town": {"name": "Rook",
                         "people": [{"name": "Person %d" % i, "job": "weaver", "mood": "calm and quiet today", "coins": i}
                                    for i in range(people)] +
                         [{"name": "Oda Brandt", "aliases": ["奥达"], "job": "keeper", "secret": "limps on her left leg"}]},
                "weather": "fog"}

    def test_HC_16_what_is_in_focus_stands_and_the_rest_is_counted(self):
        self.call("PUT", "/v1/state/default", {"state": self.big()}, user=self.user)
        for text, part in (("I ask Oda Brandt about the light.", "limps on her left leg"), ("我去找奥达。", "limps on her left leg"),
                           ("I wait.", "Brass Key")):
            woven = self.say(text)
            sent = whole(woven["messages"])
            for needed in ("Kai", "Brass Key", "fog", part):
                self.assertIn(needed, sent, text)
            self.assertRegex(sent, r"… \d+ more")
            self.assertLessEqual(woven["report"]["tokens"], woven["report"]["usable"])

    def test_HC_16_what_changed_lately_stands(self):
        self.call("PUT", "/v1/state/default", {"state": self.big()}, user=self.user)
        state = self.call("GET", "/v1/state/default", user=self.user)["state"]
        person = state["town"]["people"]["items"][1234]
        self.assertNotIn("a black eye", whole(self.say("I wait.")["messages"]))
        self.call("POST", "/v1/state/default", {"operations": [["SET", person["id"] + ".mood", "a black eye"]]}, user=self.user)
        self.server.restart()
        self.assertIn("a black eye", whole(self.say("I wait.")["messages"]))

    def test_HC_16_small_windows_and_long_histories_keep_the_player(self):
        self.call("PUT", "/v1/state/default", {"state": self.big(200)}, user=self.user)
        history = []
        for i in range(60):
            history += [{"role": "user", "content": "I walk on, step %d. " % i + "The road is long. " * 30},
                        {"role": "assistant", "content": "You see milestone %d. " % i + "It is old and worn. " * 30}]
        woven = self.call("POST", "/v1/sessions/h/context",
                          {"planned": True, "messages": history + [{"role": "user", "content": "I count my rope."}],
                           "window": 8192}, user=self.user)
        sent = whole(woven["messages"])
        self.assertIn("Rope", sent)
        self.assertIn("Kai", sent)

    def test_HC_16_active_quests_are_shortened_from_the_focus(self):
        quests = [{"id": "q%d" % i, "title": "Errand %d" % i, "status": "in_progress",
                   "objective": "Bring parcel %d to the far side of town before the bell rings twice." % i} for i in range(600)]
        quests.append({"id": "q_moth", "title": "The Silver Moth", "status": "in_progress", "objective": "Catch the silver moth."})
        self.call("POST", "/v1/quests", raw=json.dumps(quests), user=self.user)
        sent = whole(self.say("Where would the silver moth hide?")["messages"])
        self.assertIn("Catch the silver moth", sent)
        self.assertRegex(sent, r"\d+ more")

    def test_HC_16_constant_lore_stands_beside_all_of_it(self):
        self.call("PUT", "/v1/state/default", {"state": self.big()}, user=self.user)
        entries = {"law": {"uid": 1, "comment": "Law", "content": "Bells must never ring at night.", "constant": True, "key": []}}
        for i in range(60):
            entries[str(i)] = {"uid": 10 + i, "comment": "Custom %d" % i, "key": ["market"],
                               "content": "Custom %d of the market. " % i + "It is told at length. " * 60}
        self.call("POST", "/v1/lore?file=w.json", raw=json.dumps({"entries": entries}), user=self.user)
        woven = self.say("I go to the market.", window=12288)
        sent = whole(woven["messages"])
        self.assertIn("Bells must never ring at night.", sent)
        self.assertRegex(sent, r"Custom \d+ of the market")
        self.assertIn("Brass Key", sent)
        self.assertLessEqual(woven["report"]["tokens"], woven["report"]["usable"])

    def test_HC_16_a_long_profile_is_shortened_to_what_matters(self):
        folder = os.path.join(self.server.workspace, "profiles", "users")
        os.makedirs(folder, exist_ok=True)
        lines = ["- Likes place number %d very much, as was said on a walk." % i for i in range(1200)]
        lines.insert(900, "- Is allergic to penicillin since childhood.")
        self.observe("p", [{"role": "user", "content": "Hello there, my name is Ann."}], user=self.user)
        with open(os.path.join(folder, self.user + ".md"), "w") as file:
            file.write("---\nentity_type: user\nentity_id: %s\nname: Ann\n---\n\n## Facts\n\n%s\n" % (self.user, "\n".join(lines)))
        sent = whole(self.say("Am I allergic to penicillin?")["messages"])
        self.assertIn("allergic to penicillin since childhood", sent)
        self.assertRegex(sent, r"\d+ more")


if __name__ == "__main__":
    unittest.main()
