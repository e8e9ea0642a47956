"""Runs the commands of README.md word for word, and looks at what the model was sent in the end.

Each section is one journey in a folder of its own: bash runs its code blocks without a language and the commands in its
text. Only the addresses are others: the server's port and the model's. A command that is neither run nor listed below with
its reason fails the test. The commands of the quick starts are run by test_quickstarts.py."""

import json
import os
import re
import shutil
import subprocess
import time
import unittest

from doc_reader import ROOT, Reader, blocks, read, words
from scenario import whole

# Lines of code blocks, by how they begin.
NOT_RUN_LINES = {
    "make demo": "sets the machine up and builds",
    "make test": "runs all tests, this one among them",
}


def sections():
    """The text below each heading of README.md, by the heading."""
    parts = re.split(r"^## (.+)$", "\n" + read("README.md"), flags=re.M)
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2]))}


class Readme(Reader):
    """A reader in the folder of the repository, with the files of its examples."""

    def setUp(self):
        super().setUp()
        shutil.copy(os.path.join(ROOT, "examples", "messages.jsonl"), self.folder)

    def serve(self, line=""):
        """Starts the server as the line says, for a model that is recorded."""
        command = [os.path.join(self.folder, "build/weft"), "serve", *self.here(line).split("#")[0].replace("&", "").split()[2:]]
        if "--upstream" not in command:
            command += ["--upstream", self.model.url]
        self.server = subprocess.Popen([*command, "--port", self.url.rsplit(":", 1)[1]], cwd=self.folder,
                                       stdout=subprocess.DEVNULL, env=self.environment())
        end = time.time() + 60
        while time.time() < end:
            try:
                return self.call("GET", "/healthz")
            except OSError:
                time.sleep(0.05)
        self.fail("the server of the README does not answer")

    def run_blocks(self, name):
        """Runs a section's code blocks. Gives what was printed."""
        script = ""
        for block in blocks(sections()[name]):
            for line in block.splitlines(keepends=True):
                if line.startswith("build/weft serve"):
                    self.serve(line)
                elif not any(line.startswith(start) for start in NOT_RUN_LINES):
                    script += self.here(line)
        return self.bash(script)

    def run_words(self, name):
        """Runs the commands in a section's text."""
        printed = ""
        for command in words(sections()[name]):
            if command.startswith("weft "):
                printed += self.bash(command)
        return printed

    def run_section(self, name):
        return self.run_blocks(name) + self.run_words(name)

    def test_PF_18_in_front_of_a_model(self):
        self.run_section("In front of a model")
        self.chat("My sister Ida lives in Porto", "one", **{"X-Weft-User": "ann"})
        self.assertIn("Porto", self.chat("Where does my sister Ida live?", "two", **{"X-Weft-User": "ann"}))
        self.assertNotIn("Porto", self.chat("Where does my sister Ida live?", "three", **{"X-Weft-User": "bob"}))
        self.chat("/save", "one", **{"X-Weft-User": "ann"})

    def test_PF_18_on_the_command_line(self):
        printed = self.run_section("On the command line")
        self.assertIn('"observations"', printed)
        self.assertIn("pending 0", printed)
        self.assertIn("embedder", printed)
        kept = self.bash("weft --json search " + json.dumps(self.first_words()))
        self.assertTrue(json.loads(kept)["hits"])
        self.serve()
        self.assertIn(json.loads(kept)["hits"][0]["text"][:20], self.chat(self.first_words(), "new"))

    def first_words(self):
        with open(os.path.join(self.folder, "messages.jsonl")) as file:
            return json.loads(file.readline())["content"][:60]

    def test_PF_18_each_command_of_the_text_is_run_or_has_its_reason(self):
        tested = {"In front of a model", "On the command line"}
        for name, text in sections().items():
            shell = [line for block in blocks(text) for line in block.splitlines() if re.match(r"(build/)?weft |curl ", line)]
            self.assertTrue(name in tested or not shell, (name, shell))
        everything = sections()
        for start in NOT_RUN_LINES:
            self.assertTrue(any(start in block for text in everything.values() for block in blocks(text)), start)


if __name__ == "__main__":
    unittest.main()
