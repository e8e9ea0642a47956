"""What an author wrote of the world: what always holds stands in every prompt, keys are gates, the rest is found."""

import json
import unittest
import uuid

from scenario import Scenario, whole


def world_info(mark):
    return {"entries": {
        "0": {"uid": 0, "comment": "Law of the world", "content": "Nobody can do magic here %s." % mark, "key": [],
              "constant": True},
        "1": {"uid": 1, "comment": "Ironwood", "content": "Ironwood sinks in water %s." % mark, "key": ["ironwood", "铁木"]},
        "2": {"uid": 2, "comment": "Grey Queen", "content": "The Grey Queen fears bells %s." % mark, "key": ["grey queen"],
              "order": 150},
        "3": {"uid": 3, "comment": "Old Mill", "content": "The old mill is haunted %s." % mark, "key": ["mill"],
              "disable": True},
        "4": {"uid": 4, "comment": "Second law", "content": "The dead stay dead %s." % mark, "key": ["dead"],
              "constant": True},
        "5": {"uid": 5, "comment": "HP rules", "content": "Hit points heal at dawn %s." % mark, "key": ["hit points"]},
        "6": {"uid": 6, "comment": "Ferry", "content": "The ferry of Rook leaves at noon %s." % mark, "key": ["ferry"]},
    }}


class GameLore(Scenario):
    settings = ("embedding.provider=none",)

    def setUp(self):
        self.user = "reader-" + uuid.uuid4().hex[:8]
        self.mark = uuid.uuid4().hex[:8]
        self.call("POST", "/v1/lore?file=world.json", raw=json.dumps(world_info(self.mark)), user=self.user)

    def say(self, text, user=None, **body):
        return self.call("POST", "/v1/sessions/s/context",
                         {"planned": True, "input": text, "system": "You tell the story.", **body}, user=user or self.user)

    def test_HC_8_constant_lore_stands_whatever_is_said(self):
        self.call("PUT", "/v1/state/default", {"state": {"player": {"name": "Kai", "hp": 5}}}, user=self.user)
        plan = {"current_goal": "rest", "search_intent": {"enabled": False}}
        for body in ({"text": "ok"}, {"text": "好的"}, {"text": "Hello!"}, {"text": "I look at the sea.", "plan": plan},
                     {"text": "I look for ironwood at the mill."}, {"text": "HP -50"}):
            sent = whole(self.say(**body)["messages"])
            self.assertEqual(sent.count("Nobody can do magic here " + self.mark), 1, body)
            self.assertEqual(sent.count("The dead stay dead " + self.mark), 1, body)

    def test_HC_8_keys_are_gates(self):
        for text, came in (("ok", []), ("HP -5", []), ("I walk along the beach and think of home.", []),
                           ("Where does ironwood grow?", ["Ironwood"]), ("铁木在哪里？", ["Ironwood"]),
                           ("I ask the Grey Queen about the ferry.", ["Grey Queen", "ferry of Rook"]),
                           ("I go to the mill.", [])):
            sent = whole(self.say(text)["messages"])
            for part in ("Ironwood sinks", "Grey Queen fears", "ferry of Rook", "old mill", "Hit points heal"):
                self.assertEqual(part + " " in sent, any(part.startswith(c) or c in part for c in came), (text, part))

    def test_HC_10_all_lore_that_is_called_is_one_block(self):
        woven = self.say("I ask the Grey Queen about ironwood and the ferry.")
        holders = [m for m in woven["messages"] if "Ironwood sinks" in whole([m]) or "Queen fears" in whole([m])
                   or "ferry of Rook" in whole([m])]
        self.assertEqual(len(holders), 1)
        text = whole(holders)
        self.assertEqual(text.count('<context_layer type="probabilistic"'), 1)
        self.assertLess(text.index("Ironwood sinks"), text.index("Queen fears"), "a higher order stands nearer to the input")

    def test_HC_8_disabled_entries_take_no_place_and_keyless_ones_are_found(self):
        user = "many-" + self.user
        entries = {str(i): {"uid": i, "comment": "Tower %d" % i, "content": "The tower of glass %d stands empty." % i,
                            "key": [], "disable": True} for i in range(80)}
        entries["x"] = {"uid": 99, "comment": "Tower of glass", "content": "The tower of glass hides a stair %s." % self.mark,
                        "key": []}
        self.call("POST", "/v1/lore?file=towers.json", raw=json.dumps({"entries": entries}), user=user)
        sent = whole(self.say("What is hidden in the tower of glass?", user=user)["messages"])
        self.assertIn("hides a stair " + self.mark, sent)
        self.assertNotIn("stands empty", sent)
        self.assertNotIn("tower of glass", whole(self.say("I eat an apple.", user=user)["messages"]))

    def test_HC_15_lore_is_listed_changed_and_deleted(self):
        listed = self.call("GET", "/v1/lore", user=self.user)["lore"]
        self.assertEqual(len(listed), 7)
        entry = next(one for one in listed if "Ironwood" in one["text"])
        entry["text"] = "Ironwood burns blue %s." % self.mark
        path = "/v1/lore/" + entry["id"].replace("#", "%23").replace("/", "%2F").replace(" ", "%20")
        self.call("PUT", path, entry, user=self.user)
        self.assertIn("burns blue", whole(self.say("Does ironwood burn?")["messages"]))
        self.call("DELETE", path, user=self.user)
        self.server.restart()
        self.assertNotIn("burns blue", whole(self.say("Does ironwood burn?")["messages"]))
        self.assertEqual(self.fails("DELETE", path, user=self.user)[0], 404)
        self.assertEqual(self.call("DELETE", "/v1/lore?file=world.json", user=self.user)["deleted"], 6)
        self.assertNotIn("Nobody can do magic", whole(self.say("ok")["messages"]))

    def test_HC_8_an_import_of_nothing_is_an_error(self):
        for name, body in (("a.md", ""), ("b.json", '{"entries":{}}'), ("c.txt", "  \n"), ("d.json", "[]")):
            status, error = self.fails("POST", "/v1/lore?file=" + name, raw=body, user=self.user)
            self.assertEqual(status, 400, name)
            self.assertTrue(error.get("hint"), name)
        self.assertEqual(self.fails("POST", "/v1/quests", raw="quests: []\n", user=self.user)[0], 400)

    def test_PF_10_no_macro_of_world_info_stands_in_a_prompt(self):
        book = {"entries": {
            "0": {"uid": 0, "key": ["Eldoria"], "content": "{{user}}: \"What is Eldoria?\"\n{{char}}: \"My forest.\""},
            "1": {"uid": 1, "key": [], "constant": True, "content": "{{// for authors }}<USER>从不迷路。{{random::Owls::Bats}} watch {{getvar::x}}."},
            "2": {"uid": 2, "key": ["wyrms?"], "use_regex": True, "content": "Wyrms sleep {{time}}."}}}
        answer = self.call("POST", "/v1/lore?file=book.json", raw=json.dumps(book), user=self.user)
        problems = "\n".join(answer["problems"])
        for macro in ("{{user}}", "{{char}}", "{{random}}", "{{getvar}}", "{{time}}"):
            self.assertIn("the macro %s has no value here" % macro, problems)
        sent = whole(self.say("Tell me of Eldoria and its wyrm.")["messages"])
        for part in ("My forest.", "从不迷路", "Owls watch", "Wyrms sleep"):
            self.assertIn(part, sent)
        for raw in ("{{", "}}", "<USER>", "for authors", "Bats"):
            self.assertNotIn(raw, sent)
        entry = self.call("PUT", "/v1/lore/hut", {"id": "hut", "text": "{{user}} owns a hut."}, user=self.user)
        self.assertEqual(entry["text"], "the user owns a hut.")

    def test_HC_4_the_time_of_the_scene_is_the_story_s(self):
        self.call("PUT", "/v1/state/default", {"state": {"world": {"name": "Rook", "time": "Third dusk of Harvestmoon"}, "hero": {"hp": 3}}},
                  user=self.user)
        sent = whole(self.say("I look around.")["messages"])
        scene = sent[sent.index("<scene>"):sent.index("</scene>")]
        self.assertIn("Third dusk of Harvestmoon", scene)
        self.assertNotIn("20", scene)


if __name__ == "__main__":
    unittest.main()
