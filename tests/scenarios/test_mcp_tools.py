#!/usr/bin/env python3
"""An agent uses tools of a server of the Model Context Protocol that mcp.json names (AL-2); one that hangs or dies
leaves the run going."""

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

import scenario  # noqa: F401: finds the helpers of the other tests
from scripted_openai import ScriptedOpenAI
from test_agent_run import TOML, answer, outputs
from weft_server import binary

ID = "%06x" % random.randrange(1 << 24)

# Speaks by lines on its standard input and output; each call is a line of its log.
SERVER = """import json, os, sys
for line in sys.stdin:
    asked = json.loads(line)
    method, params = asked["method"], asked.get("params", {})
    if "id" not in asked:
        continue
    if method == "initialize":
        result = {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}},
                  "serverInfo": {"name": "box", "version": "1"}}
    elif method == "tools/list":
        result = {"tools": [
            {"name": "look up", "description": "looks a number up", "annotations": {"readOnlyHint": True},
             "inputSchema": {"type": "object", "properties": {"key": {"type": "string"}}, "required": ["key"]}},
            {"name": "die", "description": "ends the server", "inputSchema": {"type": "object"}}]}
    elif params["name"] == "die":
        os._exit(3)
    else:
        with open(%r, "a") as log:
            log.write(params["arguments"]["key"] + "\\n")
        result = {"content": [{"type": "text", "text": "找到 %%s: 42" %% params["arguments"]["key"]}]}
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"""


class McpTools(unittest.TestCase):
    def setUp(self):
        self.model = ScriptedOpenAI()
        self.addCleanup(self.model.close)
        self.folder = tempfile.mkdtemp(prefix="weft-mcp-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.log = os.path.join(self.folder, "calls.log")
        server = os.path.join(self.folder, "server.py")
        with open(server, "w") as file:
            file.write(SERVER % self.log)
        self.put("weft.toml", TOML.replace("{model}", self.model.url))
        self.put("mcp.json", json.dumps({"mcpServers": {
            "box": {"command": sys.executable, "args": [server]},
            "gone": {"command": "weft-no-such-program"}}}))

    def put(self, name, text):
        with open(os.path.join(self.folder, name), "w") as file:
            file.write(text)

    def run_agent(self, *more):
        return subprocess.run([binary(), "-w", self.folder, "agent", "run", "look up " + ID, *more], timeout=120,
                              capture_output=True, text=True)

    def test_AL_2_a_server_s_tools_are_called_and_one_that_dies_is_told_to_the_model(self):
        offered = []

        def rule(body):
            if not body.get("tools"):
                return None
            offered.extend(tool["function"]["name"] for tool in body["tools"])
            done = outputs(body)
            calls = [("box_look_up", {"key": ID}), ("box_die", {}), ("box_look_up", {"key": "again"})]
            return answer(calls=[calls[len(done)]]) if len(done) < len(calls) else answer("found")

        self.model.rules.append(rule)
        ended = self.run_agent()
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn("找到 %s: 42" % ID, ended.stdout)
        self.assertIn("box_look_up", offered)
        with open(self.log) as calls:
            self.assertEqual(calls.read().split(), [ID, "again"])
        self.assertIn("gone", ended.stderr)

    def test_AL_2_what_is_wrong_in_the_file_is_told_with_its_place(self):
        self.put("mcp.json", json.dumps({"mcpServers": {"box": {"comand": "x"}}}))
        self.model.rules.append(lambda body: answer("no tools") if body.get("tools") is not None else None)
        ended = self.run_agent()
        self.assertIn("mcpServers.box.comand", ended.stdout + ended.stderr)


if __name__ == "__main__":
    unittest.main()
