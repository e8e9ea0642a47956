"""The context engine as its users meet it: a narrative game over HTTP, and a long run of an agent through the proxy."""

import json
import time
import unittest
import urllib.error
import urllib.request

from scripted_openai import ScriptedOpenAI
from weft_server import WeftServer

STATE = {"health": {"value": 85, "description": "受伤"}, "location": "Old harbour",
         "bag": {"_anchor": "bag", "items": [{"id": "potion", "name": "Healing Potion", "count": 2},
                                             {"id": "lamp", "name": "Brass Lamp", "lit": False}]}}
QUESTS = """
quests:
  - id: key
    title: The lost key
    objective: Find the key of the lighthouse
    status: in_progress
  - id: light
    title: Light the lamp
    objective: Light the great lamp of the lighthouse
    requires: [key]
  - id: boat
    title: Mend the boat
    objective: Mend the boat of the ferryman
    status: completed
    outcome: The ferryman owes the player a passage
"""
LORE = """# The lighthouse
keys: lighthouse, 灯塔

The lighthouse of Skerry was built by monks. Its lamp burns whale oil, and only the silver key opens its door.

# The market
The market is held on Thursdays, and smells of fish.
"""


class Server(unittest.TestCase):
    def call(self, method, path, body=None, raw=None, user="player"):
        data = raw.encode() if raw is not None else None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.server.url + path, data=data, method=method,
                                         headers={"X-Weft-User": user, "Content-Type": "application/json"})
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def fails(self, *call, **more):
        with self.assertRaises(urllib.error.HTTPError) as caught:
            self.call(*call, **more)
        return caught.exception.code, json.load(caught.exception)["error"]


class Game(Server):
    """State, quests, lore, plan, both streams, as a game's author calls them."""

    @classmethod
    def setUpClass(cls):
        cls.server = WeftServer()

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()

    def test_a_turn_of_a_game(self):
        self.assertEqual(self.call("PUT", "/v1/state/default", {"state": STATE, "author": "game"})["version"], 1)
        self.assertEqual(len(self.call("POST", "/v1/quests", raw=QUESTS)["quests"]), 3)
        self.assertEqual(self.call("POST", "/v1/lore?file=world.md", raw=LORE)["imported"], 2)

        # Numbers go the fast way: no prompt, no search.
        fast = self.call("POST", "/v1/sessions/s/context", {"planned": True, "input": "HP -5"})
        self.assertEqual(fast["messages"], [])
        self.assertIn("80", fast["answer"])
        self.assertEqual(fast["state_version"], 2)
        self.assertEqual(self.call("GET", "/v1/state/default")["state"]["health"],
                         {"value": 80, "description": "受伤"})

        # A narrative turn has the exact state, the quest that is on, and the lore that its words call up.
        told = self.call("POST", "/v1/sessions/s/context",
                         {"planned": True, "input": "I walk up to the lighthouse and try the door. What do I see?"})
        plan = told["plan"]
        self.assertEqual(set(plan), {"activeQuestId", "current_goal", "templateId", "search_intent"})
        self.assertEqual(plan["activeQuestId"], "key")
        prompt = "\n".join(message["content"] for message in told["messages"])
        self.assertIn("health: 80 (受伤)", prompt)
        self.assertIn('{ id: "potion", name: "Healing Potion", count: 2 }', prompt)
        self.assertIn("Find the key of the lighthouse", prompt)
        self.assertIn("only the silver key opens its door", prompt)
        self.assertNotIn("smells of fish", prompt)
        # What changes with each turn stands before what the player says, which is the last word and said once.
        said = "I walk up to the lighthouse and try the door. What do I see?"
        last = told["messages"][-1]["content"]
        self.assertTrue(last.startswith('<context_layer type="deterministic">'), last)
        self.assertTrue(last.endswith("</context_layer>\n\n" + said), last)
        self.assertEqual(prompt.count(said), 1, prompt)

        # The same for a plain model, in one text.
        skein = self.call("POST", "/v1/sessions/s/context",
                          {"planned": True, "skein": True, "system": "You tell the story.", "input": "灯塔里有什么？"})["skein"]
        order = [skein.index(part) for part in ("<root>", "You tell the story.", 'type="deterministic"',
                                                'type="probabilistic"', "<chat_history>", "<user_input>", "灯塔里有什么？")]
        self.assertEqual(order, sorted(order))

        # Completing a quest sets free what waited for it.
        moved = self.call("POST", "/v1/quests/key", {"status": "completed", "note": "found under the stairs"})["quests"]
        self.assertEqual({quest["id"]: quest["status"] for quest in moved}, {"key": "completed", "light": "in_progress"})

    def test_changes_of_a_state_are_whole_and_can_be_taken_back(self):
        self.call("PUT", "/v1/state/second", {"state": STATE})
        before = self.call("GET", "/v1/state/second")["state"]
        code, error = self.fails("POST", "/v1/state/second", {"operations": [
            ["SET", "potion.count", 0], ["PUSH", "chest", {"name": "Apple"}]]})
        self.assertEqual((code, self.call("GET", "/v1/state/second")["state"]), (404, before))
        code, error = self.fails("POST", "/v1/state/second", {"operations": [["SET", "bag.items[0].count", 0]]})
        self.assertEqual(code, 400)
        self.assertIn("potion.count", error["message"] + error.get("hint", ""))
        self.assertEqual(self.call("POST", "/v1/state/second", {"operations": [
            ["SET", "potion.count", 0], ["PUSH", "bag", {"name": "Apple"}]], "author": "model"})["version"], 2)
        self.assertEqual(len(self.call("GET", "/v1/state/second/log")["versions"]), 2)
        self.assertEqual(self.call("POST", "/v1/state/second/rollback", {"version": 1})["version"], 3)
        self.assertEqual(self.call("GET", "/v1/state/second")["state"], before)
        # Another player's world is another one.
        self.assertEqual(self.call("GET", "/v1/state/second", user="other")["version"], 0)


    def test_a_schema_keeps_a_state_in_its_bounds(self):
        schema = {"type": "object", "properties": {"health": {"properties": {"value": {"minimum": 0, "maximum": 100}}}}}
        self.call("PUT", "/v1/state/bound", {"state": STATE})
        self.assertIsNone(self.call("GET", "/v1/state/bound/schema")["schema"])
        self.assertEqual(self.call("PUT", "/v1/state/bound/schema", {"schema": schema, "author": "game"})["schema"], schema)
        code, error = self.fails("POST", "/v1/state/bound", {"operations": [["SET", "lamp.lit", True], ["ADD", "health", 50]]})
        self.assertEqual(code, 400)
        self.assertIn("[health][value]", error["message"])
        self.assertEqual(self.call("GET", "/v1/state/bound")["version"], 1)
        code, error = self.fails("PUT", "/v1/state/bound/schema", {"schema": {"pattern": "(a+)+$"}})
        self.assertEqual((code, self.call("GET", "/v1/state/bound/schema")["schema"]), (400, schema))
        self.call("PUT", "/v1/state/bound/schema", {"schema": None})
        self.assertEqual(self.call("POST", "/v1/state/bound", {"operations": [["ADD", "health", 50]]})["version"], 2)


class SleepingSelector(Server):
    """The model that chooses lore sleeps: the prompt comes in time without it, and the next one has what it chose."""

    @classmethod
    def setUpClass(cls):
        cls.upstream = ScriptedOpenAI()
        cls.server = WeftServer(cls.upstream.url, ["curation.timeout_ms=300", "embedding.provider=none"],
                                '[models.quick]\nprovider = "openai"\nurl = "%s"\nmodel = "quick"\n'
                                '[roles]\nfast = "quick"\n' % cls.upstream.url)

    @classmethod
    def tearDownClass(cls):
        cls.upstream.server.awake.set()
        cls.server.__exit__()
        cls.upstream.close()

    def test_what_comes_late_serves_the_next_turn(self):
        lore = "".join("# Tower %d\n\nThe keeper of tower %d guards a lantern made of %s.\n\n" % (i, i, stuff)
                       for i, stuff in enumerate(["bone", "brass", "cedar", "dust", "ember", "flint", "glass", "horn"]))
        self.assertEqual(self.call("POST", "/v1/lore?file=towers.md", raw=lore)["imported"], 8)
        self.upstream.server.choice = "horn"
        ask = {"planned": True, "input": "Which keeper guards which lantern in the towers?"}

        def curated(woven):
            told = [item["why"] for section in woven["report"]["sections"] for item in section["items"]
                    if item["id"] == "curation"]
            return told[0], "\n".join(message["content"] for message in woven["messages"])

        # Whoever waited for the model would have its choice.
        late, _ = curated(self.call("POST", "/v1/sessions/s/context", ask))
        self.assertIn("late", late)
        self.upstream.server.awake.set()
        # The model is quick now: the second of these has what it chose, for the turn before or for this one.
        for _ in range(200):
            why, prompt = curated(self.call("POST", "/v1/sessions/s/context", ask))
            if not why.startswith("late"):
                break
            time.sleep(0.05)
        self.assertIn("made of horn", prompt)
        self.assertNotIn("made of bone", prompt)


class GrowingTalk(Server):
    """A talk through the proxy: each prompt goes on from the one before, memories included."""

    @classmethod
    def setUpClass(cls):
        cls.upstream = ScriptedOpenAI()
        cls.server = WeftServer(cls.upstream.url, ["embedding.provider=none"])

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()
        cls.upstream.close()

    def test_what_was_sent_stands_in_what_is_sent_next(self):
        told = ["My bees live behind the barn near the old mill.", "Noted.",
                "My honey is sold at the market in Bergen every May.", "Noted."]
        self.call("POST", "/v1/sessions/old/messages", {"messages": [
            {"role": "assistant" if i % 2 else "user", "content": text} for i, text in enumerate(told)]})
        messages, before = [], []
        for said in ("Where do my bees live?", "Thanks. And where is my honey sold?", "In which month is that?", "Go on."):
            messages.append({"role": "user", "content": said})
            answer = self.call("POST", "/v1/chat/completions", {"model": "scripted", "messages": messages})
            sent = self.upstream.seen[-1][1]["messages"]
            self.assertEqual(sent[:len(before)], before)
            # A memory stands before what is said, fenced and in the same message.
            fence, behind, last = sent[-1]["content"].rpartition("</memory>\n\n")
            self.assertEqual((last, bool(behind)), (said, fence.startswith("<memory>\n")))
            before = sent
            messages.append(answer["choices"][0]["message"])
        memories = "".join(message["content"] for message in before if message["content"].startswith("<memory>"))
        self.assertEqual((memories.count("behind the barn"), memories.count("market in Bergen")), (1, 1), memories)


class LongAgent(Server):
    """A run of 300 steps through the proxy, with a window that it overflows many times."""

    WINDOW = 8192

    @classmethod
    def setUpClass(cls):
        cls.upstream = ScriptedOpenAI()
        cls.server = WeftServer(cls.upstream.url, ["context.window=%d" % cls.WINDOW, "embedding.provider=none"])

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()
        cls.upstream.close()

    def test_a_run_of_three_hundred_steps_goes_on_without_an_error(self):
        messages = [{"role": "system", "content": "You mend programs."},
                    {"role": "user", "content": "Mend the parser in src/parse_tree.py. You must never touch the file "
                                                "config/production.yaml. The ticket is WEFT-4711."}]
        for step in range(300):
            answer = self.call("POST", "/v1/chat/completions", {"model": "scripted", "messages": messages})
            self.assertIn("choices", answer)
            sent = self.upstream.seen[-1][1]["messages"]
            self.assertLess(sum(len(json.dumps(m, ensure_ascii=False)) for m in sent) / 4, self.WINDOW)
            text = json.dumps(sent)
            for kept in ("WEFT-4711", "config/production.yaml", "src/parse_tree.py"):
                self.assertIn(kept, text, "step %d" % step)
            # A call never goes without its output.
            called = [call["id"] for m in sent for call in m.get("tool_calls") or []]
            self.assertEqual(sorted(called), sorted(m["tool_call_id"] for m in sent if m["role"] == "tool"))
            call = {"id": "call_%d" % step, "type": "function", "function": {
                "name": "run", "arguments": json.dumps({"command": "sed -n %d,%dp src/parse_tree.py" % (step, step + 9)})}}
            output = "\n".join("%d: value_%d = transform(node_%d)" % (line, line * 7, step) for line in range(step, step + 12))
            messages += [{"role": "assistant", "content": None, "tool_calls": [call]},
                         {"role": "tool", "tool_call_id": call["id"], "content": output}]
        compactions = self.call("GET", "/v1/sessions/default/compactions", user="default")["compactions"]
        del compactions  # which session the proxy chose is its own affair
        metrics = urllib.request.urlopen(self.server.url + "/metrics").read().decode()
        counted = [line for line in metrics.splitlines() if line.startswith("weft_compactions_total")]
        self.assertGreater(float(counted[0].split()[-1]), 0, metrics)


if __name__ == "__main__":
    unittest.main()
