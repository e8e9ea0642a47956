"""Runs what README.md tells a reader to run, as it stands there, and looks at what the model was sent in the end.

Each section is one journey in a folder of its own: its code blocks without a language are run by bash, and so are the
commands that stand in its text. Only the addresses are others: the server's port and the model's. What cannot be run
has its reason in a list below; a command that is neither run nor listed fails the test, so that README and test stay
together."""

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
    "build/weft reembed --model NAME": "NAME stands for a model that is on the reader's machine",
}

# Commands in the text, by how they begin.
NOT_RUN_WORDS = {
    "weft eval": "measures for minutes",
    "weft migrate end_summaries.json": "the file is an old bot's",
    "weft profile list |": "several commands in one, told apart by a bar: see PARTS",
    "weft -u player state |": "several commands in one: see PARTS",
    "weft task set TEXT |": "several commands in one: see PARTS",
    "weft compact --show |": "several commands in one: see PARTS",
    "weft agent run|": "needs a model, see test_agent_run",
    "weft memory show": "a list of commands, see test_memory_files",
    "weft skill list": "a list of commands, see test_skills",
    "weft rule list": "a list of commands, see test_rules_grow",
    "weft mutation": "a list of commands, see test_rules_grow",
    "weft agent import FILE": "the file is another agent's, see test_reflection",
    "weft reflect list": "a list of commands, see test_reflection",
    "weft belief": "a list of commands, see test_beliefs_and_questions",
    "weft question": "a list of commands, see test_beliefs_and_questions",
}

# Of the commands told apart by a bar, those that need nothing that is not there.
PARTS = ["weft profile list", "weft task show", "weft -u player state get", "weft -u player quest list", "weft compact --show"]

# What the text leaves out.
LEFT_OUT = {
    '"messages":[…]': '"messages":[{"role":"user","content":"Mend the parser, and test it"}]',
    '"tools":[…]': '"tools":[{"type":"function","function":{"name":"read_file","description":"read a file"}}]',
}

FILES = {
    "messages.jsonl": '{"role":"user","content":"Our hotel in Kyoto is the Blue Crane"}\n'
                      '{"role":"assistant","content":"The Blue Crane it is."}\n',
    "quests.yaml": "quests:\n  - id: light\n    title: Light the lamp of the lighthouse\n    status: in_progress\n",
    "world.md": "# Lighthouse\n\nThe lighthouse of Vell has been dark for a year.\n",
}


def sections():
    """The text below each heading of README.md, by the heading."""
    parts = re.split(r"^## (.+)$", "\n" + read("README.md"), flags=re.M)
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2]))}


class Readme(Reader):
    """A reader in the folder of the repository, with the files of its examples."""

    def setUp(self):
        super().setUp()
        for name, text in FILES.items():
            shipped = os.path.join(ROOT, "examples", name)
            if os.path.exists(shipped):
                shutil.copy(shipped, self.folder)
            else:
                with open(os.path.join(self.folder, name), "w") as file:
                    file.write(text)
        os.makedirs(os.path.join(self.folder, "FOLDER"))
        shutil.copy(os.path.join(self.folder, "world.md"), os.path.join(self.folder, "FOLDER"))

    def here(self, command):
        for left_out, given in LEFT_OUT.items():
            command = command.replace(left_out, given)
        return super().here(command)

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
        """Runs a section's code blocks after what earlier sections set. Gives what was printed."""
        script = "\n".join(self.assignments(name)) + "\n"
        for block in blocks(sections()[name]):
            for line in block.splitlines(keepends=True):
                if line.startswith("build/weft serve"):
                    self.serve(line)
                elif not any(line.startswith(start) for start in NOT_RUN_LINES):
                    script += self.here(line)
        if self.server is None and "$B" in script:
            self.serve()
        return self.bash(script)

    def run_words(self, name):
        """Runs the commands in a section's text."""
        printed = ""
        for command in words(sections()[name]):
            if command.startswith("weft ") and not any(command.startswith(start) for start in NOT_RUN_WORDS):
                printed += self.bash(command)
        return printed

    def run_section(self, name):
        return self.run_blocks(name) + self.run_words(name)

    def assignments(self, name):
        """Shell variables that the sections before this one have set, and those in its own text."""
        found = []
        for heading, text in sections().items():
            own = heading == name
            for line in words(text) + ([] if own else "\n".join(blocks(text)).splitlines()):
                if re.match(r"[A-Z]=", line):
                    found.append(self.here(re.sub(r"\s+#.*", "", line)))
            if own:
                return found
        self.fail("README.md has no section " + name)

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

    def test_PF_18_for_the_author_of_a_bot(self):
        name = "For the author of a bot"
        self.assertIn("cognitive", self.run_blocks(name))
        ann = {"X-Weft-User": "1708213363"}
        self.settle()  # no word of the question stands in the answer: what finds it works in the background
        self.assertIn("Porto", self.chat("Where do I live now?", "later", **ann))
        self.assertIn("Porto", self.call("GET", "/v1/profiles/user/1708213363", headers=ann)["body"])
        self.bash(PARTS[0])
        # Its last word is to forget her.
        self.assertIn("weft erase -u 1708213363 --everything", words(sections()[name]))
        self.run_words(name)
        self.assertNotIn("Porto", self.chat("Where do I live now?", "much later", **ann))

    def test_PF_18_for_the_author_of_a_narrative_game(self):
        printed = self.run_section("For the author of a narrative game")
        answers = [json.loads(line) for line in printed.splitlines() if line.startswith("{")]
        prompt = [answer for answer in answers if "messages" in answer and "report" in answer]
        self.assertEqual(len(prompt), 1, printed)
        self.assertIn("90", whole(prompt[0]["messages"]))
        self.assertIn("ighthouse", whole(prompt[0]["messages"]))
        state = self.call("GET", "/v1/state/default", headers={"X-Weft-User": "player"})
        self.assertEqual(state["state"]["health"]["value"], 90)
        for command in PARTS[1:3]:
            self.bash(command)

    def test_PF_18_for_the_author_of_an_agent(self):
        printed = self.run_section("For the author of an agent")
        prompt = next(answer for answer in map(json.loads, printed.splitlines()) if "messages" in answer)
        for part in ("Mend the parser", "read lexer.cpp", "no new dependency"):
            self.assertIn(part, whole(prompt["messages"]))
        self.bash(PARTS[3])

    def test_PF_18_each_command_of_the_text_is_run_or_has_its_reason(self):
        tested = {"In front of a model", "On the command line", "For the author of a bot", "For the author of a narrative game",
                  "For the author of an agent"}
        for name, text in sections().items():
            shell = [line for block in blocks(text) for line in block.splitlines() if re.match(r"(build/)?weft |curl ", line)]
            self.assertTrue(name in tested or not shell, (name, shell))
        everything = sections()
        for start in NOT_RUN_LINES:
            self.assertTrue(any(start in block for text in everything.values() for block in blocks(text)), start)
        for start in NOT_RUN_WORDS:
            self.assertTrue(any(one.startswith(start) for text in everything.values() for one in words(text)), start)


if __name__ == "__main__":
    unittest.main()
