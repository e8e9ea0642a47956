"""An operator looks at what a server really does (CM-15): what model calls cost, by user, key, role and model, also after
a restart; requests by route; one line of the log for each, found by the id that an error names; and nobody's words or
keys in any of it."""

import glob
import json
import os
import shutil
import tempfile
import unittest
import urllib.error
import urllib.request
import uuid

from scenario import Scenario, ScriptedOpenAI, WeftServer
from scripted_anthropic import ScriptedAnthropic
from scripted_responses import ScriptedResponses
from weft_server import skip

try:
    from prometheus_client.parser import text_string_to_metric_families
except ImportError:
    skip("the prometheus-client package is not installed (make setup-tests)")

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")


class Metrics:
    """What /metrics tells, read by Prometheus' own parser."""

    def __init__(self, text):
        self.text = text
        self.families = list(text_string_to_metric_families(text))

    def samples(self, name, **labels):
        return [one for family in self.families for one in family.samples
                if one.name == name and all(one.labels.get(key) == value for key, value in labels.items())]

    def sum(self, name, **labels):
        return sum(one.value for one in self.samples(name, **labels))


class Server(Scenario):
    """A server whose log is read."""

    settings = ("log.level=info", "log.json=true", "proxy.ask_models=false", "embedding.provider=none")
    upstream = ScriptedOpenAI

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="weft-observed-")
        cls.log_path = os.path.join(cls.folder, "log")
        # `weft serve` logs to stderr, which a server of the helpers shares with the test: it is led to a file.
        log = os.open(cls.log_path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        own = os.dup(2)
        os.dup2(log, 2)
        try:
            cls.model = cls.upstream()
            cls.server = WeftServer(upstream=cls.model.url, settings=cls.settings, toml=cls.toml)
        finally:
            os.dup2(own, 2)
            os.close(log)
            os.close(own)

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        shutil.rmtree(cls.folder, ignore_errors=True)

    def ask(self, method, path, body=None, key=None, **headers):
        """Status, text and headers of a call."""
        given = {"Content-Type": "application/json", **{name.replace("_", "-"): value for name, value in headers.items()}}
        if key:
            given["Authorization"] = "Bearer " + key
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.server.url + path, data=data, method=method, headers=given)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, answer.read().decode(), answer.headers
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode(), error.headers

    def metrics(self, key=None):
        status, text, headers = self.ask("GET", "/metrics", key=key)
        self.assertEqual(status, 200, text)
        self.assertTrue(headers["Content-Type"].startswith("text/plain; version=0.0.4"))
        return Metrics(text)

    def usage(self, path="/v1/usage/all", key=None, **headers):
        status, text, _ = self.ask("GET", path, key=key, **headers)
        self.assertEqual(status, 200, text)
        return json.loads(text)["usage"]

    def log(self):
        with open(self.log_path) as file:
            return [json.loads(line) for line in file if line.startswith("{")]

    def line_of(self, request):
        return self.until(lambda: [one for one in self.log()
                                   if one.get("request") == request and one["event"] == "http.request"])[0]

    def all_files(self):
        for path in glob.glob(os.path.join(self.server.workspace, "usage*")) + [self.log_path]:
            with open(path, errors="replace") as file:
                yield path, file.read()


class EveryForm(Server):
    @classmethod
    def setUpClass(cls):
        cls.anthropic = ScriptedAnthropic()
        cls.toml = '[proxy]\nanthropic_upstream = "%s"\n' % cls.anthropic.url
        super().setUpClass()

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        cls.anthropic.close()

    def test_CM_15_calls_of_each_form_cost_what_their_server_says(self):
        secret = "zz" + uuid.uuid4().hex
        said = [{"role": "user", "content": "hello " + secret}]
        for body, path in (({"model": "chat-model", "messages": said}, "/v1/chat/completions"),
                           ({"model": "claude-x", "max_tokens": 9, "messages": said}, "/v1/messages"),
                           ({"model": "claude-x", "max_tokens": 9, "messages": said, "stream": True}, "/v1/messages"),
                           ({"model": "resp-model", "input": "hello " + secret}, "/v1/responses")):
            status, text, _ = self.ask("POST", path, body, X_Weft_User="ann")
            self.assertEqual(status, 200, text)
        found = self.metrics()
        calls = lambda **labels: found.sum("weft_model_calls_total", role="proxy", outcome="answered", **labels)
        tokens = lambda model, kind: found.sum("weft_model_tokens_total", role="proxy", model=model, kind=kind)
        self.assertEqual(calls(model="chat-model"), 1)
        self.assertEqual((tokens("chat-model", "prompt"), tokens("chat-model", "completion")), (1, 1))
        self.assertEqual(calls(model="claude-x"), 2)
        self.assertEqual((tokens("claude-x", "prompt"), tokens("claude-x", "completion")), (10, 14))
        self.assertEqual(found.sum("weft_model_first_token_seconds_count", model="claude-x"), 1, "one was streamed")
        self.assertEqual(calls(model="resp-model"), 1, "as a chat completion, which is all that the upstream speaks")
        self.assertEqual(found.sum("weft_model_seconds_count", role="proxy"), 4)
        self.assertEqual(found.sum("weft_user_model_calls_total", user="user:ann", outcome="answered"), 4)
        # A stream without counts is counted here, and said to be.
        status, text, _ = self.ask("POST", "/v1/chat/completions", {"model": "chat-model", "messages": said, "stream": True},
                                   X_Weft_User="bob")
        self.assertIn("[DONE]", text)
        rows = self.usage("/v1/usage?by=model", X_Weft_User="bob")
        self.assertEqual([(one["model"], one["calls"], one["counted"]) for one in rows], [("chat-model", 1, 1)])
        self.assertGreater(rows[0]["input_tokens"], 2)
        self.assertGreater(rows[0]["output_tokens"], 2)
        # Without memory a call costs as much.
        self.ask("POST", "/v1/chat/completions", {"model": "chat-model", "messages": said}, X_Weft_User="eve",
                 X_Weft_Memory="off")
        self.assertEqual(self.usage("/v1/usage?by=scope", X_Weft_User="eve")[0]["calls"], 1)
        for path, text in self.all_files():
            self.assertNotIn(secret, text, path)
        self.assertNotIn(secret, self.metrics().text)

    def test_CM_15_failures_are_told_by_their_kind_and_found_in_the_log(self):
        secret = "yy" + uuid.uuid4().hex
        outcomes = {"fail with 400": "refused", "fail with 401": "permission", "fail with 429": "rate_limited",
                    "fail with 500": "server_error", "break off": "broken_off"}
        before = self.metrics()
        for words, outcome in outcomes.items():
            stream = outcome == "broken_off"
            name = "mine-" + outcome
            self.ask("POST", "/v1/chat/completions",
                     {"model": "chat-model", "stream": stream, "messages": [{"role": "user", "content": words + " " + secret}]},
                     X_Weft_User="sam", X_Request_Id=name)
            line = self.line_of(name)
            self.assertEqual((line["method"], line["route"]), ("POST", "/v1/chat/completions"))
            self.assertEqual(line["status"], 200 if stream else int(words.split()[-1]))
        after = self.metrics()
        for outcome in outcomes.values():
            count = after.sum("weft_model_calls_total", role="proxy", outcome=outcome) - before.sum(
                "weft_model_calls_total", role="proxy", outcome=outcome)
            self.assertEqual(count, 1, outcome)
        self.assertEqual(self.usage("/v1/usage?by=scope", X_Weft_User="sam")[0]["failed"], len(outcomes))
        # An error of Weft's own names the request.
        status, text, headers = self.ask("POST", "/v1/search", {"query": 7, "note": secret}, X_Weft_User=secret)
        self.assertEqual(status, 400)
        name = json.loads(text)["error"]["request_id"]
        self.assertEqual(headers["X-Request-Id"], name)
        self.assertEqual(self.line_of(name)["status"], 400)
        status, text, headers = self.ask("GET", "/v1/nothing/" + secret + "?user=" + secret, X_Request_Id="not/an id")
        name = json.loads(text)["error"]["request_id"]
        self.assertNotEqual(name, "not/an id")
        self.assertEqual((self.line_of(name)["route"], self.line_of(name)["status"]), ("unmatched", 404))
        for path, text in self.all_files():
            self.assertNotIn(secret, text, path)
        self.assertNotIn(secret, self.metrics().text)

    def test_CM_15_the_page_of_metrics_names_all_and_every_value_is_of_a_named_one(self):
        found = self.metrics()
        with open(os.path.join(ROOT, "docs/reference/metrics.md")) as file:
            page = file.read()
        for family in found.families:
            name = family.name + ("_total" if family.type == "counter" else "")
            self.assertIn("| `%s` | %s |" % (name, family.type), page)
            self.assertTrue(family.documentation, name)
            self.assertNotEqual(family.type, "unknown", name)

    def test_CM_15_the_process_tells_of_itself_in_the_usual_names(self):
        found = self.metrics()
        for name, least in (("process_resident_memory_bytes", 1e6), ("process_open_fds", 5), ("process_cpu_seconds_total", 0),
                            ("process_start_time_seconds", 1.7e9), ("process_max_fds", 10)):
            self.assertEqual(len(found.samples(name)), 1, name)
            self.assertGreater(found.sum(name), least - 1e-9, name)
        with open("/proc/%d/statm" % self.server.process.pid) as file:
            resident = int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        self.assertLess(abs(found.sum("process_resident_memory_bytes") - resident), 0.5 * resident)
        self.assertEqual(len(found.samples("weft_build_info")), 1)

    def test_CM_15_calls_of_tools_are_counted(self):
        init = self.ask("POST", "/mcp", {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}},
            Accept="application/json, text/event-stream")
        session = init[2]["Mcp-Session-Id"]
        for tool, arguments in (("memory_search", {"query": "x"}), ("memory_search", {"query": 7}), ("no_such_tool", {})):
            self.ask("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                                      "params": {"name": tool, "arguments": arguments}},
                     Accept="application/json, text/event-stream", Mcp_Session_Id=session,
                     MCP_Protocol_Version="2025-06-18")
        found = self.metrics()
        self.assertEqual(found.sum("weft_mcp_calls_total", tool="memory_search", outcome="done"), 1, found.text[-3000:])
        self.assertEqual(found.sum("weft_mcp_calls_total", tool="memory_search", outcome="invalid_argument"), 1)
        self.assertEqual(found.sum("weft_mcp_calls_total", tool="unknown"), 1)
        self.assertEqual(found.sum("weft_mcp_call_seconds_count", tool="memory_search"), 2)


class NativeResponses(Server):
    upstream = ScriptedResponses

    def test_CM_15_responses_cost_what_their_server_says_streamed_or_not(self):
        for more, memory in (({}, "on"), ({"stream": True}, "on"), ({}, "off"), ({"stream": True}, "off")):
            status, text, _ = self.ask("POST", "/v1/responses", {"model": "resp-model", "input": "hello", **more},
                                       X_Weft_User="ann", X_Weft_Memory=memory)
            self.assertEqual(status, 200, text)
        found = self.metrics()
        self.assertEqual(found.sum("weft_model_calls_total", model="resp-model", outcome="answered"), 4)
        self.assertEqual(found.sum("weft_model_tokens_total", model="resp-model", kind="prompt"), 20)
        self.assertEqual(found.sum("weft_model_tokens_total", model="resp-model", kind="completion"), 28)
        self.assertEqual(found.sum("weft_model_first_token_seconds_count", model="resp-model"), 2)
        self.assertEqual(self.usage("/v1/usage?by=scope", X_Weft_User="ann")[0]["calls"], 4)


class OwnCalls(Server):
    """Weft's own calls of models, put down to whose they were for."""

    upstream = ScriptedOpenAI

    @classmethod
    def setUpClass(cls):
        cls.own = ScriptedOpenAI()
        cls.toml = ('[models.m]\nurl = "%s"\nmodel = "own-model"\nwindow = 65536\n[roles]\nmain = "m"\n' % cls.own.url)
        super().setUpClass()

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        cls.own.close()

    def test_CM_15_a_run_is_put_down_to_its_user_and_role(self):
        status, text, _ = self.ask("POST", "/v1/tasks", {"task": "Say hello."}, X_Weft_User="ann")
        self.assertEqual(status, 200, text)
        run = json.loads(text)["id"]
        self.until(lambda: self.call("GET", "/v1/tasks/" + run)["status"] == "ended")
        found = self.metrics()
        calls = found.sum("weft_model_calls_total", role="main", model="own-model", outcome="answered")
        self.assertGreaterEqual(calls, 1)
        own = self.usage("/v1/usage?by=role,model", X_Weft_User="ann")
        self.assertIn(("main", "own-model"), [(one["role"], one["model"]) for one in own])
        nobodys = [one for one in self.usage("/v1/usage/all?by=scope") if not one.get("scope")]
        self.assertEqual(nobodys, [])


class Restarted(Server):
    settings = (*Server.settings, "usage.names=5")

    def test_CM_15_accounts_outlive_a_kill_and_hundreds_of_users_cost_few_labels(self):
        for number in range(120):
            for path, more in (("/v1/chat/completions", {}), ("/v1/chat/completions", {"X_Weft_Memory": "off"})):
                status, text, _ = self.ask("POST", path, {"model": "m%d" % (number % 30), "messages": [
                    {"role": "user", "content": "hi %d" % number}]}, X_Weft_User="u%d" % number, **more)
                self.assertEqual(status, 200, text)
        found = self.metrics()
        for name, label in (("weft_user_model_calls_total", "user"), ("weft_model_calls_total", "model"),
                            ("weft_model_seconds_count", "model"), ("weft_key_model_tokens_total", "key")):
            names = {one.labels[label] for one in found.samples(name)}
            self.assertLessEqual(len(names), 7, (name, names))  # five, "other" and "none"
        self.assertEqual(found.sum("weft_user_model_calls_total"), 240)
        self.assertGreater(found.sum("weft_user_model_calls_total", user="other"), 200)
        self.assertEqual(found.sum("weft_http_requests_total", route="/v1/chat/completions", status="2xx"), 240)
        self.assertLess(len(found.text), 200_000)
        self.server.restart(kill=True)
        self.assertEqual(sum(one["calls"] for one in self.usage()), 240)
        by_user = self.usage("/v1/usage/all?by=scope")
        self.assertEqual({one["scope"]: one["calls"] for one in by_user}, {"user:u%d" % n: 2 for n in range(120)})
        self.assertEqual(self.metrics().sum("weft_user_model_calls_total"), 0, "figures are since the start")
        # The command tells the same beside the server, and after it.
        told = json.loads(self.weft("usage", "--all", "--by", "role", "--json").stdout)["usage"]
        self.assertEqual([(one["role"], one["calls"]) for one in told], [("proxy", 240)])
        own = self.weft("usage", "-u", "u7", "--by", "model")
        self.assertIn("m7", own.stdout)
        self.assertEqual(self.weft("usage", "--from", "someday").returncode, 1)
        # Who is forgotten leaves the sums and takes the name along.
        self.ask("POST", "/v1/erase", {"everything": True}, X_Weft_User="u7")
        self.assertEqual(sum(one["calls"] for one in self.usage()), 240)
        with open(os.path.join(self.server.workspace, "usage.jsonl")) as file:
            self.assertNotIn('"user:u7"', file.read())


class Doors(Server):
    def key(self, name, *options):
        made = self.weft("key", "add", name, *options)
        self.assertEqual(made.returncode, 0, made.stderr)
        return made.stdout.strip()

    def test_CM_15_who_asks_is_told_by_the_name_of_the_key_and_names_only_to_who_may_know_them(self):
        admin, reader = self.key("caretaker", "--right", "admin"), self.key("dashboard", "--right", "read")
        ann, bob = self.key("ann's laptop", "--for-user", "ann"), self.key("bob's", "--for-user", "bob")
        self.until(lambda: self.ask("GET", "/v1/items")[0] == 401)
        call = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
        for key in (ann, ann, bob):
            self.assertEqual(self.ask("POST", "/v1/chat/completions", call, key=key)[0], 200)
        found = self.metrics(admin)
        self.assertEqual(found.sum("weft_key_model_calls_total", key="ann's laptop", outcome="answered"), 2)
        self.assertEqual(found.sum("weft_user_model_calls_total", user="user:bob", outcome="answered"), 1)
        self.assertGreater(found.sum("weft_http_refused_total", reason="key"), 0)
        told = self.metrics(reader)
        self.assertEqual(told.sum("weft_model_calls_total", role="proxy"), 3)
        for name in ("user:ann", "user:bob", "ann's laptop"):
            self.assertNotIn(name, told.text)
        # One's own, or all for who looks after all.
        self.assertEqual([one["calls"] for one in self.usage("/v1/usage?by=scope", key=ann)], [2])
        self.assertEqual(self.ask("GET", "/v1/usage", key=ann, X_Weft_User="bob")[0], 403)
        for key in (ann, reader):
            self.assertEqual(self.ask("GET", "/v1/usage/all", key=key)[0], 403)
        self.assertEqual(sum(one["calls"] for one in self.usage(key=admin)), 3)
        # A refusal for the right and one for the key; each in the log with who it was.
        self.assertEqual(self.ask("POST", "/v1/chat/completions", call, key=reader, X_Request_Id="looks-only")[0], 403)
        line = self.line_of("looks-only")
        self.assertEqual((line["key"], line["status"], line["route"]), ("dashboard", 403, "/v1/chat/completions"))
        status, text, headers = self.ask("GET", "/v1/items", key="weft_nokey", X_Request_Id="nobody")
        self.assertEqual((status, headers["X-Request-Id"]), (401, "nobody"))
        self.assertEqual(self.line_of("nobody")["key"], "")
        after = self.metrics(admin)
        self.assertEqual(after.sum("weft_http_refused_total", reason="right"), 4)
        with open(self.log_path) as file:
            log = file.read()
        for key in (admin, reader, ann, bob, "weft_nokey"):
            self.assertNotIn(key, log)
            self.assertNotIn(key.split("_")[-1], after.text)


if __name__ == "__main__":
    unittest.main()
