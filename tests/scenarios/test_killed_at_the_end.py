#!/usr/bin/env python3
"""A server that is killed when the answer of a run stands, and before anything has followed from it, makes up for that at
its next start: the run is reflected on, kept as a talk and counted, once (AL-4, EV-1, RE-1, PF-9).
"""

import json
import os
import sqlite3
import unittest
import uuid

from test_agent_learns import LearningScenario
from test_agent_run import answer


class KilledAtTheEnd(LearningScenario):
    def mark(self, run):
        """As it is from the moment in which the answer is written."""
        folder = os.path.join(self.server.workspace, "agents", "ending")
        os.makedirs(folder, exist_ok=True)
        open(os.path.join(folder, run), "w", encoding="utf-8").close()

    def marks(self):
        folder = os.path.join(self.server.workspace, "agents", "ending")
        return os.listdir(folder) if os.path.isdir(folder) else []

    def forget_report(self, run):
        """Takes out the report and what was made of it, as if they had not been written yet."""
        store = sqlite3.connect(os.path.join(self.server.workspace, "weft.db"))
        gone = store.execute("DELETE FROM documents WHERE kind IN ('report', 'reflection', 'session_report') AND "
                             "body LIKE ?", ("%" + run + "%",)).rowcount
        store.commit()
        store.close()
        return gone

    def forget_answer(self, run):
        path = os.path.join(self.server.workspace, "agents", run + ".jsonl")
        with open(path, encoding="utf-8") as file:
            lines = file.readlines()
        at = next(i for i, line in enumerate(lines) if "AGENT_OUTPUT" in line)
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(lines[:at])

    def reports(self):
        return [one["id"] for one in self.call("GET", "/v1/reports", user=self.ann)["reports"]]

    def skill(self):
        skill = {"skill_id": "tide_" + uuid.uuid4().hex[:8], "owner": "user:" + self.ann, "stage": "probation",
                 "name": "Read the tide tables", "description": "read the tide tables of a harbour",
                 "trigger_conditions": ["read the tide tables of a harbour"],
                 "steps": [{"action": "Look at the table"}, {"action": "Tell the hour"}]}
        self.call("PUT", "/v1/skills/" + skill["skill_id"], skill, user=self.ann)
        return skill["skill_id"]

    def run_task(self, task):
        told = self.weft("-u", self.ann, "--json", "agent", "run", task, "--verify", "grep -q noon")
        self.assertEqual(told.returncode, 0, told.stderr)
        return json.loads(told.stdout.splitlines()[-1])["run"]["id"]

    def test_AL_4_EV_1_what_follows_from_an_answer_is_made_up_for_once(self):
        self.model.rules[:] = [lambda body: answer("High water is at noon.") if body.get("tools") else None]
        skill = self.skill()
        run = self.run_task("Read the tide tables of the harbour")
        self.until(lambda: run in self.reports())
        self.until(lambda: not self.marks())

        def used():
            return self.call("GET", "/v1/skills/" + skill, user=self.ann)["uses"]

        before = used()
        self.assertEqual((before["injected"], before["succeeded"]), (1, 1))
        # It was all there: nothing is counted again.
        self.server.restart(kill=True, meanwhile=lambda: self.mark(run))
        self.until(lambda: not self.marks())
        self.assertEqual(used(), before)
        self.assertEqual(self.reports().count(run), 1)
        # Nothing of it was there.
        self.server.restart(kill=True, meanwhile=lambda: [self.assertGreater(self.forget_report(run), 0), self.mark(run)])
        self.until(lambda: not self.marks())
        self.assertEqual(self.reports().count(run), 1)
        self.assertEqual(used()["succeeded"], 1)

    def test_AL_4_what_follows_from_an_answer_needs_no_model(self):
        self.model.rules[:] = [lambda body: answer("Low water is at noon.") if body.get("tools") else None]
        run = self.run_task("Read the tide tables of the estuary")
        self.until(lambda: run in self.reports())
        settings = os.path.join(self.server.workspace, "weft.toml")
        with open(settings, encoding="utf-8") as file:
            before = file.read()

        def write(text):
            with open(settings, "w", encoding="utf-8") as file:
                file.write(text)

        def taken_away():
            self.assertGreater(self.forget_report(run), 0)
            self.mark(run)
            write('[embedding]\nprovider = "none"\n')

        self.server.restart(kill=True, meanwhile=taken_away)
        try:
            self.until(lambda: not self.marks())
            self.assertEqual(self.reports().count(run), 1)
        finally:
            self.server.restart(meanwhile=lambda: write(before))

    def test_AL_4_a_mark_without_an_answer_or_without_a_run_is_harmless(self):
        self.model.rules[:] = [lambda body: answer("It is noon.") if body.get("tools") else None]
        run = self.run_task("Say what time it is")
        self.until(lambda: run in self.reports())
        self.server.restart(kill=True, meanwhile=lambda: [self.mark("no-such-run"), self.forget_answer(run), self.mark(run)])
        self.until(lambda: not self.marks())
        self.assertEqual(self.call("GET", "/v1/tasks/" + run, user=self.ann)["status"], "stopped")
        self.call("POST", "/v1/tasks/%s/resume" % run, user=self.ann)
        self.assertEqual(self.ended(run)["output"], "It is noon.")


if __name__ == "__main__":
    unittest.main()
