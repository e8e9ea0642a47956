#!/usr/bin/env python3
"""By which remembered messages are ranked: seven weights of the recipe `balanced`, one after another, each on a grid, for
the mean over families of recall@5 and half of recall@10.

The middle of all values that do nearly as well is taken, and a weight that hardly matters keeps a round number that was
chosen without data.
"""

import numpy as np

import common

CUTS = (5, 10, 25)
PASSES, MATTERS, PLATEAU = 3, 0.0015, 0.003
# The value where the data do not tell, the step of the grid, and how many of them.
WEIGHTS = {"words": (0.35, 0.05, 16), "assistant": (1, 0.25, 12), "question": (1, 0.25, 12), "day": (3, 0.25, 20),
           "relative_day": (1, 0.25, 12), "other_speaker": (1, 0.25, 12), "asked": (0.1, 0.05, 10)}


class Family:
    """The questions of a family as arrays over hits, messages and pieces of evidence."""

    def __init__(self, rows):
        features, fixed, order, message, question = [], [], [], [], []
        evidence, self.pieces, self.kept_out = [], [], rows[0]["kept_out"]
        messages = 0
        for number, row in enumerate(rows):
            hits, values = len(row["message"]), row["features"]
            features.append(np.array([values.get(name, [0.0] * hits) for name in WEIGHTS]).T.reshape(hits, len(WEIGHTS)))
            fixed += values.get("fixed", [0.0] * hits)
            order += row["row"]
            message += [messages + one for one in row["message"]]
            question += [number] * hits
            pieces = {}
            for hit, piece in row["label"]:
                pieces.setdefault(piece, set()).add(messages + row["message"][hit])
            evidence += [(number, sorted(one)) for one in pieces.values()]
            self.pieces.append(row["pieces"])
            messages += max(row["message"], default=-1) + 1
        self.features, self.fixed = np.concatenate(features), np.array(fixed)
        # The product gives equal hits by their row, the smaller first.
        self.tie = np.array(order) * 1e-12
        self.message, self.messages = np.array(message, dtype=int), messages
        of_message = np.zeros(messages, dtype=int)
        of_message[self.message] = question
        self.places = [np.flatnonzero(of_message == number) for number in range(len(rows))]
        width = max((len(one) for one in self.places), default=0)
        self.grid = np.full((len(rows), width), messages)  # messages of each question; the last one is none
        for number, one in enumerate(self.places):
            self.grid[number, :len(one)] = one
        self.evidence = evidence
        self.evidence_question = np.array([number for number, _ in evidence], dtype=int)

    def recalls(self, weights):
        """Of each question the share of its evidence among the first so many messages."""
        scores = self.features @ np.array(weights) + self.fixed - self.tie
        best = np.full(self.messages + 1, -np.inf)
        np.maximum.at(best, self.message, scores)
        own = np.array([best[messages].max() for _, messages in self.evidence])
        table = best[self.grid]
        place = (table[self.evidence_question] > own[:, None]).sum(axis=1)
        shares = np.zeros((len(self.pieces), len(CUTS)))
        for at, cut in enumerate(CUTS):
            np.add.at(shares[:, at], self.evidence_question, place < cut)
        return shares / np.array(self.pieces)[:, None]


def fit_on(families):
    def worth(weights):
        means = [one.recalls(weights).mean(axis=0) for one in families]
        return float(np.mean([mean[0] + mean[1] / 2 for mean in means]))

    grids = [[step * at for at in range(count + 1)] for _, step, count in WEIGHTS.values()]
    return common.descend(grids, [prior for prior, _, _ in WEIGHTS.values()], worth, PASSES, MATTERS, PLATEAU)


def fit(header, rows, _):
    names = sorted({row["family"] for row in rows})
    families = {name: Family([row for row in rows if row["family"] == name]) for name in names}
    used = {name: one for name, one in families.items() if not one.kept_out}
    if len(used) < 2:
        raise SystemExit("recall: fewer than two families to fit on")
    weights = fit_on(list(used.values()))
    report, left_out = {"families": {}, "weights": dict(zip(WEIGHTS, weights))}, []
    for name, family in families.items():
        others = [one for other, one in used.items() if other != name]
        found = family.recalls(weights if family.kept_out else fit_on(others))
        left_out.append(found[:, 0].mean())
        report["families"][name] = {"questions": len(found), "left_out": found.mean(axis=0).tolist(),
                                    "noise": common.standard_error(found[:, 0]), "kept_out": family.kept_out,
                                    "fitted": family.recalls(weights).mean(axis=0).tolist()}
    report["macro"] = float(np.mean(left_out))
    return {name: float(one) for name, one in zip(WEIGHTS, weights)}, report


if __name__ == "__main__":
    common.main("recall", fit)
