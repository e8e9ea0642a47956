#!/usr/bin/env python3
"""By which skills are chosen for a task: means of tasks and of conditions in each language, the nearness that is chance,
the direction of requests that are work, five weights on a grid, and the two cuts.

What is told of the right skill is weighed against what would be told of a wrong one, in libraries of all sizes alike: each
file of skills, its fifths and its twentieths. Few unrelated tasks may be told anything. Vectors are compared as
`raw_nearness` does it (src/growth/skill_match.cpp).
"""

import numpy as np

import common

FOLDS = 5
LIBRARIES = (1, 5, 20)  # into how many each file is divided
NEAREST, WORDS, WORK, CROWD = (0, 0.3), (0, 0.2, 0.4), (0.1, 0.2, 0.3, 0.4, 0.6), (0, 0.4, 0.8, 1.2, 1.6)
WORK_PENALTY = 1
# How much one that is told rightly counts against one that is told of another skill, and how many unrelated tasks may be
# told of one.
REFER, FOLLOW = (6, 0.06), (0.5, 0.01)
APART = 0.3  # the second cut lies above the first by this at least
LANGUAGES = ("english", "chinese")
PARTS = 4000  # whole numbers of a mean go up to this
HERE, ELSEWHERE, NONE = range(3)


def placed(vectors, mean):
    """Without the mean, of unit length."""
    vectors = vectors - mean
    return vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-12)


class Data:
    def __init__(self, rows):
        skills = [row for row in rows if "skill" in row]
        tasks = [row for row in rows if "features" in row]
        self.phrases = [np.array(row["phrases"]) for row in skills]
        self.skill_language = np.array([LANGUAGES.index(row["language"]) for row in skills])
        self.skill_fold = np.arange(len(skills)) % FOLDS
        self.vectors = np.array([row["features"]["vector"] for row in tasks])
        self.words = np.array([row["features"]["words"] for row in tasks])
        self.language = np.array([LANGUAGES.index(row["language"]) for row in tasks])
        self.skill = np.array([-1 if row["label"] is None else row["label"] for row in tasks])
        unrelated = np.cumsum(self.skill < 0) - 1
        self.fold = np.where(self.skill < 0, unrelated, self.skill) % FOLDS
        families, of_task = np.array([row["family"] for row in skills]), np.array([row["family"] for row in tasks])
        self.libraries = []  # parts, skills, tasks
        for family in dict.fromkeys(families):
            for parts in LIBRARIES:
                # Not by the remainder, by which folds are made: each library has skills of every fold.
                part = np.arange(len(skills)) // FOLDS % parts
                for one in range(parts):
                    mine = np.flatnonzero((families == family) & (part == one))
                    if len(mine) > 1:
                        self.libraries.append((parts, mine, np.flatnonzero(of_task == family)))


class Standings:
    """Of each wanted task in each library: the best value, whether it is its own, and the best were its own missing."""

    def __init__(self, data, values, wanted):
        columns = [[] for _ in range(7)]
        for parts, skills, tasks in data.libraries:
            tasks = tasks[wanted[tasks]]
            table = values[np.ix_(tasks, skills)]
            own = data.skill[tasks][:, None] == skills
            here = own.any(axis=1)
            best = table.max(axis=1)
            others = np.where(own, -1e9, table)
            right = here & own[np.arange(len(tasks)), table.argmax(axis=1)]
            kind = np.where(data.skill[tasks] < 0, NONE, np.where(here, HERE, ELSEWHERE))
            for column, part in zip(columns, (tasks, np.full(len(tasks), parts), kind, right, best, others.max(axis=1),
                                              np.full(len(tasks), len(skills)))):
                column.append(part)
        self.task, self.parts, self.own, self.right, self.best, self.others, self.size = map(np.concatenate, columns)

    def told(self, work, weights):
        """What is cut on: with the task's work, and without what the crowd takes."""
        extra = weights["work_share"] * work[self.task]
        crowd = lambda size: weights["crowd"] * np.sqrt(np.log(np.maximum(size, 1)))
        return self.best + extra - crowd(self.size), self.others + extra - crowd(self.size - (self.own == HERE))

    def best_cut(self, first, others, price):
        """The cut that is worth most, and what it is worth. Halfway to what would be told next: what was seen last need
        not be the least that is right."""
        right, most_unrelated = price
        sizes = np.unique(self.parts)
        share = {kind: np.zeros(len(self.task)) for kind in ("here", "missing", "unrelated")}
        for parts in sizes:
            mine = self.parts == parts
            for kind, counted in (("here", self.own == HERE), ("missing", self.own != NONE), ("unrelated", self.own == NONE)):
                share[kind][mine] = 1 / max(1, np.sum(mine & counted)) / len(sizes)
        none, is_right = self.own == NONE, self.right & (self.own != NONE)
        values = np.concatenate([first[none], first[is_right], others[~none]])
        worth = np.concatenate([np.zeros(none.sum()), right * share["here"][is_right], -share["missing"][~none]])
        unrelated = np.concatenate([share["unrelated"][none], np.zeros(is_right.sum() + (~none).sum())])
        order = np.argsort(-values, kind="stable")
        values, worth = values[order], np.cumsum(worth[order])
        worth[np.cumsum(unrelated[order]) > most_unrelated + 1e-12] = -np.inf
        at = int(np.argmax(worth))
        if worth[at] <= 0:
            return float(values[0]), 0.0
        return float(values[at] + values[min(at + 1, len(values) - 1)]) / 2, float(worth[at])

    def cuts(self, work, weights):
        first, others = self.told(work, weights)
        refer, follow = self.best_cut(first, others, REFER), self.best_cut(first, others, FOLLOW)
        return refer[0], max(follow[0], refer[0] + APART), refer[1] + follow[1]


def mean_of(vectors, size):
    return np.mean(vectors, axis=0) if len(vectors) else np.zeros(size)


def nearness(data, weights):
    """How near each task is to each skill, before chance is taken away."""
    tasks = np.stack([placed(vector, weights["tasks"][language]) for vector, language in zip(data.vectors, data.language)])
    table = np.zeros((len(tasks), len(data.phrases)))
    for at, (phrases, language) in enumerate(zip(data.phrases, data.skill_language)):
        theirs = placed(phrases, weights["conditions"][language])
        # The title and the whole count as much as all conditions together.
        conditions = len(phrases) - min(len(phrases), 2)
        share = np.array([1 / conditions] * conditions + [1.0] * (len(phrases) - conditions))
        whole = placed(share @ theirs, 0.0)
        table[:, at] = tasks @ whole + weights["nearest"] * (tasks @ theirs.T).max(axis=1)
    return table


def fit_chance(data, near, seen_tasks, seen_skills, weights):
    chance, deviation = np.zeros((2, 2)), np.ones((2, 2))
    other = data.skill[:, None] != np.arange(len(data.phrases))
    for a in range(2):
        for b in range(2):
            counted = other & (seen_tasks & (data.language == a))[:, None] & (seen_skills & (data.skill_language == b))
            if counted.any():
                chance[a, b] = round(near[counted].mean(), 4)
                deviation[a, b] = round(max(1e-6, near[counted].var()) ** 0.5, 4)
    weights["chance"], weights["deviation"] = chance, deviation


def work_rows(data, weights):
    places = np.stack([placed(vector, weights["tasks"][language]) for vector, language in zip(data.vectors, data.language)])
    return np.column_stack([places, np.ones(len(places))])


def fit_work(data, rows, used, weights):
    """The direction of work from all tasks that are seen; and of each of them how much it is work, by a direction that
    never saw it."""
    penalties = [WORK_PENALTY] * (rows.shape[1] - 1) + [1e-3]
    fit_on = lambda some: common.logistic(rows[some], data.skill[some] >= 0, np.ones(len(some)), penalties)
    work = np.zeros(len(rows))
    for part in range(FOLDS):
        own = np.arange(len(used)) % FOLDS == part
        work[used[own]] = rows[used[own]] @ fit_on(used[~own])
    found = fit_on(used)
    weights["work"], weights["work_bias"] = found[:-1], round(float(found[-1]), 4)
    return work


def values_of(data, near, weights):
    pairs = np.ix_(data.language, data.skill_language)
    return (near - weights["chance"][pairs]) / weights["deviation"][pairs] + weights["words"] * data.words


def fit_without(data, out):
    """The weights that saw nothing of a fold; of all where it is none."""
    size = data.vectors.shape[1]
    seen_tasks, seen_skills = data.fold != out, data.skill_fold != out
    conditions = [[data.phrases[i] for i in np.flatnonzero(seen_skills & (data.skill_language == at))] for at in range(2)]
    weights = {"tasks": [mean_of(data.vectors[seen_tasks & (data.language == at)], size) for at in range(2)],
               "conditions": [mean_of(np.concatenate(some) if some else [], size) for some in conditions]}
    work = fit_work(data, work_rows(data, weights), np.flatnonzero(seen_tasks), weights)
    best, most = None, -np.inf
    for weights["nearest"] in NEAREST:
        near = nearness(data, weights)
        fit_chance(data, near, seen_tasks, seen_skills, weights)
        for weights["words"] in WORDS:
            standings = Standings(data, values_of(data, near, weights), seen_tasks)
            for weights["crowd"] in CROWD:
                for weights["work_share"] in WORK:
                    refer, follow, worth = standings.cuts(work, weights)
                    if worth > most:
                        best, most = dict(weights, refer=round(refer, 3), follow=round(follow, 3)), worth
    return best


def measure(data, wanted, weights, report):
    values = values_of(data, nearness(data, weights), weights)
    work = work_rows(data, weights) @ np.append(weights["work"], weights["work_bias"])
    standings = Standings(data, values, wanted)
    first, others = standings.told(work, weights)
    for parts in np.unique(standings.parts):
        mine = standings.parts == parts
        here, none = mine & (standings.own == HERE), mine & (standings.own == NONE)
        missing = mine & ~none
        tally = report.setdefault("libraries_of_a_%dth" % parts, {})
        for name, which in {"tasks": here, "right_first": here & standings.right & (first >= weights["refer"]),
                            "right_to_follow": here & standings.right & (first >= weights["follow"]),
                            "ranked_first": here & standings.right, "without_own": missing,
                            "without_own_told": missing & (others >= weights["refer"]),
                            "without_own_to_follow": missing & (others >= weights["follow"]), "unrelated": none,
                            "unrelated_told": none & (first >= weights["refer"]),
                            "unrelated_to_follow": none & (first >= weights["follow"])}.items():
            tally[name] = tally.get(name, 0) + int(which.sum())


def fit(header, rows, _):
    data = Data(rows)
    weights = fit_without(data, None)
    report = {name: weights[name] for name in ("nearest", "words", "work_share", "crowd", "refer", "follow")}
    report["fitted"], report["left_out"] = {}, {}
    measure(data, np.ones(len(data.fold), dtype=bool), weights, report["fitted"])
    for fold in range(FOLDS):
        measure(data, data.fold == fold, fit_without(data, fold), report["left_out"])

    largest = max(np.abs(mean).max() for mean in weights["tasks"] + weights["conditions"])
    step, work_step = round(largest / PARTS, 10), round(np.abs(weights["work"]).max() / PARTS, 10)
    entries = {"embedder": common.embedder_family(header).lower()}
    entries.update((name, weights[name]) for name in ("nearest", "words", "crowd", "refer", "follow", "work_bias",
                                                       "work_share"))
    entries.update((name, weights[name].ravel().tolist()) for name in ("chance", "deviation"))
    entries["step"], entries["work_step"] = float(step), float(work_step)
    for at, language in enumerate(LANGUAGES):
        for what in ("tasks", "conditions"):
            entries["%s_%s" % (language, what)] = common.whole_steps(weights[what][at], step)
    entries["work"] = common.whole_steps(weights["work"], work_step)
    entries = {name: float(one) if isinstance(one, (int, float)) else one for name, one in entries.items()}
    return entries, report


if __name__ == "__main__":
    common.main("skills", fit)
