#!/usr/bin/env python3
"""`weft eval answers` lets models of weft.toml read and judge: a role or a model by its name, each at its own server with
its own key, from a conversation that lies in files."""

import json
import os
import subprocess
import tempfile
import unittest

from scenario import ScriptedOpenAI, whole
from weft_server import binary

TOML = """[models.small]
url = "%s"
model = "name-of-small"
window = 8192
[models.large]
url = "%s"
model = "name-of-large"
api_key_env = "LARGE_KEY"
[roles]
planner = "small"
"""
MESSAGES = [{"id": "m1", "session": "s1", "time": "2026-03-02T09:00:00Z", "role": "user", "name": "Ann",
             "text": "My kiln is called Vesta."},
            {"id": "m2", "session": "s1", "time": "2026-03-02T09:01:00Z", "role": "assistant", "text": "A fine name."}]
QUESTION = {"id": "q1", "query": "What is Ann's kiln called?", "answer": "Vesta", "category": "single-hop", "gold": ["m1"]}


def says(text):
    """A rule by which a scripted model always gives this answer."""
    return lambda body: (200, {"id": "c1", "object": "chat.completion", "created": 1, "model": body["model"],
                               "choices": [{"index": 0, "finish_reason": "stop",
                                            "message": {"role": "assistant", "content": text}}],
                               "usage": {"prompt_tokens": 70, "completion_tokens": 2, "total_tokens": 72}})


class EvalReader(unittest.TestCase):
    def setUp(self):
        self.small, self.large = ScriptedOpenAI(), ScriptedOpenAI()
        self.small.rules.append(says("It is called Vesta."))
        self.large.rules.append(says('{"reason": "The same name.", "verdict": "CORRECT"}'))
        self.folder = tempfile.TemporaryDirectory(prefix="weft-eval-")
        self.write("weft.toml", TOML % (self.small.url, self.large.url))
        self.write("talk.messages.jsonl", "".join(json.dumps(one) + "\n" for one in MESSAGES))
        self.write("talk.queries.jsonl", json.dumps(QUESTION) + "\n")

    def tearDown(self):
        self.small.close()
        self.large.close()
        self.folder.cleanup()

    def write(self, name, text):
        with open(os.path.join(self.folder.name, name), "w") as file:
            file.write(text)

    def run_eval(self, *options):
        command = [binary(), "--workspace", self.folder.name, "--set", "embedding.provider=none", "--log", "off", "eval",
                   "answers", os.path.join(self.folder.name, "talk"), *options]
        return subprocess.run(command, capture_output=True, text=True, env={**os.environ, "LARGE_KEY": "key-of-large"})

    def test_PF_24_a_role_reads_and_a_model_judges(self):
        done = self.run_eval("--reader", "planner", "--judge", "large")
        self.assertEqual(done.returncode, 0, done.stderr)
        report = next(iter(json.loads(done.stdout)["by_set"].values()))["reader"]
        self.assertEqual((report["reader"], report["judge"]), ("name-of-small", "name-of-large"))
        for way in ("woven", "oracle", "bm25", "whole"):
            self.assertEqual({name: report["answerable"][way][name] for name in ("questions", "contains", "right", "tokens")},
                             {"questions": 1, "contains": 1, "right": 1, "tokens": 70}, way)
        self.assertEqual(report["answerable"]["woven_of_oracle"]["right"], 1)
        self.assertEqual([body["model"] for _, body in self.small.seen], ["name-of-small"] * 4)
        self.assertIn("Vesta", whole(self.small.seen[0][1]["messages"]), "by the memory or the profile")
        self.assertIn("- Ann: My kiln is called Vesta.", whole(self.small.seen[1][1]["messages"]))
        self.assertEqual(len(self.large.seen), 4)
        headers, body = self.large.seen[0]
        self.assertEqual(headers.get("Authorization"), "Bearer key-of-large")
        self.assertIn("It is called Vesta.", whole(body["messages"]))

    def test_PF_24_nobody_of_that_name_is_an_error_that_says_what_to_add(self):
        done = self.run_eval("--reader", "main")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn('no role and no model is called "main"', done.stderr)
        self.assertIn("[models.main]", done.stderr)
        self.assertEqual(self.small.seen, [])

    def test_PF_24_a_wrong_key_ends_the_run(self):
        self.small.rules[0] = lambda body: (401, {"error": {"message": "no such key", "type": "auth", "code": "bad_key"}})
        done = self.run_eval("--reader", "planner")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("no such key", done.stderr)


if __name__ == "__main__":
    unittest.main()
