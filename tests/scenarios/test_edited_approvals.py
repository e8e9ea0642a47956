#!/usr/bin/env python3
"""Whoever is asked whether a call may be made may change its arguments and allow it with them: in the queue of questions, by
the command, and over REST; what does not fit is refused with the reason (CU-2, CU-3, AL-2)."""

import json
import os
import unittest
import uuid

from scenario import AGENT_TOML, Scenario
from test_agent_run import answer, outputs


class EditedApprovals(Scenario):
    toml = AGENT_TOML + '[agent]\npermissions = "file_write=ask"\n'

    def setUp(self):
        self.ann = "ann" + uuid.uuid4().hex[:8]
        self.name = self.ann + ".txt"
        self.model.rules[:] = [self.writes]

    def writes(self, body):
        if not body.get("tools"):
            return None
        done = outputs(body)
        return answer("told: " + done[-1]) if done else answer(
            calls=[("file_write", {"path": self.name, "content": "everybody is dismissed"})])

    def asked(self):
        run = self.call("POST", "/v1/tasks", {"task": "write the notice"}, user=self.ann)["id"]
        self.until(lambda: self.call("GET", "/v1/tasks/" + run, user=self.ann)["status"] == "waiting")
        [question] = [one for one in self.call("GET", "/v1/questions", user=self.ann)["questions"]
                      if one["stage"] in ("queued", "asked")]
        return run, question

    def written(self, run):
        ended = self.until(lambda: [now for now in [self.call("GET", "/v1/tasks/" + run, user=self.ann)]
                                    if now["status"] == "ended"])[0]
        path = os.path.join(self.server.workspace, "work", self.name)
        if not os.path.exists(path):
            return ended["output"], None
        with open(path, encoding="utf-8") as file:
            return ended["output"], file.read()

    def test_CU_2_AL_2_over_rest_after_a_restart(self):
        run, question = self.asked()
        self.assertEqual(question["arguments"], {"path": self.name, "content": "everybody is dismissed"})
        self.server.restart(kill=True)
        edited = {"path": self.name, "content": "everybody gets a day off"}
        self.call("POST", "/v1/questions/" + question["id"], {"answer": "allow", "arguments": edited}, user=self.ann)
        self.assertEqual(self.written(run)[1], "everybody gets a day off")
        [intent] = [one["payload"] for one in self.call("GET", "/v1/tasks/%s/events" % run, user=self.ann)["events"]
                    if one["type"] == "TOOL_INTENT"]
        self.assertEqual(intent["arguments"], edited)

    def test_CU_2_AL_2_by_the_command(self):
        run, question = self.asked()
        told = self.weft("-u", self.ann, "question", "answer", question["id"], "--arguments",
                         json.dumps({"path": self.name, "content": "nobody is dismissed"}))
        self.assertEqual(told.returncode, 0, told.stderr)
        self.assertEqual(self.written(run)[1], "nobody is dismissed")

    def test_CU_2_what_does_not_fit_is_refused(self):
        run, question = self.asked()
        place = "/v1/questions/" + question["id"]
        for body in ({"answer": "deny", "arguments": {"path": self.name}}, {"answer": "allow", "arguments": "rm -rf"},
                     {"answer": "allow", "arguments": [1]}):
            self.assertEqual(self.fails("POST", place, body, user=self.ann)[0], 400, body)
        told = self.weft("-u", self.ann, "question", "answer", question["id"], "--arguments", "{broken")
        self.assertNotEqual(told.returncode, 0)
        # It still stands open; what the tool's schema forbids the run says to its model.
        self.call("POST", place, {"answer": "allow", "arguments": {"path": 7}}, user=self.ann)
        output, text = self.written(run)
        self.assertIn("as the user edited it", output)
        self.assertIsNone(text)
        free = self.call("POST", "/v1/questions", {"text": "Which colour?"}, user=self.ann)
        self.assertEqual(self.fails("POST", "/v1/questions/" + free["id"], {"answer": "red", "arguments": {}},
                                    user=self.ann)[0], 400)


if __name__ == "__main__":
    unittest.main()
