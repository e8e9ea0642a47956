#!/usr/bin/env python3
"""Whoever works on a task, its end is one entry of the log: a report that names the rules of its prompts, a reflection,
and a count. Here the task is worked on by clients of the proxy and of the API, who never say that a turn has ended.
RE-4.
"""

import json
import os
import random
import sqlite3
import unittest

from scenario import Scenario, ScriptedOpenAI, WeftServer, whole

FAILED = "error: unknown option --fast"


def completion(body, message, finish="stop"):
    return 200, {"id": "c", "object": "chat.completion", "created": 1, "model": body["model"],
                 "choices": [{"index": 0, "finish_reason": finish, "message": message}]}


class TasksClose(Scenario):
    settings = ("embedding.provider=none",)

    @classmethod
    def setUpClass(cls):
        cls.model = ScriptedOpenAI()
        cls.server = WeftServer(upstream=cls.model.url, settings=cls.settings)

    def setUp(self):
        self.ann = "ann-%06x" % random.randrange(1 << 24)
        self.calls = 0

    def rule(self, strategy, stage="approve"):
        """An active rule of this user, or one on trial."""
        for number in range(3):
            made = {"id": "%s-f%d" % (self.ann, number), "time": "2026-10-%02dT08:00:00Z" % (1 + number),
                    "owner": "user:" + self.ann, "trigger": "task_end", "session": "s%d" % number,
                    "task": "build project number %d" % number, "reports": ["%s-t%d" % (self.ann, number)],
                    "outcome": "success", "provenance": "own_run", "by": "floor",
                    "suggestions": [{"strategy": strategy, "applies_to": "builds of a project", "confidence": "MEDIUM",
                                     "severity": "LOW"}]}
            self.weft("-u", self.ann, "rule", "learn", "--file", "-", stdin=json.dumps(made))
        [rule] = [one for one in self.rules() if one["strategy"] == strategy]
        if stage == "approve":
            self.call("POST", "/v1/rules/" + rule["id"], {"action": "approve", "by": "ann"}, user=self.ann)
        return rule["id"]

    def rules(self):
        return self.call("GET", "/v1/rules", user=self.ann)["rules"]

    def uses(self, rule):
        return next(one for one in self.rules() if one["id"] == rule).get("uses", {})

    def reports(self):
        return self.call("GET", "/v1/reports", user=self.ann)["reports"]

    def reflections(self):
        return self.call("GET", "/v1/reflections", user=self.ann)["reflections"]

    def all_read(self):
        self.until(lambda: not sum(one["entries"] for one in self.call("GET", "/healthz")["readers"]))

    def work(self, history, request, session, outputs=(FAILED,), answer="It does not build."):
        """A client of the proxy whose model calls a tool as often as there are outputs, and then answers."""
        history.append({"role": "user", "content": request})
        for output in list(outputs) + [None]:
            self.calls += 1
            call = {"id": "c%d" % self.calls, "type": "function", "function": {"name": "builder", "arguments": "{}"}}
            message = {"role": "assistant", "content": answer} if output is None else {
                "role": "assistant", "content": None, "tool_calls": [call]}
            self.model.rules[:] = [lambda body: completion(body, message, "stop" if output is None else "tool_calls")]
            self.chat(history, user=self.ann, session=session)
            history.append(message)
            if output is not None:
                history.append({"role": "tool", "tool_call_id": call["id"], "content": output})
        self.model.rules[:] = []
        # The proxy keeps an answer behind the call.
        messages = "/v1/sessions/%s/messages" % session
        self.until(lambda: self.call("GET", messages, user=self.ann)["messages"][-1]["content"] == answer)
        return history

    def test_RE_4_a_proxied_task_is_reported_reflected_on_and_counted_without_an_end(self):
        rule = self.rule("Read the help of a builder before its first call")
        talk = self.work([], "Build the project of %s" % self.ann, "work", outputs=[FAILED] * 4)
        self.assertIn("Read the help of a builder", whole(self.sent()))
        self.all_read()
        self.assertEqual(self.reports(), [])
        talk.append({"role": "user", "content": "No, that is wrong. It has to build."})
        self.chat(talk, user=self.ann, session="work")
        [report] = self.until(self.reports)  # the topic goes on, but the user has judged
        self.assertEqual((report["task"], report["tool_calls"]), ("Build the project of %s" % self.ann, 4))
        self.assertEqual((report["outcome"], report["outcome_by"], report["reaction"]),
                         ("failure", "user", "complained"))
        self.assertEqual((report["rules"], report["session"]), ([rule], "work"))
        self.until(lambda: self.uses(rule).get("failed") == 1)
        [reflection] = self.until(self.reflections)
        self.assertEqual((reflection["reports"], reflection["trigger"]), ([report["id"]], "task_end"))

        # The client goes on, and the server dies and comes back: nothing is counted twice.
        self.work(talk, "Build the project of %s with the slow option" % self.ann, "work", ["built"], "It builds.")
        talk.append({"role": "user", "content": "Perfect, thank you."})
        self.chat(talk, user=self.ann, session="work")
        self.call("POST", "/v1/sessions/work/save", {}, user=self.ann)
        self.server.restart(kill=True)
        self.until(lambda: len(self.reports()) == 2)
        self.until(lambda: self.uses(rule).get("succeeded") == 1)
        self.call("POST", "/v1/sessions/work/save", {}, user=self.ann)
        self.all_read()
        self.assertEqual([one["outcome"] for one in self.reports()], ["failure", "success"])
        uses = self.uses(rule)
        self.assertEqual((uses["injected"], uses["failed"], uses["succeeded"]), (2, 1, 1))
        self.assertEqual(len([one for one in self.reflections() if one["trigger"] == "task_end"]), 2)

    def test_RE_4_a_rule_on_trial_ends_its_trial_in_tasks_of_the_proxy(self):
        rule = self.rule("Read the manual of the builder", stage="trial")
        for number in range(5):
            session = "trial%d" % number
            talk = self.work([], "Build project number %d" % number, session, ["built"], "It builds.")
            self.assertIn("Read the manual of the builder", whole(self.sent()))
            talk.append({"role": "user", "content": "Perfect, thank you."})
            self.chat(talk, user=self.ann, session=session)
            self.until(lambda: self.uses(rule).get("succeeded") == number + 1)
        stage = next(one["stage"] for one in self.rules() if one["id"] == rule)
        self.assertEqual(stage, "active")

    def test_RE_4_a_task_that_nobody_judges_is_reported_when_its_topic_closes(self):
        rule = self.rule("Read the help of a builder before its first call")
        talk = self.work([], "Build the project of %s" % self.ann, "quiet")
        self.work(talk, "Build the other project of %s" % self.ann, "quiet")
        self.all_read()
        self.assertEqual(self.reports(), [])
        self.call("POST", "/v1/sessions/quiet/save", {}, user=self.ann)
        self.until(lambda: len(self.reports()) == 2)
        self.assertEqual([(one["outcome"], one["rules"]) for one in self.reports()], [("unknown", [rule])] * 2)
        self.until(lambda: self.uses(rule).get("injected") == 2)
        self.assertEqual(self.uses(rule).get("failed", 0), 0)

    def test_RE_4_a_judgement_after_the_topic_has_closed_counts_once(self):
        rule = self.rule("Read the help of a builder before its first call")
        talk = self.work([], "Build the project of %s" % self.ann, "late", ["built"], "It builds.")
        self.call("POST", "/v1/sessions/late/save", {}, user=self.ann)
        self.assertEqual(self.until(self.reports)[0]["outcome"], "unknown")
        talk.append({"role": "user", "content": "Perfect, thank you."})
        self.chat(talk, user=self.ann, session="late")
        self.until(lambda: self.uses(rule).get("succeeded") == 1)
        self.server.restart(kill=True)
        self.call("POST", "/v1/sessions/late/save", {}, user=self.ann)
        self.all_read()
        self.assertEqual([one["outcome"] for one in self.reports()], ["success"])
        uses = self.uses(rule)
        self.assertEqual((uses["injected"], uses["succeeded"], uses.get("failed", 0)), (1, 1, 0))
        self.assertEqual([one["trigger"] for one in self.reflections()].count("feedback"), 1)

    def test_RE_4_PF_20_messages_of_a_former_version_get_no_report(self):
        self.work([], "Build the project of %s" % self.ann, "former")

        def as_of_a_former_version():
            store = sqlite3.connect(os.path.join(self.server.workspace, "weft.db"))
            self.assertEqual(store.execute("DELETE FROM meta WHERE name = 'tasks_unreported_before'").rowcount, 1)
            store.commit()
            store.close()
        self.server.restart(meanwhile=as_of_a_former_version)
        self.call("POST", "/v1/sessions/former/save", {}, user=self.ann)
        self.all_read()
        self.assertEqual(self.reports(), [])

    def test_RE_4_talk_without_tools_and_learning_that_is_off_make_no_report(self):
        rule = self.rule("Read the help of a builder before its first call")
        self.work([], "How do I build the project?", "talk", outputs=(), answer="With the builder.")
        self.call("POST", "/v1/sessions/talk/save", {}, user=self.ann)
        self.all_read()
        self.assertEqual(self.reports(), [])
        self.call("PUT", "/v1/learning", {"scopes": "* -user:%s" % self.ann})
        self.addCleanup(self.call, "PUT", "/v1/learning", {"scopes": "*"})
        talk = self.work([], "Build the project", "off")
        self.call("POST", "/v1/sessions/off/save", {}, user=self.ann)
        self.all_read()
        self.assertEqual((self.reports(), self.uses(rule).get("injected", 0)), ([], 0))
        # Later, too, nothing is learnt from what was done meanwhile.
        self.call("PUT", "/v1/learning", {"scopes": "*"})
        self.work(talk, "Build the site", "off")
        self.call("POST", "/v1/sessions/off/save", {}, user=self.ann)
        self.assertEqual([one["task"] for one in self.until(self.reports)], ["Build the site"])

    def test_RE_4_the_api_names_what_a_prompt_contains_and_erasing_takes_the_report_along(self):
        rule = self.rule("Read the help of a builder before its first call")
        woven = self.context("api", user=self.ann, input="Build the project of %s" % self.ann)
        self.assertEqual(woven["report"]["rules"], [rule])
        call = {"id": "c1", "type": "function", "function": {"name": "builder", "arguments": "{}"}}
        self.observe("api", [{"role": "user", "id": "m1", "content": "Build the project of %s" % self.ann},
                             {"role": "assistant", "content": None, "tool_calls": [call]},
                             {"role": "tool", "tool_call_id": "c1", "content": FAILED},
                             {"role": "assistant", "content": "It does not build."}], user=self.ann)
        self.call("POST", "/v1/sessions/api/end", {}, user=self.ann)
        [report] = self.until(self.reports)
        self.assertEqual(report["rules"], [rule])
        self.call("POST", "/v1/erase", {"session": "api", "messages": ["m1"]}, user=self.ann)
        self.all_read()
        self.assertEqual((self.reports(), self.reflections()), ([], []))


class RunsClose(Scenario):
    settings = ("embedding.provider=none",)

    @classmethod
    def setUpClass(cls):
        cls.model = ScriptedOpenAI()
        toml = '[models.worker]\nmodel = "scripted"\nurl = "%s"\n[roles]\nmain = "worker"\n' % cls.model.url
        cls.server = WeftServer(upstream=cls.model.url, settings=cls.settings, toml=toml)

    def test_RE_4_a_run_of_an_agent_has_one_report(self):
        call = {"id": "r1", "type": "function", "function": {"name": "memory_search", "arguments": '{"query": "sheep"}'}}

        def answer(body):
            if not body.get("tools"):
                return None
            done = any(one["role"] == "tool" for one in body["messages"])
            return completion(body, {"role": "assistant", "content": "Done."} if done else
                              {"role": "assistant", "content": None, "tool_calls": [call]}, "stop" if done else "tool_calls")
        self.model.rules[:] = [answer]
        run = self.call("POST", "/v1/tasks", {"task": "Count the sheep"})["id"]
        reports = lambda: self.call("GET", "/v1/reports")["reports"]
        self.until(reports)
        self.call("POST", "/v1/sessions/%s/save" % run, {})
        self.until(lambda: not sum(one["entries"] for one in self.call("GET", "/healthz")["readers"]))
        self.assertEqual([(one["id"], one["tool_calls"]) for one in reports()], [(run, 1)])


if __name__ == "__main__":
    unittest.main()
