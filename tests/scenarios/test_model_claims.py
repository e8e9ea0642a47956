#!/usr/bin/env python3
"""A model may say with the tool `end` whether its task is done. That is kept and shown as what it claims; it is the outcome
only where neither a verifier nor the user says one, and it promotes nothing by itself (RE-1, EV-1, EV-3).
"""

import json
import unittest

from test_agent_learns import LearningScenario
from test_agent_run import answer, outputs

LESSON = "Count the boxes.\n1. List them with file_list.\n2. Tell the number."


class Claims(LearningScenario):
    def claims(self, outcome):
        """A model that looks, ends with this claim, and answers."""
        arguments = {"action_summary": "Counted the boxes of the harbour."}
        if outcome:
            arguments["outcome"] = outcome

        def rule(body):
            if not body.get("tools"):
                return None
            done = outputs(body)
            return answer(calls=[("file_list", {})]) if not done else answer(calls=[("end", arguments)]) if len(
                done) == 1 else answer("There are three boxes.")

        self.model.rules[:] = [rule]

    def worked(self, outcome, **more):
        self.claims(outcome)
        run = self.call("POST", "/v1/tasks", {"task": "count the boxes of the harbour", **more}, user=self.ann)["id"]
        run = self.ended(run)
        [report] = self.until(lambda: [one for one in self.call("GET", "/v1/reports", user=self.ann)["reports"]
                                       if one["id"] == run["id"]])
        return run, report

    def told(self, report):
        return report["outcome"], report["outcome_by"], report.get("claim", "none")

    def test_RE_1_what_the_model_says_is_kept_and_is_the_weakest_witness(self):
        run, report = self.worked("done")
        self.assertEqual((run["claim"], run["outcome"]), ("done", "unknown"))
        self.assertEqual(self.told(report), ("success", "model", "done"))
        shown = self.weft("-u", self.ann, "agent", "show", run["id"]).stdout
        self.assertIn("done, says the model itself", shown)
        # What is not said is left out.
        run, report = self.worked(None)
        self.assertNotIn("claim", run)
        self.assertEqual(self.told(report), ("unknown", "nobody", "none"))
        # The user's word stands over it.
        run, report = self.worked("not_done")
        self.assertEqual(self.told(report), ("failure", "model", "not_done"))
        self.call("POST", "/v1/feedback", {"report": run["id"], "text": "Great, that is just right, thank you!"},
                  user=self.ann)
        [report] = [one for one in self.call("GET", "/v1/reports", user=self.ann)["reports"] if one["id"] == run["id"]]
        self.assertEqual(self.told(report), ("success", "user", "not_done"))

    def test_RE_1_a_verifier_stands_over_it(self):
        self.claims("done")
        told = self.weft("-u", self.ann, "--json", "agent", "run", "count the boxes of the harbour", "--verify",
                         "exit 1").stdout
        run = json.loads(told.splitlines()[-1])["run"]
        self.assertEqual((run["outcome"], run["claim"]), ("failure", "done"))
        [report] = self.until(lambda: [one for one in self.call("GET", "/v1/reports", user=self.ann)["reports"]
                                       if one["id"] == run["id"]])
        self.assertEqual(self.told(report), ("failure", "verifier", "done"))

    def test_EV_1_EV_3_by_its_word_alone_nothing_is_promoted(self):
        skill = {"skill_id": "count_" + self.ann, "owner": "user:" + self.ann, "name": "Count the boxes of the harbour",
                 "description": "count the boxes of the harbour", "stage": "probation",
                 "trigger_conditions": ["count the boxes of the harbour"],
                 "steps": [{"action": "List them", "tools": ["file_list"]}, {"action": "Tell the number", "tools": []}]}
        self.call("PUT", "/v1/skills/" + skill["skill_id"], skill, user=self.ann)

        def now():
            return self.call("GET", "/v1/skills/" + skill["skill_id"], user=self.ann)

        runs = [self.worked("done")[0] for _ in range(6)]
        kept = self.until(lambda: [one for one in [now()] if one["uses"]["injected"] == 6])[0]
        self.assertEqual((kept["stage"], kept["uses"].get("succeeded", 0)), ("probation", 0))
        # Of the same runs the user's word does.
        for run in runs[:5]:
            self.call("POST", "/v1/feedback", {"report": run["id"], "text": "Great, that is just right, thank you!"},
                      user=self.ann)
        self.until(lambda: now()["stage"] == "active")  # when past tasks have spoken, too
        self.assertEqual((now()["uses"]["succeeded"], now()["uses"]["injected"]), (5, 6))


if __name__ == "__main__":
    unittest.main()
