"""What all fits share: reading examples, fitting curves, searching grids, and writing files of weights/."""

import argparse
import json

import numpy as np
from sklearn.linear_model import LogisticRegression

LINE = 120  # bytes of a line in a file of weights/


def read(path, subject):
    """The header and the other lines of a file that `weft eval features` wrote."""
    with open(path, encoding="utf-8") as file:
        header = json.loads(next(file, "null"))
        if not isinstance(header, dict) or header.get("subject") != subject:
            raise SystemExit('%s: not the features of "%s"; `weft eval features %s` writes them' % (path, subject, subject))
        return header, [json.loads(line) for line in file]


def source(entries):
    """The text of a file of weights/: an entry a line, long lists on lines of at most 120 bytes."""

    def written(value):
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        if not isinstance(value, list) or len(text.encode()) <= LINE:
            return text
        lines, line = [], ""
        for at, element in enumerate(value):
            part = json.dumps(element, ensure_ascii=False, separators=(",", ":")) + ("," if at + 1 < len(value) else "")
            if line and len(line) + len(part) > LINE:
                lines.append(line)
                line = ""
            line += ("    " if not line else " ") + part
        return "[\n" + "\n".join(lines + [line]) + "\n  ]"

    return "{\n" + ",\n".join("  %s: %s" % (json.dumps(name), written(value)) for name, value in entries.items()) + "\n}\n"


def embedder_family(header):
    """The name of the embedder without how it is quantised: weights fit all of them."""
    return header["embedder"].rpartition("-q")[0] or header["embedder"]


def whole_steps(vector, step):
    """The vector in whole numbers, each of which counts `step`."""
    return [int(number) for number in np.rint(np.asarray(vector) / step)]


def logistic(rows, truths, weights, penalties):
    """The weights of a logistic curve, with a penalty on half the square of each. A column of ones is the bias."""
    scale = 1 / np.sqrt(np.asarray(penalties, dtype=float))
    model = LogisticRegression(C=1.0, fit_intercept=False, solver="newton-cholesky", tol=1e-8, max_iter=100)
    model.fit(rows * scale, np.asarray(truths, dtype=bool), sample_weight=np.asarray(weights, dtype=float))
    return model.coef_[0] * scale


def best_on_grid(grid, idle, worth, matters, plateau):
    """The mean of all values that do about as well as the best; `idle` where no value matters."""
    values = np.array([worth(value) for value in grid])
    if values.max() - values.min() < matters:
        return idle
    return float(np.mean(np.asarray(grid, dtype=float)[values >= values.max() - plateau]))


def descend(grids, priors, worth, passes, matters, plateau, keeps_tied=False):
    """One weight after another on its grid, the others held. `keeps_tied`: a weight that hardly matters keeps the value
    of the pass before, not its prior."""
    weights = list(priors)
    for _ in range(passes):
        for at, grid in enumerate(grids):
            idle = weights[at] if keeps_tied else priors[at]
            found = best_on_grid(grid, idle, lambda value: worth(weights[:at] + [value] + weights[at + 1:]), matters, plateau)
            weights[at] = round(found, 2)
    return weights


def standard_error(values):
    return float(np.std(values) / np.sqrt(len(values) - 1)) if len(values) > 1 else 0.0


def area_under_curve(own, foreign):
    """The probability that an own value is above a foreign one."""
    foreign = np.sort(foreign)
    below, upto = np.searchsorted(foreign, own, "left"), np.searchsorted(foreign, own, "right")
    return float(np.mean((below + upto) / 2) / len(foreign)) if len(own) and len(foreign) else 0.5


def share(part, whole):
    return part / whole if whole else 0.0


def rounded(value, digits=3):
    """The figures of a report, shortened."""
    if isinstance(value, dict):
        return {name: rounded(one, digits) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [rounded(one, digits) for one in value]
    return round(float(value), digits) if isinstance(value, (float, np.floating)) else value


def main(subject, fit, add_arguments=None):
    """Reads the features, calls `fit(header, rows, arguments)`, which gives the entries of the file of weights and a
    report, prints the report and writes the file."""
    parser = argparse.ArgumentParser(description="Fits the weights of %s." % subject)
    parser.add_argument("features", help="what `weft eval features %s … -o FILE` wrote" % subject)
    parser.add_argument("-o", "--output", help="file of weights/ to write; default: none")
    if add_arguments:
        add_arguments(parser)
    arguments = parser.parse_args()
    entries, report = fit(*read(arguments.features, subject), arguments)
    print(json.dumps(rounded(report), ensure_ascii=False, indent=1))
    if arguments.output:
        with open(arguments.output, "w", encoding="utf-8") as file:
            file.write(source(entries))
