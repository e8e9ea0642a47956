#!/usr/bin/env python3
"""A run, a research and transcripts that were begun without learning are kept and shown like any other, and nothing is
made of them: no reflection, no use of a rule or a skill counted, no candidates, no beliefs; also when they go on after a
kill, are forked or are spoken to. One that is begun as usual beside them is learnt from (RE-1, EV-1, EV-4, RS-3).
"""

import json
import os
import shutil
import tempfile
import unittest

from scenario import Scenario, ScriptedOpenAI, WeftServer, whole
from test_agent_learns import TOML, LearningScenario
from test_agent_run import answer, outputs
from test_other_agents import Claude
from test_research import CORPUS

STRATEGY = "Name the source of each number"


class WithoutLearning(LearningScenario):
    """One user runs without learning, another one the same with it."""

    def ways(self, body):
        """A step that fails, a question, an answer."""
        if not body.get("tools"):
            return None
        done = outputs(body)
        if not done:
            return answer(calls=[("file_read", {"path": "nothing.txt"})])
        if len(done) == 1:
            return answer(calls=[("human_ask", {"question": "In how many words?"})])
        return answer("There are three numbers.")

    def worked(self, **more):
        """A run that was killed while it waited for its user, answered, and told off."""
        self.model.rules[:] = [self.ways]
        run = self.call("POST", "/v1/tasks", {"task": "count the numbers", **more}, user=self.ann)["id"]
        self.until(lambda: self.call("GET", "/v1/tasks/" + run, user=self.ann)["status"] == "waiting")
        self.server.restart(kill=True)
        self.call("POST", "/v1/tasks/%s/answers" % run,
                  {"text": "From now on I prefer short answers, please keep them brief."}, user=self.ann)
        self.ended(run)
        self.call("POST", "/v1/tasks/%s/messages" % run, {"text": "That is wrong, it does not work at all."},
                  user=self.ann)
        return self.ended(run)

    def learnt(self):
        """What stands of this user: reflections, uses of the rule, beliefs."""
        self.settle()
        rule = [one for one in self.call("GET", "/v1/rules", user=self.ann)["rules"] if one["strategy"] == STRATEGY]
        return (len(self.call("GET", "/v1/reflections", user=self.ann)["reflections"]),
                rule[0].get("uses", {}).get("injected", 0),
                [(one["dimension"], one["value"]) for one in self.call("GET", "/v1/beliefs", user=self.ann)["beliefs"]])

    def test_RE_1_EV_1_a_run_that_is_learnt_from(self):
        self.approved_rule(STRATEGY)
        run = self.worked()
        self.assertTrue(run["learn"])
        # What follows from an answer comes behind it.
        self.until(lambda: self.learnt()[0] >= 2 and self.learnt()[2])
        reflections, uses, beliefs = self.learnt()
        self.assertGreaterEqual(reflections, 2)
        self.assertEqual(uses, 1)
        self.assertIn(("detail", "brief"), beliefs)

    def test_RE_1_EV_1_EV_4_nothing_is_made_of_a_run_without_learning(self):
        self.approved_rule(STRATEGY)
        run = self.worked(learn=False)
        self.assertFalse(run["learn"])
        self.assertEqual(run["output"], "There are three numbers.")
        # What was learnt before is told all the same; what the step failed at is told to the run itself.
        self.assertIn(STRATEGY, self.events(run["id"], "LESSON")[0]["text"])
        [start] = self.events(run["id"], "RUN_STARTED")
        self.assertIs(start["learn"], False)
        [report] = self.until(lambda: self.call("GET", "/v1/reports", user=self.ann)["reports"])
        self.assertEqual((report["id"], report["learn"]), (run["id"], False))
        shown = self.weft("-u", self.ann, "agent", "show", run["id"]).stdout
        self.assertIn("There are three numbers.", shown)
        self.assertIn("nothing is learnt from it", shown)
        # What a person says of it, or asks for, makes nothing of it either.
        self.assertEqual(self.fails("POST", "/v1/feedback", {"report": run["id"], "text": "That is wrong."},
                                    user=self.ann)[0], 409)
        self.assertEqual(self.fails("POST", "/v1/reflections", {}, user=self.ann)[0], 404)
        forked = self.call("POST", "/v1/tasks/%s/fork" % run["id"], {"at": 3}, user=self.ann)
        self.assertFalse(forked["learn"])
        self.model.rules[:] = [lambda body: answer("Three.") if body.get("tools") else None]
        self.call("POST", "/v1/tasks/%s/messages" % forked["id"], {"text": "just say it"}, user=self.ann)
        self.ended(forked["id"])
        self.observe(run["id"], [{"role": "user", "content": "From now on use bullet points."}], user=self.ann)
        self.call("POST", "/v1/sessions/%s/end" % run["id"], {"action_summary": "Counted."}, user=self.ann)
        # Somebody who is learnt from is asked last: what came before was looked at by then.
        self.observe("talk", [{"role": "user", "content": "I prefer a formal tone from now on."}], user=self.ann)
        self.until(lambda: self.learnt()[2])
        self.assertEqual(self.learnt(), (0, 0, [("tone", "formal")]))

    def test_EV_1_by_the_command_and_a_sub_agent_keeps_it(self):
        def rule(body):
            if not body.get("tools"):
                return None
            if "the left half" in whole(body["messages"][:2]):
                return answer("left: two")
            return answer("all: three") if outputs(body) else answer(
                calls=[("agent_spawn", {"task": "count the left half"})])

        self.model.rules[:] = [rule]
        told = self.weft("-u", self.ann, "--json", "agent", "run", "count it all", "--no-learning").stdout
        events = [json.loads(line) for line in told.splitlines()]
        self.assertFalse(events[-1]["run"]["learn"])
        [sub] = {one["payload"]["run"] for one in events if one.get("type") == "SUB_AGENT_STARTED"}
        self.assertFalse(self.call("GET", "/v1/tasks/" + sub, user=self.ann)["learn"])
        self.assertEqual(self.call("GET", "/v1/reflections", user=self.ann)["reflections"], [])

    def test_RE_1_transcripts_are_kept_and_may_be_learnt_from_later(self):
        folder = tempfile.mkdtemp(prefix="weft-sessions-")
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        session = Claude(os.path.join(folder, "p", "a.jsonl"), "a" + self.ann)
        session.user("run the tests")
        session.work(1)
        session.answer("They cannot be run.")
        self.until(lambda: "kept" in self.weft("-u", self.ann, "agent", "watch", folder, "--once", "--quiet", "1",
                                               "--no-learning").stdout)
        imported = self.weft("-u", self.ann, "agent", "import", session.path, "--no-learning")
        self.assertIn("1 runs (claude_code), kept without learning", imported.stdout)
        self.server.restart(kill=True)
        self.assertEqual(self.call("GET", "/v1/reflections", user=self.ann)["reflections"], [])
        reports = self.call("GET", "/v1/reports", user=self.ann)["reports"]
        self.assertTrue(reports)
        self.assertEqual([one["learn"] for one in reports], [False] * len(reports))
        self.weft("-u", self.ann, "agent", "import", session.path)
        self.assertEqual(len(self.call("GET", "/v1/reflections", user=self.ann)["reflections"]), 1)
        self.assertEqual(self.fails("POST", "/v1/reports", {"id": "x", "task": "t", "learn": False},
                                    user=self.ann)[0], 409)


class ResearchWithoutLearning(Scenario):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="weft-corpus-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        for name, text in CORPUS.items():
            os.makedirs(os.path.dirname(os.path.join(self.folder, name)), exist_ok=True)
            with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
                file.write(text)

    @classmethod
    def setUpClass(cls):
        cls.model = ScriptedOpenAI()
        cls.server = WeftServer(toml='[embedding]\nprovider = "none"\n')

    def remembered(self, user, *more):
        told = self.weft("-u", user, "--json", "research", "How many gates has the Marlow barrier?", "--sources",
                         self.folder, "--kind", "topic", *more)
        self.assertIn("nine gates", told.stdout, told.stderr)
        entries = self.call("GET", "/v1/knowledge", user=user)["entries"]
        return entries, self.call("GET", "/v1/rules", user=user)["rules"]

    def test_RS_3_what_is_found_is_told_and_not_kept_as_knowledge(self):
        entries, rules = self.remembered("kim")
        self.assertTrue(entries)
        self.assertEqual(self.remembered("lea", "--no-learning"), ([], []))
        [report] = self.call("GET", "/v1/research", user="lea")["reports"]
        self.assertTrue(report["claims"])
        sent = self.call("POST", "/v1/research", {"question": "What is there?", "learn": False}, user="lea")
        self.until(lambda: self.call("GET", "/v1/research/" + sent["id"], user="lea")["status"] == "ended")
        [start] = [one["payload"] for one in self.call("GET", "/v1/research/%s/events" % sent["id"], user="lea")["events"]
                   if one["type"] == "RUN_STARTED"]
        self.assertIs(start["learn"], False)


if __name__ == "__main__":
    unittest.main()
