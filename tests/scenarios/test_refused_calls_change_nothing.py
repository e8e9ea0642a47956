"""A call that is refused has changed nothing: all of its input is checked before anything is kept."""

import hashlib
import os
import sqlite3
import unittest

from scenario import Scenario

TABLES = ("sessions", "messages", "blocks", "topics", "items", "documents", "jobs", "marks")
# What tells how the server was used, not what it keeps of anybody.
NOISE = ("weft.db", "weft.lock", "weft.sock", "weft.address", "usage", "audit", "access", "metrics")

GOOD = {"role": "user", "content": "The spare key hangs behind the boiler."}
QUEST = {"title": "The well", "objective": "Find the well."}


# Each with one bad field beside good ones: method, path, body, and the world where it is played in one.
BAD = [
    ("POST", "/v1/sessions/s/messages", {"messages": [GOOD, {"role": "nobody", "content": "x"}]}),
    ("POST", "/v1/sessions/s/messages", {"messages": [GOOD, {"role": "user", "content": "x", "time": "soon"}]}),
    ("POST", "/v1/sessions/s/messages", {"messages": [GOOD, {"role": "user", "content": "x", "id": "a\nb"}]}),
    ("POST", "/v1/sessions/s/messages", {"messages": [GOOD, {"role": "user", "content": "x", "id": "known"}]}),
    ("POST", "/v1/sessions/s/end", {"task_done": True, "action_summary": "x", "timezone": "Mars/Olympus"}),
    ("POST", "/v1/sessions/s/end", {"task_done": True, "timezone": "Mars/Olympus"}),
    ("POST", "/v1/sessions/s/end", {"task_done": True, "action_summary": "x", "time": "soon"}),
    ("POST", "/v1/sessions/s/end", {"task_done": True, "action_summary": "x", "sender_id": "a\nb"}),
    ("POST", "/v1/sessions/s/end", {"task_done": True, "action_summary": "x", "request_id": "a\nb"}),
    ("POST", "/v1/sessions/s/end", {"task_done": True, "action_summary": "x", "message_ids": ["a\nb"]}),
    ("POST", "/v1/sessions/s/end", {"task_done": True, "new_info": "x" * 70000}),
    ("POST", "/v1/sessions/s/context", {"messages": [GOOD], "task": "Mend the boiler.", "layout": "spiral"}),
    ("POST", "/v1/sessions/s/context", {"messages": [GOOD], "task": "Mend the boiler.", "system_messages": "few"}),
    ("POST", "/v1/sessions/s/context", {"messages": [GOOD], "task": "Mend the boiler.", "window": 4}),
    ("POST", "/v1/sessions/s/context", {"messages": [GOOD], "task": "Mend the boiler.", "planned": True,
                                        "template": "no_such_template"}),
    ("POST", "/v1/sessions/s/context", {"messages": [GOOD], "task": "Mend the boiler.", "planned": True,
                                        "template": "../secret"}),
    ("POST", "/v1/sessions/s/context", {"messages": [GOOD], "task": "Mend the boiler.", "planned": True,
                                        "state": "no_such_state"}),
    ("POST", "/v1/sessions/s/context", {"messages": [GOOD], "plan": {"templateId": "no_such_template"}}),
    ("POST", "/v1/sessions/s/compact", {"window": "wide"}),
    ("PUT", "/v1/sessions/s/task", {"description": "Paint the door.", "constraints": [7]}),
    ("PUT", "/v1/preferences", [{"text": "short answers"}, {"text": 7}]),
    ("POST", "/v1/state/hero", {"operations": [["SET", "hero.hp", 9], ["ADD", "nobody.hp", 1]]}),
    ("POST", "/v1/state/hero", {"operations": [["SET", "hero.hp", 9]], "expected_version": 77}),
    ("POST", "/v1/state/shared", {"operations": [["SET", "city.size", 9], ["ADD", "nobody.hp", 1]]}, "earth"),
    ("POST", "/v1/state/shared", {"operations": [["SET", "city.size", 9]], "expected_version": 77}, "earth"),
    ("PUT", "/v1/state/hero", {"state": 7}),
    ("PUT", "/v1/state/hero/schema", {"schema": {"type": "no such type"}}),
    ("POST", "/v1/state/hero/rollback", {"version": 77}),
    ("PUT", "/v1/quests/well", {**QUEST, "status": "dreamt"}),
    ("PUT", "/v1/quests/well", {**QUEST, "prerequisites": ["well"]}),
    ("POST", "/v1/quests/gate", {"status": "dreamt"}),
    ("POST", "/v1/quests", [{"id": "one", "title": "One"}, {"title": "without an id"}]),
    ("PUT", "/v1/lore/bridge", {"title": "The bridge"}),
    ("POST", "/v1/lore?file=world.json", {"entries": 7}),
    ("PUT", "/v1/profiles/user/ann", {"body": 7}),
    ("POST", "/v1/profiles/user/ann/rollback/77", {}),
    ("PUT", "/v1/knowledge", {"text": 7}),
    ("POST", "/v1/knowledge/entries", {"section": "Facts", "text": ""}),
    ("POST", "/v1/knowledge/confirm", {"text": "nothing of the kind"}),
    ("POST", "/v1/skills", {"name": "Tea", "text": 7}),
    ("PUT", "/v1/skills/tea", {"skill_id": "coffee", "name": "Tea", "description": "x"}),
    ("POST", "/v1/skills/tea", {"action": "sing"}),
    ("POST", "/v1/skill_folders", {"name": "x", "files": [{"path": "SKILL.md",
                                                         "content": "---\nname: x\ndescription: y\n---\n1. a"},
                                                        {"path": "../outside", "content": "z"}]}),
    ("POST", "/v1/rules/no_such_rule", {"action": "approve"}),
    ("POST", "/v1/mutations", {"skill": "no_such_skill"}),
    ("POST", "/v1/task_reports", {"id": "r1", "task": "x", "skills": ["tea"], "outcome": "splendid"}),
    ("POST", "/v1/questions", {"text": " "}),
    ("POST", "/v1/questions/no_such_question", {"answer": "yes"}),
    ("POST", "/v1/beliefs/edits", {"before": "a", "after": ""}),
    ("POST", "/v1/tasks", {"task": " "}),
    ("POST", "/v1/tasks", {"task": "Paint the door.", "type": "no_such_type", "model": "no_such_role"}),
    ("POST", "/v1/tasks", {"task": "Paint the door.", "tools": {"names": ["no_such_tool"]}}),
    ("POST", "/v1/research", {"question": " "}),
    ("POST", "/v1/research", {"question": "What is in it?", "kind": "repository", "folders": ["/no/such/folder"]}),
    ("PUT", "/v1/learning", {"scopes": 7}),
    ("POST", "/v1/erase", {"everything": True, "messages": ["known"]}),
    ("POST", "/v1/erase", {"messages": ["known"], "session": "a\nb"}),
    ("POST", "/v1/erase", {"messages": ["no such message"]}),
    ("POST", "/v1/chat/completions", {"model": "m", "messages": [GOOD], "metadata": {"groupId": "x"}}),
    ("POST", "/v1/messages", {"model": "m", "max_tokens": 9, "messages": [GOOD, {"role": "nobody", "content": "x"}]}),
    ("POST", "/v1/responses", {"model": "m", "input": [GOOD, {"role": "nobody", "content": "x"}]}),
]


class RefusedCalls(Scenario):
    # What background threads write of good calls would look like a change.
    toml = '[embedding]\nprovider = "none"\n[memory]\ndaily = false\n[adaptation]\nlearn = false\n'

    def setUp(self):
        self.call("POST", "/v1/sessions/s/messages", {"messages": [{"role": "user", "content": "I live in Porto.",
                                                                    "id": "known"},
                                                                   {"role": "assistant", "content": "Noted."}]})
        self.call("PUT", "/v1/sessions/s/task", {"description": "Find the spare key."})
        self.call("PUT", "/v1/state/hero", {"state": {"hero": {"hp": 3}}})
        self.call("PUT", "/v1/state/shared?world=earth", {"state": {"city": {"size": 3}}})
        self.call("PUT", "/v1/quests/gate", {"title": "The gate", "objective": "Open the gate."})
        self.settle()

    def kept(self):
        """All that is kept, by its place."""
        store = sqlite3.connect("file:%s?mode=ro" % os.path.join(self.server.workspace, "weft.db"), uri=True)
        found = {table: sorted(map(repr, store.execute("SELECT * FROM " + table))) for table in TABLES}
        store.close()
        for folder, _, names in os.walk(self.server.workspace):
            for name in names:
                path = os.path.relpath(os.path.join(folder, name), self.server.workspace)
                if path.startswith(NOISE):
                    continue
                with open(os.path.join(folder, name), "rb") as file:
                    found[path] = hashlib.sha256(file.read()).hexdigest()
        return found

    def test_PF_22_what_is_refused_has_changed_nothing(self):
        before = self.kept()
        for method, path, body, *world in BAD:
            headers = {"X-Weft-World": world[0]} if world else {}
            with self.subTest(path=path, body=str(body)[:120]):
                status, error = self.fails(method, path, body, headers=headers)
                self.assertIn(status // 100, (4,), error)
                self.settle()
                after = self.kept()
                changed = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
                before = after
                self.assertEqual(changed, [], error)


if __name__ == "__main__":
    unittest.main()
