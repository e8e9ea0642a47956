"""Whatever comes in, the server answers it or ends the connection, and goes on: bodies and arguments that nest without
end, requests that are none, clients that leave (PF-21)."""

import json
import re
import socket
import unittest
import urllib.error

from scenario import Scenario

DEEP = 200_000
PASSED_ON = ("/v1/completions", "/v1/embeddings", "/v1/moderations", "/v1/chat/completions", "/v1/messages",
             "/v1/responses", "/v1/messages/count_tokens", "/v1/responses/input_tokens", "/v1/responses/compact",
             "/v1/conversations", "/v1/conversations/{id}", "/v1/conversations/{id}/items")  # for the model's server
LIST, OBJECT = "[" * DEEP + "]" * DEEP, '{"a":' * DEEP + "1" + "}" * DEEP


class StaysUp(Scenario):
    toml = '[embedding]\nprovider = "none"\n'

    @property
    def port(self):
        return int(self.server.url.rsplit(":", 1)[1])

    def line(self, text=b""):
        """A bare connection on which something was said."""
        made = socket.create_connection(("127.0.0.1", self.port), timeout=60)
        self.addCleanup(made.close)
        made.sendall(text)
        return made

    def status_of(self, text):
        """The status of the answer to these bytes; 0: the connection was closed without one."""
        got = b""
        line = self.line(text)
        try:
            while b"\r\n" not in got:
                piece = line.recv(4096)
                if not piece:
                    return 0
                got += piece
        except ConnectionError:
            return 0
        return int(got.split()[1])

    def lives(self):
        self.assertIn("queue", self.call("GET", "/healthz"))
        said = self.observe("alive", [{"role": "user", "content": "I am still here."},
                                      {"role": "assistant", "content": "So am I."}])
        self.assertEqual(len(said["observations"]), 2)

    def test_PF_21_bodies_that_nest_without_end_are_refused_everywhere(self):
        paths = self.call("GET", "/openapi.json")["paths"]
        asked = 0
        for path, methods in paths.items():
            for method, operation in methods.items():
                if "requestBody" not in operation or path in PASSED_ON:
                    continue
                for body in (LIST, OBJECT, "[" * DEEP, '{"messages":%s}' % LIST, '{"x":%s}' % OBJECT):
                    code, _ = self.fails(method.upper(), re.sub(r"\{\w+\}", "x", path), raw=body)
                    self.assertIn(code // 100, (4, 5), (method, path))
                    self.assertNotIn(code, (500, 502), (method, path))
                    asked += 1
        self.assertGreater(asked, 100)
        for path in ("/v1/chat/completions", "/v1/messages", "/v1/responses", "/mcp"):
            for body in (LIST, OBJECT, "[" * DEEP, '{"model":"m","messages":%s,"input":%s}' % (LIST, LIST)):
                try:
                    self.call("POST", path, raw=body, headers={"Accept": "application/json, text/event-stream"})
                except urllib.error.HTTPError as refused:
                    self.assertIn(refused.code // 100, (4, 5), path)
        self.lives()

    def test_PF_21_arguments_that_nest_without_end_pass_through(self):
        call = {"id": "c", "type": "function", "function": {"name": "look", "arguments": LIST}}
        history = [{"role": "user", "content": "Look."}, {"role": "assistant", "content": None, "tool_calls": [call]},
                   {"role": "tool", "tool_call_id": "c", "content": LIST}, {"role": "user", "content": "And?"}]
        self.chat(history, session="deep")
        self.observe("deeper", history)
        items = [{"role": "user", "content": "Look."},
                 {"type": "function_call", "call_id": "c", "name": "look", "arguments": OBJECT},
                 {"type": "function_call_output", "call_id": "c", "output": OBJECT}]
        self.call("POST", "/v1/responses", {"model": "scripted", "input": items})
        # An answer that calls a tool so, for each of the forms that clients speak.
        answer = {"id": "c1", "object": "chat.completion", "created": 1, "model": "scripted", "choices": [
            {"index": 0, "finish_reason": "tool_calls",
             "message": {"role": "assistant", "content": None, "tool_calls": [call]}}]}
        self.model.rules.append(lambda body: (200, answer))
        self.addCleanup(self.model.rules.clear)
        self.chat([{"role": "user", "content": "Look again."}])
        self.call("POST", "/v1/responses", {"model": "scripted", "input": "Look again."})
        self.call("POST", "/v1/messages", {"model": "scripted", "max_tokens": 9,
                                           "messages": [{"role": "user", "content": "Look again."}]})
        self.lives()

    def test_PF_21_parts_whose_type_is_no_text_are_refused_in_every_form(self):
        for wrong in (7, None, {}, [], True):
            parts = [{"type": wrong, "text": "hi"}]
            code, error = self.fails("POST", "/v1/sessions/s/messages",
                                     {"messages": [{"role": "user", "content": parts}]})
            self.assertEqual(code, 400)
            self.assertIn("type", error["message"])
            for path, body in (
                    ("/v1/chat/completions", {"messages": [{"role": "user", "content": parts}]}),
                    ("/v1/messages", {"max_tokens": 9, "messages": [{"role": "user", "content": parts}]}),
                    ("/v1/responses", {"input": [{"role": "user", "content": parts}]}),
                    ("/v1/responses", {"input": [{"type": wrong, "content": "hi"}]})):
                try:
                    self.call("POST", path, {"model": "scripted", **body})
                except urllib.error.HTTPError as refused:
                    self.assertEqual(refused.code // 100, 4, (path, wrong))
        self.lives()

    def test_PF_21_what_is_no_request_ends_its_own_connection_alone(self):
        head = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        silent = [self.line() for _ in range(100)]
        half = [self.line(head) for _ in range(100)]
        self.assertEqual(self.status_of(head + b"X: y\r\n" * 40_000 + b"\r\n"), 431)
        self.assertEqual(self.status_of(head + b"X: " + b"y" * 1_000_000 + b"\r\n\r\n"), 431)
        self.assertEqual(self.status_of(b"POST /v1/search HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99999999999\r\n\r\n"), 413)
        for text in (b"\x00" * 1000 + b"\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" * 9, b"GET\r\n\r\n",
                     b"GET / HTTP/9.9\r\n\r\n", b"A" * 100_000, b"\r\n" * 1000,
                     head + b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n",
                     head + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nxx",
                     head + b"Content-Length: -1\r\n\r\n"):
            line = self.line(text)
            line.shutdown(socket.SHUT_WR)
            try:
                while line.recv(65536):
                    pass
            except ConnectionError:
                pass
        many = self.line((head + b"\r\n") * 500)
        got = b""
        while got.count(b"HTTP/1.1 200") < 500:
            piece = many.recv(65536)
            self.assertTrue(piece)
            got += piece
        self.assertEqual(len(silent) + len(half), 200)
        self.lives()

    def test_PF_21_clients_that_leave_in_the_middle_of_a_stream(self):
        body = json.dumps({"model": "scripted", "stream": True,
                           "messages": [{"role": "user", "content": "Tell it slowly."}]}).encode()
        for path in (b"/v1/chat/completions", b"/v1/messages", b"/v1/responses"):
            for _ in range(10):
                line = self.line(b"POST " + path + b" HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                                 b"Content-Length: %d\r\n\r\n" % len(body) + body)
                line.recv(100)
                line.close()
        self.lives()


if __name__ == "__main__":
    unittest.main()
