"""One caller takes all that it can get: hundreds of connections, hundreds of streams that listen. Others are served all
the while, health and metrics are answered, and what was given back works again (PF-10)."""

import json
import os
import select
import shutil
import socket
import tempfile
import time
import unittest
import urllib.error
import urllib.request

from scenario import Scenario

CONNECTIONS, PER_CALLER, STREAMS, SPARE = 120, 60, 40, 8


class Line:
    """A bare connection: one request at a time, and what came so far."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=20)
        self.got = b""

    def ask(self, method, path, key=None, body=None, **headers):
        data = b"" if body is None else json.dumps(body).encode()
        lines = ["%s %s HTTP/1.1" % (method, path), "Host: 127.0.0.1", "Content-Length: %d" % len(data)]
        lines += ["Authorization: Bearer " + key] if key else []
        lines += ["%s: %s" % (name.replace("_", "-"), value) for name, value in headers.items()]
        self.socket.sendall("\r\n".join(lines + ["", ""]).encode() + data)
        return self

    def until(self, mark):
        """What came up to this mark; all there was if the server closes before."""
        while mark not in self.got:
            piece = self.socket.recv(65536)
            if not piece:
                return self.got.decode()
            self.got += piece
        return self.got.decode()

    def head(self):
        """Status and headers of the answer."""
        lines = self.until(b"\r\n\r\n").split("\r\n\r\n")[0].split("\r\n")
        if not lines[0]:
            return 0, {}
        return int(lines[0].split()[1]), dict((line.lower().split(": ", 1) for line in lines[1:]))

    def body(self):
        """The body of a whole answer."""
        length = int(self.head()[1]["content-length"])
        begin = self.got.index(b"\r\n\r\n") + 4
        while len(self.got) < begin + length:
            piece = self.socket.recv(65536)
            if not piece:
                break
            self.got += piece
        return self.got[begin:begin + length].decode()

    def error(self):
        """The error of an answer that is one."""
        return json.loads(self.body())["error"]

    def open(self):
        """The server has not closed it."""
        readable, _, _ = select.select([self.socket], [], [], 0)
        try:
            return not readable or self.socket.recv(1, socket.MSG_PEEK) != b""
        except OSError:
            return False

    def close(self):
        self.socket.close()


class OneCallerAmongMany(Scenario):
    settings = ("server.max_connections=%d" % CONNECTIONS, "server.connections_per_caller=%d" % PER_CALLER,
                "server.streams_per_caller=%d" % STREAMS, "server.spare_connections=%d" % SPARE,
                "server.stream_heartbeat_ms=300")
    toml = '[embedding]\nprovider = "none"\n'

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="weft-timetable-")
        with open(os.path.join(cls.folder, "ferry.md"), "w") as file:
            file.write("# Timetable\n\nThe ferry leaves at nine.\n")
        cls.files = {"research.json": json.dumps({"folders": [cls.folder]})}
        super().setUpClass()

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        shutil.rmtree(cls.folder, ignore_errors=True)

    def setUp(self):
        self.lines = []
        self.addCleanup(lambda: [line.close() for line in self.lines])
        if not hasattr(type(self), "keys"):
            type(self).keys = {name: self.weft("key", "add", name, *options).stdout.strip() for name, options in (
                ("greedy", ("--for-user", "ann")), ("second", ("--for-user", "bea")), ("third", ("--for-user", "cid")),
                ("other", ("--for-user", "bob")), ("prometheus", ("--right", "read")), ("carer", ("--right", "admin")))}
            time.sleep(1.2)  # the server looks at the file every second
        time.sleep(0.5)  # until the server has seen that the connections of the last test are gone

    @property
    def port(self):
        return int(self.server.url.rsplit(":", 1)[1])

    def line(self):
        self.lines.append(Line(self.port))
        return self.lines[-1]

    def listen(self, key):
        return self.line().ask("GET", "/v1/events", self.keys[key])

    def status(self, path, key=None):
        request = urllib.request.Request(self.server.url + path,
                                         headers={"Authorization": "Bearer " + self.keys[key]} if key else {})
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            return error.code

    def say(self, key, session="s"):
        line = Line(self.port)
        try:
            body = {"role": "user", "content": "The ferry leaves at nine."}
            return line.ask("POST", "/v1/sessions/%s/messages" % session, self.keys[key], body,
                            Content_Type="application/json").head()[0]
        finally:
            line.close()

    def care_is_answered(self):
        for path in ("/healthz", "/livez", "/readyz"):
            self.assertEqual(self.status(path), 200, path)
        self.assertEqual(self.status("/metrics", "prometheus"), 200)
        self.assertEqual(self.status("/v1/jobs", "carer"), 200)

    def threads(self):
        with open("/proc/%d/status" % self.server.process.pid) as file:
            return int(next(line.split()[1] for line in file if line.startswith("Threads:")))

    def metric(self, name):
        request = urllib.request.Request(self.server.url + "/metrics",
                                         headers={"Authorization": "Bearer " + self.keys["prometheus"]})
        with urllib.request.urlopen(request, timeout=60) as answer:
            lines = answer.read().decode().splitlines()
        return float(next(line.rsplit(" ", 1)[1] for line in lines if line.startswith(name + " ")))

    def leave(self):
        for line in self.lines:
            line.close()
        self.lines.clear()

    def test_PF_10_hundreds_of_streams_of_one_key(self):
        before = self.threads()
        told = [self.listen("greedy").head() for _ in range(STREAMS + 5)]
        self.assertEqual([status for status, _ in told], [200] * STREAMS + [429] * 5)
        self.assertGreater(int(told[-1][1]["retry-after"]), 0)
        self.assertIn("server.streams_per_caller", self.lines[-1].error()["hint"])
        self.assertIn("too many", self.lines[-1].error()["message"])
        # Further ones take up connections until there are no more of those for this caller.
        further = [self.listen("greedy").head() for _ in range(300)]
        self.assertEqual({status for status, _ in further}, {429})
        self.assertIn("close", {headers["connection"] for _, headers in further})
        self.assertLess(self.threads(), before + 20, "who only listens has no thread")
        self.assertGreaterEqual(self.metric('weft_http_refused_total{reason="too_many"}'), 305)
        self.assertEqual(self.metric("weft_http_streams_open"), STREAMS)
        # Everybody else goes on.
        self.assertEqual(self.say("other"), 200)
        self.care_is_answered()
        # And so do the streams: each is told what happens, and that it is still connected.
        for line in self.lines[STREAMS:]:
            line.close()
        self.until(lambda: self.say("greedy", session="of-greedy") == 200)
        for line in self.lines[:STREAMS]:
            self.assertIn("event: message", line.until(b"event: message"))
            line.got = b""
            self.assertIn(": still here", line.until(b": still here"))
        # What is given back can be had again, without what was missed meanwhile.
        for line in self.lines[:10]:
            line.close()
        self.until(lambda: self.listen("greedy").head()[0] == 200)
        again = self.line().ask("GET", "/v1/events?since=0", self.keys["greedy"])
        self.assertIn("of-greedy", again.until(b"of-greedy"))

    def test_PF_10_hundreds_of_connections_that_say_nothing(self):
        silent = [self.line() for _ in range(CONNECTIONS + 300)]
        self.assertEqual(self.say("other"), 200)
        self.care_is_answered()
        # The oldest have made room; none of them was served in anybody's place.
        self.until(lambda: sum(line.open() for line in silent) <= CONNECTIONS + SPARE)
        # The same with connections that wait for a further request.
        self.leave()
        kept = []
        for _ in range(PER_CALLER + 50):
            kept.append(self.line().ask("GET", "/v1/items", self.keys["greedy"]).head()[0])
        self.assertEqual(kept, [200] * PER_CALLER + [429] * 50)
        self.assertIn("server.connections_per_caller", self.lines[-1].error()["hint"])
        self.assertEqual(self.say("other"), 200)
        self.care_is_answered()

    def test_PF_10_a_full_server_says_so_at_once(self):
        for key in ("greedy", "second", "third"):
            for _ in range(STREAMS):
                self.assertEqual(self.listen(key).head()[0], 200)
        for _ in range(SPARE * 3):
            status, headers = self.line().ask("GET", "/v1/items", self.keys["other"]).head()
            self.assertEqual((status, headers["connection"]), (503, "close"))
            self.assertGreater(int(headers["retry-after"]), 0)
            self.assertIn("server.max_connections", self.lines[-1].error()["hint"])
            self.care_is_answered()
        self.leave()
        self.until(lambda: self.say("other") == 200)

    def test_PF_10_who_waits_long_for_events_holds_nobody_up(self):
        # As many as there are threads for work, and more.
        asked = {"question": "When does the ferry leave?", "kind": "fact"}
        begun = self.line().ask("POST", "/v1/research", self.keys["greedy"], asked, Content_Type="application/json")
        number = json.loads(begun.body())["id"]
        for _ in range(30):
            self.line().ask("GET", "/v1/research/%s/events?since=1000000&wait_ms=25000" % number, self.keys["greedy"])
        self.assertEqual(self.say("other"), 200)
        self.care_is_answered()
        self.assertFalse(self.lines[-1].got)
        self.assertTrue(self.lines[-1].open())

    def test_PF_10_streams_of_tools_hold_no_thread_and_hear_of_changes(self):
        accept = {"Accept": "application/json, text/event-stream", "Content_Type": "application/json"}
        before = self.threads()
        meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": {"name": "s", "version": "1"},
                "io.modelcontextprotocol/clientCapabilities": {}}
        for number in range(STREAMS // 2):
            asked = {"jsonrpc": "2.0", "id": number, "method": "subscriptions/listen", "params": {
                "_meta": meta, "notifications": {"resourcesListChanged": True}}}
            line = self.line().ask("POST", "/mcp", self.keys["second"], asked, MCP_Protocol_Version="2026-07-28",
                                   Mcp_Method="subscriptions/listen", **accept)
            self.assertEqual(line.head()[0], 200, line.got)
            self.assertIn("acknowledged", line.until(b"\n\n\r\n"))
        # Those with a handshake have a stream of their own.
        hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "s", "version": "1"}}}
        session = self.line().ask("POST", "/mcp", self.keys["second"], hello, **accept).head()[1]["mcp-session-id"]
        profile = {"jsonrpc": "2.0", "id": 2, "method": "resources/subscribe", "params": {"uri": "weft://profile"}}
        self.assertEqual(self.line().ask("POST", "/mcp", self.keys["second"], profile, Mcp_Session_Id=session,
                                         **accept).head()[0], 200)
        own = self.line().ask("GET", "/mcp", self.keys["second"], Mcp_Session_Id=session, Accept="text/event-stream")
        self.assertEqual(own.head()[0], 200)
        for number in range(STREAMS // 2 - 1):
            self.assertEqual(self.listen("second").head()[0], 200)
        self.assertEqual(self.listen("second").head()[0], 429)
        self.assertLess(self.threads(), before + 20)
        put = self.line().ask("PUT", "/v1/profiles/user/bea", self.keys["second"], {"body": "- Bea rows on Sundays.\n"},
                              Content_Type="application/json")
        self.assertEqual(put.head()[0], 200, put.got)
        self.assertIn("resources/updated", own.until(b"resources/updated"))

    def test_PF_10_a_server_that_ends_says_farewell(self):
        streams = [self.listen("greedy") for _ in range(10)]
        for line in streams:
            line.until(b"looking on")
        self.server.restart()
        for line in streams:
            self.assertTrue(line.until(b"never").endswith("0\r\n\r\n"), "ended, not broken off")
        self.assertEqual(self.listen("greedy").head()[0], 200)


if __name__ == "__main__":
    unittest.main()
