#!/usr/bin/env python3
"""What a run is told of what was learnt is one snapshot, which its report names; what is withdrawn meanwhile is said
behind it. A turn asks no model unless one is named for that, and what learning used is shown and kept. The token limit
makes the session smaller first, and then ends the run with what there is (EV-1, RE-1, AL-3).
"""

import json
import time
import unittest
import uuid

from scenario import Scenario, ScriptedOpenAI, WeftServer, whole
from test_agent_run import answer, outputs

TOML = """[models.m]
url = "%s"
model = "scripted"
window = 65536
[models.thinker]
url = "%s"
model = "thinker"
[roles]
main = "m"
%s
[embedding]
provider = "none"
"""
THOUGHT = """assessment: "It failed."
efficiency: "One call."
errors:
  - step: 1
    cause: C
    what: "the option does not exist"
    remedy: "read the help"
suggestions:
  - strategy: "Read the manual of the builder before calling it"
    applies_to: "builds"
    expected: "fewer failing calls"
    confidence: MEDIUM
    severity: LOW
    restricts: false
gaps: []
"""


class LearningScenario(Scenario):
    """What these have in common; no tests."""

    roles = ""

    @classmethod
    def setUpClass(cls):
        cls.model = ScriptedOpenAI()
        cls.server = WeftServer(upstream=cls.model.url, toml=TOML % (cls.model.url, cls.model.url, cls.roles))

    def setUp(self):
        self.ann = "ann" + uuid.uuid4().hex[:8]
        self.model.rules.clear()

    def ended(self, run):
        return self.until(lambda: [now for now in [self.call("GET", "/v1/tasks/" + run, user=self.ann)]
                                   if now["status"] == "ended"])[0]

    def events(self, run, kind):
        return [one["payload"] for one in self.call("GET", "/v1/tasks/%s/events" % run, user=self.ann)["events"]
                if one["type"] == kind]

    def approved_rule(self, strategy):
        made = {"id": uuid.uuid4().hex, "time": "2026-01-02T08:00:00Z", "owner": "user:" + self.ann,
                "trigger": "task_end", "session": "s", "task": "t", "reports": ["t"], "outcome": "success",
                "provenance": "own_run", "by": "floor",
                "suggestions": [{"strategy": strategy, "confidence": "MEDIUM", "severity": "LOW"}]}
        self.weft("-u", self.ann, "--json", "rule", "learn", "--file", "-", stdin=json.dumps(made))
        rule = [one for one in self.call("GET", "/v1/rules", user=self.ann)["rules"] if one["strategy"] == strategy][0]
        return self.change(rule, "approve")

    def change(self, rule, action, **more):
        return self.call("POST", "/v1/rules/" + rule["id"], dict(action=action, by="ann", **more), user=self.ann)

    def thinks(self, body):
        """The answer of a model that is asked to reflect; its calls are counted."""
        if body.get("tools") or "original_request" not in whole(body["messages"]):
            return None
        self.thoughts += 1
        status, reply = answer(THOUGHT)
        reply["usage"] = {"prompt_tokens": 700, "completion_tokens": 300, "total_tokens": 1000}
        return status, reply

    def turn(self, session):
        call = {"id": "c1", "type": "function", "function": {"name": "builder", "arguments": "{}"}}
        self.observe(session, [{"role": "user", "content": "Build it"},
                               {"role": "assistant", "content": None, "tool_calls": [call]},
                               {"role": "tool", "tool_call_id": "c1", "content": "error: unknown option --fast"},
                               {"role": "assistant", "content": "It does not build."}], user=self.ann)
        self.call("POST", "/v1/sessions/%s/end" % session, {"action_summary": "Tried to build it."}, user=self.ann)
        return self.until(lambda: [one for one in self.call("GET", "/v1/reflections", user=self.ann)["reflections"]
                                   if one["session"] == session])[0]


class Learning(LearningScenario):
    def test_EV_1_one_snapshot_a_task_and_withdrawals_behind_it(self):
        kept, gone = "Name the source of each number", "Answer in verse"
        rules = [self.approved_rule(kept), self.approved_rule(gone)]
        prompts, late = [], "Never round a number"

        def rule(body):
            if not body.get("tools"):
                return None
            prompts.append(whole([one for one in body["messages"] if one["role"] == "system"]))
            if len(prompts) == 1:
                self.change(rules[1], "retire")
                self.approved_rule(late)
            return answer(calls=[("file_list", {})]) if len(prompts) < 3 else answer("done")

        self.model.rules.append(rule)
        run = self.call("POST", "/v1/tasks", {"task": "count the numbers"}, user=self.ann)["id"]
        self.ended(run)
        self.assertIn(kept, prompts[0])
        self.assertIn(gone, prompts[0])
        self.assertIn(kept, prompts[1])
        self.assertIn("Does not hold any more", prompts[1])
        # What was told stays as it was told.
        self.assertLess(prompts[1].index(gone), prompts[1].index("Does not hold any more"))
        self.assertEqual(prompts[2].count("Does not hold any more"), 1)
        self.assertNotIn(late, prompts[2])  # holds for the next task
        told = self.events(run, "LESSON")
        self.assertEqual(sorted(told[0]["rules"]), sorted("%s@%d" % (one["id"], one["version"]) for one in rules))
        self.assertEqual(told[1]["withdrawn"], ["%s@%d" % (rules[1]["id"], rules[1]["version"])])
        [report] = self.until(lambda: self.call("GET", "/v1/reports", user=self.ann)["reports"])
        self.assertEqual(sorted(report["rules"]), sorted(one["id"] for one in rules))
        self.until(lambda: [one for one in self.call("GET", "/v1/rules", user=self.ann)["rules"]
                            if one["id"] == rules[0]["id"] and one.get("uses", {}).get("injected") == 1])

    def test_AL_3_the_token_limit_makes_smaller_first_and_then_ends_with_what_there_is(self):
        def rule(body):
            if not body.get("tools"):
                return None
            done = outputs(body)
            if len(done) == 1:
                status, reply = answer(calls=[("task_progress", {"done": ["counted"], "current": "adding up",
                                                                 "remaining": ["telling"]})])
            else:
                status, reply = answer("step %d" % len(done), calls=[("file_list", {"path": "", "deep": bool(len(done) % 2)})])
            reply["usage"] = {"prompt_tokens": 350, "completion_tokens": 50, "total_tokens": 400}
            return status, reply

        self.model.rules.append(rule)
        run = self.call("POST", "/v1/tasks", {"task": "add it all up", "limits": {"tokens": 3000, "repeats": 50}},
                        user=self.ann)["id"]
        now = self.ended(run)
        self.assertEqual(now["limit"], "tokens")
        self.assertIn("Ended here", now["output"])
        self.assertIn("under way: adding up", now["output"])
        self.assertIn("3000", now["output"])
        kinds = [one["type"] for one in self.call("GET", "/v1/tasks/%s/events" % run, user=self.ann)["events"]]
        self.assertIn("COMPACTED", kinds)
        self.assertLess(kinds.index("COMPACTED"), kinds.index("LIMIT_REACHED"))
        replies = [at for at, kind in enumerate(kinds) if kind == "MODEL_REPLY"]
        self.assertGreater(len([at for at in replies if at > kinds.index("COMPACTED")]), 1)  # it worked on meanwhile
        self.assertGreater(kinds.index("LIMIT_REACHED"), replies[-1])

    def test_RE_1_a_turn_asks_no_model_unless_one_is_named(self):
        self.thoughts = 0
        self.model.rules.append(self.thinks)
        self.assertEqual(self.turn("work" + self.ann)["by"], "floor")
        self.assertEqual(self.thoughts, 0)
        now = json.loads(self.weft("--json", "reflect", "status").stdout)
        self.assertEqual(now["turns"], "floor")


class LearningByModel(Learning):
    roles = 'reflection = "thinker"\nfast = "thinker"'

    def test_RE_1_a_turn_asks_no_model_unless_one_is_named(self):
        self.thoughts = 0
        self.model.rules.append(self.thinks)
        before = self.call("GET", "/v1/learning")
        self.assertEqual(self.turn("work" + self.ann)["by"], "model")
        self.assertEqual(self.thoughts, 1)
        now = self.call("GET", "/v1/learning")
        self.assertEqual((now["turns"], now["calls"] - before["calls"], now["tokens"] - before["tokens"]),
                         ("model", 1, 1000))
        self.server.restart(kill=True)
        self.assertEqual(self.call("GET", "/v1/learning")["tokens"], now["tokens"])
        # What is left of the day is nothing: then it goes without.
        path = self.server.workspace + "/reflections/budget.json"
        self.server.restart()
        with open(path, encoding="utf-8") as file:
            kept = json.load(file)
        kept["tokens"] = 10 ** 9
        with open(path, "w", encoding="utf-8") as file:
            json.dump(kept, file)
        self.server.restart(kill=True)
        self.assertIn("without models", self.weft("reflect", "status").stdout)
        self.assertEqual(self.turn("more" + self.ann)["by"], "floor")
        kept["tokens"] = 0
        with open(path, "w", encoding="utf-8") as file:
            json.dump(kept, file)
        self.server.restart(kill=True)

    def test_RE_2_the_quick_model_looks_at_a_failed_step_and_the_run_hears_of_it(self):
        self.thoughts = 0
        heard = []

        def rule(body):
            if not body.get("tools"):
                return None
            text = whole(body["messages"])
            if "Read the manual of the builder" in text:
                heard.append(text)
                return answer("I have read it.")
            time.sleep(0.1)
            return answer(calls=[("file_read", {"path": "nothing-%d.txt" % len(outputs(body))})])

        self.model.rules[:] = [self.thinks, rule]
        run = self.call("POST", "/v1/tasks", {"task": "build the project"}, user=self.ann)["id"]
        self.assertEqual(self.ended(run)["output"], "I have read it.")
        self.assertTrue(heard)
        self.assertTrue([one for one in self.events(run, "LESSON") if one.get("reflection")])

    def test_MS_4_the_quick_model_chooses_which_skills_a_run_is_told_of(self):
        taught = [self.call("POST", "/v1/skills", {"text": "# Pay the %s of the month\n1. Open the %s folder.\n2. Pay."
                                                   % (what, what)}, user=self.ann)["skill_id"]
                  for what in ("rent", "bills")]
        said = {"choice": json.dumps({"skills": taught[1:]})}

        def rule(body):
            text = whole(body["messages"])
            if body.get("tools"):
                return answer("Paid.")
            return answer(said["choice"]) if '"procedures"' in text else None

        self.model.rules.append(rule)
        for choice, told, by in ((said["choice"], taught[1:], "skills/en "), ('{"skills": []}', [], ""),
                                 ("No idea.", taught, "ranking")):
            said["choice"] = choice
            run = self.call("POST", "/v1/tasks", {"task": "pay the rent and the bills of the month"}, user=self.ann)["id"]
            self.assertEqual(self.ended(run)["output"], "Paid.")
            lessons = [one for one in self.events(run, "LESSON") if one.get("skills")]
            named = sorted(name.split("@")[0] for one in lessons for name in one["skills"])
            self.assertEqual(named, sorted(told))
            self.assertEqual([one["skills_by"].startswith(by) for one in lessons], [True] * bool(told))


if __name__ == "__main__":
    unittest.main()
