#!/usr/bin/env python3
"""Every list of tools that leaves the program, and those of the plugins, has only names that the APIs of models take: one
name with a dot costs the client the whole list (PF-26)."""

import json
import os
import re
import subprocess
import sys
import unittest

from scenario import AGENT_TOML, Scenario
from test_mcp_server import META

ALLOWED = re.compile(r"[a-zA-Z0-9_-]{1,64}")
REPOSITORY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")

# Two servers of the Model Context Protocol with names that no model may be given as they are.
SERVER = """import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}}
    if asked["method"] == "tools/list":
        result = {"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in %s]}
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"""


def server(*names):
    return {"command": sys.executable, "args": ["-c", SERVER % json.dumps(names)]}


class ToolNames(Scenario):
    toml = AGENT_TOML
    files = {"mcp.json": json.dumps({"mcpServers": {
        "a": server("b_c", "read.file", "x" * 80), "a_b": server("c", "查天气"), "天气 server": server("get.now")}})}

    def check(self, names, least):
        self.assertGreaterEqual(len(names), least, names)
        self.assertEqual(len(names), len(set(names)), names)
        for name in names:
            self.assertIsNotNone(ALLOWED.fullmatch(name), name)

    def mcp(self, method, params, choice="few"):
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": META}}
        headers = {"Accept": "application/json", "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method}
        if "name" in params:
            headers["Mcp-Name"] = params["name"]
        return self.call("POST", "/mcp?tools=" + choice, body, headers=headers)["result"]

    def test_PF_26_lists_for_clients(self):
        for choice, least in (("few", 5), ("all", 40)):
            self.check([tool["name"] for tool in self.mcp("tools/list", {}, choice)["tools"]], least)
        self.check([tool["function"]["name"] for tool in self.call("GET", "/v1/tools")["tools"]], 5)

    def test_PF_26_dotted_names_are_accepted_in_calls(self):
        for name in ("memory.search", "memory_search"):
            found = self.mcp("tools/call", {"name": name, "arguments": {"query": "anything"}})
            self.assertFalse(found.get("isError"), found)
        for name in ("cognitive.search_events", "cognitive_search_events"):
            self.assertIn("hits", self.call("POST", "/v1/tools/" + name, {"query": "anything"}))

    def test_PF_26_tools_of_an_agent_run(self):
        offered = []

        def rule(body):
            offered.append([tool["function"]["name"] for tool in body.get("tools", [])])
            return None

        self.model.rules.append(rule)
        self.addCleanup(self.model.rules.remove, rule)
        run = self.weft("agent", "run", "say hello")
        self.assertEqual(run.returncode, 0, run.stderr)
        longest = max(offered, key=len)
        self.check(longest, 12)
        self.assertIn("a_b_c", longest)
        self.assertIn("a_b_c_2", longest)
        self.assertIn("a_read_file", longest)

    def test_PF_26_tools_of_the_plugins(self):
        code = "import json, sys; sys.path.insert(0, sys.argv[1]); import tools; print(json.dumps(tools.SCHEMAS))"
        made = subprocess.run([sys.executable, "-c", code, os.path.join(REPOSITORY, "packaging", "hermes", "weft")],
                              capture_output=True, text=True, check=True)
        self.check([schema["name"] for schema in json.loads(made.stdout)], 2)
        with open(os.path.join(REPOSITORY, "packaging", "openclaw", "tools.js"), encoding="utf-8") as file:
            self.check(re.findall(r'^ +name: "([^"]*)",$', file.read(), re.M), 2)


if __name__ == "__main__":
    unittest.main()
