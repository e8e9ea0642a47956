#!/usr/bin/env python3
"""What an agent tried and failed stays in sight, with what was done about it; what it merely read is no failure."""

import json
import random
import unittest

from scenario import Scenario, whole

ID = "%06x" % random.randrange(1 << 24)


def step(number, name, arguments, output, thought=None, **mark):
    return [{"role": "assistant", "content": thought, "tool_calls": [
                {"id": "c%d" % number, "type": "function",
                 "function": {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False)}}]},
            {"role": "tool", "tool_call_id": "c%d" % number, "content": output, **mark}]


def talk(count, chinese=False):
    """Turns that push what stands before them out of a small window."""
    messages = []
    for i in range(count):
        word = "第%d部分讲的是河流与桥梁的测量。" % i if chinese else "Part %d tells of rivers and how bridges are measured. " % i
        messages += [{"role": "user", "content": word * 12}, {"role": "assistant", "content": word * 12}]
    return messages


class Failures(Scenario):
    settings = ("compaction.enabled=false",)

    def errors_of(self, session, messages, **more):
        woven = self.context(session, messages=messages, window=16384, **more)
        text = whole(woven["messages"])
        if "<errors>" not in text:
            return ""
        return text[text.index("<errors>"):text.index("</errors>")]

    def test_AC_7_what_failed_and_what_was_done_about_it(self):
        messages = [{"role": "user", "content": "Deploy build %s" % ID}]
        messages += step(1, "run", {"command": "make deploy-%s" % ID},
                         "make: *** No rule to make target 'deploy-%s'.  Stop.\nexit code: 2" % ID)
        messages += step(2, "run", {"command": "make release-%s" % ID}, "released\nexit code: 0", "There is another target.")
        messages += step(3, "http_post", {"url": "https://a.example/x"}, json.dumps({"status": 503, "body": "busy"}))
        messages += step(4, "upload", {"path": "a.tar"}, "The quota is used up.", is_error=True)
        messages += [{"role": "assistant", "content": "The quota has to be raised first."}]
        messages += talk(80) + [{"role": "user", "content": "go on"}]
        errors = self.errors_of("done-" + ID, messages)
        self.assertIn("make deploy-" + ID, errors)
        self.assertIn("make release-%s worked" % ID, errors.replace("command=", ""))
        self.assertIn("503", errors)
        self.assertIn("quota is used up", errors)
        self.assertIn("has to be raised first", errors)
        self.assertNotIn("&quot;", errors)
        self.assertIn('{"command": "make deploy-', errors)

    def test_AC_7_what_was_read_is_no_failure(self):
        messages = [{"role": "user", "content": "Where is the error handled? %s" % ID}]
        page = "\n".join(["# Errors %s" % ID, "", "Error: file not found", "The server answers 404 not found.",
                          "Traceback (most recent call last):", "  File \"a.py\", line 1", "ValueError: bad"] +
                         ["line %d of the manual" % i for i in range(40)])
        messages += step(1, "read_file", {"path": "errors.md"}, page)
        messages += step(2, "grep_search", {"query": "not found"}, "\n".join(
            "src/a%d.py:%d: raise KeyError('not found')" % (i, i) for i in range(30)))
        messages += step(3, "run", {"command": "cat log.txt | tail -50"}, page)
        messages += step(4, "get_order", {"id": "7"}, json.dumps({"id": 7, "status": "failed", "note": "card"}))
        messages += step(5, "run", {"command": "pytest -q"}, "....\n4 passed in 0.2s")
        messages += talk(80) + [{"role": "user", "content": "go on"}]
        self.assertEqual(self.errors_of("read-" + ID, messages), "")

    def test_AC_7_in_chinese_from_the_stored_session(self):
        session = "zh-" + ID
        messages = [{"role": "user", "content": "把 %s 发布出去" % ID}]
        messages += step(1, "发布", {"目标": "正式-%s" % ID}, "错误：没有权限")
        messages += step(2, "发布", {"目标": "测试-%s" % ID}, "成功")
        messages += [{"role": "assistant", "content": "发到了测试环境。"}]
        self.observe(session, messages + talk(12, chinese=True))
        self.server.restart()
        woven = self.context(session, input="接着做", window=8192)
        text = whole(woven["messages"])
        self.assertIn("没有权限", text)

    def test_AC_7_an_anthropic_result_that_is_marked_as_an_error(self):
        messages = [
            {"role": "user", "content": [{"type": "text", "text": "Save %s" % ID}]},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "save", "input": {"key": ID}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "is_error": True,
                                          "content": [{"type": "text", "text": "locked by another %s" % ID}]}]},
            {"role": "assistant", "content": "I wait until it is free."}]
        session = "marked-" + ID
        self.observe(session, messages)
        self.server.restart()
        kept = self.call("GET", "/v1/sessions/%s/messages" % session)["messages"]
        self.assertTrue([one for one in kept if one["role"] == "tool"][0]["is_error"])
        errors = self.errors_of("marked-sent-" + ID, messages + talk(80) + [{"role": "user", "content": "go on"}])
        self.assertIn("locked by another " + ID, errors)
        self.assertIn("I wait until it is free", errors)


if __name__ == "__main__":
    unittest.main()
