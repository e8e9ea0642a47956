"""Every view of the page in both languages, on a desktop and on a phone, light and dark: no errors, nothing wider than the
window, no words of the other language, nothing that axe finds. The pictures, and index.html that shows them side by side,
stay in the folder that WEFT_PAGE_PICTURES names."""

import os
import sys
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(HERE, "../e2e"))

from scripted_openai import ScriptedOpenAI  # noqa: E402
from seed import seed  # noqa: E402
from test_page import can_browse, node  # noqa: E402
from weft_server import WeftServer, skip  # noqa: E402

TOML = """[models.m]
url = "%s"
model = "scripted"
window = 65536
[roles]
agent = "m"
"""

LORE = [
    {"id": "oar", "title": "The Broken Oar", "text": "An inn at the harbour. Hollis keeps it.", "keys": ["inn", "Hollis"]},
    {"id": "law", "title": "The law of the tides", "text": "Nobody sails at ebb.", "constant": True},
    {"id": "old", "title": "The first lighthouse", "text": "It burnt down.", "keys": ["lighthouse"], "enabled": False},
]


def a_run(client):
    """An agent that looks something up and answers."""
    run = client.call("POST", "/v1/tasks", {"task": "Say what you know of the ferry.", "model": "agent"})["id"]
    end = time.time() + 60
    while client.call("GET", "/v1/tasks/" + run)["status"] == "running":
        if time.time() > end:
            raise AssertionError("the run did not end")
        time.sleep(0.1)


def calls_a_tool(body):
    """The model's first answer to a task: a call of a tool with arguments."""
    if not body.get("tools") or any(one["role"] == "tool" for one in body["messages"]):
        return None
    call = {"id": "c1", "type": "function", "function": {"name": "memory_search", "arguments": '{"query": "ferry"}'}}
    return 200, {"id": "c", "object": "chat.completion", "created": 1, "model": body["model"], "choices": [
        {"index": 0, "finish_reason": "tool_calls", "message": {"role": "assistant", "content": None, "tool_calls": [call]}}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}}


@unittest.skipUnless(can_browse(), "no Chromium, or no playwright-core and axe-core (make setup-tests)")
class EveryView(unittest.TestCase):
    def test_PF_4_in_both_languages_and_widths(self):
        model = ScriptedOpenAI()
        self.addCleanup(model.close)
        with WeftServer(toml=TOML % model.url) as server, tempfile.TemporaryDirectory() as folder:
            client = seed(server.url, server.workspace)
            for entry in LORE:
                client.call("PUT", "/v1/lore/" + entry["id"], entry)
            model.rules.append(calls_a_tool)
            a_run(client)
            run = node("walk.mjs", server.url, os.environ.get("WEFT_PAGE_PICTURES", folder))
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertEqual(run.stdout.count("ok "), 64)


if __name__ == "__main__":
    ran = unittest.main(exit=False).result
    if not ran.wasSuccessful():
        sys.exit(1)
    if ran.skipped:
        skip("the page in a browser: " + ran.skipped[0][1])
