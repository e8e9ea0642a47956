"""The documents: links that lead somewhere, commands that the program has, a reference that is what it says."""

import functools
import glob
import os
import re
import subprocess
import sys
import unittest

from doc_reader import ROOT, read
from scenario import binary

NOT_OURS = ("build/", "build-")


def documents():
    """Markdown files of the repository, but for the shipped texts that models read."""
    listed = glob.glob("**/*.md", root_dir=ROOT, recursive=True)
    return [name for name in sorted(listed) if not name.startswith(NOT_OURS) and not name.startswith(("prompts/", "tests/data/"))]


def without_code(text):
    return re.sub(r"`[^`\n]+`", "", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S))


def anchor_of(heading):
    """As the pages of code hosts make it of a heading."""
    heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


@functools.cache
def anchors(name):
    headings = re.findall(r"^#{1,6} (.+)$", re.sub(r"^```.*?^```", "", read(name), flags=re.M | re.S), re.M)
    return {anchor_of(heading) for heading in headings}


def dead_links(name):
    for target in re.findall(r"\]\(<?([^)\s>]+)>?\)", without_code(read(name))):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        found = os.path.normpath(os.path.join(os.path.dirname(name), path)) if path else name
        if not os.path.exists(os.path.join(ROOT, found)):
            yield "%s: there is no %s" % (name, target)
        elif anchor and found.endswith(".md") and anchor not in anchors(found):
            yield "%s: %s has no heading #%s" % (name, found, anchor)


def steps(text):
    """Functions that a text places in a file, as (function, file): `Streams::observe` in `src/engine/streams.cpp`."""
    return re.findall(r"`([\w:]+)` in\s+`(src/[^`]+\.(?:cpp|h))`", text)


def code(text):
    """Pieces of code in which a command may stand: spans in sentences, and lines of blocks for a shell."""
    for block in re.findall(r"^```(?:sh|bash)?\n(.*?)^```", text, flags=re.M | re.S):
        yield from block.splitlines()
    yield from (" ".join(span.split()) for span in re.findall(r"`([^`]+)`", re.sub(r"```.*?```", "", text, flags=re.S)))


WITH_VALUE = {"-w", "--workspace", "-u", "--user", "-g", "--group", "-s", "--session", "--set", "--preset", "--log"}


def commands(text):
    """The words after `weft` up to the first that is no name of a command; of `a | b` or `a|b` each."""
    for piece in code(text):
        for found in re.finditer(r"(?:^|[\s$(;|&])(?:build/)?weft +([^#;&)]+)", piece):
            given, names = found.group(1).split(), []
            while given:
                word = given.pop(0)
                if word in WITH_VALUE:
                    given = given[1:]
                elif word.startswith("-"):
                    if names:
                        break
                else:
                    if not re.fullmatch(r"[a-z][a-z_|\\]*", word):
                        break
                    names.append([one for one in word.replace("\\", "").split("|") if one])
                    if len(names) == 2:
                        break
            if names:
                yield piece, names


class Program:
    """What the program knows, asked once a command."""

    @functools.cache
    def below(self, *words):
        """The commands below one; None where there is no such command."""
        done = subprocess.run([binary(), "help", *words], capture_output=True, text=True, timeout=60)
        if done.returncode != 0:
            return None
        listed = re.search(r"^Subcommands:\n((?:  .*\n)+)", done.stdout, re.M)
        return set(re.findall(r"^  ([a-z_]\S*)", listed.group(1), re.M)) if listed else set()

    def lacks(self, names):
        for first in names[0]:
            below = self.below(first)
            if below is None:
                return "weft has no command " + first
            if below and len(names) > 1:
                for second in names[1]:
                    if second not in below:
                        return "weft %s has no command %s" % (first, second)
        return None


class Documents(unittest.TestCase):
    def test_PF_18_no_link_is_dead(self):
        self.assertIn("README.md", documents())
        self.assertEqual([dead for name in documents() for dead in dead_links(name)], [])

    def test_PF_18_each_function_that_a_page_names_stands_in_the_file_that_it_names(self):
        lacking, seen = [], 0
        for name in documents():
            for function, path in steps(read(name)):
                seen += 1
                there = os.path.exists(os.path.join(ROOT, path))
                if not there or not re.search(r"^[^\s/].*\b%s\(" % re.escape(function), read(path), re.M):
                    lacking.append("%s: %s is not in %s" % (name, function, path))
        self.assertEqual(lacking, [])
        self.assertGreater(seen, 20)

    def test_PF_18_every_command_that_is_named_exists(self):
        program, wrong, seen = Program(), [], 0
        for name in documents():
            if name == "CHANGELOG.md":  # it tells of what was
                continue
            for piece, names in commands(read(name)):
                seen += 1
                lacks = program.lacks(names)
                if lacks:
                    wrong.append("%s: `%s`: %s" % (name, piece, lacks))
        self.assertEqual(wrong, [])
        self.assertGreater(seen, 100)

    def test_PF_18_the_reference_is_what_the_program_says(self):
        done = subprocess.run([sys.executable, os.path.join(ROOT, "tools/make_reference.py"), "--check", binary()],
                              capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


class TheChecksThemselves(unittest.TestCase):
    """A check that finds nothing must be able to find something."""

    def test_PF_18_a_dead_link_and_an_unknown_command_are_found(self):
        self.assertEqual(steps("done by `Streams::keep` in\n`src/a.cpp`, `x` in `docs/b.md`"), [("Streams::keep", "src/a.cpp")])
        text = "See `weft skill lst`, `weft task set TEXT | show`, [x](#nowhere).\n```sh\nA=1 weft -u ann serch hello\n```\n"
        found = [names for _, names in commands(text)]
        self.assertEqual(found, [[["serch"], ["hello"]], [["skill"], ["lst"]], [["task"], ["set"]]])
        self.assertEqual([bool(Program().lacks(names)) for names in found], [True, True, False])
        self.assertEqual(anchor_of("With `Claude Code`: (now)"), "with-claude-code-now")


if __name__ == "__main__":
    unittest.main()
