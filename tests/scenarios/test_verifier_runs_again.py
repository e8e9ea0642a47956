#!/usr/bin/env python3
"""A run that is killed while its verifier looks at the answer is judged again when it goes on. Both times the verifier is
given the same key, so that one which does something does it once; another answer has another key (AL-4).
"""

import os
import unittest
import uuid

from scenario import AGENT_TOML, Scenario
from test_agent_run import answer

SLOW_ONCE = 'echo "$WEFT_TOOL_KEY" >> keys; if [ ! -e slept ]; then touch slept; sleep 30; fi; exit 0'


class VerifierRunsAgain(Scenario):
    toml = AGENT_TOML + "[agent]\nshell = true\n"

    def test_AL_4_a_verdict_that_a_kill_cut_off_is_asked_for_again_under_its_key(self):
        ann = "ann" + uuid.uuid4().hex[:8]
        self.model.rules.append(lambda body: answer("Done.") if body.get("tools") else None)
        run = self.call("POST", "/v1/tasks", {"task": "sort the post", "tools": {"commands": [
            {"name": "verify", "command": ["/bin/sh", "-c", SLOW_ONCE]}]}}, user=ann)["id"]
        path = os.path.join(self.server.workspace, "work", "keys")

        def keys():
            if not os.path.exists(path):
                return []
            with open(path, encoding="utf-8") as file:
                return file.read().split()

        self.until(keys)
        self.server.restart(kill=True)
        self.call("POST", "/v1/tasks/%s/resume" % run, user=ann)
        ended = lambda: [now for now in [self.call("GET", "/v1/tasks/" + run, user=ann)] if now["status"] == "ended"]
        self.assertEqual(self.until(ended)[0]["outcome"], "success")
        self.assertEqual(len(keys()), 2)
        self.assertEqual(keys()[0], keys()[1])
        self.assertIn(run, keys()[0])
        self.call("POST", "/v1/tasks/%s/messages" % run, {"text": "Now sort the other post."}, user=ann)
        self.until(lambda: len(keys()) == 3)
        self.assertNotEqual(keys()[2], keys()[1])


if __name__ == "__main__":
    unittest.main()
