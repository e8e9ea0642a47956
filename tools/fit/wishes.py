#!/usr/bin/env python3
"""By which sentences are known for standing wishes: a logistic curve over a sentence's vector and two signs."""

import collections

import numpy as np

import common

PENALTY = 0.2
SURE = 0.8  # log-odds from which on the product takes a sentence for a wish


def row_of(features):
    return features["vector"] + [features["clause"], features["general"], 1.0]


def count(messages, sentences, logits):
    """Wishes found and other messages taken for one, by family."""
    sure = {messages_id for (messages_id, tells), logit in zip(sentences, logits) if tells and logit >= SURE}
    counts = collections.defaultdict(lambda: {"wishes": 0, "found": 0, "others": 0, "wrong": 0})
    for one in messages:
        taken = one["found"] or one["message"] in sure
        of = counts[one["family"]]
        of["wishes" if one["wish"] else "others"] += 1
        of["found" if one["wish"] else "wrong"] += taken
    return counts


def fit(header, rows, _):
    messages = [row for row in rows if "features" not in row]
    examples = [row for row in rows if "features" in row]
    features = np.array([row_of(row["features"]) for row in examples])
    labels = np.array([row["label"] for row in examples])
    families = np.array([row["family"] for row in examples])
    fits = np.array([row["fits"] for row in examples])
    sentences = [(row["message"], row["tells"]) for row in examples]
    penalties = np.append(np.full(features.shape[1] - 1, PENALTY), 1e-6)

    def fit_on(mask):
        return common.logistic(features[mask], labels[mask], np.ones(mask.sum()), penalties)

    weights = fit_on(fits)
    fitted = count(messages, sentences, features @ weights)
    report = {}
    for family in fitted:
        own = fits & (families == family)
        others = fits & ~own
        left_out = fitted
        if own.any() and len(set(labels[others])) == 2:
            left_out = count(messages, sentences, features @ fit_on(others))
        report[family] = {"left_out": left_out[family], "fitted": fitted[family]}

    vector = weights[:-3]
    step = np.abs(vector).max() / 127
    entries = {"embedder": common.embedder_family(header), "bias": round(weights[-1], 4), "clause": round(weights[-3], 4),
               "general": round(weights[-2], 4), "step": round(step, 8), "vector": common.whole_steps(vector, step)}
    return entries, report


if __name__ == "__main__":
    common.main("wishes", fit)
