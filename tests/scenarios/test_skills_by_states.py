#!/usr/bin/env python3
"""As a run begins, its skills are chosen by the hidden states of the local model that is quick: across languages and
without a shared word, by weights that were fitted for that very model. What skills say of themselves is read once, also
over a restart, and is forgotten with them; where the states are not there, the ranking stands (MS-4, PF-5).
"""

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from bag_model import write_bag_model
from scenario import AGENT_TOML, ScriptedOpenAI, WeftServer
from test_agent_learns import LearningScenario
from test_agent_run import answer
from weft_server import binary

try:
    import sklearn  # noqa: F401  tools/fit needs it
except ImportError:
    print("scikit-learn is missing: `make setup-tests` brings it")
    sys.exit(77)

TOML = AGENT_TOML.replace('main = "m"', 'main = "m"\nfast = "bag"') + """[models.bag]
provider = "local"
path = "%s"
[agent]
skill_weights = "%s"
"""
# Two words a language for each matter.
MATTERS = [["rent", "landlord", "房租", "房东"], ["taxes", "deduction", "报税", "退税"],
           ["hive", "honey", "蜂箱", "蜂蜜"], ["bicycle", "puncture", "自行车", "补胎"],
           ["wedding", "bride", "婚礼", "新娘"], ["violin", "strings", "小提琴", "琴弦"],
           ["roof", "gutter", "屋顶", "漏水"], ["passport", "visa", "护照", "签证"],
           ["compost", "garden", "堆肥", "菜园"], ["lecture", "slides", "讲座", "幻灯片"]]
ERRANDS = [["weather", "天气"], ["joke", "笑话"], ["capital", "首都"], ["clock", "几点"], ["hello", "你好"],
           ["translate", "翻译"]]


def skill_lines(matters, rand):
    for number, (one, other, zh, zh_other) in enumerate(matters):
        own, foreign = (one, zh_other) if number % 2 else (zh, other)
        yield {"skill": "s%d" % number, "lang": "en" if number % 2 else "zh", "name": own, "description": own,
               "when": [own + " x", foreign + " y"] if number % 2 else [own, zh_other],
               "tuning": [one + " now", other + " please", zh + "呢", zh_other + "吧"], "held": []}
    for words in ERRANDS:
        for word in words:
            for _ in range(3):
                yield {"unrelated": word + " %d" % rand.randrange(100), "lang": "en" if word.isascii() else "zh",
                       "held": False}


class SkillsByStates(LearningScenario):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="weft-states-")
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.file, weights = os.path.join(cls.folder, "bag.gguf"), os.path.join(cls.folder, "own.json")
        write_bag_model(cls.file, "Bag of words", MATTERS + ERRANDS)
        cls.model = ScriptedOpenAI()
        cls.toml = TOML.replace("{model}", cls.model.url) % (cls.file, weights)
        cls.fit(cls.toml.replace('skill_weights = "%s"' % weights, ""), weights)
        cls.server = WeftServer(upstream=cls.model.url, toml=cls.toml)

    @classmethod
    def fit(cls, toml, weights):
        """As somebody does who has a model that nothing ships for."""
        with open(os.path.join(cls.folder, "weft.toml"), "w", encoding="utf-8") as file:
            file.write(toml)
        examples = os.path.join(cls.folder, "skills.jsonl")
        with open(examples, "w", encoding="utf-8") as file:
            for line in skill_lines(MATTERS, random.Random(3)):
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
        features = os.path.join(cls.folder, "features.jsonl")
        cls.command("--workspace", cls.folder, "eval", "features", "skills", examples, "--states", "-o", features)
        script = Path(__file__).parents[2] / "tools/fit/skills.py"
        subprocess.run([sys.executable, "-B", str(script), features, "-o", weights], check=True, capture_output=True,
                       timeout=300)

    @classmethod
    def command(cls, *words):
        done = subprocess.run([binary(), *words], capture_output=True, text=True, timeout=300)
        if done.returncode:
            raise AssertionError(done.stderr)
        return done.stdout

    def setUp(self):
        super().setUp()
        self.model.rules.append(lambda body: answer("Done.") if body.get("tools") else None)

    def teach(self, word):
        return self.call("POST", "/v1/skills", {"text": "# %s\n1. Look at it.\n2. Mend it." % word},
                         user=self.ann)["skill_id"]

    def told(self, task):
        run = self.call("POST", "/v1/tasks", {"task": task}, user=self.ann)["id"]
        self.ended(run)
        lessons = [one for one in self.events(run, "LESSON") if one.get("skills")]
        return [(name.split("@")[0], one["skills_by"]) for one in lessons for name in one["skills"]]

    def states(self):
        return os.path.join(self.server.workspace, "skills", "states.vectors")

    def test_MS_4_a_run_is_told_of_what_it_needs_in_whatever_words(self):
        rent, hive = self.teach("rent"), self.teach("蜂箱")
        self.assertEqual(self.until(lambda: self.told("房东")), [(rent, "states of Bag of words, guide title 1")])
        self.assertEqual([name for name, _ in self.told("honey")], [hive])
        self.assertEqual(self.told("weather 7"), [])
        matches = self.call("GET", "/v1/skill_matches?task=honey", user=self.ann)
        self.assertIn(hive, json.dumps(matches), "who asks is told what a run would be")

        # Read once: after a restart what skills say is there at once.
        before = os.stat(self.states())
        self.server.restart(kill=True)
        self.assertEqual([name for name, _ in self.told("honey")], [hive])
        self.assertEqual(os.stat(self.states()).st_size, before.st_size)

        # What a skill said goes with it.
        self.call("POST", "/v1/skills/%s" % hive, {"action": "remove"}, user=self.ann)
        self.until(lambda: os.stat(self.states()).st_size < before.st_size)
        self.assertEqual(self.told("honey"), [])

    def test_PF_5_what_skills_of_an_erased_user_said_is_kept_nowhere(self):
        self.teach("violin")
        self.until(lambda: self.told("琴弦"))
        before = os.stat(self.states()).st_size
        self.server.restart(kill=True)
        receipt = self.call("POST", "/v1/erase", {"everything": True}, user=self.ann)
        self.assertLess(os.stat(self.states()).st_size, before)
        self.assertTrue(self.call("GET", "/v1/erasures/" + receipt["id"])["clean"])

    def test_PF_5_states_of_a_model_that_is_configured_no_more_go_with_an_erasure(self):
        self.teach("compost")
        self.until(lambda: self.told("堆肥"))
        toml = os.path.join(self.server.workspace, "weft.toml")
        with open(toml, encoding="utf-8") as file:
            before = file.read()

        def configure(text):
            with open(toml, "w", encoding="utf-8") as file:
                file.write(text)

        self.addCleanup(lambda: self.server.restart(meanwhile=lambda: configure(before)))
        alone = before.replace('fast = "bag"\n', "").replace("skill_weights", "# skill_weights")
        self.assertNotEqual(alone, before)
        self.server.restart(meanwhile=lambda: configure(alone))
        self.assertTrue(os.path.exists(self.states()))
        self.call("POST", "/v1/erase", {"everything": True}, user=self.ann)
        self.assertFalse(os.path.exists(self.states()))

    def test_MS_4_a_damaged_file_of_states_is_made_anew(self):
        tax = self.teach("taxes")
        self.until(lambda: self.told("退税"))

        def damage():
            with open(self.states(), "wb") as file:
                file.write(random.Random(1).randbytes(700))

        self.server.restart(meanwhile=damage)
        self.assertEqual([name for name, _ in self.until(lambda: self.told("退税"))], [tax])

    def test_MS_4_weights_for_another_model_are_refused_by_name(self):
        other = os.path.join(self.folder, "other.gguf")
        write_bag_model(other, "Another bag", MATTERS)
        folder = tempfile.mkdtemp(prefix="weft-states-", dir=self.folder)
        with open(os.path.join(folder, "weft.toml"), "w", encoding="utf-8") as file:
            file.write(self.toml.replace(self.file, other))
        with self.assertRaises(AssertionError) as refused:
            self.command("--workspace", folder, "skill", "list")
        self.assertIn("bag of words", str(refused.exception))
        self.assertIn("another bag", str(refused.exception))


if __name__ == "__main__":
    unittest.main()
