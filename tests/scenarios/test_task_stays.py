#!/usr/bin/env python3
"""A session's task is in each of its prompts, by every way in, until it is ended."""

import json
import random
import unittest

from scenario import Scenario, whole

ID = "%06x" % random.randrange(1 << 24)


class TaskStays(Scenario):
    def test_AC_3_AC_13_a_task_set_once_is_in_every_prompt(self):
        session = "set-" + ID
        path = "/v1/sessions/%s/task" % session
        self.assertIsNone(self.call("GET", path)["task"])
        kept = self.call("PUT", path, {"description": "Move the archive %s" % ID, "constraints": ["never delete " + ID],
                                       "warnings": ["the disk is small"], "type": "coding",
                                       "preferences": [{"text": "tabs for " + ID, "confidence": 0.9}]})["task"]
        self.assertEqual(kept["description"], "Move the archive " + ID)
        history = []
        for turn in range(3):
            self.talk(history, "step %d" % turn, session=session)
            self.check_prompt(whole(self.sent()))
        self.server.restart(kill=True)
        self.talk(history, "after the restart", session=session)
        self.check_prompt(whole(self.sent()))
        self.check_prompt(whole(self.context(session, input="and now?")["messages"]))
        self.assertTrue(self.call("DELETE", path)["ended"])
        self.assertFalse(self.call("DELETE", path)["ended"])
        self.talk(history, "after its end", session=session)
        self.assertNotIn("Move the archive " + ID, whole([one for one in self.sent() if one["role"] == "system"]))
        self.assertNotIn("<task>", whole(self.sent()))

    def check_prompt(self, text):
        for part in ("Move the archive " + ID, "never delete " + ID, "the disk is small", "tabs for " + ID):
            self.assertIn(part, text)

    def test_AC_3_what_context_is_given_stays_for_the_proxy(self):
        session = "given-" + ID
        self.context(session, input="begin", task={"description": "整理档案 " + ID, "remaining": ["分类", "编号"],
                                                   "constraints": ["不要删除 " + ID]})
        self.chat([{"role": "user", "content": "继续"}], session=session)
        text = whole(self.sent())
        for part in ("整理档案 " + ID, "分类", "不要删除 " + ID):
            self.assertIn(part, text)
        # What is said of it later goes on from there.
        self.context(session, input="next", task={"current": "编号 " + ID, "remaining": ["检查"]})
        self.chat([{"role": "user", "content": "继续吧"}], session=session)
        text = whole(self.sent())
        for part in ("整理档案 " + ID, "编号 " + ID, "检查", "不要删除 " + ID):
            self.assertIn(part, text)

    def test_AC_3_the_end_of_a_turn_does_not_end_the_task_unless_it_says_so(self):
        session = "end-" + ID
        path = "/v1/sessions/%s/task" % session
        self.call("PUT", path, json.loads('"Count the stars %s"' % ID))
        self.observe(session, [{"role": "user", "content": "begin"}, {"role": "assistant", "content": "begun"}])
        self.call("POST", "/v1/sessions/%s/end" % session, {"action_summary": "counted seven"})
        self.assertEqual(self.call("GET", path)["task"]["description"], "Count the stars " + ID)
        self.call("POST", "/v1/sessions/%s/end" % session, {"task_done": True})
        self.assertIsNone(self.call("GET", path)["task"])

    def test_AC_4_preferences_of_the_scope_hold_in_every_session(self):
        self.call("PUT", "/v1/preferences", [{"text": "short answers " + ID, "confidence": 0.9},
                                             {"text": "a guess " + ID, "confidence": 0.3}], user="cat")
        self.chat([{"role": "user", "content": "hello there"}], session="p-" + ID, user="cat")
        self.assertIn("short answers " + ID, whole(self.sent()))
        self.assertNotIn("a guess " + ID, whole(self.sent()))
        self.chat([{"role": "user", "content": "hello there"}], session="p-" + ID, user="dan")
        self.assertNotIn("short answers " + ID, whole(self.sent()))

    def test_AC_3_a_task_of_somebody_else_is_not_seen(self):
        session = "whose-" + ID
        self.call("PUT", "/v1/sessions/%s/task" % session, {"description": "secret " + ID}, user="eve")
        self.assertIsNone(self.call("GET", "/v1/sessions/%s/task" % session, user="bob")["task"])
        self.chat([{"role": "user", "content": "hello"}], session=session, user="bob")
        self.assertNotIn("secret " + ID, whole(self.sent()))

    def test_AC_3_what_cannot_be_read_is_refused_with_its_name(self):
        path = "/v1/sessions/bad-%s/task" % ID
        for body, part in (({"descripton": "x"}, "descripton"), ({"description": 7}, "description"), ({}, "nothing"),
                           ({"description": "x", "preferences": [{"text": "y", "confidence": 3}]}, "confidence")):
            status, error = self.fails("PUT", path, body)
            self.assertEqual(status, 400)
            self.assertIn(part, error["message"])

    def test_AC_13_the_command_sets_shows_and_ends_it(self):
        session = "command-" + ID
        self.server.process.terminate()
        self.server.process.wait(30)
        done = self.weft("task", "set", "Paint the fence " + ID, "--constraint", "no red", "-u", "ann", "-s", session)
        self.assertEqual(done.returncode, 0, done.stderr)
        shown = self.weft("task", "show", "-u", "ann", "-s", session, "--json")
        self.assertEqual(json.loads(shown.stdout)["task"]["constraints"], ["no red"])
        self.server.process.stdout.close()
        self.server.start()
        self.chat([{"role": "user", "content": "which colour?"}], session=session)
        self.assertIn("Paint the fence " + ID, whole(self.sent()))
        self.assertIn("no red", whole(self.sent()))

    def test_AC_13_messages_of_context_are_plain_chat_messages(self):
        session = "plain-" + ID
        self.observe(session, [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "hi"}])
        plain = self.context(session, input="go on")["messages"]
        known = {"role", "content", "name", "tool_calls", "tool_call_id"}
        for message in plain:
            self.assertLessEqual(set(message), known)
        full = self.context(session, input="go on", full=True)["messages"]
        self.assertTrue(any("id" in message and "time" in message for message in full))


if __name__ == "__main__":
    unittest.main()
