"""The fits of tools/fit on examples whose truth is known. Skipped without numpy and scikit-learn."""

import importlib.util
import json
import os
import random
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

try:
    import numpy as np
    import sklearn  # noqa: F401  the fits need it
except ImportError:
    print("numpy and scikit-learn are missing: `make setup-tests` brings them")
    sys.exit(77)

ROOT = Path(os.environ.get("WEFT_SOURCE_DIR", Path(__file__).parents[2]))
FIT = ROOT / "tools/fit"
sys.dont_write_bytecode = True
sys.path.insert(0, str(FIT))


def module(name):
    spec = importlib.util.spec_from_file_location("fit_" + name, FIT / (name + ".py"))
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


common = module("common")


def chance(logit):
    return 1 / (1 + np.exp(-logit))


class Common(unittest.TestCase):
    def test_a_curve_finds_the_chances_that_it_is_shown(self):
        draw = np.random.default_rng(3)
        rows = np.column_stack([draw.normal(size=(4000, 2)), np.ones(4000)])
        truths = draw.random(4000) < chance(rows @ np.array([2.0, -1.0, 0.5]))
        found = common.logistic(rows, truths, np.ones(4000), [1e-3] * 3)
        np.testing.assert_allclose(found, [2.0, -1.0, 0.5], atol=0.2)

    def test_each_weight_has_a_penalty_of_its_own(self):
        draw = np.random.default_rng(3)
        rows = np.column_stack([draw.normal(size=(400, 2)), np.ones(400)])
        truths, weights, penalties = rows[:, 0] + rows[:, 1] > 0, draw.uniform(0.5, 2, 400), np.array([4.0, 0.5, 1e-3])
        found = common.logistic(rows, truths, weights, penalties)
        slope = rows.T @ (weights * (chance(rows @ found) - truths)) + penalties * found
        np.testing.assert_allclose(slope, 0, atol=1e-3)

    def test_the_middle_of_all_that_do_as_well_is_taken_and_what_does_not_matter_stays(self):
        self.assertEqual(common.best_on_grid([0, 1, 2, 3], 9, lambda value: min(value, 2), 0.1, 0.01), 2.5)
        self.assertEqual(common.best_on_grid([0, 1, 2, 3], 9, lambda value: 1, 0.1, 0.01), 9)

    def test_files_of_weights_are_written_as_those_that_ship(self):
        for path in sorted((ROOT / "weights").rglob("*.json")):
            text = path.read_text(encoding="utf-8")
            self.assertEqual(common.source(json.loads(text)), text, path)

    def test_features_of_another_subject_are_refused(self):
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
            file.write('{"subject": "wishes"}\n')
            file.flush()
            with self.assertRaises(SystemExit) as refused:
                common.read(file.name, "facts")
            self.assertIn("weft eval features facts", str(refused.exception))


class Wishes(unittest.TestCase):
    def rows(self):
        draw = np.random.default_rng(1)
        rows, number = [], 0
        for family in ("one", "two", "three"):
            for _ in range(150):
                vector = draw.normal(size=4)
                wish = bool(vector[0] > 0)
                rows.append({"family": family, "message": number, "wish": wish, "found": False, "kept_out": False})
                rows.append({"family": family, "message": number, "label": wish, "fits": True, "tells": True,
                             "features": {"clause": 0, "general": 0, "vector": vector.tolist()}})
                number += 1
        return rows

    def test_what_is_left_out_is_found_and_the_file_has_its_form(self):
        entries, report = module("wishes").fit({"embedder": "some-model-q4"}, self.rows(), None)
        for counts in report.values():
            self.assertGreater(counts["left_out"]["found"], 0.8 * counts["left_out"]["wishes"])
            self.assertLess(counts["left_out"]["wrong"], 0.05 * counts["left_out"]["others"])
        self.assertEqual(entries["embedder"], "some-model")
        self.assertEqual(max(range(4), key=lambda at: abs(entries["vector"][at])), 0)
        self.assertEqual(max(map(abs, entries["vector"])), 127)

    def test_the_command_writes_the_same_file_for_the_same_features(self):
        with tempfile.TemporaryDirectory() as folder:
            features, written = Path(folder, "wishes.jsonl"), []
            lines = [{"subject": "wishes", "embedder": "some-model-q4"}] + self.rows()
            features.write_text("\n".join(map(json.dumps, lines)) + "\n", encoding="utf-8")
            for name in ("a.json", "b.json"):
                output = Path(folder, name)
                run = subprocess.run([sys.executable, "-B", str(FIT / "wishes.py"), str(features), "-o", str(output)],
                                     capture_output=True, text=True, check=True)
                self.assertEqual(set(json.loads(run.stdout)), {"one", "two", "three"})
                written.append(output.read_bytes())
            self.assertEqual(*written)


class Facts(unittest.TestCase):
    """Sentences whose first number says whether they state a fact; a likely one is kept, and so is what grammar reads."""

    def rows(self, families=("one", "two", "three"), kept_out=()):
        draw = np.random.default_rng(2)
        rows = []
        for number in range(240):
            family = families[number % len(families)]
            vector = draw.normal(size=3)
            fact = bool(vector[0] > 0)
            rows.append({"family": family, "message": number, "file": "en_1", "group": str(number), "language": "english",
                         "graded": True, "kept_out": family in kept_out, "stated": int(fact), "grammar": [],
                         "facts": [{"right": [0] if fact else [], "light": False}],
                         "sentences": [{"likely": {"gone": [], "come": [0]}, "unlikely": {"gone": [], "come": []}}]})
            rows.append({"family": family, "message": number, "sentence": 0, "language": "english", "label": fact,
                         "acts": True, "features": {"signs": [0.0, 1.0], "vector": vector.tolist()}})
        return rows

    def test_families_that_are_left_out_are_read(self):
        entries, report = module("facts").fit({"embedder": "some-model-q4"}, self.rows(), None)
        self.assertGreater(report["graded"]["en"]["left_out"]["right"], 0.8)
        self.assertLess(report["graded"]["en"]["left_out"]["wrong"], 0.1)
        self.assertEqual(report["graded"]["en"]["grammar"]["right"], 0)
        self.assertEqual(max(range(3), key=lambda at: abs(entries["vector"][at])), 0)
        self.assertEqual(len(entries["chinese.signs"]), 2)
        self.assertEqual(set(entries["chinese.signs"]), {0.0})

    def test_what_is_kept_out_leaves_no_trace(self):
        rows = self.rows(kept_out=("three",))
        with_three, report = module("facts").fit({"embedder": "m"}, rows, None)
        without, _ = module("facts").fit({"embedder": "m"}, [row for row in rows if row["family"] != "three"], None)
        # The folds of conversations differ, on which limits are chosen; the curve does not.
        self.assertEqual([with_three[name] for name in ("vector", "english.signs")],
                         [without[name] for name in ("vector", "english.signs")])
        self.assertEqual(report["rows"]["three en_1"]["folds"]["right"], 0)

    def test_what_goes_and_comes_with_a_sentence_is_counted(self):
        count = module("facts").count
        message = {"message": 1, "stated": 1, "grammar": [0],
                   "facts": [{"right": [], "light": False}, {"right": [0], "light": False}, {"right": [], "light": True}],
                   "sentences": [{"likely": {"gone": [0], "come": [1, 2]}, "unlikely": {"gone": [0], "come": []}}]}
        part = {"sentence": 0, "acts": True, "at": 0, "language": "english"}
        self.assertEqual(count(message, [], [], {}), {"messages": 1, "stated": 1, "right": 0, "read": 1, "light": 0, "wrong": 1})
        likely = count(message, [part], [1.0], {"english": 0})
        self.assertEqual((likely["right"], likely["read"], likely["light"], likely["wrong"]), (1, 2, 1, 0))
        self.assertEqual(count(message, [part], [-1.0], {"english": 0})["read"], 0)


class Known(unittest.TestCase):
    header = {"weights": [{"name": "own", "sign": "for"}, {"name": "window", "sign": "for"},
                          {"name": "length", "sign": "any"}, {"name": "given", "sign": "chosen", "words": 0, "vectors": 2.0}]}

    def test_own_questions_are_told_from_foreign_ones(self):
        draw = np.random.default_rng(4)
        rows = []
        for family in ("one", "two", "three"):
            for at in range(120):
                own = at % 2 == 0
                hits = draw.random((5, 4)) * 0.5
                hits[2, 0] += 0.5 if own else 0
                hits[:, 1] = 0.6 - hits[:, 0]  # speaks against a hit, though it may not
                rows.append({"family": family, "by": "words", "vectors": False, "kept_out": family == "three", "label": own,
                             "far": at % 4 == 1,
                             "features": {one["name"]: hits[:, i].tolist() for i, one in enumerate(self.header["weights"])}})
        arguments = type("Arguments", (), {"only": None, "output": None})
        entries, report = module("known").fit(self.header, rows, arguments)
        for tally in report["words"].values():
            self.assertGreater(tally["left_out"]["auc"], 0.9)
            self.assertLess(tally["left_out"]["near_accepted"], 0.35)
        # A share of the questions that it was fitted on is refused.
        refused = [report["words"][family]["fitted"]["own_refused"] for family in ("one", "two")]
        self.assertAlmostEqual(sum(refused) / 2, 0.07, delta=0.02)
        self.assertGreater(entries["words.own"], 0)
        self.assertGreaterEqual(entries["words.window"], 0)
        self.assertEqual(entries["words.given"], 0)
        self.assertNotIn("vectors.bias", entries)


class Recall(unittest.TestCase):
    def test_a_signal_that_the_right_message_lacks_is_weighed_against(self):
        draw = random.Random(5)
        rows = []
        for family in ("one", "two", "three"):
            for _ in range(40):
                hits, gold = 40, draw.randrange(40)
                words = [draw.random() for _ in range(hits)]
                words[gold] = 0.5
                assistant = [0 if hit == gold else -draw.random() for hit in range(hits)]
                rows.append({"family": family, "kept_out": family == "three", "label": [[gold, 0]], "pieces": 1,
                             "message": list(range(hits)), "row": list(range(hits)),
                             "features": {"words": words, "assistant": assistant}})
        weights, report = module("recall").fit({}, rows, None)
        self.assertGreater(weights["assistant"], 1)
        self.assertEqual(weights["day"], 3, "no data tells it")
        for family in report["families"].values():
            self.assertGreater(family["left_out"][0], 0.8)

    def test_a_message_counts_once_and_equal_hits_stand_by_their_row(self):
        family = module("recall").Family([
            {"kept_out": False, "label": [[6, 0]], "pieces": 2, "message": [0, 0, 0, 1, 2, 3, 4], "row": [7, 8, 9, 4, 3, 2, 5],
             "features": {"words": [1, 1, 1, 0.5, 0.5, 0.5, 0.5]}}])
        # Five messages, the one with the answer last of equals: found, and one of two pieces is nowhere.
        self.assertEqual(family.recalls([1, 0, 0, 0, 0, 0, 0]).tolist(), [[0.5, 0.5, 0.5]])


class Tools(unittest.TestCase):
    def rows(self, family):
        rows = []
        for at in range(30):
            rows.append({"family": family, "tool": str(at), "name": [1, 100 + at], "description": [2, 3, 100 + (at + 7) % 30],
                         "parameter_name": [4], "parameter_description": [100 + (at + 7) % 30] * 2, "value": []})
        for at in range(30):
            near = [0.0] * 30
            near[at] = 1.0
            rows.append({"family": family, "category": "odd" if at % 2 else "even", "kept_out": False, "label": [at],
                         "features": {"parts": [{"words": [5, 100 + at], "vector": near}]}})
        return rows

    def test_weights_are_judged_on_sets_that_they_have_not_seen(self):
        rows = self.rows("one") + self.rows("two") + self.rows("three")
        entries, report = module("tools").fit({}, rows, type("Arguments", (), {"thin": 2}))
        self.assertEqual(len(entries), 8)
        for one in report["sets"].values():
            self.assertEqual(one["requests"], 30)
            self.assertEqual(one["left_out"], 1)
            self.assertEqual(set(one["left_out_by_category"]), {"odd", "even"})

    def test_words_are_scored_as_bm25_over_fields(self):
        tools = module("tools")
        shares = tools.ToolSet(self.rows("one"), 1).words((1, 0.5, 0.5, 0.5, 0.75))
        # The name says it once, of two words where two are usual; another tool's description and parameters say it too.
        count = {"name": 1.0, "other": 1 / 1 + 0.5 * 2 / 1}
        score = {key: one / (1.2 + one) for key, one in count.items()}
        self.assertAlmostEqual(shares[0, 0] / shares[0].max(), score["name"] / score["other"], places=5)


class Topics(unittest.TestCase):
    def drawn(self, count):
        draw = np.random.default_rng(6)
        signals = draw.random((count, 3)).astype(np.float32)
        return signals, draw.random(count) < chance(4 * signals[:, 0] - 4 * signals[:, 1] - 1)

    def test_trees_come_near_the_truth_that_drew_the_rows(self):
        topics = module("topics")
        signals, labels = self.drawn(20000)
        trees = topics.fit_trees(signals, labels, [1, -1, 0], least_rows=100, column_share=1.0)
        self.assertTrue(all(len(tree) == 7 for tree in trees))
        for a in (0.1, 0.5, 0.9):
            for b in (0.1, 0.5, 0.9):
                self.assertAlmostEqual(topics.answers(trees, np.array([[a, b, 0.5]]))[0], 4 * a - 4 * b - 1, delta=0.6)

    def test_trees_are_monotone_whatever_the_rows_say(self):
        topics = module("topics")
        signals, labels = self.drawn(6000)
        for first in (1, -1):
            trees = topics.fit_trees(signals, labels, [first, -1, 0], least_rows=100, column_share=1.0)
            low = np.random.default_rng(7).random((2000, 3))
            high = low.copy()
            high[:, 0] = np.minimum(1, low[:, 0] + 0.2)
            rise = topics.answers(trees, high) - topics.answers(trees, low)
            self.assertGreaterEqual((first * rise).min(), -1e-3)  # values are written in four decimals

    def test_rows_are_drawn_as_often_as_their_weight_says(self):
        places = module("topics").drawn(np.array([1.0, 3.0]), 400)
        self.assertEqual(np.bincount(places).tolist(), [100, 300])

    def test_windows_by_hand(self):
        score = module("topics").score
        self.assertEqual(score(8, [0, 4], [0, 4]), (1.0, 0.0, 0.0))
        f1, pk, wd = score(8, [0, 4], [0])
        self.assertEqual((f1, wd), (0.0, pk))
        self.assertAlmostEqual(pk, 2 / 7)

    def test_borders_are_found_in_families_that_were_left_out(self):
        draw = np.random.default_rng(8)
        names = ["near_last", "words_last", "change"]
        rows, dialogue = [], 0
        for family in ("one", "two", "three"):
            for _ in range(30):
                for turn in range(1, 20):
                    border = turn % 5 == 0
                    value = float(draw.normal(0.1 if border else 0.6, 0.1))
                    rows.append({"family": family, "kind": "labelled", "fits": True, "dialogue": dialogue, "turn": turn,
                                 "question": True, "label": border, "features": {"near_last": value, "words_last": value}})
                dialogue += 1
        entries, report = module("topics").fit({"signals": names}, rows, None)
        for family in report["families"].values():
            self.assertGreater(family["left_out"]["score"], family["never"]["score"] + 0.2)
            self.assertGreater(family["words_left_out"]["score"], family["never"]["score"] + 0.2)
        self.assertEqual([len(entries[by + ".trees"]) for by in ("vectors", "words")], [120, 120])
        for by, unused in (("vectors", 1), ("words", 0)):
            self.assertFalse(any(node[0] == unused for tree in entries[by + ".trees"] for node in tree if len(node) > 1))


class Similarity(unittest.TestCase):
    def test_the_cut_lies_at_0_6(self):
        draw = np.random.default_rng(9)
        rows = []
        for dialogue in range(60):
            for topic in range(3):
                middle = draw.normal(size=16)
                for _ in range(6):
                    vector = 5 + middle + 0.7 * draw.normal(size=16)  # all lie in one direction
                    rows.append({"family": "english", "dialogue": dialogue, "label": topic,
                                 "features": {"vector": (vector / np.linalg.norm(vector)).tolist()}})
        entries, report = module("similarity").fit({"embedder": "m"}, rows, None)
        self.assertGreater(report["balanced_accuracy"], 0.85)
        self.assertAlmostEqual(chance(entries["slope"] * (report["best_cosine"] - entries["middle"])), 0.6, places=2)
        self.assertEqual((len(entries["english_mean"]), len(entries["chinese_mean"])), (16, 0))
        with self.assertRaises(SystemExit):
            module("similarity").fit({"embedder": "m"}, rows[:6], None)


class Skills(unittest.TestCase):
    def rows(self):
        draw = np.random.default_rng(10)
        rows, places = [], draw.normal(size=(40, 24))
        places[:, 0] = 2  # where work lies
        for at, place in enumerate(places):
            rows.append({"family": "one", "skill": at, "language": "english",
                         "phrases": [(place + 0.3 * draw.normal(size=24)).tolist() for _ in range(3)]})
        for at in range(120):
            related = at < 80
            vector = places[at % 40] + 0.3 * draw.normal(size=24) if related else draw.normal(size=24) - 2 * np.eye(24)[0]
            rows.append({"family": "one", "label": at % 40 if related else None, "language": "english",
                         "features": {"words": [0.0] * 40, "vector": vector.tolist()}})
        return rows

    def test_right_ones_are_told_and_few_of_the_unrelated(self):
        entries, report = module("skills").fit({"embedder": "Some-Model-q4"}, self.rows(), None)
        whole = report["left_out"]["libraries_of_a_1th"]
        self.assertEqual((whole["tasks"], whole["unrelated"]), (80, 40))
        self.assertGreater(whole["right_first"], 60)
        self.assertLessEqual(whole["unrelated_told"], 8)
        self.assertEqual(entries["embedder"], "some-model")
        self.assertGreater(entries["follow"], entries["refer"])
        for name in ("english_tasks", "chinese_tasks", "english_conditions", "work"):
            self.assertEqual(len(entries[name]), 24)

    def test_how_a_task_stands_in_a_library(self):
        skills = module("skills")
        data = skills.Data([{"family": "f", "skill": at, "language": "english", "phrases": [[1.0, 0.0]]} for at in range(2)] +
                           [{"family": "f", "label": label, "language": "english",
                             "features": {"words": [0, 0], "vector": [1.0, 0.0]}} for label in (0, 1, None)])
        data.libraries = data.libraries[:1]
        standings = skills.Standings(data, np.array([[3.0, 1.0], [2.0, 1.0], [0.0, -1.0]]), np.ones(3, dtype=bool))
        self.assertEqual(standings.own.tolist(), [skills.HERE, skills.HERE, skills.NONE])
        self.assertEqual(standings.right.tolist(), [True, False, False])
        self.assertEqual(standings.best.tolist(), [3, 2, 0])
        self.assertEqual(standings.others.tolist(), [1, 2, 0])


if __name__ == "__main__":
    unittest.main()
