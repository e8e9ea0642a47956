#!/usr/bin/env python3
"""What a run asks stands in the one queue of questions: it is listed and answered there or at the run, remembered, and the
run goes on, also after a kill. What a task does not say is looked for in memory and asked only of who alone knows it; an
action is another thing than a judgement (CU-1, CU-2, CU-3, AL-2).
"""

import json
import unittest
import uuid

from scenario import AGENT_TOML, Scenario, text_of, whole
from test_agent_run import answer, outputs


class Asking(Scenario):
    toml = AGENT_TOML

    def setUp(self):
        self.ann = "ann" + uuid.uuid4().hex[:8]
        self.model.rules.clear()

    def run_until(self, run, *states):
        return self.until(lambda: [now for now in [self.call("GET", "/v1/tasks/" + run, user=self.ann)]
                                   if now["status"] in states])[0]

    def questions(self, *stages):
        return [one for one in self.call("GET", "/v1/questions", user=self.ann)["questions"]
                if not stages or one["stage"] in stages]

    def asks(self, question, **more):
        def rule(body):
            if not body.get("tools"):
                return None
            done = outputs(body)
            return answer("painted: " + done[-1].split("\n")[0]) if done else answer(
                calls=[("human_ask", dict(question=question, **more))])
        self.model.rules.append(rule)

    def events(self, run, kind):
        return [one["payload"] for one in self.call("GET", "/v1/tasks/%s/events" % run, user=self.ann)["events"]
                if one["type"] == kind]

    def test_CU_2_a_question_of_a_run_stands_in_the_queue_and_is_answered_there(self):
        self.asks("Which colour shall the garden shed have?", choices=["red", "blue"])
        run = self.call("POST", "/v1/tasks", {"task": "paint the shed"}, user=self.ann)["id"]
        asked = self.run_until(run, "waiting")["questions"][0]
        [queued] = self.questions("queued", "asked")
        self.assertEqual((queued["id"], queued["run"]), (asked["id"], run))
        self.assertEqual(self.call("GET", "/v1/questions/next", user=self.ann)["questions"][0]["id"], queued["id"])
        self.call("POST", "/v1/questions/" + queued["id"], {"answer": "b"}, user=self.ann)
        self.assertEqual(self.run_until(run, "ended")["output"], "painted: blue")
        [response] = self.events(run, "HUMAN_RESPONSE")
        self.assertEqual((response["question"], response["text"]), (queued["id"], "blue"))
        # It is remembered as a talk.
        self.assertIn("blue", json.dumps(self.call("POST", "/v1/search", {"query": "colour of the garden shed"},
                                                   user=self.ann)))

    def test_CU_2_answered_at_the_run_it_is_answered_in_the_queue(self):
        self.asks("花园小屋刷什么颜色？")
        run = self.call("POST", "/v1/tasks", {"task": "给小屋刷漆"}, user=self.ann)["id"]
        self.run_until(run, "waiting")
        shown = self.weft("-u", self.ann, "question", "list")
        self.assertIn("花园小屋刷什么颜色？", shown.stdout, shown.stderr)
        self.call("POST", "/v1/tasks/%s/answers" % run, {"text": "绿色"}, user=self.ann)
        self.assertEqual(self.run_until(run, "ended")["output"], "painted: 绿色")
        [one] = self.questions()
        self.assertEqual((one["stage"], one["answer"]), ("answered", "绿色"))

    def test_CU_2_after_a_kill_an_answer_in_the_queue_lets_the_run_go_on(self):
        self.asks("Which colour?")
        run = self.call("POST", "/v1/tasks", {"task": "paint the shed"}, user=self.ann)["id"]
        self.run_until(run, "waiting")
        self.server.restart(kill=True)
        [one] = self.questions("queued", "asked")
        self.weft("-u", self.ann, "question", "answer", one["id"], "red")
        self.assertEqual(self.run_until(run, "ended")["output"], "painted: red")

    def test_CU_2_who_speaks_instead_has_answered_and_a_question_taken_back_falls_back(self):
        self.asks("Which colour?", fallback="white")
        run = self.call("POST", "/v1/tasks", {"task": "paint the shed"}, user=self.ann)["id"]
        self.run_until(run, "waiting")
        self.call("POST", "/v1/tasks/%s/messages" % run, {"text": "black please"}, user=self.ann)
        self.assertIn("black", self.run_until(run, "ended")["output"])
        self.assertEqual([one["stage"] for one in self.questions()], ["answered"])
        run = self.call("POST", "/v1/tasks", {"task": "paint the other shed"}, user=self.ann)["id"]
        self.run_until(run, "waiting")
        [one] = self.questions("queued", "asked")
        self.call("DELETE", "/v1/questions/" + one["id"], user=self.ann)
        self.assertIn("white", self.run_until(run, "ended")["output"])

    def seen(self):
        """The messages of the first call for the run."""
        def rule(body):
            if not body.get("tools"):
                return None
            told.append(whole(body["messages"]))
            return answer("done")
        told = []
        self.model.rules.append(rule)
        return told

    def test_CU_1_an_action_is_another_thing_than_a_judgement(self):
        for task, kind in (("Go to the basement and restart the router there", "action"),
                           ("Say which of the two logos looks nicer", "judgement")):
            with self.subTest(task):
                told = self.seen()
                run = self.call("POST", "/v1/tasks", {"task": task}, user=self.ann)["id"]
                self.run_until(run, "ended")
                self.assertEqual([one["kind"] for one in self.questions() if one["run"] == run], [kind])
                self.assertIn("The user is asked", told[0])
                self.model.rules.clear()

    def test_CU_1_what_memory_knows_is_not_asked(self):
        task = "Book the trip to the place of the conference, which is not decided yet"
        told = self.seen()
        run = self.call("POST", "/v1/tasks", {"task": task}, user=self.ann)["id"]
        self.run_until(run, "ended")
        self.assertEqual(len(self.questions()), 1)
        self.assertNotIn("Lisbon", told[0])
        self.observe("talk", [{"role": "user", "content": "The place of the conference is decided: Lisbon, so the trip "
                                                          "that is to be booked goes there"},
                              {"role": "assistant", "content": "Noted."}], user=self.ann)
        self.call("POST", "/v1/sessions/talk/save", {}, user=self.ann)
        self.settle()
        told.clear()
        run = self.call("POST", "/v1/tasks", {"task": task}, user=self.ann)["id"]
        self.run_until(run, "ended")
        self.assertIn("Memory says of what the task leaves open", told[0])
        self.assertIn("Lisbon", told[0])
        self.assertEqual([one for one in self.questions() if one["run"] == run], [])

    def test_CU_1_an_answer_that_cannot_decide_is_asked_about_and_the_run_goes_on_with_it(self):
        def rule(body):
            if not body.get("tools"):
                return None
            users = [text_of(one) for one in body["messages"] if one["role"] == "user"]
            if any(text.endswith("the train") for text in users):
                return answer("Booked the train.")
            return answer("Both are possible. Which would you like?\n1. the train\n2. the plane")
        self.model.rules.append(rule)
        run = self.call("POST", "/v1/tasks", {"task": "Get me to the fair"}, user=self.ann)["id"]
        self.run_until(run, "ended")
        [one] = self.until(lambda: self.questions("queued", "asked"))
        self.assertEqual((one["kind"], one["run"]), ("decision", run))
        self.call("POST", "/v1/questions/" + one["id"], {"answer": "1"}, user=self.ann)
        self.until(lambda: self.call("GET", "/v1/tasks/" + run, user=self.ann).get("output") == "Booked the train.")


if __name__ == "__main__":
    unittest.main()
