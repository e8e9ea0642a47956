#!/usr/bin/env python3
"""What learning may use is planned, stops at its budget, goes on the next day, and can be off for everybody or for one
user on every way. A procedure taught in a talk becomes a skill on trial; what is said to a run that has ended is
counted as what its user thinks of it; what an answer leaves open is asked while it is open (RE-1, MS-4, EV-1, CU-1).
"""

import json
import unittest
import uuid

from scenario import whole
from test_agent_learns import LearningScenario
from test_agent_run import answer


class LearningPlan(LearningScenario):
    roles = 'reflection = "thinker"'

    def setUp(self):
        super().setUp()
        self.thoughts = 0
        self.plan()

    def plan(self, **what):
        return self.call("PUT", "/v1/learning", what)

    def run_task(self, task):
        self.model.rules.append(lambda body: answer("Done.") if body.get("tools") else None)
        run = self.call("POST", "/v1/tasks", {"task": task}, user=self.ann)["id"]
        self.ended(run)
        return run

    def reports(self):
        return self.call("GET", "/v1/reports", user=self.ann)["reports"]

    def test_RE_1_it_stops_at_the_budget_and_goes_on_the_next_day(self):
        self.model.rules.append(self.thinks)
        used = self.call("GET", "/v1/learning")["tokens"]
        told = self.plan(day_tokens=used + 1500)
        self.assertEqual((told["most_tokens"], told["open"]), (used + 1500, True))
        self.assertEqual([self.turn("t%d%s" % (n, self.ann))["by"] for n in range(3)], ["model", "model", "floor"])
        self.assertEqual(self.thoughts, 2)
        shut = self.call("GET", "/v1/learning")
        self.assertEqual((shut["open"], shut["why"]), (False, "the tokens of the day are used up"))
        self.assertIn("without models", self.weft("reflect", "status").stdout)
        # What was used is of a day: of another one nothing is.
        path = self.server.workspace + "/reflections/budget.json"
        with open(path, encoding="utf-8") as file:
            kept = json.load(file)
        kept["day"] = "2001-01-01"
        with open(path, "w", encoding="utf-8") as file:
            json.dump(kept, file)
        self.server.restart(kill=True)
        self.assertEqual(self.turn("next" + self.ann)["by"], "model")

    def test_RE_1_a_plan_is_checked_kept_and_changed_by_the_command(self):
        for hours in ({"from_hour": 24}, {"from_hour": 7, "to_hour": 7}):
            code, error = self.fails("PUT", "/v1/learning", hours)
            self.assertEqual(code, 400)
            self.assertIn("from_hour", json.dumps(error))
        said = json.loads(self.weft("--json", "reflect", "plan", "--day-minutes", "5", "--off").stdout)
        self.assertEqual((said["most_minutes"], said["enabled"], said["why"]), (5, False, "learning is off"))
        self.assertIn("learning is off", self.weft("reflect", "status").stdout)
        self.server.restart(kill=True)
        said = json.loads(self.weft("--json", "reflect", "plan", "--on").stdout)
        self.assertEqual((said["most_minutes"], said["enabled"], said["open"]), (5, True, True))

    def test_RE_1_whose_learning_is_off_is_not_learnt_from_on_any_way(self):
        rule = self.approved_rule("Name the source of each number")
        self.plan(scopes="* -user:%s" % self.ann)
        run = self.run_task("add up the numbers of %s" % self.ann)
        self.assertIn("Name the source of each number", json.dumps(self.events(run, "LESSON")))  # it is told all the same
        self.assertEqual(self.reports(), [])
        for method, path, body in (
                ("POST", "/v1/feedback", {"report": run, "text": "That is wrong."}),
                ("POST", "/v1/reports", {"id": "r", "task": "t", "owner": "user:" + self.ann}),
                ("POST", "/v1/beliefs/edits", {"before": "A long answer, with much in it.", "after": "Short."})):
            code, error = self.fails(method, path, body, user=self.ann)
            self.assertEqual(code, 409, path)
            self.assertIn("learning is off", json.dumps(error))
        self.observe("talk" + self.ann, [
            {"role": "user", "content": "I prefer short answers."}, {"role": "assistant", "content": "Fine."},
            {"role": "user", "content": "From now on, when you deploy: first run the tests, then tag the commit."},
            {"role": "assistant", "content": "I will."}], user=self.ann)
        self.seen_all()
        self.assertEqual(self.call("GET", "/v1/beliefs", user=self.ann)["beliefs"], [])
        self.assertEqual(self.call("GET", "/v1/skills", user=self.ann)["skills"], [])
        now = [one for one in self.call("GET", "/v1/rules", user=self.ann)["rules"] if one["id"] == rule["id"]][0]
        self.assertEqual(now.get("uses", {}).get("injected", 0), 0)

    def test_MS_4_a_procedure_taught_in_a_talk_is_a_skill_on_trial_and_goes_with_its_message(self):
        session = "deploys" + self.ann
        self.observe(session, [
            {"role": "user", "content": "以后发布新版本要先跑测试，再打标签，最后通知大家。"},
            {"role": "assistant", "content": "好的。"}], user=self.ann)
        skill = self.until(lambda: self.call("GET", "/v1/skills", user=self.ann)["skills"])[0]
        self.assertEqual((skill["origin"], skill["stage"], skill["owner"]), ("taught", "probation", "user:" + self.ann))
        self.assertEqual([step["action"] for step in skill["steps"]], ["跑测试", "打标签", "通知大家"])
        prompts = []

        def rule(body):
            if body.get("tools"):
                prompts.append(whole(body["messages"]))
                return answer("好了。")
            return None

        self.model.rules.append(rule)
        run = self.call("POST", "/v1/tasks", {"task": "发布新版本"}, user=self.ann)["id"]
        self.ended(run)
        self.assertIn("跑测试", prompts[0])
        self.assertIn("on trial", prompts[0])
        ids = [one["id"] for one in self.call("GET", "/v1/sessions/%s/messages?limit=10" % session,
                                              user=self.ann)["messages"]]
        self.call("POST", "/v1/erase", {"messages": ids, "session": session}, user=self.ann)
        self.assertEqual(self.call("GET", "/v1/skills", user=self.ann)["skills"], [])

    def test_CU_1_what_an_answer_of_a_talk_leaves_open_is_asked_until_the_talk_goes_on(self):
        session = "ferry" + self.ann
        asked = {"role": "user", "content": "When does the ferry to Elba leave?"}
        unsure = {"role": "assistant", "content": "I am not sure when the ferry to Elba leaves."}
        self.observe(session, [asked, unsure], user=self.ann)
        question = self.until(lambda: self.open_questions())[0]
        self.assertEqual((question["session"], question["urgency"]), (session, "LOW"))
        self.observe(session, [{"role": "user", "content": "It leaves at nine, I have looked it up."},
                               {"role": "assistant", "content": "Thank you. Then we should be there by half past eight."}],
                     user=self.ann)
        self.until(lambda: not self.open_questions())
        # What is sure leaves nothing open; and of whom nothing is learnt nothing is asked.
        self.plan(scopes="* -user:%s" % self.ann)
        self.observe("off" + session, [asked, unsure], user=self.ann)
        self.seen_all()
        self.plan()
        self.observe("sure" + session, [{"role": "user", "content": "When does the shop open?"},
                                        {"role": "assistant", "content": "It opens at nine."}], user=self.ann)
        self.seen_all()
        self.assertEqual(self.open_questions(), [])

    def seen_all(self):
        """Waits until what was said before was looked at: what somebody else says behind it has been learnt."""
        other = "other" + uuid.uuid4().hex[:8]
        self.observe("talk" + other, [{"role": "user", "content": "I prefer short answers."},
                                      {"role": "assistant", "content": "Fine."}], user=other)
        self.until(lambda: self.call("GET", "/v1/beliefs", user=other)["beliefs"])

    def open_questions(self):
        return [one for one in self.call("GET", "/v1/questions", user=self.ann)["questions"]
                if one["stage"] in ("queued", "asked")]

    def test_EV_1_what_is_said_to_a_run_that_has_ended_counts_as_what_its_user_thinks(self):
        rule = self.approved_rule("Name the source of each number")
        run = self.run_task("add up the numbers of %s" % self.ann)
        report = self.until(self.reports)[0]
        self.assertEqual(report["outcome"], "unknown")
        self.call("POST", "/v1/tasks/%s/messages" % run, {"text": "That's wrong, the total is not right."}, user=self.ann)
        report = self.until(lambda: [one for one in self.reports() if one["id"] == run and one["outcome"] == "failure"])[0]
        self.assertEqual(report["outcome_by"], "user")
        self.until(lambda: [one for one in self.call("GET", "/v1/rules", user=self.ann)["rules"]
                            if one["id"] == rule["id"] and one.get("uses", {}).get("failed") == 1])
        # What says nothing of the result changes nothing.
        run = self.run_task("count the sheep of %s" % self.ann)
        self.call("POST", "/v1/tasks/%s/messages" % run, {"text": "Now count the goats."}, user=self.ann)
        self.ended(run)
        self.assertEqual([one["outcome"] for one in self.reports() if one["id"] == run], ["unknown"])


if __name__ == "__main__":
    unittest.main()
