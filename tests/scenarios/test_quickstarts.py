"""Follows each page of docs/quickstart in a home of its own, command by command, and looks at what the page promises.

The `sh` blocks of a page are run as they stand there, as one shell; only the addresses are others."""

import json
import os
import re
import unittest

from doc_reader import ROOT, Reader, blocks, read
from scenario import whole

FOLDER = "docs/quickstart"


def answers(printed):
    """JSON objects that were printed on lines of their own."""
    return [json.loads(line) for line in printed.splitlines() if line.startswith("{")]


def prompts(printed):
    return [whole(answer["messages"]) for answer in answers(printed) if "messages" in answer and "report" in answer]


class Quickstarts(Reader):
    def test_PF_18_chat_client(self):
        printed = self.run_page(FOLDER + "/chat-client.md")
        first, second = (whole(body["messages"]) for _, body in self.model.seen[-2:])
        self.assertIn("Utrecht", first)
        self.assertIn("old maps", second)
        self.assertIn("What could I give my sister Mei", second)
        self.assertIn("old maps", printed.split("You said: What could", 1)[1])
        self.assertNotIn("old maps", self.chat("What could I give my sister Mei?", "x", **{"X-Weft-User": "bob"}))

    def test_PF_18_coding_assistant(self):
        printed = self.run_page(FOLDER + "/coding-assistant.md")
        with open(os.path.join(self.folder, ".claude.json")) as file:
            entry = json.load(file)["mcpServers"]["weft"]
        # What the client would run, as the file says it.
        asked = [{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
                      "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "reader", "version": "1"}}},
                 {"jsonrpc": "2.0", "method": "notifications/initialized"},
                 {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
                 {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {
                     "name": "memory_search", "arguments": {"query": "When do we deploy?"}}}]
        script = "{ %s\nsleep 5; } | %s" % ("\n".join("echo '%s'" % json.dumps(one).replace("'", "") for one in asked),
                                            " ".join([entry["command"], *entry["args"]]))
        told = {answer.get("id"): answer for answer in answers(self.bash(script))}
        self.assertEqual(len(told[2]["result"]["tools"]), 5)
        self.assertIn("Thursdays", json.dumps(told[3]))
        hook = [answer for answer in answers(printed) if "hookSpecificOutput" in answer]
        self.assertIn("Thursdays", hook[0]["hookSpecificOutput"]["additionalContext"])

    def test_PF_18_bot(self):
        printed = self.run_page(FOLDER + "/bot.md")
        self.assertIn("friendly bot", prompts(printed)[0])
        group, private = [json.dumps(answer["hits"]) for answer in answers(printed) if "hits" in answer]
        self.assertNotIn("Porto", group)
        self.assertIn("Porto", private)
        self.assertIn("user:1708213363", printed)
        self.settle()
        self.assertIn("Porto", self.bash("weft profile show user:1708213363", WEFT_WORKSPACE=os.path.join(self.folder, "bot-memory")))

    def test_PF_18_story_game(self):
        printed = self.run_page(FOLDER + "/story-game.md")
        prompt = prompts(printed)[0]
        for part in ("85", "Lamp oil", "dark lighthouse", "harbour master"):
            self.assertIn(part, prompt)
        self.assertIn("refused, as it should be", printed)
        state = self.call("GET", "/v1/state/default", headers={"X-Weft-User": "player"})["state"]
        self.assertEqual(state["health"]["value"], 85)

    def test_PF_18_agent(self):
        printed = self.run_page(FOLDER + "/agent.md")
        prompt = prompts(printed)[0]
        for part in ("Never add a dependency", "Mend the parser, and test it", "fails on empty input", "lexer.cpp:42"):
            self.assertIn(part, prompt)
        self.assertRegex(printed, r"follow +run_one_test_alone")
        self.assertIn("Mend the parser, and test it", printed.split("no reflections yet")[1])

    def test_PF_18_operator(self):
        printed = self.run_page(FOLDER + "/operator.md")
        self.assertIn("caretaker", printed)
        self.assertIn('"status":"ok"', printed.replace(" ", ""))
        self.assertIn("boiler", printed)
        self.assertTrue(re.search(r"^\d{2,}$", printed, re.M), "no metrics were counted")
        self.assertIn("a backup still has it", printed)
        with open(os.path.join(self.folder, "ann.jsonl")) as file:
            self.assertIn("boiler", file.read())
        with open(os.path.join(self.folder, "settings.json")) as file:
            self.assertTrue(json.load(file))
        self.assertNotIn("boiler", self.bash("weft -u ann search boiler", WEFT_WORKSPACE=os.path.join(self.folder, "weft-server")))


class Pages(unittest.TestCase):
    def test_PF_18_each_page_is_followed_by_a_test(self):
        pages = {name[:-3].replace("-", "_") for name in os.listdir(os.path.join(ROOT, FOLDER)) if name != "README.md"}
        tests = {name[len("test_PF_18_"):] for name in dir(Quickstarts) if name.startswith("test_PF_18_")}
        self.assertEqual(pages, tests)

    def test_PF_18_what_a_shell_runs_stands_in_a_block_that_is_run(self):
        for name in os.listdir(os.path.join(ROOT, FOLDER)):
            for block in blocks(read(os.path.join(FOLDER, name))):
                self.assertFalse(re.search(r"^(weft|curl) ", block, re.M), (name, block))


if __name__ == "__main__":
    unittest.main()
