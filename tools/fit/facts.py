#!/usr/bin/env python3
"""By which sentences are known to tell something lasting of their speaker: a logistic curve over a sentence's vector and
the signs of its language.

Messages of graded files count five times. The limit of each language is where facts found, less two for each wrong one,
are most, of those limits that find 70 % of the facts stated with at most 10 % wrong of those read; where there is none,
the one that misses this by least. That is counted with weights that saw nothing of the conversation (five folds); for a
family that is left out, on the others, with weights that saw nothing of theirs.
"""

import collections

import numpy as np

import common

VECTOR_PENALTY, SIGN_PENALTY, BIAS_PENALTY = 4, 3, 1e-3
GRADED_COUNTS = 5
FOLDS = 5
LANGUAGES = ("english", "chinese")
LIMITS = [step / 4 for step in range(-8, 7)]
ENOUGH = 40  # facts of a language by which its limit is chosen
LEAST_RIGHT, MOST_WRONG, WRONG_COSTS = 0.7, 0.1, 2
FEWEST = 5  # facts of a family that are enough to speak of


class Counts(collections.Counter):
    """messages, stated, right, read, light, wrong."""

    def gain(self):
        margin = min(common.share(self["right"], self["stated"]) - LEAST_RIGHT,
                     MOST_WRONG - common.share(self["wrong"], self["read"]))
        return margin - 1e6 if margin < 0 else self["right"] - WRONG_COSTS * self["wrong"]

    def shares(self):
        return {"right": common.share(self["right"], self["stated"]), "wrong": common.share(self["wrong"], self["read"]),
                "light": common.share(self["light"], self["read"])}


def count(message, parts, logits, limits):
    """What is read of a message where these are the log-odds of its parts, against what is stated in it."""
    likely, judged = set(), set()
    for part in parts:
        judged.add(part["sentence"])
        if part["acts"] and logits[part["at"]] >= limits[part["language"]]:
            likely.add(part["sentence"])
    read = set(message["grammar"])
    changes = [message["sentences"][one]["likely" if one in likely else "unlikely"] for one in sorted(judged)]
    for change in changes:
        read.difference_update(change["gone"])
    for change in changes:
        read.update(change["come"])
    facts = [message["facts"][one] for one in read]
    right = {one for fact in facts for one in fact["right"]}
    light = sum(1 for fact in facts if not fact["right"] and fact["light"])
    return Counts(messages=1, stated=message["stated"], right=len(right), read=len(facts), light=light,
                  wrong=sum(1 for fact in facts if not fact["right"] and not fact["light"]))


class Fit:
    def __init__(self, rows):
        self.messages = [row for row in rows if "features" not in row]
        self.examples = [row for row in rows if "features" in row]
        by_number = {one["message"]: one for one in self.messages}
        groups = {}
        for one in self.messages:
            one["fold"] = groups.setdefault(one["group"], len(groups)) % FOLDS
        self.parts = collections.defaultdict(list)
        signs = len(self.examples[0]["features"]["signs"])
        features, weights = [], []
        for at, one in enumerate(self.examples):
            one["at"] = at
            own = one["features"]["signs"] + [1.0]
            zeros = [0.0] * len(own)
            english = one["language"] == "english"
            features.append(one["features"]["vector"] + (own + zeros if english else zeros + own))
            message = by_number.get(one["message"])
            if message:
                self.parts[one["message"]].append(one)
            weights.append(GRADED_COUNTS if message and message["graded"] else 1)
        self.features, self.weights = np.array(features), np.array(weights, dtype=float)
        self.labels = np.array([one["label"] is True for one in self.examples])
        of = [by_number.get(one["message"]) for one in self.examples]
        self.fits = np.array([one["label"] is not None and not (message and message["kept_out"])
                              for one, message in zip(self.examples, of)])
        self.families = np.array([one["family"] for one in self.examples])
        self.folds = np.array([message["fold"] if message else -1 for message in of])
        of_language = [SIGN_PENALTY] * signs + [BIAS_PENALTY]
        self.dimensions = len(self.examples[0]["features"]["vector"])
        self.penalties = [VECTOR_PENALTY] * self.dimensions + of_language * len(LANGUAGES)

    def fit_on(self, mask):
        mask = mask & self.fits
        return common.logistic(self.features[mask], self.labels[mask], self.weights[mask], self.penalties)

    def count(self, message, logits, limits):
        return count(message, self.parts[message["message"]], logits, limits)

    def try_limits(self, logits_of, graded):
        """What each limit does in each family and language, for messages that limits are chosen by."""
        tried = [collections.defaultdict(Counts) for _ in LIMITS]
        for one in self.messages:
            if one["kept_out"] or one["graded"] != graded:
                continue
            for of_limit, limit in zip(tried, LIMITS):
                found = self.count(one, logits_of(one), dict.fromkeys(LANGUAGES, limit))
                of_limit[one["family"], one["language"]].update(found)
        return tried


def choose_limits(tried, without):
    """The limit of each language by all families but one; a language that has too little has that of both together."""
    limits = {}
    for language in LANGUAGES:
        def summed(of_limit, languages):
            total = Counts()
            for (family, one), counts in of_limit.items():
                if family != without and one in languages:
                    total.update(counts)
            return total
        own = [summed(of_limit, (language,)) for of_limit in tried]
        if own[0]["stated"] < ENOUGH:
            own = [summed(of_limit, LANGUAGES) for of_limit in tried]
        limits[language] = LIMITS[max(range(len(LIMITS)), key=lambda at: own[at].gain())]
    return limits


def macro(rows, prefix, graded):
    """Means over families of a language. Where another reader than the rules' author judged some, those alone."""
    mine = {key: row for key, row in rows.items() if row["graded"] == graded and key[1].startswith(prefix)}
    second = {family for (family, file), row in mine.items()
              if file.endswith("_second") and row["all"]["stated"] >= FEWEST}
    families = collections.defaultdict(lambda: collections.defaultdict(Counts))
    for (family, file), row in mine.items():
        if family in second and not file.endswith("_second"):
            continue
        for by in ("grammar", "left_out", "folds", "all"):
            families[family][by].update(row[by])
    enough = [one for one in families.values() if one["all"]["stated"] >= FEWEST]
    means = {"families": len(enough)}
    for by in ("grammar", "left_out", "folds", "all"):
        if enough:
            means[by] = {what: float(np.mean([one[by].shares()[what] for one in enough])) for what in ("right", "wrong")}
    return means


def fit(header, rows, _):
    data = Fit(rows)
    graded = any(one["graded"] for one in data.messages)
    everything = np.ones(len(data.examples), dtype=bool)
    folds = [data.features @ data.fit_on(data.folds != fold) for fold in range(FOLDS)]
    families = {one["family"] for one in data.messages}
    without = {family: data.features @ data.fit_on(data.families != family) for family in sorted(families)}
    weights = data.fit_on(everything)
    limits = choose_limits(data.try_limits(lambda one: folds[one["fold"]], graded), None)
    tried = data.try_limits(lambda one: without[one["family"]], graded)
    limits_without = {family: choose_limits(tried, family) for family in families}

    shipped = data.features @ weights
    table = {}
    for one in data.messages:
        row = table.setdefault((one["family"], one["file"]), collections.defaultdict(Counts, graded=one["graded"]))
        row["grammar"].update(count(one, [], [], {}))
        row["left_out"].update(data.count(one, without[one["family"]], limits_without[one["family"]]))
        row["all"].update(data.count(one, shipped, limits))
        if not one["kept_out"]:
            row["folds"].update(data.count(one, folds[one["fold"]], limits))
    report = {"limits": limits}
    for name, of_graded in (("macro", False), ("graded", True)):
        report[name] = {prefix: macro(table, prefix, of_graded) for prefix in ("en", "zh")}
    report["rows"] = {" ".join(key): {"messages": row["all"]["messages"], "stated": row["all"]["stated"],
                                      **{by: row[by].shares() for by in ("grammar", "left_out", "folds", "all")}}
                      for key, row in sorted(table.items())}

    signs = (len(weights) - data.dimensions) // len(LANGUAGES) - 1
    entries = {"embedder": common.embedder_family(header)}
    for at, language in enumerate(LANGUAGES):
        own = weights[data.dimensions + at * (signs + 1):][:signs + 1]
        entries[language + ".bias"] = round(own[-1], 4)
        entries[language + ".limit"] = limits[language]
        entries[language + ".signs"] = [round(one, 4) + 0.0 for one in own[:-1]]
    vector = weights[:data.dimensions]
    step = np.abs(vector).max() / 127
    entries["step"] = round(step, 8)
    entries["vector"] = common.whole_steps(vector, step)
    return entries, report


if __name__ == "__main__":
    common.main("facts", fit)
