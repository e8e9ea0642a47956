"""The official clients of the Model Context Protocol against the real program: Node's of both major versions, Python's,
the inspector's command line, and the official conformance suite."""

import asyncio
import json
import os
import shutil
import subprocess
import tempfile
import unittest

from weft_server import WeftServer, binary, skip

MODULES = os.environ.get("WEFT_NODE_MODULES", os.path.expanduser("~/.cache/weft/node/node_modules"))
NODE = os.path.join(MODULES, "node/bin/node")  # newer than the system's: the suite and the inspector need it
FEW = ["memory_search", "memory_observe", "end", "cognitive_get_profile", "question_next"]

# Server scenarios that need no tool, prompt or resource of the suite's own example server: those of the others are
# called test_… there and no other server has them. Sampling, images, sound and the extensions for tasks and skills are
# nothing that Weft offers.
SCENARIOS = {
    "2025-06-18": ["server-initialize", "server-session-lifecycle", "ping", "logging-set-level", "tools-list",
                   "resources-list", "resources-subscribe", "resources-unsubscribe", "prompts-list"],
    "2025-11-25": ["server-initialize", "server-session-lifecycle", "ping", "logging-set-level", "tools-list",
                   "resources-list", "resources-subscribe", "resources-unsubscribe", "prompts-list",
                   "dns-rebinding-protection", "server-sse-multiple-streams"],
    "2026-07-28": ["server-stateless", "tools-list", "resources-list", "prompts-list", "dns-rebinding-protection",
                   "caching", "http-header-validation", "sep-2164-resource-not-found", "server-sse-multiple-streams",
                   "input-required-result-unsupported-methods"],
}
# Checks of these scenarios that a tool of the example server would be needed for.
NEED_A_TEST_TOOL = ("does not list the diagnostic tool",)


def have(package):
    return os.path.exists(os.path.join(MODULES, package, "package.json")) and os.path.exists(NODE)


class Clients(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = WeftServer()
        cls.folder = tempfile.mkdtemp(prefix="weft-mcp-")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder, ignore_errors=True)
        cls.server.__exit__()
        assert cls.server.exit_code == 0, cls.server.exit_code

    def node(self, *arguments, **more):
        return subprocess.run([NODE, *arguments], capture_output=True, text=True, timeout=300, cwd=self.folder,
                              env={**os.environ, "WEFT_NODE_MODULES": MODULES, "HOME": self.folder,
                                   "PATH": os.path.dirname(NODE) + ":" + os.environ["PATH"]}, **more)

    @unittest.skipUnless(have("@modelcontextprotocol/client") and have("@modelcontextprotocol/sdk"),
                         "the clients for Node.js are not installed (make setup-tests)")
    def test_PF_10_clients_for_node(self):
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "mcp_clients.mjs")
        run = self.node(script, binary(), os.path.join(self.folder, "ws"), self.server.url)
        self.assertEqual(run.returncode, 0, run.stderr[-3000:])
        found = json.loads(run.stdout)
        for name in ("old_asked", "old_http_asked", "new_asked"):
            self.assertEqual(found.pop(name), "Utrecht", name)
        self.assertEqual(len(found), 8)
        # A client that reads notices and answer in one go may drop its listener before it has told it of the notices.
        self.assertGreater(sum(one["progress"] for one in found.values()), 0)
        for name, one in found.items():
            self.assertEqual(one["tools"], FEW, name)
            self.assertIn("Marguerite", one["text"], name)
            self.assertIs(one["structured"]["known"], True, name)
            self.assertIn("weft://memory", one["resources"], name)
            self.assertEqual(one["templates"], 3, name)
            self.assertEqual(one["memory"], "text/markdown", name)
            self.assertIn("Marguerite", one["prompt"], name)
            self.assertEqual(one["completed"], ["zh"], name)
            # The newer client tells the older code of a missing resource as the newer one.
            self.assertEqual(one["missing"], -32002 if name.startswith("old") else -32602, name)

    def test_PF_10_client_for_python(self):
        try:
            from mcp import StdioServerParameters
            from mcp.client import Client
        except ImportError:
            self.skipTest("the mcp package is not installed (make setup-tests)")
        command = StdioServerParameters(command=binary(), args=["mcp", "--workspace", os.path.join(self.folder, "py")])

        async def round_trip(target, mode):
            async with Client(target, mode=mode) as client:
                tools = [tool.name for tool in (await client.list_tools()).tools]
                await client.call_tool("memory_observe", {"messages": [
                    {"role": "user", "content": "我的小提琴老师叫林秋月。"}]})
                found = await client.call_tool("memory_search", {"query": "我的小提琴老师是谁？"})
                prompt = await client.get_prompt("recall", {"about": "小提琴老师"})
                resource = await client.read_resource("weft://memory")
                return tools, found, prompt, resource

        for target in (command, self.server.url + "/mcp"):
            for mode in ("auto", "legacy"):
                tools, found, prompt, resource = asyncio.run(round_trip(target, mode))
                self.assertEqual(tools, FEW)
                self.assertFalse(found.is_error)
                self.assertIn("林秋月", found.content[0].text)
                self.assertIn("林秋月", prompt.messages[0].content.text)
                self.assertTrue(resource.contents)

    @unittest.skipUnless(have("@modelcontextprotocol/inspector"), "the inspector is not installed (make setup-tests)")
    def test_PF_10_command_line_of_the_inspector(self):
        launcher = os.path.join(MODULES, "@modelcontextprotocol/inspector/clients/launcher/build/index.js")

        def inspect(*words, target):
            run = self.node(launcher, "--cli", *target, *words)
            self.assertEqual(run.returncode, 0, run.stderr[-2000:] + run.stdout[-2000:])
            return json.loads(run.stdout)

        workspace = os.path.join(self.folder, "inspected")
        for target in ([binary(), "mcp", "--workspace", workspace], [self.server.url + "/mcp"]):
            listed = inspect("--method", "tools/list", "--strict", target=target)
            self.assertEqual([tool["name"] for tool in listed["tools"]], FEW)
            called = inspect("--method", "tools/call", "--tool-name", "memory_search", "--tool-arg", "query=violin",
                             target=target)
            self.assertIn("structuredContent", called)
            self.assertEqual(len(inspect("--method", "prompts/list", target=target)["prompts"]), 2)

    @unittest.skipUnless(have("@modelcontextprotocol/conformance"), "the suite is not installed (make setup-tests)")
    def test_PF_10_conformance_suite(self):
        suite = os.path.join(MODULES, "@modelcontextprotocol/conformance/dist/index.js")
        address = self.server.url.replace("127.0.0.1", "localhost") + "/mcp"
        for version, scenarios in SCENARIOS.items():
            for scenario in scenarios:
                with self.subTest(version=version, scenario=scenario):
                    results = tempfile.mkdtemp(dir=self.folder)
                    run = self.node(suite, "server", "--url", address, "--scenario", scenario, "--spec-version", version,
                                    "-o", results)
                    checks = [check for folder, _, files in os.walk(results) for name in files if name == "checks.json"
                              for check in json.load(open(os.path.join(folder, name)))]
                    self.assertTrue(checks, run.stdout[-2000:] + run.stderr[-2000:])
                    failed = [check for check in checks if check["status"] == "FAILURE"
                              and not any(text in check.get("errorMessage", "") for text in NEED_A_TEST_TOOL)]
                    self.assertEqual(failed, [], run.stdout[-3000:])


if __name__ == "__main__":
    if not os.path.isdir(MODULES):
        skip("no clients are installed (make setup-tests)")
    unittest.main()
