"""One world, many players: its lore, quests and first state are everybody's; what a player changes is the player's."""

import json
import os
import signal
import unittest
import uuid

from scenario import Scenario, whole

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../examples")


def example(name):
    with open(os.path.join(EXAMPLES, name)) as file:
        return file.read()


class SharedWorld(Scenario):
    settings = ("embedding.provider=none",)

    def setUp(self):
        self.world = "coast-" + uuid.uuid4().hex[:8]
        self.ann, self.bob = ("%s-%s" % (name, uuid.uuid4().hex[:8]) for name in ("ann", "bob"))
        at = "?world=" + self.world
        self.call("POST", "/v1/lore" + at + "&file=world.md", raw=example("world.md"))
        self.call("POST", "/v1/quests" + at, raw=example("quests.yaml"))
        self.call("PUT", "/v1/state/default" + at, {"state": {"time": "Dusk of the first day",
                                                              "player": {"hp": {"value": 40, "max": 50}}}})

    def headers(self):
        return {"X-Weft-World": self.world}

    def play(self, user, text, session="s"):
        return self.call("POST", "/v1/sessions/%s/context" % session,
                         {"planned": True, "input": text, "system": "You tell the story."}, user=user,
                         headers=self.headers())

    def get(self, user, path):
        return self.call("GET", path, user=user, headers=self.headers())

    def test_HC_15_everybody_in_it_has_the_world_and_nobody_else(self):
        for user in (self.ann, self.bob):
            sent = whole(self.play(user, "I knock at the lighthouse and call for Oda.")["messages"])
            for part in ("Nobody here can do magic", "two locks", "She limps", "gone dark", "Dusk of the first day"):
                self.assertIn(part, sent)
        sent = whole(self.call("POST", "/v1/sessions/s/context", {"planned": True, "input": "I call for Oda at Grey Point."},
                               user="stranger-" + self.ann)["messages"])
        self.assertNotIn("magic", sent)
        self.assertNotIn("limps", sent)

    def test_HC_15_changes_stay_the_player_s(self):
        self.assertIn("35", self.play(self.ann, "HP -5")["answer"])
        self.call("POST", "/v1/quests/q_oil", {"status": "in_progress"}, user=self.ann, headers=self.headers())
        self.call("DELETE", "/v1/quests/q_light", user=self.ann, headers=self.headers())
        entries = self.get(self.ann, "/v1/lore")["lore"]
        oda = next(one for one in entries if "She limps" in one["text"])
        path = "/v1/lore/" + oda["id"].replace("#", "%23").replace("/", "%2F").replace(" ", "%20")
        self.call("PUT", path, {**oda, "text": "Oda is gone for good."}, user=self.ann, headers=self.headers())
        self.server.restart(kill=True)
        self.assertEqual(self.get(self.ann, "/v1/state/default")["state"]["player"]["hp"]["value"], 35)
        self.assertEqual(self.get(self.bob, "/v1/state/default")["state"]["player"]["hp"]["value"], 40)
        status = lambda user: {q["id"]: q["status"] for q in self.get(user, "/v1/quests")["quests"]}
        self.assertEqual(status(self.ann)["q_oil"], "in_progress")
        self.assertNotIn("q_light", status(self.ann))
        self.assertEqual(status(self.bob)["q_oil"], "available")
        self.assertIn("q_light", status(self.bob))
        self.assertIn("gone for good", whole(self.play(self.ann, "I call for Oda.")["messages"]))
        self.assertIn("She limps", whole(self.play(self.bob, "I call for Oda.")["messages"]))
        self.call("DELETE", path, user=self.bob, headers=self.headers())
        self.assertNotIn("She limps", whole(self.play(self.bob, "I call for Oda.")["messages"]))
        self.assertEqual(len(self.call("GET", "/v1/lore?world=" + self.world)["lore"]), len(entries))
        # Whoever changed nothing has what the world becomes.
        self.call("POST", "/v1/state/default?world=" + self.world, {"operations": [["SET", "time", "Dawn of the second day"]]})
        self.assertIn("Dawn of the second day", whole(self.play(self.bob, "I wait.")["messages"]))
        self.assertIn("Dusk of the first day", whole(self.play(self.ann, "I wait.")["messages"]))

    def test_HC_15_nothing_private_comes_into_a_world(self):
        secret = "secret" + uuid.uuid4().hex
        self.observe("s", [{"role": "user", "content": "My password is %s." % secret},
                           {"role": "assistant", "content": "Noted: %s." % secret}], user=self.ann)
        self.play(self.ann, "My goal is to hide %s from Oda." % secret)
        self.call("POST", "/v1/state/default", {"operations": [["SET", "time", secret]]}, user=self.ann, headers=self.headers())
        self.call("POST", "/v1/lore?file=own.md", raw="# Secret\n\nOda knows %s.\n" % secret, user=self.ann)
        self.call("POST", "/v1/quests", raw=json.dumps([{"id": "q_secret", "title": secret}]), user=self.ann)
        self.settle()
        for path in ("/v1/lore", "/v1/quests", "/v1/state/default", "/v1/items"):
            of_world = "" if path == "/v1/items" else "?world=" + self.world  # items are of nobody's world
            self.assertNotIn(secret, json.dumps(self.call("GET", path + of_world, user=self.bob)), path)
            self.assertNotIn(secret, json.dumps(self.get(self.bob, path)), path)
        self.assertNotIn(secret, whole(self.play(self.bob, "What does Oda know of the secret password?")["messages"]))
        self.call("POST", "/v1/erase", {"everything": True}, user=self.ann)
        self.assertIn("magic", whole(self.play(self.bob, "ok")["messages"]))
        self.assertEqual(self.get(self.ann, "/v1/state/default")["state"]["player"]["hp"]["value"], 40)


class WorldOfTheConfiguration(Scenario):
    settings = ("embedding.provider=none", "story.world=coast")

    def test_HC_15_a_world_may_be_configured_and_is_filled_by_the_command(self):
        self.server.process.send_signal(signal.SIGTERM)
        self.server.process.wait(timeout=30)
        self.server.process.stdout.close()
        folder = os.path.dirname(self.server.workspace)
        for command in (["lore", "import", os.path.join(EXAMPLES, "world.md"), "--world", "coast"],
                        ["quest", "import", os.path.join(EXAMPLES, "quests.yaml"), "--world", "coast"]):
            done = self.weft(*command)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        listed = self.weft("lore", "list", "--world", "coast", "--json")
        self.assertIn("Oda", listed.stdout)
        self.assertNotIn("Oda", self.weft("lore", "list").stdout)
        empty = os.path.join(folder, "empty-%s.md" % uuid.uuid4().hex)
        open(empty, "w").close()
        self.assertNotEqual(self.weft("lore", "import", empty).returncode, 0)
        os.remove(empty)
        self.server.start()
        sent = whole(self.context("s", user="eve", planned=True, input="I call for Oda.", system="Story.")["messages"])
        self.assertIn("She limps", sent)
        self.assertIn("Nobody here can do magic", sent)


if __name__ == "__main__":
    unittest.main()
