"""A player changes numbers by saying so, in whatever shape the game keeps its state."""

import json
import threading
import unittest
import urllib.error
import uuid

from scenario import Scenario, whole


class GameNumbers(Scenario):
    def setUp(self):
        self.user = "player-" + uuid.uuid4().hex[:8]

    def put(self, tree, user=None):
        self.call("PUT", "/v1/state/default", {"state": tree}, user=user or self.user)

    def state(self):
        return self.call("GET", "/v1/state/default", user=self.user)

    def say(self, text, session="s", headers=None, **body):
        return self.call("POST", "/v1/sessions/%s/context" % session, {"planned": True, "input": text, **body},
                         user=self.user, headers=headers)

    def test_HC_1_every_shape_of_a_state_is_understood(self):
        goblin = {"id": "npc_1", "name": "Goblin", "hp": {"value": 7, "max": 9}}
        shapes = [
            ({"hp": {"value": 40, "max": 50}}, lambda s: s["hp"]["value"]),
            ({"hp": {"current": 40, "max": 50}, "monsters": [goblin]}, lambda s: s["hp"]["current"]),
            ({"player": {"name": "Kai", "hp": {"value": 40, "max": 50}}, "monsters": [goblin]},
             lambda s: s["player"]["hp"]["value"]),
            ({"player": {"hp": {"value": 40, "max": 50}}, "goblin": {"hp": {"value": 7, "max": 9}}},
             lambda s: s["player"]["hp"]["value"]),
            ({"party": [{"id": "c_17", "name": "Kai", "role": "player", "hp": 40}, goblin]},
             lambda s: s["party"]["items"][0]["hp"]),
            ({"world": {"heroes": {"hero": {"name": "Kai", "stats": {"hp": 40, "mp": 3}}}}, "monsters": [goblin]},
             lambda s: s["world"]["heroes"]["hero"]["stats"]["hp"]),
            ({"player": {"name": "Kai", "stats": [{"name": "HP", "value": 40, "max": 50},
                                                  {"name": "MP", "value": 3, "max": 5}]}, "monsters": [goblin]},
             lambda s: s["player"]["stats"]["items"][0]["value"]),
            ({"玩家": {"名字": "阿凯", "生命": {"当前": 40, "最大": 50}}, "怪物": [{"name": "哥布林", "生命": 7}]},
             lambda s: s["玩家"]["生命"]["当前"]),
            ({"player": {"name": "Kai", "hp": 40, "pet": {"name": "Wolf", "hp": 9}}}, lambda s: s["player"]["hp"]),
        ]
        for tree, read in shapes:
            for text, left in (("HP -5", 35), ("扣10点血", 30)):
                self.user = "player-" + uuid.uuid4().hex[:8]
                self.put(tree)
                answer = self.say(text)
                self.assertIn("answer", answer, (tree, text, answer.get("notice")))
                self.assertIn(str(left), answer["answer"])
                self.assertEqual(read(self.state()["state"]), left, tree)

    def test_HC_1_names_in_the_sentence_decide(self):
        self.put({"player": {"name": "Kai", "hp": {"value": 40, "max": 50}},
                  "monsters": [{"name": "Goblin", "aliases": ["哥布林"], "hp": {"value": 7, "max": 9}}]})
        self.assertIn("answer", self.say("Goblin's HP -3"))
        self.assertIn("answer", self.say("哥布林的血减2"))
        state = self.state()["state"]
        self.assertEqual(state["monsters"]["items"][0]["hp"]["value"], 2)
        self.assertEqual(state["player"]["hp"]["value"], 40)
        self.assertIn("answer", self.say("my hp +5"))
        self.assertEqual(self.state()["state"]["player"]["hp"]["value"], 45)

    def test_HC_1_what_is_not_clear_is_said_and_handed_to_the_story(self):
        self.put({"monsters": [{"name": "Goblin", "hp": 7}, {"name": "Wolf", "hp": 9}]})
        for text, words in (("HP -5", ["Goblin", "Wolf"]), ("扣5点血", ["Goblin", "Wolf"]), ("mana +5", ["mana"]),
                            ("Wolf's hp -30", ["Wolf"])):
            woven = self.say(text, system="You tell the story.")
            self.assertNotIn("answer", woven, text)
            sent = whole(woven["messages"])
            for word in words:
                self.assertIn(word, woven["notice"], text)
            self.assertIn("<notice>", sent)
            self.assertIn(woven["notice"].split(".")[0].split("。")[0], sent.replace("&quot;", '"'))
        self.assertEqual(self.state()["version"], 1)

    def test_HC_1_the_player_may_be_named_by_a_setting_or_be_the_user(self):
        self.put({"figures": [{"name": self.user, "hp": 40}, {"name": "Mia", "hp": 30}]})
        self.assertIn("answer", self.say("HP -5"))
        self.assertEqual([one["hp"] for one in self.state()["state"]["figures"]["items"]], [35, 30])

    def test_HC_1_a_request_that_comes_twice_changes_once(self):
        self.put({"player": {"hp": {"value": 40, "max": 50}}})
        key = uuid.uuid4().hex
        first = self.say("HP -5", headers={"Idempotency-Key": key})
        again = self.say("HP -5", headers={"Idempotency-Key": key})
        self.assertEqual(first["answer"], again["answer"])
        self.server.restart(kill=True)
        third = self.say("HP -5", request_id=key)
        self.assertEqual(first["answer"], third["answer"])
        self.assertEqual(self.state()["state"]["player"]["hp"]["value"], 35)
        # The same message of a chat, sent again because the answer was lost.
        message = {"role": "user", "content": "HP -5", "id": "m-" + uuid.uuid4().hex}
        for _ in range(2):
            answer = self.call("POST", "/v1/sessions/t/context", {"planned": True, "messages": [message]}, user=self.user)
            self.assertIn("30", answer["answer"])
        self.assertEqual(self.state()["state"]["player"]["hp"]["value"], 30)
        # Said again in so many words it is another request.
        self.say("HP -5", request_id=uuid.uuid4().hex)
        self.assertEqual(self.state()["state"]["player"]["hp"]["value"], 25)
        hp = self.state()["state"]["player"]["hp"]
        path = (hp.get("id") or hp["_anchor"]) + ".value"
        for _ in range(2):
            self.call("POST", "/v1/state/default", {"operations": [["ADD", path, -1]], "request_id": key + "x"},
                      user=self.user)
        self.assertEqual(self.state()["state"]["player"]["hp"]["value"], 24, json.dumps(self.state()))

    def test_HC_1_a_request_that_comes_many_times_at_once_changes_once(self):
        self.put({"player": {"hp": {"value": 40, "max": 50}}})
        key, answers = uuid.uuid4().hex, []

        def retry():
            """As a client does that is told to ask again in a moment."""
            while True:
                try:
                    return answers.append(self.say("HP -5", headers={"Idempotency-Key": key})["answer"])
                except urllib.error.HTTPError as error:
                    if error.code != 409:
                        raise

        clients = [threading.Thread(target=retry) for _ in range(8)]
        for client in clients:
            client.start()
        for client in clients:
            client.join()
        self.assertEqual((len(answers), len(set(answers))), (8, 1))
        self.assertEqual(self.state()["state"]["player"]["hp"]["value"], 35)


if __name__ == "__main__":
    unittest.main()
