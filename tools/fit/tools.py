#!/usr/bin/env python3
"""By which tools are chosen for a request: eight weights, one after another, each on a grid, for the mean over sets of
recall@5.

The scores are those of `ToolIndex` (src/flow/context/tool_index.cpp): BM25F over the parts of a tool, and deviations of
cosines, for the whole request and for each thing that it asks for.
"""

import numpy as np
from scipy import sparse

import common

CUT = 5
PASSES, MATTERS, PLATEAU = 2, 0.001, 0.0015
K1, TRUST, USUAL_SHARE = 1.2, 0.35, 0.5
PARTS = ("name", "description", "parameter_name", "parameter_description", "value")
# The value where the data do not tell, and the grid.
WEIGHTS = {"words.name": (1, [0.5, 1, 1.5, 2, 3]), "words.parameter_name": (0.5, [0, 0.3, 0.5, 1]),
           "words.parameter_description": (0.5, [0, 0.3, 0.5, 1]), "words.value": (0.5, [0, 0.2, 0.5, 1]),
           "words.b": (0.75, [0.4, 0.6, 0.75, 0.9, 1]), "vector": (0.5, [0, 0.25, 0.5, 0.75, 1]),
           "clause_vector": (0.5, [0, 0.2, 0.35, 0.5]), "clause": (1, [0, 0.5, 1, 1.5])}


def matrix(lists, terms):
    """Counts of terms: a row for each list."""
    rows = [at for at, one in enumerate(lists) for term in one if term in terms]
    columns = [terms[term] for one in lists for term in one if term in terms]
    return sparse.csr_matrix((np.ones(len(rows)), (rows, columns)), shape=(len(lists), len(terms)))


class ToolSet:
    def __init__(self, rows, thin):
        tools = [row for row in rows if "tool" in row]
        requests = [row for row in rows if "features" in row]
        terms = {}
        for row in tools:
            for part in PARTS:
                for term in row[part]:
                    terms.setdefault(term, len(terms))
        self.counts = [matrix([row[part] for row in tools], terms) for part in PARTS]
        self.gold = [row["label"] for row in requests]
        self.categories = [row["category"] for row in requests]
        self.kept_out = any(row["kept_out"] for row in requests)
        parts = [(number, part) for number, row in enumerate(requests) for part in row["features"]["parts"]]
        self.request = np.array([number for number, _ in parts])
        self.first = np.array([at for at, (number, _) in enumerate(parts) if at == 0 or parts[at - 1][0] != number])
        self.asked = matrix([part["words"] for _, part in parts], terms)
        self.unknown = np.array([sum(term not in terms for term in part["words"]) for _, part in parts])
        self.near = np.array([part.get("vector", [0.0] * len(tools)) for _, part in parts], dtype=np.float32)
        self.by_vectors = np.array(["vector" in part for _, part in parts])[self.first]
        self.thin = thin
        self.known = {}

    def words(self, weights):
        """BM25F of each part of a request with each tool, as shares of the best, times how far words are trusted."""
        name, parameter_name, parameter_description, value, b = weights
        total = 0
        for weight, counts in zip((name, 1, parameter_name, parameter_description, value), self.counts):
            lengths = np.asarray(counts.sum(axis=1)).ravel()
            if weight > 0 and lengths.any():
                length = 1 - b + b * lengths / lengths.mean()
                total = total + sparse.diags(np.divide(weight, length, out=np.zeros_like(length), where=lengths > 0)) @ counts
        total = sparse.csr_matrix(total)
        total.eliminate_zeros()
        tools = total.shape[0]
        rarity = np.log(1 + (tools - total.getnnz(axis=0) + 0.5) / (total.getnnz(axis=0) + 0.5)) * (K1 + 1)
        total.data = total.data / (K1 + total.data)
        scores = np.asarray((self.asked @ sparse.diags(rarity) @ total.T).todense(), dtype=np.float32)
        most = self.asked @ rarity + self.unknown * np.log(1 + (tools + 0.5) / 0.5) * (K1 + 1)
        best = scores.max(axis=1)
        trust = np.where(best > 0, np.minimum(1, best / np.maximum(most, 1e-9) / USUAL_SHARE), 1) ** TRUST
        return scores * np.divide(trust, best, out=np.zeros_like(trust), where=best > 0)[:, None]

    def recalls(self, weights):
        """Of each request the share of its tools among the first five."""
        words = tuple(weights[:5])
        if words not in self.known:
            self.known = {words: self.words(words)}
        shares, (vector, clause_vector, clause) = self.known[words], weights[5:]
        bounds = np.append(self.first, len(self.request))
        found = []
        for number, (begin, end) in enumerate(zip(bounds[:-1], bounds[1:])):
            clauses = end - begin - 1
            sharpness = 1 if clauses <= 2 else (2 / clauses) ** 2
            total = shares[begin] + vector * sharpness * self.near[begin]
            speaks = shares[begin] > 0
            if clauses:
                each = shares[begin + 1:end] + clause_vector * self.near[begin + 1:end]
                best = each.max(axis=1)
                best_share = np.maximum(0, each[best > 0] / best[best > 0, None]).max(axis=0, initial=0)
                total = total + clause * best_share
                speaks = speaks | (best_share > 0)
            if not self.by_vectors[number]:
                total = np.where(speaks, total, -np.inf)
            least = -np.partition(-total, min(CUT, len(total)) - 1)[min(CUT, len(total)) - 1]
            # Of equals the first of the list.
            places = np.flatnonzero(total >= least)
            places = places[np.argsort(-total[places], kind="stable")][:CUT]
            there = set(places[total[places] > -np.inf].tolist())
            found.append(sum(tool in there for tool in self.gold[number]) / len(self.gold[number]))
        return np.array(found)


def thinned(rows, thin):
    """All tools, and every so manyth request."""
    requests = [row for row in rows if "features" in row]
    return [row for row in rows if "tool" in row] + requests[::thin]


def fit_on(sets):
    def worth(weights):
        return float(np.mean([one.recalls(weights).mean() for one in sets]))

    return common.descend([grid for _, grid in WEIGHTS.values()], [prior for prior, _ in WEIGHTS.values()], worth, PASSES,
                          MATTERS, PLATEAU, keeps_tied=True)


def fit(header, rows, arguments):
    names = sorted({row["family"] for row in rows})
    of = {name: [row for row in rows if row["family"] == name] for name in names}
    sets = {name: ToolSet(thinned(mine, arguments.thin), arguments.thin) for name, mine in of.items()}
    used = {name: one for name, one in sets.items() if not one.kept_out}
    if len(used) < 2:
        raise SystemExit("tools: fewer than two sets to fit on")
    weights = fit_on(list(used.values()))
    report = {"sets": {}, "weights": dict(zip(WEIGHTS, weights))}
    for name, mine in of.items():
        whole = ToolSet(mine, 1)
        left_out = whole.recalls(fit_on([one for other, one in used.items() if other != name]))
        categories = np.array(whole.categories)
        report["sets"][name] = {"requests": len(left_out), "left_out": float(left_out.mean()),
                                "noise": common.standard_error(left_out), "fitted": float(whole.recalls(weights).mean()),
                                "left_out_by_category": {one: float(left_out[categories == one].mean())
                                                         for one in sorted(set(whole.categories))}}
    return {name: float(one) for name, one in zip(WEIGHTS, weights)}, report


def add_arguments(parser):
    parser.add_argument("--thin", type=int, default=1, help="fit on every so manyth request")


if __name__ == "__main__":
    common.main("tools", fit, add_arguments)
