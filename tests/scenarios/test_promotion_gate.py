#!/usr/bin/env python3
"""Before a skill or a rule that passed its trial is promoted, past tasks are played again with and without it, without
touching anything: one that breaks what went well is held back and says which, one that mends what failed is promoted and
says that. It goes on after a kill, plays nothing twice, and a person may decide otherwise (EV-1, EV-3, PF-2).
"""

import json
import os
import sqlite3
import threading
import time
import unittest
import uuid

from scenario import Scenario, ScriptedOpenAI, WeftServer, whole
from test_agent_learns import LearningScenario
from test_agent_run import answer, outputs

TASK = "Report the stock of the depot in the "
ROUNDS = "Round every number to whole tens"
OPENS = "Open the stock list of the depot first"


class Gate(LearningScenario):
    def setUp(self):
        super().setUp()
        os.makedirs(os.path.join(self.server.workspace, "work"), exist_ok=True)
        with open(os.path.join(self.server.workspace, "work", "stock.txt"), "w", encoding="utf-8") as file:
            file.write("screws 42\n")
        self.calls, self.hold = [], None
        self.model.rules[:] = [self.works]
        self.call("PUT", "/v1/learning", {"replays": 10})

    def works(self, body):
        """Looks into the list where it knows it, and rounds where it is told to."""
        if not body.get("tools"):
            return None
        told = whole([one for one in body["messages"] if one["role"] == "system"])
        said = whole([one for one in body["messages"] if one["role"] == "user"])
        self.calls.append(said)
        if self.hold:
            self.hold(said, told)
        looks = "forgotten" not in said or OPENS in told
        if looks and not outputs(body):
            return answer(calls=[("file_read", {"path": "stock.txt"})])
        if not looks:
            return answer("I do not know what is in that depot.")
        return answer("There are about 40 screws." if ROUNDS in told else "There are 42 screws.")

    def run_task(self, where, verify):
        """Gives the id of a run of the command, judged by its verifier."""
        told = self.weft("-u", self.ann, "--json", "agent", "run", TASK + where, "--verify", verify)
        return json.loads(told.stdout.splitlines()[-1])["run"]

    def skill_on_trial(self, what):
        skill = {"skill_id": "stock_" + uuid.uuid4().hex[:8], "owner": "user:" + self.ann, "stage": "probation",
                 "name": TASK.strip(), "description": TASK.strip(), "trigger_conditions": [TASK.strip()],
                 "steps": [{"action": what}, {"action": "Tell the number"}]}
        self.call("PUT", "/v1/skills/" + skill["skill_id"], skill, user=self.ann)
        return skill["skill_id"]

    def skill(self, one):
        return self.call("GET", "/v1/skills/" + one, user=self.ann)

    def passes_trial(self):
        for where in ("east", "west", "middle", "upper town", "lower town"):
            self.assertEqual(self.run_task(where, "grep -q screws")["outcome"], "success")

    def decided(self, one):
        return self.until(lambda: [now for now in [self.skill(one)]
                                   if now.get("gate", {}).get("stage") not in (None, "waiting")])[0]

    def files(self):
        folder = os.path.join(self.server.workspace, "work")
        found = {}
        for name in os.listdir(folder):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                found[name] = file.read()
        return found

    def test_EV_1_what_breaks_a_past_task_is_held_back_and_says_which(self):
        north = self.run_task("north", "grep -q 42")
        self.assertEqual(north["outcome"], "success")
        skill = self.skill_on_trial(ROUNDS)
        self.passes_trial()
        now = self.decided(skill)
        self.assertEqual((now["stage"], now["gate"]["stage"], now["gate"]["broken"]),
                         ("probation", "held_back", [north["id"]]))
        self.assertGreaterEqual(now["gate"]["replayed"], 2)
        self.assertNotIn("repaired", now["gate"])
        listed = self.weft("-u", self.ann, "skill", "list").stdout
        self.assertIn("held back", listed)
        self.assertIn("breaks " + north["id"], listed)
        self.assertIn(north["id"], self.weft("-u", self.ann, "skill", "show", skill).stdout)
        # It is told no more, nothing was done, and nothing was learnt from what was played.
        self.assertIn("42", self.run_task("north", "grep -q 42")["output"])
        self.assertEqual(self.files(), {"stock.txt": "screws 42\n"})
        self.until(lambda: len(self.call("GET", "/v1/reports", user=self.ann)["reports"]) == 7)
        self.assertEqual(self.call("GET", "/v1/tasks", user=self.ann)["runs"][0]["task"], TASK + "north")
        self.server.restart(kill=True)
        self.assertEqual(self.skill(skill)["gate"]["stage"], "held_back")
        # A person may decide otherwise.
        told = self.weft("-u", self.ann, "--json", "skill", "approve", skill, "--why", "about is enough").stdout
        self.assertEqual(json.loads(told)["stage"], "active")
        self.assertIn("about 40", self.run_task("harbour", "true")["output"])

    def test_EV_1_what_mends_a_past_task_is_promoted_and_says_so(self):
        lost = self.run_task("forgotten valley", "grep -q 42")
        self.assertEqual(lost["outcome"], "failure")
        skill = self.skill_on_trial(OPENS)
        self.passes_trial()
        now = self.decided(skill)
        self.assertEqual((now["stage"], now["gate"]["stage"], now["gate"]["repaired"]),
                         ("active", "passed", [lost["id"]]))
        self.assertIn("mends " + lost["id"], self.weft("-u", self.ann, "skill", "list").stdout)
        self.assertEqual(self.run_task("forgotten valley", "grep -q 42")["outcome"], "success")

    def test_EV_1_a_rule_is_tried_likewise_and_breaks_as_many_as_are_allowed(self):
        for n in range(3):
            made = {"id": uuid.uuid4().hex, "time": "2026-01-%02dT08:00:00Z" % (n + 2), "owner": "user:" + self.ann,
                    "trigger": "task_end", "session": "s%d" % n, "task": TASK + "old harbour %d" % n,
                    "reports": ["t%d%s" % (n, self.ann)], "outcome": "success", "provenance": "own_run", "by": "floor",
                    "suggestions": [{"strategy": ROUNDS, "applies_to": TASK.strip(), "confidence": "MEDIUM",
                                     "severity": "LOW"}]}
            self.weft("-u", self.ann, "--json", "rule", "learn", "--file", "-", stdin=json.dumps(made))

        def rule():
            return [one for one in self.call("GET", "/v1/rules", user=self.ann)["rules"] if one["strategy"] == ROUNDS][0]

        self.assertEqual(rule()["stage"], "probation")
        self.call("PUT", "/v1/learning", {"replays": 10, "regressions": 1})
        # As it is told before it is on trial: by somebody else's rule it would be rounded.
        self.model.rules[:] = [lambda body: answer("There are 42 screws.") if body.get("tools") else None]
        north = self.run_task("north", "grep -q 42")
        self.model.rules[:] = [self.works]
        for where in ("east", "west", "middle", "upper town"):
            self.run_task(where, "grep -q screws")
        now = self.until(lambda: [one for one in [rule()] if one.get("gate", {}).get("stage") not in (None, "waiting")])[0]
        self.assertEqual((now["stage"], now["gate"]["stage"], now["gate"]["broken"]), ("active", "passed", [north["id"]]))
        self.assertIn("breaks " + north["id"], self.weft("-u", self.ann, "rule", "list").stdout)

    def test_EV_1_PF_9_killed_in_the_middle_it_goes_on_and_plays_nothing_twice(self):
        reached = threading.Event()

        def hold(said, told):
            if TASK + "west" in said and "strategy_rules" not in told and self.replaying:
                reached.set()
                time.sleep(1.5)  # it is killed meanwhile

        self.replaying, self.hold = False, hold
        north = self.run_task("north", "grep -q 42")
        skill = self.skill_on_trial(ROUNDS)
        for where in ("east", "west", "middle", "upper town"):
            self.run_task(where, "grep -q screws")
        self.replaying = True
        self.run_task("lower town", "grep -q screws")
        self.assertTrue(reached.wait(30))
        self.server.restart(kill=True)
        self.replaying = False
        self.assertEqual(self.decided(skill)["gate"]["broken"], [north["id"]])
        lines = [line for line in self.replays() if line["candidate"] == skill]
        self.assertEqual(len(lines), len({line["run"] for line in lines}))
        self.assertEqual(len(lines), 6)
        # Streams of what was played are gone, and erasing takes the rows.
        self.assertFalse([name for _, _, names in os.walk(os.path.join(self.server.workspace, "evolution", "replays"))
                          for name in names])
        self.weft("-u", self.ann, "erase", "--everything", "--yes")
        self.assertEqual([line for line in self.replays() if line["candidate"] == skill], [])

    def replays(self):
        store = sqlite3.connect(os.path.join(self.server.workspace, "weft.db"))
        rows = store.execute("SELECT body FROM documents WHERE kind='replay'").fetchall()
        store.close()
        return [json.loads(body) for body, in rows]


class WithoutModel(Scenario):
    settings = ("embedding.provider=none",)

    def test_PF_2_without_a_model_the_trial_alone_decides_and_it_is_said(self):
        skill = {"skill_id": "count", "owner": "user:ann", "stage": "probation", "name": "Count the boxes",
                 "description": "count boxes", "steps": [{"action": "Count"}]}
        self.call("PUT", "/v1/skills/count", skill)
        for n in range(5):
            self.call("POST", "/v1/task_reports", {"id": "t%d" % n, "task": "count the boxes", "skills": ["count"],
                                                   "outcome": "success", "outcome_by": "verifier"})
        now = self.call("GET", "/v1/skills/count")
        self.assertEqual((now["stage"], now["gate"]["stage"]), ("active", "not_replayed"))
        self.assertIn("not replayed: no model is configured", self.weft("-u", "ann", "skill", "list").stdout)


if __name__ == "__main__":
    unittest.main()
