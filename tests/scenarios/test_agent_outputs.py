#!/usr/bin/env python3
"""Long outputs of tools: what matters is sent, how much is left out is said, and the rest is got by its handle."""

import json
import random
import re
import unittest
import urllib.parse

from scenario import Scenario, whole

ID = "%06x" % random.randrange(1 << 24)


def log_of(lines):
    text = ["2026-03-01 10:%02d:%02d INFO worker %d took job %d" % (i // 60 % 60, i % 60, i % 7, i) for i in range(lines)]
    text[lines // 2] = "2026-03-01 10:30:00 ERROR database %s is locked" % ID
    return "\n".join(text)


class Outputs(Scenario):
    def run_with(self, session, output, asked):
        self.observe(session, [
            {"role": "user", "content": asked},
            {"role": "assistant", "content": None, "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "run", "arguments": '{"command":"cat log"}'}}]},
            {"role": "tool", "tool_call_id": "c1", "content": output}])

    def handle_of(self, session):
        kept = self.call("GET", "/v1/sessions/%s/messages" % session)["messages"]
        return [one["id"] for one in kept if one["role"] == "tool"][-1]

    def test_AC_6_an_output_longer_than_the_window_keeps_what_matters(self):
        session = "log-" + ID
        self.run_with(session, log_of(4000), "Why did it stop? Look for database " + ID)
        woven = self.context(session, window=8192)
        text = whole(woven["messages"])
        self.assertIn("database %s is locked" % ID, text)
        self.assertIn("took job 0", text)
        self.assertIn("took job 3999", text)
        self.assertLessEqual(woven["report"]["tokens"], woven["report"]["usable"])

    def test_AC_6_the_rest_is_got_by_its_handle(self):
        session = "rest-" + ID
        self.run_with(session, log_of(500), "Look")
        handle = self.handle_of(session)
        path = "/v1/messages/%s?from_line=249&lines=3" % urllib.parse.quote(handle, safe="")
        part = self.call("GET", path)
        self.assertEqual(part["lines"], 500)
        self.assertEqual((part["from_line"], part["to_line"]), (249, 251))
        self.assertIn("database %s is locked" % ID, part["text"])
        found = self.call("POST", "/v1/tools/memory_read_output", {"id": handle, "find": ID})
        self.assertEqual([one["line"] for one in found["matches"]], [251])
        self.server.restart()
        again = self.call("POST", "/v1/tools/memory.read_output", {"id": handle, "from_line": 500})
        self.assertIn("took job 499", again["text"])

    def test_AC_6_a_handle_of_somebody_else_is_unknown(self):
        session = "own-" + ID
        self.run_with(session, log_of(100), "Look")
        path = "/v1/messages/%s" % urllib.parse.quote(self.handle_of(session), safe="")
        status, error = self.fails("GET", path, user="bob")
        self.assertEqual(status, 404)
        self.assertIn("no message", error["message"])
        status, error = self.fails("GET", path + "?from_line=101")
        self.assertEqual(status, 400)
        self.assertIn("100 lines", error["message"])

    def test_AC_6_the_tool_is_among_the_memory_tools(self):
        names = [one["function"]["name"] for one in self.call("GET", "/v1/tools")["tools"]]
        self.assertIn("memory_read_output", names)

    def test_IC_4_a_summary_of_steps_says_what_was_found(self):
        messages = [{"role": "user", "content": "Find out why release %s fails" % ID}]
        for i in range(60):
            messages += [
                {"role": "assistant", "content": "Let me read the next file.", "tool_calls": [
                    {"id": "r%d" % i, "type": "function",
                     "function": {"name": "read_file", "arguments": json.dumps({"path": "src/part_%d.py" % i})}}]},
                {"role": "tool", "tool_call_id": "r%d" % i, "content": "\n".join(
                    ["import os", "class Part%d:" % i, "    def check_%d(self):" % i] + ["        x = %d" % j for j in range(60)])}]
        messages += [{"role": "assistant", "content": "Part 17 opens port %d twice." % (4000 + int(ID, 16) % 1000)},
                     {"role": "user", "content": "go on"}]
        woven = self.context("steps-" + ID, messages=messages, window=8192)
        text = whole(woven["messages"])
        self.assertTrue(re.search(r"read_file\(.*part_\d+\.py\) → ", text), text[:3000])


if __name__ == "__main__":
    unittest.main()
