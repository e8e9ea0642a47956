#!/usr/bin/env python3
"""How sure it is that a hit has to do with the question: a logistic curve by words alone and one with vectors.

The best hit of an own question is to be above, that of a foreign one below. Which hit it is depends on the curve, so that
this is done in rounds. Every set weighs the same, and so do both sides of it. Weights of what speaks for a hit do not fall
below zero. At last the bias is set so that a share of the own questions has no hit above 0.5.
"""

import json
import os

import numpy as np
from scipy.optimize import minimize

import common

ROUNDS = 8
RIDGE = 1e-3
LEAST_SPREAD = 1e-9  # a feature below it is the same everywhere
REFUSED = 0.07  # of own questions: fewer, and prompts fill with what has nothing to do with a question


class Case:
    def __init__(self, row, names):
        self.family, self.own, self.far = row["family"], row["label"], row["far"]
        self.vectors, self.kept_out = row["vectors"], row["kept_out"]
        self.hits = np.array([row["features"][name] for name in names]).T  # [hit][feature]

    def best(self, scores):
        return self.hits[int(np.argmax(scores))]


class Curve:
    """Weights by feature and a bias; `chosen` ones are no part of the fit."""

    def __init__(self, header, by):
        self.names = [one["name"] for one in header["weights"]]
        self.chosen = np.array([one["sign"] == "chosen" for one in header["weights"]])
        self.least = [0 if one["sign"] == "for" else None for one in header["weights"]]
        self.weights = np.array([one.get(by, 0.0) for one in header["weights"]])
        self.bias = 0.0

    def scores(self, hits):
        return hits @ self.weights + self.bias

    def relevance(self, case):
        return float(1 / (1 + np.exp(-self.scores(case.hits).max()))) if len(case.hits) else 0.0

    def descend(self, best, own, weight):
        """The curve that fits the best hits."""
        weight = weight / weight.sum()
        mean = weight @ best
        spread = np.sqrt(weight @ (best - mean) ** 2)
        used = ~self.chosen & (spread > LEAST_SPREAD)
        rows = (best[:, used] - mean[used]) / spread[used]
        given = best[:, self.chosen] @ self.weights[self.chosen]

        def loss(values):
            sums = rows @ values[1:] + values[0] + given
            wrong = weight * (1 / (1 + np.exp(-sums)) - own)
            value = weight @ (np.logaddexp(0, sums) - own * sums) + RIDGE / 2 * values[1:] @ values[1:]
            return value, np.append(wrong.sum(), rows.T @ wrong + RIDGE * values[1:])

        bounds = [(None, None)] + [(least, None) for least, one in zip(self.least, used) if one]
        found = minimize(loss, np.zeros(rows.shape[1] + 1), jac=True, method="L-BFGS-B", bounds=bounds,
                         options={"maxiter": 2000, "ftol": 1e-12, "gtol": 1e-8}).x
        self.weights[~self.chosen] = 0
        self.weights[used] = found[1:] / spread[used]
        self.bias = found[0] - self.weights[used] @ mean[used]

    def refuse(self, cases):
        """Moves the bias so that a share of the own questions is refused, every set weighing the same."""
        own = sorted((self.scores(case.hits).max(), case.family) for case in cases if case.own and len(case.hits))
        families = [family for _, family in own]
        total = 0.0
        for value, family in own:
            total += 1 / (families.count(family) * len(set(families)))
            if total > REFUSED:
                self.bias -= value
                return


def fit_curve(header, cases, by):
    curve = Curve(header, by)
    used = [case for case in cases if case.vectors == (by == "vectors") and len(case.hits)]
    sides = [(case.family, case.own) for case in used]
    weight = np.array([1 / sides.count(side) for side in sides])
    own = np.array([float(case.own) for case in used])
    if len(set(own)) < 2:
        raise SystemExit("known: there are no questions of both kinds")
    for turn in range(ROUNDS):
        best = np.array([case.best(case.hits[:, 0] + case.hits[:, 1] if turn == 0 else curve.scores(case.hits))
                         for case in used])
        curve.descend(best, own, weight)
    curve.refuse(used)
    return curve


def tally(cases, curve):
    """What a threshold of 0.5 does to the questions of a set."""
    values = [(case, curve.relevance(case)) for case in cases]
    own = [value for case, value in values if case.own]
    near, far = ([value for case, value in values if not case.own and case.far == is_far] for is_far in (False, True))

    def accepted(some):
        return float(np.mean(np.array(some) >= 0.5)) if some else None

    return {"own": len(own), "foreign": len(near) + len(far), "auc": common.area_under_curve(own, near + far),
            "own_refused": 1 - accepted(own) if own else None, "near_accepted": accepted(near),
            "far_accepted": accepted(far)}


def fit(header, rows, arguments):
    names = [one["name"] for one in header["weights"]]
    entries, report = {}, {}
    if arguments.only and arguments.output and os.path.exists(arguments.output):
        with open(arguments.output, encoding="utf-8") as file:
            entries = json.load(file)
    for by in ("words", "vectors"):
        cases = [Case(row, names) for row in rows if row["by"] == by]
        if not cases or arguments.only not in (None, by):
            continue
        used = [case for case in cases if not case.kept_out]
        curve = fit_curve(header, used, by)
        report[by] = {}
        for family in sorted({case.family for case in cases}):
            mine = [case for case in cases if case.family == family]
            others = fit_curve(header, [case for case in used if case.family != family], by)
            report[by][family] = {"left_out": tally(mine, others), "fitted": tally(mine, curve),
                                  "kept_out": mine[0].kept_out}
        entries[by + ".bias"] = round(curve.bias, 2)
        entries.update(("%s.%s" % (by, name), round(float(one), 2) + 0.0) for name, one in zip(names, curve.weights))
    return entries, report


def add_arguments(parser):
    parser.add_argument("--only", choices=("words", "vectors"), help="fit this curve; the other stays as the output has it")


if __name__ == "__main__":
    common.main("known", fit, add_arguments)
