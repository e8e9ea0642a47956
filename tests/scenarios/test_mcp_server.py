#!/usr/bin/env python3
"""Somebody with a client of the Model Context Protocol (PF-10): memory as tools over stdin and stdout and over HTTP, in
every revision, also beside a server that holds the workspace, and written into the client's configuration."""

import json
import os
import queue
import shutil
import subprocess
import tempfile
import threading
import unittest
import urllib.error
import urllib.request

import scenario
from weft_server import binary

META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "scenario", "version": "1"}}
TELL = {"name": "memory_observe", "arguments": {"messages": [
    {"role": "user", "content": "My violin teacher is called Marguerite."},
    {"role": "user", "content": "我的小提琴老师叫林秋月。"}]}}


def ask_for(question):
    return {"name": "memory_search", "arguments": {"query": question}}


class Stdio:
    """`weft mcp` as a client runs it: every line of its standard output must be JSON-RPC."""

    def __init__(self, workspace, *more):
        self.process = subprocess.Popen([binary(), "mcp", "--workspace", workspace, *more], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.lines, self.last = queue.Queue(), 0
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.lines.put(json.loads(line))

    def send(self, method, params=None, **more):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", "method": method, "params": params or {}, **more}) + "\n")
        self.process.stdin.flush()

    def ask(self, method, params=None):
        self.last += 1
        self.send(method, params, id=self.last)
        while True:
            message = self.lines.get(timeout=60)
            assert message["jsonrpc"] == "2.0", message
            if message.get("id") == self.last:
                return message

    def begin(self, version):
        welcome = self.ask("initialize", {"protocolVersion": version, "capabilities": {},
                                          "clientInfo": {"name": "scenario", "version": "1"}})
        self.send("notifications/initialized")
        return welcome["result"]["protocolVersion"]

    def call(self, params, meta=None):
        return self.ask("tools/call", {**params, **({"_meta": meta} if meta else {})})["result"]

    def end(self):
        self.process.stdin.close()
        code = self.process.wait(timeout=60)
        self.process.stdout.close()
        return code


class OverStdio(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="weft-mcp-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def test_PF_10_each_revision_remembers_and_the_end_of_input_ends(self):
        for version in ("2025-06-18", "2025-11-25", None):
            client = Stdio(self.folder)
            if version:
                self.assertEqual(client.begin(version), version)
            meta = None if version else META
            if not version:
                found = client.ask("server/discover", {"_meta": META})["result"]
                self.assertIn("2026-07-28", found["supportedVersions"])
            self.assertEqual(client.call(TELL, meta)["structuredContent"], {"kept": 2})
            for question, name in (("Who is my violin teacher?", "Marguerite"), ("我的小提琴老师是谁？", "林秋月")):
                answer = client.call(ask_for(question), meta)
                self.assertIn(name, answer["content"][0]["text"])
            self.assertEqual(client.end(), 0)

    def test_PF_10_two_clients_and_a_command_share_a_workspace_and_outlive_who_held_it(self):
        first = Stdio(self.folder)
        first.begin("2025-11-25")
        second = Stdio(self.folder)
        second.begin("2025-11-25")
        first.call(TELL)
        self.assertIn("Marguerite", second.call(ask_for("violin teacher"))["content"][0]["text"])
        found = subprocess.run([binary(), "search", "violin teacher", "--workspace", self.folder],
                               capture_output=True, text=True, timeout=60)
        self.assertIn("Marguerite", found.stdout, found.stderr)
        self.assertEqual(first.end(), 0)
        self.assertIn("Marguerite", second.call(ask_for("violin teacher"))["content"][0]["text"])
        self.assertEqual(second.end(), 0)

    def test_PF_10_another_user_finds_nothing(self):
        ann = Stdio(self.folder, "--user", "ann")
        ann.call(TELL)
        ann.end()
        bob = Stdio(self.folder, "--user", "bob")
        self.assertNotIn("Marguerite", json.dumps(bob.call(ask_for("violin teacher"))))
        bob.end()

    def test_PF_10_configurations_are_shown_first_and_written_without_loss(self):
        home = os.path.join(self.folder, "home")
        os.makedirs(os.path.join(home, ".codex"))
        claude, codex = os.path.join(home, ".claude.json"), os.path.join(home, ".codex/config.toml")
        with open(claude, "w") as file:
            file.write('{\n  "theme": "dark",\n  "mcpServers": {\n    "other": {"command": "x"}\n  }\n}\n')
        with open(codex, "w") as file:
            file.write('# mine\nmodel = "m"\n')

        def install(*words):
            run = subprocess.run([binary(), "mcp", "install", *words, "--workspace", self.folder], capture_output=True,
                                 text=True, timeout=60, env={**os.environ, "HOME": home})
            self.assertEqual(run.returncode, 0, run.stderr)
            return run.stdout

        def text(path):
            with open(path) as file:
                return file.read()

        before = text(claude)
        self.assertIn('"weft"', install("claude"))
        self.assertEqual(text(claude), before)
        for client in ("claude", "codex", "cursor", "vscode"):
            install(client, "--write")
            self.assertIn("as it should be", install(client, "--write"))
        kept = json.loads(text(claude))
        self.assertEqual((kept["theme"], kept["mcpServers"]["other"]), ("dark", {"command": "x"}))
        self.assertTrue(text(codex).startswith('# mine\nmodel = "m"\n'))
        entry = kept["mcpServers"]["weft"]
        run = subprocess.run([entry["command"], *entry["args"]], input='{"jsonrpc":"2.0","id":1,"method":"ping"}\n',
                             capture_output=True, text=True, timeout=60)
        self.assertEqual(json.loads(run.stdout), {"jsonrpc": "2.0", "id": 1, "result": {}})


class OverHttp(scenario.Scenario):
    def post(self, message, **headers):
        request = urllib.request.Request(self.server.url + "/mcp", data=json.dumps(message).encode(), headers={
            "Content-Type": "application/json", "Accept": "application/json, text/event-stream", "X-Weft-User": "ann",
            **{name.replace("_", "-"): value for name, value in headers.items()}})
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, answer.headers, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.headers, error.read().decode()

    def modern(self, method, params, name=None, id=1):
        headers = {"MCP_Protocol_Version": "2026-07-28", "Mcp_Method": method, **({"Mcp_Name": name} if name else {})}
        status, _, body = self.post({"jsonrpc": "2.0", "id": id, "method": method, "params": {**params, "_meta": META}},
                                    **headers)
        return status, json.loads(body)

    def test_PF_10_a_session_with_a_handshake_and_its_end(self):
        status, headers, body = self.post({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "s", "version": "1"}}})
        self.assertEqual(status, 200, body)
        session = headers["Mcp-Session-Id"]
        self.assertEqual(self.post({"jsonrpc": "2.0", "method": "notifications/initialized"}, Mcp_Session_Id=session)[0], 202)
        ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
        self.assertEqual(self.post(ping, Mcp_Session_Id=session)[0], 200)
        self.assertEqual(self.post(ping)[0], 400)
        self.assertEqual(self.post(ping, Mcp_Session_Id=session, X_Weft_User="bob")[0], 404)
        request = urllib.request.Request(self.server.url + "/mcp", method="DELETE",
                                         headers={"Mcp-Session-Id": session, "X-Weft-User": "ann"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            self.assertEqual(answer.status, 204)
        self.assertEqual(self.post(ping, Mcp_Session_Id=session)[0], 404)

    def test_PF_10_what_a_tool_remembers_the_proxy_weaves_in(self):
        status, told = self.modern("tools/call", TELL, "memory_observe")
        self.assertEqual((status, told["result"]["structuredContent"]), (200, {"kept": 2}))
        self.chat([{"role": "user", "content": "Who is my violin teacher?"}], session="later")
        self.assertIn("Marguerite", scenario.whole(self.sent()))

    def test_PF_10_wrong_requests_are_told_what_is_wrong(self):
        status, _, body = self.post([{"jsonrpc": "2.0", "id": 1, "method": "ping"},
                                     {"jsonrpc": "2.0", "method": "notifications/initialized"},
                                     {"jsonrpc": "2.0", "id": "b", "method": "ping"}])
        self.assertEqual(status, 400)
        self.assertEqual([answer["id"] for answer in json.loads(body)], [1, "b"])
        self.assertEqual(self.modern("no/such", {})[0], 404)
        self.assertEqual(self.post({"jsonrpc": "2.0", "id": 1, "method": "ping"}, Content_Type="text/plain")[0], 415)
        self.assertEqual(self.post({"jsonrpc": "2.0", "id": 1, "method": "ping"}, Accept="image/png")[0], 406)
        self.assertEqual(self.post({"jsonrpc": "2.0", "id": 1, "method": "ping"}, Origin="http://evil.example")[0], 403)
        status, answer = self.modern("tools/call", TELL, "another")
        self.assertEqual((status, answer["error"]["code"]), (400, -32020))

    def test_PF_10_arguments_come_as_clients_write_them(self):
        self.modern("tools/call", TELL, "memory_observe")
        for arguments in ({"query": "violin teacher", "top_k": "", "from": "", "to": None},
                          {"query": "小提琴老师", "top_k": "3"}, '{"query": "violin"}'):
            status, told = self.modern("tools/call", {"name": "memory_search", "arguments": arguments}, "memory_search")
            self.assertEqual(status, 200)
            self.assertTrue(told["result"]["structuredContent"]["hits"], told)
        found = self.call("POST", "/v1/tools/cognitive_search_events", {"query": "violin", "top_k": "2", "time_from": "", "where": ""})
        self.assertIn("hits", found)
        # What people write into bodies is not guessed at.
        self.assertEqual(self.fails("POST", "/v1/search", {"query": "violin", "top_k": "2"})[0], 400)

    def test_PF_10_progress_comes_before_the_answer(self):
        params = {**ask_for("violin"), "_meta": {**META, "progressToken": "p"}}
        status, headers, body = self.post({"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": params},
                                          MCP_Protocol_Version="2026-07-28", Mcp_Method="tools/call",
                                          Mcp_Name="memory_search")
        self.assertTrue(headers["Content-Type"].startswith("text/event-stream"))
        events = [json.loads(line[6:]) for line in body.splitlines() if line.startswith("data: ")]
        self.assertEqual(events[0]["method"], "notifications/progress")
        self.assertEqual(events[-1]["id"], 5)

    def test_PF_10_tools_do_what_the_key_allows(self):
        server = scenario.WeftServer()
        self.addCleanup(server.__exit__)
        made = subprocess.run([binary(), "key", "add", "reader", "--right", "read", "--workspace", server.workspace],
                              capture_output=True, text=True, timeout=60)
        own, self.server = self.server, server
        try:
            self.assertEqual(self.post({"jsonrpc": "2.0", "id": 1, "method": "ping"})[0], 401)
            headers = {"Authorization": "Bearer " + made.stdout.strip(), "MCP_Protocol_Version": "2026-07-28",
                       "Mcp_Method": "tools/call"}

            def call(params):
                body = self.post({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {**params, "_meta": META}},
                                 Mcp_Name=params["name"], **headers)[2]
                return json.loads(body)["result"]

            self.assertTrue(call(TELL)["isError"])
            self.assertNotIn("isError", call(ask_for("violin")))
        finally:
            self.server = own


if __name__ == "__main__":
    unittest.main()
