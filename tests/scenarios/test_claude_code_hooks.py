"""Claude Code with Weft in its hooks: what one session said the next one hears, in both languages; the transcript is
taken in as it grows, and nothing is kept twice (PF-10, ST-1)."""

import json
import os
import unittest
import uuid

from scenario import Scenario


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

    def test_a_session_begins_with_what_is_known(self):
        self.call("POST", "/v1/knowledge/entries", {"section": "Project", "text": "The build needs Ninja 1.11."},
                  user=self.user)
        self.assertIn("Ninja 1.11", self.hook("SessionStart", source="startup"))

    def test_a_hook_never_stops_the_agent(self):
        for raw in ("", "no json", "[]", "{}", '{"hook_event_name": "Stop"}'):
            self.hook("Stop", expect=1, raw=raw)
        self.transcript = "/nowhere/at/all.jsonl"
        self.hook("Stop", expect=1)
        self.assertEqual(self.hook("Notification", message="hello"), "")


if __name__ == "__main__":
    unittest.main()
