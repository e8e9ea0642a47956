#!/usr/bin/env python3
"""By which a new topic is recognised: trees of four answers over the signals of a turn, with vectors and by words alone.

Each family, and each way of joining conversations, weighs the same. Every row is there twice, once without courtesies:
joined talks would teach that topics begin with "Hi". Each signal may push in one direction only.
"""

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier

import common

TREES, RATE, ANSWERS, BINS = 120, 0.1, 4, 64
# Of so many rows; an answer rests on enough weight, not on enough rows, so rows are drawn by their weight.
LEAST_ROWS, RIDGE, DRAWN = 500, 20, 2
# Chosen once for all families, on the left-out scores: of those that tie the one that cuts more rarely, since a false cut
# tears a memory in two.
CUTS = {"vectors": -0.7, "words": -0.95}
RISING = {"change", "adds", "requests", "question", "question_end", "greets", "before_thanks", "before_closes", "words_new"}
FREE = {"thanks", "closes"}
OF_WORDS = {"words_last", "words_eight", "words_new"}
# As src/flow/stream/topic_shift.cpp has them.
HAZARD, HAZARD_TURNS = 1.5, 2
USUAL_RATE, USUAL_TURNS, MEMORY = 0.138, 15, 200


def is_talks(family):
    return family.startswith("talks_")


class Data:
    """All turns: their signals, and the rows that trees are fitted to."""

    def __init__(self, header, rows):
        self.names = header["signals"]
        at = {name: i for i, name in enumerate(self.names)}
        self.signals = np.zeros((len(rows), len(self.names)), dtype=np.float32)
        for number, row in enumerate(rows):
            for name, value in row["features"].items():
                self.signals[number, at[name]] = value
        self.labels = np.array([row["label"] for row in rows])
        self.questions = np.array([row["question"] for row in rows])
        self.families = np.array([row["family"] for row in rows])
        kinds = np.array([row["kind"] for row in rows])
        self.fits = np.array([row["fits"] for row in rows])
        self.groups = np.array(["%s\t%s" % one for one in zip(self.families, kinds)])
        dialogues = np.array([row["dialogue"] for row in rows])
        starts = np.flatnonzero(np.append(True, dialogues[1:] != dialogues[:-1]))
        self.dialogues = {}  # of each group, as ranges of turns
        for begin, end in zip(starts, np.append(starts[1:], len(rows))):
            self.dialogues.setdefault(self.groups[begin], []).append((int(begin), int(end)))

    def columns(self, by):
        own = OF_WORDS if by == "vectors" else {name for name in self.names if name.startswith("near_")}
        return [i for i, name in enumerate(self.names) if name not in own]

    def rows(self, without):
        """The turns to fit on, each with its weight."""
        chosen = self.fits & ~np.isin(self.families, list(without))
        groups, place, counts = np.unique(self.groups[chosen], return_inverse=True, return_counts=True)
        return np.flatnonzero(chosen), 1 / (len(groups) * counts[place])


def slope(name):
    return 0 if name in FREE else 1 if name in RISING else -1


def drawn(weights, count):
    """So many places, each as often as its weight says: without chance, so that the same rows give the same trees."""
    return np.searchsorted(np.cumsum(weights) / weights.sum(), (np.arange(count) + 0.5) / count)


def fit_trees(signals, labels, slopes, least_rows=LEAST_ROWS, ridge=RIDGE, column_share=0.5):
    """Trees as seven nodes, [answer] or [signal, left node, threshold, value], the right node behind the left one. The
    base rate is in the first tree."""
    model = HistGradientBoostingClassifier(
        learning_rate=RATE, max_iter=TREES, max_leaf_nodes=ANSWERS, min_samples_leaf=least_rows, l2_regularization=ridge,
        max_bins=BINS, max_features=column_share, monotonic_cst=slopes, early_stopping=False, random_state=1)
    model.fit(signals, labels)
    base = float(model._baseline_prediction.ravel()[0])
    return [tree_of(one[0].nodes, base if at == 0 else 0.0) for at, one in enumerate(model._predictors)]


def tree_of(nodes, base):
    def value(at):
        node = nodes[at]
        if node["is_leaf"]:
            return float(node["value"]) + base
        left, right = int(node["left"]), int(node["right"])
        counts = int(nodes[left]["count"]), int(nodes[right]["count"])
        return (value(left) * counts[0] + value(right) * counts[1]) / sum(counts)

    written, queue = [[0.0] for _ in range(2 * ANSWERS - 1)], [(0, 0)]
    free = 1
    while queue:
        at, place = queue.pop(0)
        node = nodes[at]
        written[place] = [round(value(at), 4)]
        if not node["is_leaf"]:
            written[place] = [int(node["feature_idx"]), free, round(float(node["num_threshold"]), 4), round(value(at), 4)]
            queue += [(int(node["left"]), free), (int(node["right"]), free + 1)]
            free += 2
    return written


def answers(trees, signals):
    """The sum of what the trees say of each turn."""
    total = np.zeros(len(signals))
    for tree in trees:
        at = np.zeros(len(signals), dtype=int)
        for _ in range(ANSWERS - 1):
            for place, node in enumerate(tree):
                if len(node) > 1:
                    here = at == place
                    at[here] = node[1] + (signals[here, node[0]] > node[2])
        total += np.array([node[-1] for node in tree])[at]
    return total


def fit_weights(data, without):
    turns, weights = data.rows(without)
    courtesies = [i for i, name in enumerate(data.names) if name.endswith(("greets", "thanks", "closes"))]
    plain = data.signals[turns].copy()
    plain[:, courtesies] = 0
    signals = np.concatenate([data.signals[turns], plain])
    labels, weights = np.tile(data.labels[turns], 2), np.tile(weights, 2)
    places = drawn(weights, DRAWN * len(labels))
    least = max(1, min(DRAWN * LEAST_ROWS, len(places) // 50))
    found = {}
    for by in CUTS:
        columns = data.columns(by)
        trees = fit_trees(signals[places][:, columns], labels[places], [slope(data.names[i]) for i in columns], least,
                          DRAWN * RIDGE)
        found[by] = [[[columns[node[0]]] + node[1:] if len(node) > 1 else node for node in tree] for tree in trees]
    return found


def borders(logits, questions, cut, blocks):
    """The turns that begin a topic; only at questions where `blocks` says so. A topic of one turn is rare, and how often
    this conversation has changed its subject so far counts."""
    def logit(rate):
        return np.log(rate / (1 - rate))

    usual = logit(USUAL_RATE)
    starts, age, expected, turns = [0], 1, 0.0, 0.0
    for at, one in enumerate(logits, start=1):
        shift = logit((USUAL_TURNS * USUAL_RATE + expected) / (USUAL_TURNS + turns)) - usual
        hazard = -HAZARD * max(0.0, 1 - (age - 1) / HAZARD_TURNS)
        cuts = one + shift + hazard > cut
        kept = 1 if turns < MEMORY else MEMORY / (turns + 1)
        expected, turns = kept * (expected + 1 / (1 + np.exp(-(one + shift)))), kept * (turns + 1)
        if cuts and (not blocks or questions[at - 1]):
            starts.append(at)
            age = 0
        age += 1
    return starts


def score(turns, gold, found):
    """F1 of borders, and the window measures Pk and WindowDiff with half a mean segment."""
    borders_found, borders_there = [one for one in found if one > 0], [one for one in gold if one > 0]
    right = sum(one in borders_there for one in borders_found)
    f1 = 2 * right / (len(borders_there) + len(borders_found)) if right else 0.0
    window = max(2, round(turns / len(gold) / 2))
    if turns < window:
        return f1, 0.0, 0.0
    counts = []
    for starts in (gold, found):
        flags = np.zeros(turns + 1, dtype=int)
        flags[[start for start in starts if 0 < start < turns]] = 1
        total = np.cumsum(flags)
        counts.append(total[window:] - total[:-window])
    return f1, float(np.mean((counts[0] > 0) != (counts[1] > 0))), float(np.mean(counts[0] != counts[1]))


def measure(data, group, logits, cut, blocks=False):
    """Means over the dialogues of a group. `logits` may be None: then nothing is ever cut."""
    scores, there, cuts = [], 0, 0
    for begin, end in data.dialogues[group]:
        gold = [0] + (np.flatnonzero(data.labels[begin:end]) + 1).tolist()
        questions, turns = data.questions[begin:end], end - begin + 1
        found = [0] if logits is None else borders(logits[begin:end], questions, cut, blocks)
        if blocks:
            number = np.append(0, np.cumsum(questions))
            gold, found, turns = [int(number[one]) for one in gold], [int(number[one]) for one in found], int(number[-1]) + 1
        scores.append(score(turns, gold, found))
        there, cuts = there + len(gold) - 1, cuts + len(found) - 1
    f1, pk, wd = np.mean(scores, axis=0)
    each = [one[0] / 2 + (1 - one[1]) / 4 + (1 - one[2]) / 4 for one in scores]
    return {"score": float(np.mean(each)), "f1": float(f1), "pk": float(pk), "wd": float(wd), "found": cuts, "there": there,
            "noise": float(np.std(each) / np.sqrt(len(each)))}


def cuts_in_twenty(data, group, logits):
    cuts = sum(len(borders(logits[begin:end], data.questions[begin:end], CUTS["vectors"], True)) - 1
               for begin, end in data.dialogues[group])
    return 20 * cuts / sum(end - begin + 1 for begin, end in data.dialogues[group])


def fit(header, rows, _):
    data = Data(header, rows)

    def logits(weights):
        return {by: answers(trees, data.signals) for by, trees in weights.items()}

    weights = fit_weights(data, set())
    shipped, strict = logits(weights), logits(fit_weights(data, {"talks_en", "talks_zh"}))
    report = {"families": {}, "blocks_left_out": {}, "cuts_in_twenty_turns": {}}
    for group in data.dialogues:
        family, kind = group.split("\t")
        if kind == "uncut":
            report["cuts_in_twenty_turns"][family.split(" ", 1)[1]] = cuts_in_twenty(data, group, strict["vectors"])
        if kind != ("measured" if is_talks(family) else "labelled"):
            continue
        others = logits(fit_weights(data, {family}))
        left = strict if is_talks(family) else others
        report["families"][family] = {"left_out": measure(data, group, left["vectors"], CUTS["vectors"]),
                                      "one_out": measure(data, group, others["vectors"], CUTS["vectors"]),
                                      "words_left_out": measure(data, group, left["words"], CUTS["words"]),
                                      "fitted": measure(data, group, shipped["vectors"], CUTS["vectors"]),
                                      "never": measure(data, group, None, 0)}
        if is_talks(family):
            report["blocks_left_out"][family] = measure(data, group, strict["vectors"], CUTS["vectors"], True)
    report["macro"] = {by: float(np.mean([one[by]["score"] for one in report["families"].values()]))
                       for by in ("left_out", "one_out", "words_left_out", "never")}
    entries = {"signals": data.names}
    for by, trees in weights.items():
        entries[by + ".cut"], entries[by + ".trees"] = CUTS[by], trees
    return entries, report


if __name__ == "__main__":
    common.main("topics", fit)
