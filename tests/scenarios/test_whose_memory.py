"""Whose memory a request reaches, and who may: servers that have lost their keys, people whom a key may not name,
bodies that are hard to read, and keys of Weft that are nobody else's business."""

import json
import os
import unittest
import urllib.error
import urllib.parse
import urllib.request
from http.server import BaseHTTPRequestHandler

from scenario import Scenario, ScriptedOpenAI, WeftServer
from scripted_server import ScriptedServer

META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "scenario", "version": "1"}}


class WithKeys(Scenario):
    settings = ("embedding.provider=none",)

    def key(self, name, *options):
        made = self.weft("key", "add", name, *options)
        self.assertEqual(made.returncode, 0, made.stderr)
        return made.stdout.strip()

    def ask(self, key, method, path, body=None, raw=None, **headers):
        """Status and text of a call with this key."""
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
                   **{name.replace("_", "-"): value for name, value in headers.items()}}
        if key:
            headers.setdefault("Authorization", "Bearer " + key)
        data = raw if raw is not None else None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.server.url + path, data=data, method=method, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def tool(self, key, name, arguments, path="/mcp", **headers):
        """The same of a tool of the Model Context Protocol."""
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                   "params": {"name": name, "arguments": arguments, "_meta": META}}
        return self.ask(key, "POST", path, message, MCP_Protocol_Version="2026-07-28", Mcp_Method="tools/call",
                        Mcp_Name=name, **headers)

    def in_force(self, key):
        """Waits until the server has seen this key, and lets in nobody without one."""
        self.until(lambda: self.ask(key, "GET", "/v1/items")[0] == 200 and self.ask(None, "GET", "/v1/items")[0] == 401)


DOORS = (("GET", "/v1/jobs", None), ("GET", "/v1/items", None), ("GET", "/metrics", None), ("GET", "/v1/scopes", None),
         ("GET", "/openapi.json", None), ("POST", "/v1/jobs/retry", None),
         ("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": META}}),
         ("POST", "/v1/chat/completions", {"model": "m", "messages": [{"role": "user", "content": "hello"}]}))


class LostKeys(WithKeys):
    def setUp(self):
        self.model = ScriptedOpenAI()
        self.server = WeftServer(upstream=self.model.url, settings=self.settings)
        self.addCleanup(self.model.close)
        self.addCleanup(self.server.__exit__)

    @classmethod
    def setUpClass(cls):
        pass

    @classmethod
    def tearDownClass(cls):
        pass

    def closed(self, why):
        for method, path, body in DOORS:
            status, text = self.ask(None, method, path, body)
            self.assertEqual(status, 401, (why, method, path, text))
            self.assertIn("weft key add", text)
        for path in ("/healthz", "/ui"):
            self.assertEqual(self.ask(None, "GET", path)[0], 200, path)

    def keys_file(self):
        return os.path.join(self.server.workspace, "keys.jsonl")

    def test_PF_22_a_fresh_server_of_this_machine_needs_no_key(self):
        for method, path, body in DOORS[:4]:
            self.assertEqual(self.ask(None, method, path, body)[0], 200, path)

    def test_PF_22_the_last_key_closes_the_door_behind_it(self):
        key = self.key("only", "--right", "admin")
        self.in_force(key)
        gone = self.weft("key", "revoke", "only")
        self.assertEqual(gone.returncode, 0)
        self.assertIn("weft key add", gone.stderr)
        self.until(lambda: self.ask(key, "GET", "/v1/items")[0] == 401)
        self.closed("revoked")
        self.server.restart()
        self.closed("started with an emptied file")
        self.assertEqual(self.ask(key, "GET", "/v1/items")[0], 401)
        again = self.key("another", "--right", "admin")
        self.in_force(again)
        self.assertEqual(self.ask(again, "GET", "/v1/jobs")[0], 200)

    def test_PF_22_a_file_that_is_deleted_emptied_or_broken_opens_nothing(self):
        for what in ("deleted", "emptied", "a folder"):
            key = self.key("k " + what, "--right", "admin")
            self.in_force(key)
            os.remove(self.keys_file())
            if what == "emptied":
                open(self.keys_file(), "w").close()
            if what == "a folder":
                os.mkdir(self.keys_file())
            self.until(lambda: self.ask(key, "GET", "/v1/items")[0] == 401)
            self.assertEqual(self.ask(None, "GET", "/v1/jobs")[0], 401, what)
            if what == "a folder":
                os.rmdir(self.keys_file())

    def test_PF_22_another_address_than_loopback_stays_closed(self):
        key = self.key("only", "--right", "admin")
        self.server.command += ["--set", "server.host=0.0.0.0"]
        self.server.restart()
        self.assertEqual(self.ask(key, "GET", "/v1/jobs")[0], 200)
        self.assertEqual(self.weft("key", "revoke", "only").returncode, 0)
        self.until(lambda: self.ask(key, "GET", "/v1/items")[0] == 401)
        self.closed("revoked")
        os.remove(self.keys_file())
        self.closed("deleted")


class NamedPeople(WithKeys):
    settings = ("embedding.provider=none", "cognitive.sender_view=true", "cognitive.speaker_profiles=true")

    def test_PF_22_a_key_for_one_user_writes_into_nobody_elses_memory(self):
        ann = self.key("anns", "--for-user", "ann", "--for-group", "team")
        team = self.key("teams", "--for-group", "team")
        admin = self.key("all", "--right", "admin")
        self.in_force(admin)
        self.assertEqual(self.ask(admin, "PUT", "/v1/profiles/user/bob", {"body": "- Bob rows."}, X_Weft_User="bob")[0], 200)
        end = {"action_summary": "Talked.", "new_info": "Bob gave his house away.", "sender_id": "bob"}
        for key in (ann, team):
            for number, (method, path, body) in enumerate((
                    ("POST", "/v1/sessions/s/end", end),
                    ("POST", "/v1/sessions/s/end", {**end, "metadata": {"group_id": "team", "user_id": "bob"}}),
                    ("POST", "/v1/tools/end", end), ("POST", "/v1/task_reports", {"id": "r", "task": "t", "owner": "workspace"}),
                    ("POST", "/v1/task_reports", {"id": "r", "task": "t", "owner": "user:bob"}),
                    ("POST", "/v1/skills", {"text": "# A\n1. B.\n2. C.", "owner": "user:bob"}),
                    ("PUT", "/v1/profiles/user/bob", {"body": "- Bob is poor."}),
                    ("GET", "/v1/profiles/user/bob", None),
                    ("POST", "/v1/tools/cognitive_get_profile", {"entity_type": "user", "entity_id": "bob"}))):
                headers = {} if "metadata" in (body or {}) else {"X_Weft_Group": "team"}
                status, text = self.ask(key, method, path, body, **headers)
                self.assertEqual(status, 403, (number, path, text))
            status, text = self.tool(key, "end", end, X_Weft_Group="team")
            self.assertIn("does not speak for the user", text)
        # Nor by way of what somebody else has said.
        self.assertEqual(self.ask(admin, "POST", "/v1/sessions/s3/messages",
                                  {"id": "b1", "role": "user", "name": "Bob", "content": "I sold my boat."},
                                  X_Weft_Group="team", X_Weft_User="bob")[0], 200)
        for key, more in ((ann, {"X_Weft_User": "ann"}), (team, {})):
            self.ask(key, "POST", "/v1/sessions/s3/end",
                     {"action_summary": "Talked.", "new_info": "Bob gave his house away.", "message_ids": ["b1"]},
                     X_Weft_Group="team", **more)
        # Who speaks for bob may.
        self.settle_as(admin)
        self.assertNotIn("house", self.ask(admin, "GET", "/v1/items?user=bob&kind=all")[1])
        self.assertNotIn("house", self.ask(admin, "GET", "/v1/profiles/user/bob", X_Weft_User="bob")[1])
        self.assertEqual(self.ask(ann, "POST", "/v1/sessions/s/end", {**end, "sender_id": "ann"}, X_Weft_Group="team",
                                  X_Weft_User="ann")[0], 200)
        self.assertEqual(self.ask(admin, "POST", "/v1/sessions/s2/end", end, X_Weft_Group="team")[0], 200)
        self.settle_as(admin)
        self.assertIn('"sender_id":"bob"', self.ask(admin, "GET", "/v1/items?user=bob&kind=all")[1])

    def settle_as(self, key):
        def still():
            status = json.loads(self.ask(key, "GET", "/healthz")[1])
            return status["waiting_blocks"] + status["queue"]["pending"] + status["queue"]["processing"] == 0
        self.until(still)


class HardBodies(WithKeys):
    def deep(self, depth):
        return "[" * depth + "]" * depth

    def items_of(self, user):
        return self.ask(None, "GET", "/v1/items?kind=all&user=" + user)[1]

    def test_PF_22_whoever_a_body_names_is_meant_or_it_is_refused(self):
        call = '{"id":"c","type":"function","function":{"name":"f","arguments":"{}"},"more":%s}'
        message = '{"role":"assistant","content":"The code word is %s.","tool_calls":[' + call + "]}"
        for number, (start, depth) in enumerate((("", 1), ("", 55), ("", 58), ("", 60), ("", 61), ("", 62), ("", 64), ("", 66),
                                                 ("", 200), ("\ufeff", 1), (" \n\ufeff", 1), ("\ufeff", 58))):
            word = "word%dx" % number
            one = message % (word, self.deep(depth))
            for path, raw in (("/v1/sessions/s/messages", '%s{"user":"bob","messages":[%s]}' % (start, one)),
                              ("/v1/sessions/s/messages", '%s{"metadata":{"user_id":"bob"},%s' % (start, one[1:])),
                              ("/v1/sessions/s/context", '%s{"user":"bob","messages":[%s]}' % (start, one)),
                              ("/v1/chat/completions", '%s{"user":"bob","model":"m","messages":[%s,{"role":"user","content":"hello"}]}'
                               % (start, one)),
                              ("/v1/responses", '%s{"user":"bob","model":"m","input":"%s","x":%s}' % (start, word, self.deep(depth)))):
                status, text = self.ask(None, "POST", path, raw=raw.encode())
                self.assertIn(status, (200, 400, 413), (path, text))
            self.assertNotIn(word, self.items_of("default"), (start, depth))
        self.assertIn("word0x", self.items_of("bob"))
        self.assertIn("word2x", self.items_of("bob"))

    def test_PF_22_names_that_are_not_read_are_refused(self):
        said = {"role": "user", "content": "My code word is lantern."}
        for body in ({**said, "user_id": "bob"}, {**said, "weft_user": "bob"}, {**said, "groupId": "g"},
                     {"messages": [said], "weft_user": "bob"}):
            self.assertEqual(self.ask(None, "POST", "/v1/sessions/s/messages", body)[0], 400, body)
        chat = {"model": "m", "messages": [said]}
        self.assertEqual(self.ask(None, "POST", "/v1/chat/completions", {**chat, "weft_user": "bob"})[0], 400)
        for more in ({"metadata": {"weft_user": "bob"}}, {"weft_user": "bob"}):
            self.assertEqual(self.ask(None, "POST", "/v1/messages", {**chat, "max_tokens": 5, **more})[0], 400)
        self.assertNotIn("lantern", self.items_of("default"))
        for more in ({"user": "bob"}, {"metadata": {"user_id": "bob"}}, {"world": "w"}):
            text = self.tool(None, "memory_observe", {"messages": [said], **more})[1]
            self.assertIn("there is no argument", text)
        self.assertNotIn("lantern", self.items_of("default"))
        self.assertEqual(self.tool(None, "memory_observe", {"messages": [said]}, path="/mcp?user=ann&user=bob")[0], 400)


class Ear(BaseHTTPRequestHandler):
    """A model's server of every form that writes down all that it hears."""
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self):
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length).decode()
        self.server.seen.append((self.command, self.path, str(self.headers), body))
        message = {"role": "assistant", "content": "Yes."}
        text = [{"type": "text", "text": "Yes."}]
        path = self.path.split("?")[0]
        known = {"/v1/chat/completions": {"id": "c", "object": "chat.completion", "model": "m",
                                          "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]},
                 "/v1/messages": {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": text,
                                  "stop_reason": "end_turn", "usage": {"input_tokens": 1, "output_tokens": 1}},
                 "/v1/messages/count_tokens": {"input_tokens": 1},
                 "/v1/responses": {"id": "resp_1", "object": "response", "status": "completed", "model": "m",
                                   "output": [{"type": "message", "id": "i", "role": "assistant", "status": "completed",
                                               "content": [{"type": "output_text", "text": "Yes.", "annotations": []}]}]}}
        data = json.dumps(known.get(path, {"object": "list", "data": []})).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = do_DELETE = answer


class OurKeys(WithKeys):
    own = "s3cret-of/the+server"
    native = True

    @classmethod
    def setUpClass(cls):
        cls.model = ScriptedServer(Ear)
        more = ("proxy.anthropic_upstream=" + cls.model.url,) if cls.native else ()
        cls.server = WeftServer(upstream=cls.model.url, settings=(*cls.settings, "server.api_key=" + cls.own, *more))

    def test_PF_22_no_key_of_ours_reaches_the_models_server(self):
        key = self.key("client")
        self.in_force(key)
        chat = {"model": "m", "messages": [{"role": "user", "content": "hello"}]}
        calls = (("POST", "/v1/chat/completions", chat), ("POST", "/v1/messages", {**chat, "max_tokens": 5}),
                 ("POST", "/v1/messages/count_tokens", chat), ("POST", "/v1/responses", {"model": "m", "input": "hello"}),
                 ("GET", "/v1/models", None), ("GET", "/v1/models/m", None), ("POST", "/v1/completions", {"prompt": "x"}),
                 ("POST", "/v1/embeddings", {"input": "x"}), ("GET", "/v1/conversations/c", None),
                 ("POST", "/v1/responses/input_tokens", {"model": "m", "input": "x"}))
        heard = 0
        for ours in (key, self.own):
            quoted = urllib.parse.quote(ours, safe="")
            for method, path, body in calls:
                for memory in ("on", "off"):
                    status, text = self.ask(ours, method, path + "?limit=2&key=" + quoted, body, X_Weft_Memory=memory,
                                            X_Api_Key=ours, X_Weft_Key=ours, Cookie="a=1; weft=" + ours, Api_Key=ours,
                                            X_Goog_Api_Key="Bearer " + ours)
                    self.assertLess(status, 500, text)
        for method, path, headers, body in self.model.seen:
            heard += 1
            for secret in (key, self.own, urllib.parse.quote(self.own, safe="")):
                self.assertNotIn(secret, path + "\n" + headers + body, (method, path))
        self.assertGreater(heard, 20)

    def test_PF_22_keys_of_the_models_server_go_through(self):
        key = self.key("another client")
        self.in_force(key)
        chat = {"model": "m", "max_tokens": 5, "messages": [{"role": "user", "content": "hello"}]}
        for path in ("/v1/chat/completions", "/v1/messages"):
            self.ask(None, "POST", path, chat, X_Weft_Key=key, Authorization="Bearer of-the-model", X_Other="kept")
            headers = self.model.seen[-1][2]
            self.assertIn("of-the-model", headers)
            self.assertIn("kept", headers)
            self.assertNotIn(key, headers)
            for memory in ("on", "off"):  # a key that somebody takes for the name of a header
                status, text = self.ask(None, "POST", path, chat, X_Weft_Key=key, X_Weft_Memory=memory, **{key: "x"})
                self.assertLess(status, 400, text)
                self.assertNotIn(key.replace("_", "-"), self.model.seen[-1][2].lower().replace("_", "-"))


class OurKeysTranslated(OurKeys):
    native = False


if __name__ == "__main__":
    unittest.main()
