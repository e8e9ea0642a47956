#!/usr/bin/env python3
"""Which sources of a target can be compiled as one file, for CMake: reads lines of a target and a source with a tab
between, writes lines of a group and a source for those that have company.

Most of the time that a source takes goes into headers that it shares with its neighbours. What files keep to
themselves (anonymous namespaces) meets when several are compiled as one, and a call in one file could silently find a
function of another. So files stand together only where no name that one keeps to itself occurs in the other, or is
declared by a header that the other includes; one that defines a macro stands alone."""

import re
import sys
from functools import lru_cache
from pathlib import Path

MOST = 16  # files in a group: beyond this little is gained, and a small change compiles more anew
ROOT = Path(__file__).resolve().parent.parent
FOLDERS = (ROOT / "src", ROOT / "include", ROOT)

NOISE = re.compile(r"""//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)+'""", re.DOTALL)
WORD = re.compile(r"(?<![.\w])(?<!->)(?<!\bstd::)(?<!nlohmann::)[A-Za-z_]\w*")
TYPE = re.compile(r"(?:struct|class|enum|enum class|union)\s+(\w+)")
ALIAS = re.compile(r"(?:using|namespace)\s+(\w+)\s*=\s*([^;]*);")
BROUGHT = re.compile(r"using\s+(?!namespace\b)([\w:]+(?:,\s*[\w:]+)*);")
CONSTANT = re.compile(r"\bk[A-Z]\w*")
TESTS = {"TEST", "TEST_F", "TEST_P", "TYPED_TEST", "INSTANTIATE_TEST_SUITE_P"}


class Source:
    """`own`: names that nobody else sees; `aliases`: those that may stand in several files if they mean the same;
    `words`: all that occur in it; `around`: what the headers that it includes declare."""

    def __init__(self, path):
        self.path = path
        text = path.read_text(encoding="utf-8")
        self.alone = bool(re.search(r"^#define", text, re.MULTILINE))
        self.around = frozenset().union(*(names_through(header) for header in included(path)))
        text = plain(text)
        self.words = set(WORD.findall(text))
        self.own, self.aliases = set(), {}
        inside = False
        for statement in statements(text):
            if statement.startswith("namespace {"):
                inside = True
            elif statement.startswith("anonymous_ends"):
                inside = False
            elif alias := ALIAS.match(statement):
                self.aliases[alias[1]] = " ".join(alias[2].split())
            elif brought := BROUGHT.match(statement):
                self.aliases.update({name.split("::")[-1]: name for name in re.split(r",\s*", brought[1])})
            elif inside or re.match(r"static\b", statement):
                self.own |= declared(statement)

    def shows(self, other):
        """Whether a name of this file could be found by the other."""
        return (not self.own.isdisjoint(other.words) or not self.own.isdisjoint(other.around - self.around) or
                any(name in other.words and other.aliases.get(name) != meant or name in other.around - self.around
                    for name, meant in self.aliases.items()))

    def meets(self, other):
        return self.alone or other.alone or self.shows(other) or other.shows(self)


def plain(text):
    """Without comments and texts."""
    return NOISE.sub(" ", re.sub(r"^}\s*// namespace$", "anonymous_ends;", text, flags=re.MULTILINE))


def statements(text):
    """What begins at the start of a line, up to the next that does: in formatted code, one declaration each."""
    begun = []
    for line in text.split("\n"):
        if not line.strip() or line.startswith("#"):
            continue
        # A template's head, or a type that has a line of its own, goes on at the start of the next one.
        open_end = begun and (begun[-1].rstrip()[-1:].isalnum() or begun[-1].rstrip()[-1:] in "_>&*")
        if begun and not open_end and line[0] not in " })":
            yield "\n".join(begun)
            begun = []
        begun.append(line)
    if begun:
        yield "\n".join(begun)


def declared(statement):
    """The names that a declaration makes; rather too many."""
    head = re.sub(r"template\s*<[^;{]*?>\s*\n", "", statement).lstrip()
    if made := TYPE.match(head):
        return {made[1]}
    if re.match(r"(using|namespace)\b", head):
        return set()
    first = re.split(r"[({=\[;]", head, maxsplit=1)[0]
    names = WORD.findall(first)
    if not names or names[-1] in TESTS:
        return set()
    return {names[-1], *CONSTANT.findall(first), *re.findall(r",\s*(k[A-Z]\w*)\s*[={\[;,]", head)}


@lru_cache(maxsize=None)
def included(path):
    """The project's own headers that a file names."""
    found = []
    for name in re.findall(r'^#include "([^"]+)"', path.read_text(encoding="utf-8"), re.MULTILINE):
        found += [folder / name for folder in FOLDERS if (folder / name).is_file()][:1]
    return found


@lru_cache(maxsize=None)
def declared_by(header):
    """What a header declares for others, and every constant in it."""
    text = plain(header.read_text(encoding="utf-8"))
    names = set(CONSTANT.findall(text))
    for statement in statements(text):
        alias = ALIAS.match(statement)
        names |= {alias[1]} if alias else declared(statement)
    return frozenset(names)


@lru_cache(maxsize=None)
def names_through(header):
    """What a header and all that it includes declare. A circle of includes is an error here."""
    return declared_by(header).union(*(names_through(one) for one in included(header)))


def groups(sources):
    made = []
    for source in sources:
        for group in made:
            if len(group) < MOST and not any(source.meets(one) for one in group):
                group.append(source)
                break
        else:
            made.append([source])
    return made


def main():
    targets = {}
    for line in sys.stdin:
        target, path = line.rstrip("\n").split("\t")
        targets.setdefault(target, []).append(Path(path))
    for target, paths in targets.items():
        for number, group in enumerate(groups([Source(path) for path in sorted(paths)])):
            if len(group) > 1:
                for one in group:
                    print("%s_%d\t%s" % (target, number, one.path))


if __name__ == "__main__":
    main()
