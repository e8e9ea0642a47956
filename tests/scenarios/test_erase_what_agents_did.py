#!/usr/bin/env python3
"""Who is forgotten is forgotten in runs, too: their streams, kept outputs, files, questions, reports, reflections, rules
and skills; also single messages of a run, and also where the erasure is killed (PF-5).
"""

import os
import random
import sys
import threading
import time
import unittest
import urllib.error
import uuid

from scenario import AGENT_TOML, Scenario
from test_agent_run import answer, outputs

FLOOD = "import json, sys; word = json.load(sys.stdin)['word']; print('\\n'.join('%s line %d' % (word, i) for i in range(3000)))"


class ErasingRuns(Scenario):
    toml = AGENT_TOML + "[recall]\nauto_top = 0\n[agent]\nshell = true\n"

    def setUp(self):
        self.ann = "ann" + uuid.uuid4().hex[:8]
        self.model.rules[:] = [self.rule]

    def rule(self, body):
        if not body.get("tools"):
            return None
        done = outputs(body)
        first = next(one["content"] for one in body["messages"] if one["role"] == "user" and "zz" in one["content"])
        word = "zz" + first.split("zz", 1)[1][:30]
        steps = [[("flood", {"word": word + "output"})],
                 [("file_write", {"path": word[:8] + ".txt", "content": "written " + word + "file"})],
                 [("human_ask", {"question": "May %squestion be told to others?" % word})],
                 [("task_progress", {"done": [word + "done"], "current": "now", "remaining": []})]]
        if len(done) < len(steps):
            return answer("thinking of %sthought" % word, calls=steps[len(done)])
        return answer("all of %sanswer is done" % word)

    def task(self, secret, user):
        tools = {"commands": [{"name": "flood", "description": "gives much",
                               "parameters": {"type": "object", "properties": {"word": {"type": "string"}}},
                               "effects": "none", "command": [sys.executable, "-c", FLOOD]}]}
        run = self.call("POST", "/v1/tasks", {"task": "tell of the matter %s to nobody" % secret, "tools": tools},
                        user=user)["id"]
        self.until(run, user, "waiting")
        [one] = [q for q in self.call("GET", "/v1/questions", user=user)["questions"] if q["run"] == run]
        self.call("POST", "/v1/questions/" + one["id"], {"answer": "never say %sreply" % secret}, user=user)
        self.until(run, user, "ended")
        return run

    def until(self, run, user, state):
        end = time.time() + 60
        while time.time() < end:
            now = self.call("GET", "/v1/tasks/" + run, user=user)
            if now["status"] == state:
                return now
            time.sleep(0.05)
        self.fail("%s is not %s" % (now, state))

    def files_with(self, text):
        found = []
        for folder, _, names in os.walk(self.server.workspace):
            for name in names:
                path = os.path.join(folder, name)
                if os.path.islink(path) or not os.path.isfile(path):
                    continue
                with open(path, "rb") as file:
                    if text.encode() in file.read():
                        found.append(os.path.relpath(path, self.server.workspace))
        return found

    def gone(self, secret, what):
        self.settle()
        self.server.restart()  # the log of the store goes into it
        self.assertEqual(self.files_with(secret), [], what)

    def secret(self):
        return "zz" + uuid.uuid4().hex[:30]

    def test_PF_5_everything_of_a_user_goes_from_runs_and_others_stay(self):
        secret, other = self.secret(), self.secret()
        bob = "bob" + uuid.uuid4().hex[:8]
        self.task(secret, self.ann)
        kept = self.task(other, bob)
        places = {path.split(os.sep)[0] for path in self.files_with(secret)}
        self.assertTrue({"agents", "work"} <= places, places)
        receipt = self.call("POST", "/v1/erase", {"everything": True}, user=self.ann)
        self.assertTrue(self.call("GET", "/v1/erasures/" + receipt["id"])["clean"])
        self.gone(secret, "everything")
        self.assertEqual(self.call("GET", "/v1/tasks", user=self.ann)["runs"], [])
        self.assertEqual(self.call("GET", "/v1/tasks/" + kept, user=bob)["status"], "ended")
        self.assertIn("work", {path.split(os.sep)[0] for path in self.files_with(other)})

    def test_PF_5_a_run_of_which_all_messages_are_erased_goes_whole(self):
        secret, other = self.secret(), self.secret()
        run, kept = self.task(secret, self.ann), self.task(other, self.ann)
        ids = [one["id"] for one in self.call("GET", "/v1/sessions/%s/messages?limit=1000" % run,
                                              user=self.ann)["messages"]]
        self.assertGreater(len(ids), 8)
        self.call("POST", "/v1/erase", {"messages": ids, "session": run}, user=self.ann)
        self.gone(secret, "all messages")
        self.assertEqual(self.fails("GET", "/v1/tasks/" + run, user=self.ann)[0], 404)
        self.assertEqual(self.call("GET", "/v1/tasks/" + kept, user=self.ann)["status"], "ended")
        self.assertIn("agents", {path.split(os.sep)[0] for path in self.files_with(other)})

    def test_PF_5_a_single_message_goes_from_everything_that_says_it_again(self):
        # Each word stands in one message alone, and in what was made of that message.
        for word in ("output", "file", "question", "thought", "reply"):
            with self.subTest(word):
                secret = self.secret()
                run = self.task(secret, self.ann)
                messages = self.call("GET", "/v1/sessions/%s/messages?limit=1000" % run, user=self.ann)["messages"]
                ids = [one["id"] for one in messages if secret + word in str(one)]
                self.assertTrue(ids, str(messages)[:2000])
                self.assertTrue(self.files_with(secret + word))
                self.call("POST", "/v1/erase", {"messages": ids, "session": run}, user=self.ann)
                self.gone(secret + word, word)
                self.assertEqual(self.call("GET", "/v1/tasks/" + run, user=self.ann)["status"], "ended")
                self.assertTrue(self.files_with(secret), "the rest of the run is there")

    def test_PF_5_all_before_a_moment_goes_and_what_came_later_stays(self):
        secret, other = self.secret(), self.secret()
        self.task(secret, self.ann)
        time.sleep(1.1)
        moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        time.sleep(1.1)
        kept = self.task(other, self.ann)
        self.call("POST", "/v1/erase", {"before": moment}, user=self.ann)
        self.gone(secret, "before")
        self.assertEqual(self.call("GET", "/v1/tasks/" + kept, user=self.ann)["status"], "ended")
        self.assertTrue(self.files_with(other))

    def test_PF_5_a_run_at_work_stands_still_and_is_forgotten(self):
        secret = self.secret()
        run = self.call("POST", "/v1/tasks", {"task": "tell of the matter %s" % secret}, user=self.ann)["id"]
        self.until(run, self.ann, "waiting")
        self.call("POST", "/v1/erase", {"everything": True}, user=self.ann)
        self.gone(secret, "at work")

    def test_PF_5_killed_in_between_it_goes_on(self):
        chance = random.Random(uuid.uuid4().hex)
        for wait in (0.0, 0.01, 0.03, 0.08):
            ann, secret = "ann" + uuid.uuid4().hex[:8], self.secret()
            self.task(secret, ann)
            self.task(secret, ann)
            killer = threading.Timer(wait + chance.uniform(0, 0.02), self.server.process.kill)
            killer.start()
            try:
                self.call("POST", "/v1/erase", {"everything": True}, user=ann)
            except (OSError, urllib.error.URLError):
                pass
            killer.join()
            self.server.restart(kill=True)
            self.call("POST", "/v1/erase", {"everything": True}, user=ann)
            self.gone(secret, wait)

    def test_PF_5_lessons_and_what_was_learnt_of_them_go_with_a_message(self):
        secret, word = self.secret(), "yy" + uuid.uuid4().hex
        call = {"id": "c1", "type": "function", "function": {"name": "builder", "arguments": '{"a":"%s"}' % word}}
        self.observe("work", [{"id": "w1", "role": "user", "content": "Build the %s project" % secret},
                              {"id": "w2", "role": "assistant", "content": None, "tool_calls": [call]},
                              {"id": "w3", "role": "tool", "tool_call_id": "c1",
                               "content": "error: unknown option --%s" % secret},
                              {"id": "w4", "role": "assistant", "content": "It does not build."}], user=self.ann)
        self.call("POST", "/v1/sessions/work/end", {"action_summary": "Tried to build it."}, user=self.ann)
        end = time.time() + 30
        while not self.call("GET", "/v1/reflections", user=self.ann)["reflections"]:
            self.assertLess(time.time(), end)
            time.sleep(0.1)
        self.call("POST", "/v1/erase", {"messages": ["w1", "w3"], "session": "work"}, user=self.ann)
        self.gone(secret, "lessons")
        self.assertEqual(self.call("GET", "/v1/reflections", user=self.ann)["reflections"], [])


if __name__ == "__main__":
    unittest.main()
