"""Claude Code with Weft in its hooks: what one session said the next one hears, in both languages; the transcript is
taken in as it grows, and nothing is kept twice (PF-10, ST-1)."""

import json
import os
import shutil
import subprocess
import tempfile
import unittest
import uuid

from scenario import Scenario, binary


class ClaudeCodeHooks(Scenario):
    def setUp(self):
        self.user = "ann-" + str(uuid.uuid4())
        self.new_session()

    def new_session(self):
        self.session = str(uuid.uuid4())
        self.transcript = os.path.join(self.server.workspace, self.session + ".jsonl")
        self.lines = 0

    def hook(self, event, expect=0, raw=None, **more):
        given = raw if raw is not None else json.dumps({
            "hook_event_name": event, "session_id": self.session, "transcript_path": self.transcript,
            "cwd": "/home/ann/project", "permission_mode": "default", **more}, ensure_ascii=False)
        run = self.weft("hook", "--user", self.user, stdin=given)
        self.assertEqual(run.returncode, expect, run.stderr)
        if not run.stdout.strip():
            return ""
        answer = json.loads(run.stdout)["hookSpecificOutput"]
        self.assertEqual(answer["hookEventName"], event)
        return answer["additionalContext"]

    def write(self, kind, content, **more):
        self.lines += 1
        message = {"role": kind, "content": content}
        if kind == "assistant":
            message = {"id": "msg_%d" % self.lines, "type": "message", "model": "m", **message}
        line = {"parentUuid": None, "isSidechain": False, "type": kind, "message": message, "sessionId": self.session,
                "uuid": str(uuid.uuid4()), "timestamp": "2026-10-%02dT09:00:00.000Z" % self.lines, **more}
        with open(self.transcript, "a") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")

    def turn(self, prompt, answer):
        """What is given to the model before the prompt; then the transcript grows and the turn ends."""
        given = self.hook("UserPromptSubmit", prompt=prompt)
        self.write("user", prompt)
        self.write("assistant", [{"type": "text", "text": answer}])
        self.hook("Stop", stop_hook_active=False)
        return given

    def kept(self):
        path = "/v1/sessions/claude-code%3A" + self.session + "/messages"
        return [(message["role"], message.get("content")) for message in self.call("GET", path, user=self.user)["messages"]]

    def test_one_session_after_the_other(self):
        self.assertEqual(self.hook("SessionStart", source="startup"), "")
        self.turn("The staging database runs on port 6543 behind pgbouncer.", "Noted.")
        self.turn("部署脚本在 tools/ship.sh，发布前一定要先跑冒烟测试。", "记住了。")
        said = self.kept()
        self.assertEqual([role for role, _ in said], ["user", "assistant"] * 2, said)
        self.hook("SessionEnd", reason="exit")
        self.settle()

        # Another session: what is asked for is there, in either language; a word of another user is not.
        self.new_session()
        self.assertIn("6543", self.turn("Which port does the staging database use?", "6543."))
        self.assertIn("冒烟测试", self.turn("发布之前要做什么？", "先跑冒烟测试。"))
        run = self.weft("hook", "--user", "bob", stdin=json.dumps({
            "hook_event_name": "UserPromptSubmit", "session_id": "b", "prompt": "Which port does staging use?"}))
        self.assertNotIn("6543", run.stdout)

    def test_tools_and_sub_agents_in_a_transcript(self):
        self.hook("UserPromptSubmit", prompt="Run the tests.")
        self.write("user", "Run the tests.")
        self.write("assistant", [{"type": "thinking", "thinking": "I should run them.", "signature": "x"}])
        self.write("assistant", [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "make test"}}])
        self.write("user", [{"type": "tool_result", "tool_use_id": "t1", "content": "3 failed", "is_error": True}])
        self.write("user", "inner", isSidechain=True)
        self.write("user", "a caveat", isMeta=True)
        with open(self.transcript, "a") as file:
            file.write('{"type":"file-history-snapshot","snapshot":{}}\nno json\n')
        self.write("assistant", [{"type": "text", "text": "Three tests fail."}])
        with open(self.transcript, "a") as file:
            file.write('{"type":"assistant","message":{"role":"assi')
        for _ in range(3):
            self.hook("Stop")
        said = self.kept()
        self.assertEqual([role for role, _ in said], ["user", "assistant", "assistant", "tool", "assistant"], said)
        self.assertNotIn("inner", str(said))
        self.hook("PreCompact", trigger="auto")
        self.assertEqual(len(self.kept()), 5)

    def put(self, *lines):
        """Lines of a session file: (type, uuid, parent, content, what else)."""
        for kind, name, parent, content, *more in lines:
            self.write(kind, content, uuid=name, parentUuid=parent, **(more[0] if more else {}))

    def test_PF_10_only_what_was_typed_and_answered_is_kept(self):
        self.assertEqual(self.hook("UserPromptSubmit", prompt="<task-notification>GROUSE</task-notification>"), "")
        self.put(
            ("user", "m0", None, "<local-command-caveat>Caveat: GROUSE</local-command-caveat>", {"isMeta": True}),
            ("user", "c1", "m0", "<command-name>/model</command-name><command-args>GROUSE</command-args>"),
            ("user", "c2", "c1", "<local-command-stdout>Set model to GROUSE</local-command-stdout>"),
            ("user", "u1", "c2", [{"type": "text", "text": "<system-reminder>GROUSE</system-reminder>"},
                                  {"type": "text", "text": "The canary cluster is called 北斗-7."}]),
            ("assistant", "a1", "u1", [{"type": "text", "text": "Noted."}]),
            ("user", "i1", "a1", [{"type": "text", "text": "[Request interrupted by user]"}]),
            ("user", "u2", "i1", "<command-name>/review</command-name><command-args>the retry logic</command-args>"),
            ("assistant", "a2", "u2", [{"type": "text", "text": "API Error: GROUSE"}], {"isApiErrorMessage": True}),
            ("assistant", "a3", "a2", [{"type": "text", "text": "The retry logic is fine."}]),
            ("user", "s1", None, "This session is being continued … GROUSE", {"isCompactSummary": True}),
            ("user", "u3", "s1", "My editor is Helix."),
            ("assistant", "a4", "u3", [{"type": "text", "text": "Good."}]))
        self.hook("Stop")
        said = self.kept()
        self.assertNotIn("GROUSE", str(said))
        self.assertEqual([text for role, text in said if role == "user"],
                         ["The canary cluster is called 北斗-7.", "/review the retry logic", "My editor is Helix."])
        self.hook("SessionEnd", reason="exit")
        self.settle()
        self.assertNotIn("GROUSE", self.weft("search", "--user", self.user, "GROUSE", "--json").stdout)

    def test_PF_12_a_rewind_takes_back_what_was_left(self):
        self.put(("user", "u1", None, "Start"), ("assistant", "a1", "u1", [{"type": "text", "text": "Ready"}]),
                 ("user", "u2", "a1", "The service is called WALRUS."),
                 ("assistant", "a2", "u2", [{"type": "text", "text": "WALRUS it is."}]))
        self.hook("Stop")
        self.assertIn("WALRUS", str(self.kept()))
        self.put(("user", "v2", "a1", "The service is called NARWHAL."),
                 ("assistant", "b2", "v2", [{"type": "text", "text": "NARWHAL it is."}]))
        self.hook("Stop")
        self.assertNotIn("WALRUS", str(self.kept()))
        self.hook("SessionEnd", reason="exit")
        self.settle()
        found = self.call("POST", "/v1/search", {"query": "What is the service called?"}, user=self.user)
        self.assertNotIn("WALRUS", json.dumps(found))
        self.assertIn("NARWHAL", json.dumps(found))

    def test_PF_12_a_rewind_to_the_first_prompt_takes_all_back(self):
        self.hook("UserPromptSubmit", prompt="The service is called WALRUS, please remember it.")
        self.put(("user", "u1", None, "The service is called WALRUS, please remember it."),
                 ("assistant", "a1", "u1", [{"type": "text", "text": "WALRUS it is."}]))
        self.hook("Stop")
        self.hook("UserPromptSubmit", prompt="The service is called NARWHAL, please remember it.")
        self.put(("user", "v1", None, "The service is called NARWHAL, please remember it."),
                 ("assistant", "b1", "v1", [{"type": "text", "text": "NARWHAL it is."}]))
        self.hook("Stop")
        self.hook("Stop")
        self.assertEqual([text for _, text in self.kept()],
                         ["The service is called NARWHAL, please remember it.", "NARWHAL it is."])

    def test_PF_12_what_a_resumed_session_copied_is_kept_once(self):
        words = [("user", "u1", None, "The staging port is 6543."),
                 ("assistant", "a1", "u1", [{"type": "text", "text": "Noted."}])]
        self.put(*words)
        self.hook("Stop")
        for number, more in enumerate(({}, {"forkedFrom": {"sessionId": self.session, "messageUuid": "u1"}})):
            self.new_session()
            new = "n%d" % number
            self.put(*[(*line, more) for line in words], ("user", new, "a1", "My editor is Helix, number %d." % number),
                     ("assistant", new + "a", new, [{"type": "text", "text": "Good."}]))
            for _ in range(2):
                self.hook("Stop")
                self.assertEqual([text for _, text in self.kept()], ["My editor is Helix, number %d." % number, "Good."])

    def test_a_session_begins_with_what_is_known(self):
        self.call("POST", "/v1/knowledge/entries", {"section": "Project", "text": "The build needs Ninja 1.11."},
                  user=self.user)
        self.assertIn("Ninja 1.11", self.hook("SessionStart", source="startup"))

    def told_elsewhere(self, text):
        self.observe("web-" + str(uuid.uuid4()), [{"role": "user", "content": text}, {"role": "assistant", "content": "ok"}],
                     user=self.user)
        self.settle()

    def test_PF_25_the_profile_is_told_once_and_then_what_changed(self):
        self.told_elsewhere("I'm allergic to penicillin. I live in Bergen.")
        begin = self.hook("SessionStart", source="startup")
        self.assertIn("allergic to penicillin", begin)
        self.assertEqual(begin.count("<profile>"), 1)
        self.assertNotIn(self.user, begin.split("</profile>")[0])
        for prompt in ("I have a headache, what may I take?", "And for a cold?"):
            self.assertNotIn("<profile>", self.hook("UserPromptSubmit", prompt=prompt))
        # What this session says itself stands in the chat already.
        self.assertNotIn("<profile>", self.hook("UserPromptSubmit", prompt="I work as a nurse."))
        self.settle()
        self.assertNotIn("nurse", self.hook("UserPromptSubmit", prompt="What else?"))
        self.told_elsewhere("I moved to Stavanger.")
        given = self.hook("UserPromptSubmit", prompt="Which bakery is near me?")
        changed = given.split("</profile>")[0]
        self.assertIn("<profile>", changed)
        for prompt in ("a headache", "And for a cold", "What else"):
            self.assertNotIn(prompt, given)
        self.assertIn("Stavanger", changed)
        self.assertNotIn("penicillin", changed)
        self.assertNotIn("<profile>", self.hook("UserPromptSubmit", prompt="And which library?"))
        self.assertIn("Stavanger", self.hook("SessionStart", source="compact"))

    def test_a_hook_never_stops_the_agent(self):
        for raw in ("", "no json", "[]", "{}", '{"hook_event_name": "Stop"}'):
            self.hook("Stop", expect=1, raw=raw)
        self.transcript = "/nowhere/at/all.jsonl"
        self.hook("Stop", expect=1)
        self.assertEqual(self.hook("Notification", message="hello"), "")



class Installing(unittest.TestCase):
    """The hooks come into Claude Code's own settings, beside those of others, and go again."""

    EVENTS = {"SessionStart", "UserPromptSubmit", "Stop", "SubagentStop", "PreCompact", "SessionEnd"}

    def setUp(self):
        self.home = tempfile.mkdtemp(prefix="weft home-")
        self.addCleanup(shutil.rmtree, self.home, True)
        self.file = os.path.join(self.home, ".claude", "settings.json")

    def install(self, *words, code=0):
        done = subprocess.run([binary(), "hook", "install", "--workspace", os.path.join(self.home, "ws"), "--user", "ann",
                               *words, "--json"], capture_output=True, text=True, timeout=60, cwd=self.home,
                              env={**os.environ, "HOME": self.home})
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return json.loads(done.stdout)

    def settings(self):
        with open(self.file) as file:
            return json.load(file)

    def test_PF_10_nothing_is_written_unless_asked_and_undone_whole(self):
        shown = self.install()
        self.assertEqual((shown["file"], shown["changed"], shown["written"]), (self.file, True, False))
        self.assertFalse(os.path.exists(self.file))
        self.assertTrue(self.install("--write")["written"])
        self.assertEqual(set(self.settings()["hooks"]), self.EVENTS)
        self.assertFalse(self.install("--write")["changed"])
        self.assertTrue(self.install("--undo", "--write")["written"])
        self.assertEqual(self.settings(), {})

    def test_PF_10_what_others_have_there_stays(self):
        theirs = {"model": "opus", "hooks": {
            "Stop": [{"hooks": [{"type": "command", "command": "/usr/bin/notify weft hook is done"}]}],
            "PostToolUse": [{"matcher": "Edit", "hooks": [{"type": "command", "command": "fmt"}]}]}, "permissions": {"allow": ["x"]}}
        os.makedirs(os.path.dirname(self.file))
        with open(self.file, "w") as file:
            json.dump(theirs, file, indent=2)
            file.write("\n")
        self.install("--write")
        after = self.settings()
        self.assertEqual(after["hooks"]["PostToolUse"], theirs["hooks"]["PostToolUse"])
        self.assertEqual(after["hooks"]["Stop"][0], theirs["hooks"]["Stop"][0])
        self.assertEqual(len(after["hooks"]["Stop"]), 2)
        self.assertEqual(list(after), ["model", "hooks", "permissions"])
        # Another workspace takes the place of the first one.
        done = subprocess.run([binary(), "hook", "install", "--write", "--workspace", os.path.join(self.home, "other")],
                              capture_output=True, text=True, env={**os.environ, "HOME": self.home})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(self.settings()["hooks"]["Stop"]), 2)
        self.assertIn("other", self.settings()["hooks"]["Stop"][1]["hooks"][0]["command"])
        self.install("--undo", "--write")
        self.assertEqual(self.settings(), theirs)

    def test_PF_10_the_command_that_was_written_is_what_claude_code_runs(self):
        self.install("--write", "--project")
        with open(os.path.join(self.home, ".claude", "settings.json")) as file:
            hooks = json.load(file)["hooks"]
        told = {}
        for event, more in (("UserPromptSubmit", {"prompt": "My kayak is called Selkie."}), ("SessionStart", {"source": "startup"})):
            command = hooks[event][0]["hooks"][0]["command"]
            given = json.dumps({"hook_event_name": event, "session_id": "s-" + event, "transcript_path": "", "cwd": "/", **more})
            done = subprocess.run(["sh", "-c", command], input=given, capture_output=True, text=True, timeout=60,
                                  env={**os.environ, "WEFT_EMBEDDING_PROVIDER": "none"})
            self.assertEqual(done.returncode, 0, done.stderr)
            told[event] = done.stdout
        found = subprocess.run([binary(), "--workspace", os.path.join(self.home, "ws"), "-u", "ann", "--set",
                                "embedding.provider=none", "search", "kayak"], capture_output=True, text=True)
        self.assertIn("Selkie", found.stdout)

    def test_PF_10_settings_that_are_broken_are_left_alone(self):
        os.makedirs(os.path.dirname(self.file))
        for text in ("{ broken", "[]", '{"hooks": []}', '{"hooks": {"Stop": {}}}'):
            with open(self.file, "w") as file:
                file.write(text)
            self.assertIn(self.file, self.install("--write", code=1)["error"]["message"])
            with open(self.file) as file:
                self.assertEqual(file.read(), text)


if __name__ == "__main__":
    unittest.main()
