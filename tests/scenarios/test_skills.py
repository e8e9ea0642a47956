#!/usr/bin/env python3
"""A procedure that somebody teaches stands in the prompts of tasks like it, is edited by hand, goes out as an Agent
Skill and comes in elsewhere, and ends when it keeps failing; nobody else is told of it.
"""

import json
import os
import random
import tempfile
import unittest

from scenario import Scenario, whole

ID = "%06x" % random.randrange(1 << 24)
RELEASE = """# Publish the weekly release

When the weekly release has to be published:

1. Run the tests: all of them, with `run_tests`
2. Write the notes, stamp %s
3. Tag it with `git_tag`
""" % ID
EXPENSES = """报销流程
每次员工提交报销单时：
第一步：核对发票，编号%s
第二步：查询部门预算
第三步：通知本人
""" % ID


class Skills(Scenario):
    settings = ("embedding.provider=none",)  # words alone decide what fits: the same on every machine

    def folder(self, *parts):
        return os.path.join(self.server.workspace, "skills", *parts)

    def teach(self, text, user="ann", **more):
        return self.call("POST", "/v1/skills", dict(text=text, **more), user=user)

    def prompt(self, task, user="ann"):
        session = "s-%d" % random.randrange(1 << 40)
        self.call("PUT", "/v1/sessions/%s/task" % session, {"description": task}, user=user)
        return whole(self.context(session, user=user, input="go on")["messages"])

    def report(self, n, skill, outcome, user="ann"):
        return self.call("POST", "/v1/task_reports", {
            "id": "t%d-%s" % (n, skill), "task": "publish", "skills": [skill], "outcome": outcome,
            "outcome_by": "verifier"}, user=user)["skills"][0]

    def test_MS_4_MS_6_from_the_lesson_to_the_prompt_the_editor_another_place_and_the_end(self):
        english, chinese = self.teach(RELEASE), self.teach(EXPENSES)
        self.assertEqual((english["origin"], len(english["steps"]), english["steps"][0]["tools"]),
                         ("taught", 3, ["run_tests"]))
        prompt = self.prompt("Publish the weekly release")
        self.assertIn("Publish the weekly release [%s]" % english["skill_id"], prompt)
        self.assertIn("stamp " + ID, prompt)
        self.assertNotIn("编号" + ID, prompt)
        self.assertIn("编号" + ID, self.prompt("员工提交了报销单，走报销流程"))
        self.assertNotIn("<skills>", self.prompt("Paint the fence behind the house"))
        self.assertNotIn("<skills>", self.prompt("Publish the weekly release", user="bob"))
        talk = whole(self.context("talk-" + ID, input="Publish the weekly release")["messages"])
        self.assertNotIn("<skills>", talk)  # no task is worked on there

        # A person edits the file while the server runs; one that is broken is told of and left alone.
        file = self.folder("learned", english["skill_id"] + ".yaml")
        with open(file, encoding="utf-8") as now:
            text = now.read()
        with open(file, "w", encoding="utf-8") as now:
            now.write(text.replace("Write the notes", "Write the notes by hand"))
        self.assertIn("Write the notes by hand", self.prompt("Publish the weekly release"))
        with open(self.folder("learned", "broken.yaml"), "w", encoding="utf-8") as broken:
            broken.write("skill_id: broken\nname: b\ndescription: c\nsteps: nothing\n")
        (problem,) = self.call("GET", "/v1/skill_problems")["problems"]
        self.assertIn("learned/broken.yaml: line 4", problem)
        self.assertIn(problem, self.weft("-u", "ann", "skill", "list").stdout)
        self.assertIn("Write the notes by hand", self.prompt("Publish the weekly release"))

        # A new version can be seen, compared and taken back.
        self.teach(RELEASE.replace("Tag it", "Sign and tag it"))
        self.assertIn("+  - action: Sign and tag it", self.weft("-u", "ann", "skill", "diff", english["skill_id"]).stdout)
        self.weft("-u", "ann", "skill", "rollback", english["skill_id"])
        self.assertNotIn("Sign and tag it", self.prompt("Publish the weekly release"))

        # Out as an Agent Skill, and in for somebody else.
        with tempfile.TemporaryDirectory() as place:
            done = self.weft("-u", "ann", "skill", "export", english["skill_id"], place)
            self.assertEqual(done.returncode, 0, done.stderr)
            (name,) = os.listdir(place)
            with open(os.path.join(place, name, "SKILL.md"), encoding="utf-8") as exported:
                self.assertIn("1. **Run the tests** (`run_tests`)", exported.read())
            os.mkdir(os.path.join(place, name, "scripts"))
            with open(os.path.join(place, name, "scripts", "go.sh"), "w", encoding="utf-8") as script:
                script.write("touch %s/ran\n" % place)
            got = self.weft("-u", "bob", "--json", "skill", "import", os.path.join(place, name))
            self.assertEqual(got.returncode, 0, got.stderr)
            imported = json.loads(got.stdout)
            prompt = self.prompt("Publish the weekly release", user="bob")
            self.assertIn("Write the notes by hand", prompt)
            self.assertIn("scripts/go.sh", prompt)
            self.assertNotIn("touch ", prompt)
            self.assertFalse(os.path.exists(os.path.join(place, "ran")))
            os.rename(os.path.join(place, name), os.path.join(place, "other-name"))
            wrong = self.weft("-u", "bob", "skill", "import", os.path.join(place, "other-name"))
            self.assertIn("line 2", wrong.stderr + wrong.stdout)
        out = self.call("GET", "/v1/skills/%s/folder" % imported["skill_id"], user="bob")
        self.assertEqual([one["path"] for one in out["files"]], ["SKILL.md", "scripts/go.sh"])
        self.assertEqual(self.call("POST", "/v1/skill_folders", {"name": out["name"], "files": out["files"]},
                                   user="carl")["owner"], "user:carl")

        # Five failures in a row end it, also over a restart; a person brings it back.
        for n in range(4):
            self.report(n, english["skill_id"], "failure")
        self.server.restart(kill=True)
        self.assertEqual(self.report(3, english["skill_id"], "failure")["stage"], "active")  # counted already
        ended = self.report(4, english["skill_id"], "failure")
        self.assertEqual((ended["stage"], ended["uses"]["failed"]), ("deprecated", 5))
        self.assertTrue(os.path.exists(self.folder("deprecated", english["skill_id"] + ".yaml")))
        self.assertFalse(os.path.exists(file))
        self.assertNotIn("<skills>", self.prompt("Publish the weekly release"))
        self.assertEqual(self.weft("-u", "ann", "skill", "enable", english["skill_id"]).returncode, 0)
        self.assertIn("stamp " + ID, self.prompt("Publish the weekly release"))
        self.assertIn(english["skill_id"], self.weft("-u", "ann", "skill", "match", "publish the weekly release").stdout)

        # What was learnt from somebody goes with them.
        self.call("POST", "/v1/erase", {"everything": True})
        self.assertEqual(self.call("GET", "/v1/skills")["skills"], [])
        self.assertEqual(len(self.call("GET", "/v1/skills", user="bob")["skills"]), 1)
        self.assertNotIn(chinese["skill_id"] + ".yaml", os.listdir(self.folder("learned")))


if __name__ == "__main__":
    unittest.main()
