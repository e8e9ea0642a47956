#!/usr/bin/env python3
"""The mean vector of each language of an embedder, and the curve by which a cosine says whether two texts are of one topic:
0.6 is the best cut. Neighbours within a topic are compared with pairs of two topics or dialogues of the same language.
"""

import numpy as np

import common

REACH = 2  # neighbours up to this far apart make pairs of one topic
CUT = 0.6
RIDGE = 1e-4


def pairs_of(rows, vectors):
    """Cosines, and which of them are of one topic."""
    draw = np.random.default_rng(1)
    topics = [(row["dialogue"], row["label"]) for row in rows]
    cosines, same = [], []
    for i, topic in enumerate(topics):
        near = [j for j in range(i + 1, min(i + REACH + 1, len(topics))) if topics[j] == topic]
        other = [j for j in draw.integers(len(topics), size=REACH) if topics[j] != topic]
        for j in near + other:
            cosines.append(float(vectors[i] @ vectors[j]))
            same.append(topics[j] == topic)
    return cosines, same


def best_cut(cosines, same):
    """The cosine that parts both kinds best, each weighing the same, and how well."""
    order = np.argsort(cosines, kind="stable")
    cosines, same = cosines[order], same[order]
    accuracy = ((1 - np.cumsum(same) / same.sum()) + np.cumsum(~same) / (~same).sum())[:-1] / 2
    at = int(np.argmax(accuracy))
    return float(cosines[at] + cosines[at + 1]) / 2, float(accuracy[at])


def fit(header, rows, _):
    means, cosines, same = {}, [], []
    for language in ("english", "chinese"):
        mine = [row for row in rows if row["family"] == language]
        if not mine:
            means[language] = np.zeros(0)
            continue
        vectors = np.array([row["features"]["vector"] for row in mine])
        means[language] = vectors.mean(axis=0)
        vectors = vectors - means[language]
        vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        found = pairs_of(mine, vectors)
        cosines += found[0]
        same += found[1]
    cosines, same = np.array(cosines), np.array(same, dtype=bool)
    if same.all() or not same.any():
        raise SystemExit("similarity: no pairs of both kinds; give dialogues with two topics and two turns in one")
    weights = np.where(same, 0.5 / same.sum(), 0.5 / (~same).sum())
    curve = np.column_stack([cosines, np.ones(len(cosines))])
    # Weights that sum to one make small steps: both they and the ridge are a thousand times as large.
    slope = max(1.0, float(common.logistic(curve, same, weights * 1e3, [RIDGE * 1e3, 1e-6])[0]))
    cut, accuracy = best_cut(cosines, same)
    middle = cut - np.log(CUT / (1 - CUT)) / slope
    entries = {"embedder": header["embedder"], "slope": round(slope, 4), "middle": round(float(middle), 4)}
    entries.update((language + "_mean", [round(float(one), 8) + 0.0 for one in mean]) for language, mean in means.items())
    return entries, {"texts": len(rows), "pairs": len(same), "best_cosine": cut, "balanced_accuracy": accuracy,
                     "auc": common.area_under_curve(cosines[same], cosines[~same]), "slope": slope}


if __name__ == "__main__":
    common.main("similarity", fit)
