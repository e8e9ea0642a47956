#!/usr/bin/env python3
"""The whole circle, by the command alone, as examples/circle plays it: a task fails, the error is reflected, three
reflections make a rule, the rule passes its trial, a skill crystallises, a change of it wins, a preference is learnt, a
question is asked and answered; all of it can be followed with `weft agent show` and in the files. How runs went is said by
a verifier or by the user, and counts once (EV-1, EV-2, EV-3, EV-4, RE-1, RE-2, CU-2, AL-4, MS-4)."""

import json
import os
import sqlite3
import shutil
import subprocess
import sys
import tempfile
import unittest

from scenario import binary

EXAMPLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../examples/circle")
sys.path.insert(0, EXAMPLE)

import model  # noqa: E402
import play  # noqa: E402


class Played(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="weft-circle-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.server = model.serve()
        self.addCleanup(self.server.shutdown)
        self.circle = play.Circle(binary(), os.path.join(self.folder, "workspace"), self.server.url)

    def lines(self, *place):
        with open(os.path.join(self.circle.workspace, *place), encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def run_file(self, run):
        return self.lines("agents", run + ".jsonl")


class WholeCircle(Played):
    def test_EV_1_EV_3_the_whole_circle(self):
        play.play(self.circle)
        runs = self.circle.json("agent", "list", "--limit", "200")["runs"][::-1]

        # A task failed, as its verifier says, and the failed step was reflected in the run.
        first = runs[0]
        end = self.run_file(first["id"])[-1]["payload"]
        self.assertEqual((first["outcome"], end["by"]), ("failure", "verifier"))
        self.assertIn("is missing", end["verdict"])
        shown = self.circle.weft("agent", "show", first["id"], show=False)
        self.assertIn("💡 Read what minutes_publish takes", shown)
        self.assertIn("failure, says the verifier", shown)

        # Three reflections of three days made a rule, which passed its trial.
        [rule] = [one for one in self.circle.json("rule", "list")["rules"] if "Read what" in one["strategy"]]
        self.assertEqual(rule["stage"], "active")
        self.assertEqual(len({one["day"] for one in rule["evidence"]}), 3)
        actions = [one["action"] for one in self.lines("evolution", "strategy_log.jsonl") if one["rule"] == rule["id"]]
        self.assertEqual(actions[:3], ["candidate", "seen_again", "probation"])
        # Five outcomes, one of which the user gave later; then past tasks were played again with it and without it.
        self.assertEqual(actions[3:9], ["used"] * 5 + ["awaits_replay"])
        self.assertIn("active", actions[9:])
        self.assertIn(rule["gate"]["stage"], ("passed", "not_replayed"))
        with open(os.path.join(self.circle.workspace, "evolution", "rules", "active_rules.yaml"), encoding="utf-8") as now:
            self.assertIn("Read what minutes_publish takes", now.read())
        told = [one for one in self.run_file(runs[1]["id"]) if one["type"] == "LESSON"]
        self.assertEqual(told[0]["payload"]["rules"], [rule["id"] + "@1"])

        # The second run had no verifier: its report bears the user's word.
        store = sqlite3.connect(os.path.join(self.circle.workspace, "weft.db"))
        [(body,)] = store.execute("SELECT body FROM documents WHERE kind='report' AND id=?", (runs[1]["id"],)).fetchall()
        store.close()
        judged = json.loads(body)
        self.assertEqual((judged["outcome"], judged["outcome_by"]), ("success", "user"))

        # A skill was made of tasks that succeeded in the same way, and proved itself.
        [skill] = self.circle.skills()
        self.assertEqual((skill["origin"], skill["stage"]), ("reflection", "active"))
        self.assertEqual([one["tools"] for one in skill["steps"]],
                         [["minutes_fetch"], ["publisher_rules"], ["minutes_publish"]])
        self.assertEqual(len(set(skill["learned_from"])), 3)
        self.assertIn(runs[1]["id"], skill["learned_from"])

        # A change won by runs alone, and stands in the skill's place.
        [mutation] = self.circle.json("mutation", "list")["mutations"]
        self.assertEqual((mutation["stage"], mutation["variant_successes"]), ("kept", mutation["variant_uses"]))
        self.assertLess(mutation["original_successes"], mutation["original_uses"])
        self.assertIn("attempts = 3", skill["steps"][0]["details"])
        told = [one["payload"]["skills"] for run in runs for one in self.run_file(run["id"])
                if one["type"] == "LESSON" and one["payload"].get("skills")]
        variants = [one for one in told if one[0].startswith(mutation["id"])]
        # Past tasks may speak for it while a run works that was told of it: what comes then is not counted any more.
        self.assertIn(len(variants) - mutation["variant_uses"], (0, 1))
        self.assertTrue(self.lines("evolution", "mutation_tests.jsonl"))

        # A preference was learnt from what the user changed, and is followed.
        beliefs = self.circle.json("belief", "list")["beliefs"]
        self.assertIn(("detail", "brief"), [(one["dimension"], one["value"]) for one in beliefs])
        brief = [one for one in runs if one["task"].endswith("lantern makers")][0]
        self.assertEqual(brief["output"], "The minutes of the lantern makers are on the site.")
        self.assertGreater(len(runs[2]["output"]), 150)

        # A question was asked and answered, and the run went on.
        asked = [one for one in runs if one["task"].endswith("shareholders")][0]
        self.assertEqual((asked["status"], asked["outcome"]), ("ended", "success"))
        [question] = [one for one in self.circle.json("question", "list")["questions"] if one.get("run") == asked["id"]]
        self.assertEqual((question["stage"], question["answer"]), ("answered", "they go"))
        self.assertIn("👤 they go", self.circle.weft("agent", "show", asked["id"], show=False))


class Verdicts(Played):
    """Who says how a run went, and what counts."""

    def outcome(self, verify, *more):
        lines = self.circle.weft("--json", *more, "agent", "run", "Publish the minutes of the chess club", "--tools",
                                 self.circle.path("tools.json"), "--verify", verify, show=False)
        [end] = [one["payload"] for one in map(json.loads, lines.splitlines()) if one.get("type") == "AGENT_OUTPUT"]
        return end["outcome"], end.get("by", "nobody"), end.get("verdict", "")

    def test_RE_1_a_program_says_how_a_run_went(self):
        self.assertEqual(self.outcome("true"), ("success", "verifier", ""))
        self.assertEqual(self.outcome("echo no page; exit 3"), ("failure", "verifier", "no page\n"))
        # It is told what was asked and answered.
        self.assertEqual(self.outcome("grep -q '\"answer\":\"The archive\\|\"task\":\"Publish the minutes of the chess'")[0],
                         "success")

    def test_RE_1_who_gives_no_verdict_leaves_the_outcome_unknown(self):
        outcome, by, why = self.outcome("no-such-program-here")
        self.assertEqual((outcome, by), ("unknown", "nobody"))
        self.assertIn("cannot be run", why)
        outcome, by, why = self.outcome("sleep 30", "--set", "agent.call_seconds=1")
        self.assertEqual((outcome, by), ("unknown", "nobody"))
        self.assertIn("no verdict", why)
        outcome, by, why = self.outcome("touch ran", "--set", "agent.permissions=verify=deny")
        self.assertEqual((outcome, by), ("unknown", "nobody"))
        self.assertFalse(os.path.exists(os.path.join(self.circle.workspace, "work", "ran")))

    def test_EV_1_the_users_word_counts_once_and_not_over_a_verifier(self):
        for days, club in ((0, "post office"), (1, "harbour office"), (2, "school board")):
            report = self.circle.write("r.json", json.dumps(play.earlier_report(club, days)))
            self.circle.weft("reflect", "run", report, show=False)
        [rule] = self.circle.json("rule", "list")["rules"]
        self.assertEqual(rule["stage"], "probation")
        run = self.circle.run("chess club", verify=False)["id"]
        self.assertEqual(self.uses(), (1, 0, 0))
        self.circle.weft("reflect", "feedback", run, "That is wrong!", show=False)
        self.assertEqual(self.uses(), (1, 0, 1))
        self.circle.weft("reflect", "feedback", run, "That is wrong!", show=False)
        self.circle.weft("reflect", "feedback", run, "Perfect, thank you!", show=False)
        self.assertEqual(self.uses(), (1, 0, 1))
        run = self.circle.run("choir")["id"]
        self.assertEqual(self.uses(), (2, 1, 1))
        self.circle.weft("reflect", "feedback", run, "That is wrong!", show=False)
        self.assertEqual(self.uses(), (2, 1, 1))

    def uses(self):
        [rule] = self.circle.json("rule", "list")["rules"]
        uses = rule["uses"]
        return uses["injected"], uses.get("succeeded", 0), uses.get("failed", 0)


class Example(unittest.TestCase):
    def test_it_runs_as_its_readme_says(self):
        with tempfile.TemporaryDirectory() as place:
            done = subprocess.run([os.path.join(EXAMPLE, "run.sh")], capture_output=True, text=True, timeout=240,
                                  env=dict(os.environ, WEFT_BINARY=binary(), TMPDIR=place))
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertIn("The files are in " + place, done.stdout)

    def test_RE_4_EV_1_the_circle_closes_with_nothing_but_chat_calls(self):
        with tempfile.TemporaryDirectory() as place:
            done = subprocess.run([sys.executable, os.path.join(EXAMPLE, "chat.py"), os.path.join(place, "workspace")],
                                  capture_output=True, text=True, timeout=240, env=dict(os.environ, WEFT_BINARY=binary()))
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertIn("the rule is active: 5 of 5 tasks succeeded with it", done.stdout)


if __name__ == "__main__":
    unittest.main()
