"""Runs in Hermes Agent's own Python: the provider, loaded by the host's loader and called as the host's documentation says.

Arguments: the server's address. The key stands in WEFT_KEY, the host's folder in HERMES_HOME."""

import inspect
import json
import logging
import os
import socket
import sys
import threading
import time
import unittest
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import quote

from agent.memory_manager import MemoryManager
from agent.memory_provider import MemoryProvider
from plugins.memory import load_memory_provider

URL = sys.argv.pop(1)
HOME = Path(os.environ["HERMES_HOME"])
KEY = os.environ["WEFT_KEY"]
WAITING = HOME / "weft/waiting.jsonl"


class Log(logging.Handler):
    def __init__(self):
        super().__init__()
        self.lines = []

    def emit(self, record):
        self.lines.append(record.getMessage())


def provider(url=URL, user="ann", **told):
    (HOME / "weft.json").write_text(json.dumps({"url": url, "user": user, "recall_ms": 10000, "observe_ms": 10000, **told}))
    return load_memory_provider("weft")


def begun(session, url=URL, user="ann", told=None, **known):
    made = provider(url, user, **(told or {}))
    made.initialize(session, **{"hermes_home": str(HOME), "platform": "cli", "agent_context": "primary", **known})
    return made


def told(session, what, **whose):
    headers = {"X-Weft-Key": KEY, **(whose or {"X-Weft-User": "ann"})}
    headers = {name.replace("_", "-"): quote(value, safe="") for name, value in headers.items()}
    request = urllib.request.Request(URL + "/v1/sessions/%s/%s" % (quote("hermes:" + session, safe=""), what), headers=headers)
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def kept(session, **whose):
    return [(one["role"], one["content"]) for one in told(session, "messages", **whose)["messages"]]


def topics(session, wanted):
    """Of each topic the reason why it was closed, or that it is open. Topics are decided behind the answer: waits until
    they are as wanted."""
    end = time.time() + 30
    while True:
        found = ["open" if one["open"] else one["reason"] for one in told(session, "turns")["topics"]]
        if found == wanted or time.time() > end:
            return found
        time.sleep(0.05)


class Answering(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_POST(self):
        self.server.way(self)

    do_GET = do_POST


class Edges(unittest.TestCase):
    def setUp(self):
        self.log = Log()
        logging.getLogger("_hermes_user_memory.weft").addHandler(self.log)
        WAITING.unlink(missing_ok=True)

    def tearDown(self):
        logging.getLogger("_hermes_user_memory.weft").removeHandler(self.log)
        self.assertNotIn(KEY, "\n".join(self.log.lines))

    def serving(self, way):
        server = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
        server.daemon_threads = True
        server.way = way
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return "http://127.0.0.1:%d" % server.server_port

    def test_it_keeps_to_the_interface(self):
        made = provider()
        self.assertIsInstance(made, MemoryProvider)
        for name, wanted in inspect.getmembers(MemoryProvider, inspect.isfunction):
            has = inspect.signature(getattr(type(made), name))
            if any(one.kind is one.VAR_KEYWORD for one in has.parameters.values()):
                continue
            for parameter in inspect.signature(wanted).parameters.values():
                if parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
                    self.assertIn(parameter.name, has.parameters, name)
        for field in made.get_config_schema():
            self.assertTrue({"key", "description", "env_var"} <= set(field))
        manager = MemoryManager()
        manager.add_provider(made)
        self.assertEqual(set(manager.get_all_tool_names()), {"memory_search", "memory_get"})

    def test_the_order_of_the_documentation(self):
        manager = MemoryManager()
        manager.add_provider(provider())
        manager.initialize_all("order-1", platform="cli", agent_context="primary")
        self.assertIn("memory_search", manager.build_system_prompt())
        manager.on_turn_start(1, "The harbour pilot is called Zorbani.")
        self.assertEqual(manager.prefetch_all("The harbour pilot is called Zorbani."), "")
        manager.sync_all("The harbour pilot is called Zorbani.", "All right.", session_id="order-1", messages=[{}, {}])
        manager.queue_prefetch_all("The harbour pilot is called Zorbani.", session_id="order-1")
        self.assertTrue(manager.flush_pending(30))
        self.assertEqual(len(kept("order-1")), 2)
        # Seen still, so it is not told; once the host has compressed it may be.
        self.assertNotIn("Zorbani", manager.prefetch_all("Who is the harbour pilot?"))
        self.assertEqual(manager.on_pre_compress([]), "")
        self.assertIn("Zorbani", manager.prefetch_all("Who is the harbour pilot?"))
        manager.commit_session_boundary_async([], new_session_id="order-2")
        self.assertTrue(manager.flush_pending(30))
        self.assertIn("Zorbani", manager.prefetch_all("Who is the harbour pilot?"))
        manager.sync_all("谢谢，引航员的船是红色的。", "好的。", session_id="order-2")
        self.assertTrue(manager.flush_pending(30))
        found = json.loads(manager.handle_tool_call("memory_search", {"query": "引航员的船", "max_results": "3"}))
        self.assertTrue(found["results"])
        manager.shutdown_all()
        self.assertEqual(kept("order-2")[0], ("user", "谢谢，引航员的船是红色的。"))

    def test_the_same_turn_twice(self):
        for _ in range(2):  # the second time as after a restart of the host
            begun("twice").sync_turn("Once only.", "Yes.", session_id="twice", messages=[{}] * 4)
        self.assertEqual(len(kept("twice")), 2)

    def test_an_end_that_overtakes_the_last_turn(self):
        """The host hands turns over on a thread of its own, and may end the session before the last one is."""
        for session, go_on in (("late-1", lambda made: None), ("late-2", lambda made: made.on_session_switch("late-next"))):
            made = begun(session)
            made.prefetch("The ferry leaves at nine.")
            made.sync_turn("The ferry leaves at nine.", "All right.", session_id=session)
            made.prefetch("And the bus?")
            made.on_session_end([])
            go_on(made)
            self.assertEqual(topics(session, ["open"]), ["open"])
            made.sync_turn("And the bus?", "At ten.", session_id=session)
            self.assertEqual(topics(session, ["save"]), ["save"])
            made.shutdown()
            self.assertEqual((len(kept(session)), topics(session, ["save"])), (4, ["save"]))

    def test_the_end_of_a_turn_that_was_never_completed(self):
        made = begun("broken-off")
        made.prefetch("渡轮九点开。")
        made.sync_turn("渡轮九点开。", "好的。", session_id="broken-off")
        made.prefetch("那公交车呢？")
        made.on_session_end([])
        made.shutdown()
        self.assertEqual(topics("broken-off", ["save"]), ["save"])

    def test_what_is_no_talk_with_a_person(self):
        for session, known in (("cron", {"platform": "cron"}), ("sub", {"agent_context": "subagent"}),
                               ("flush", {"agent_context": "flush"})):
            begun(session, **known).sync_turn("Look after the house.", "Done.", session_id=session)
            self.assertEqual(kept(session), [])

    def test_whose_memory_it_is(self):
        begun("w1", user="", platform="telegram", user_id="7", chat_id="7", chat_type="dm").sync_turn("Seven.", "Yes.")
        self.assertEqual(len(kept("w1", X_Weft_User="telegram:7")), 2)
        begun("w2", platform="discord", user_id="8", chat_id="99", chat_type="channel").sync_turn("Eight.", "Yes.")
        self.assertEqual(len(kept("w2", X_Weft_Group="discord:99")), 2)
        self.assertEqual(kept("w2"), [])
        begun("x" * 400 + "\x07").sync_turn("A long name.", "Yes.")
        self.assertEqual(self.log.lines, [])

    def test_servers_that_hang_drip_lie_or_break(self):
        def drip(exchange):
            exchange.send_response(200)
            exchange.end_headers()
            try:
                for _ in range(3000):
                    exchange.wfile.write(b" ")
                    time.sleep(0.02)
            except OSError:
                pass

        def lie(exchange):
            exchange.send_response(200)
            exchange.end_headers()
            exchange.wfile.write(b"<html>")

        ways = {"hang": lambda exchange: time.sleep(60), "drip": drip, "lie": lie,
                "broken": lambda exchange: exchange.send_error(500)}
        for name, way in ways.items():
            with self.subTest(name):
                self.log.lines.clear()
                WAITING.unlink(missing_ok=True)
                made = begun("away", self.serving(way), told={"recall_ms": 200, "observe_ms": 300})
                start = time.monotonic()
                self.assertEqual(made.prefetch("Good morning."), "")
                made.sync_turn("Good morning.", "Hello.")
                self.assertLess(time.monotonic() - start, 20)
                self.assertIn("Good morning", WAITING.read_text())
                self.assertEqual(len(self.log.lines), 1, self.log.lines)
                self.assertIn("error", json.loads(made.handle_tool_call("memory_search", {"query": "x"})))

    def test_the_sockets_own_limit_reads_like_the_hosts(self):
        """The two are equally long, so that either may run out first."""
        client = sys.modules[type(provider()).__module__ + ".client"]

        def late():
            raise socket.timeout("timed out")

        for work in (late, lambda: time.sleep(2)):
            with self.assertRaises(TimeoutError) as raised:
                client.within(1, work)
            self.assertEqual(str(raised.exception), "no answer within 1000 ms")

    def test_the_key_goes_to_this_server_only(self):
        seen = []
        there = self.serving(lambda exchange: seen.append(dict(exchange.headers)))

        def send_away(exchange):
            exchange.send_response(307)
            exchange.send_header("Location", there)
            exchange.end_headers()

        self.assertEqual(begun("r", self.serving(send_away)).prefetch("Good morning."), "")
        self.assertEqual(seen, [])

    def test_what_waited_comes_first(self):
        with socket.socket() as closed:
            closed.bind(("127.0.0.1", 0))
            away = begun("late", "http://127.0.0.1:%d" % closed.getsockname()[1])
            away.sync_turn("The first, 第一。", "Yes.")
            away.sync_turn("The second.", "Yes.")
        with WAITING.open("a") as file:
            file.write('{"user": "ann", "sess')
        begun("late").sync_turn("The third.", "Yes.")
        for i in range(20):
            if WAITING.exists():
                begun("again").sync_turn("Again %d." % i, "Yes.")
        self.assertEqual([text for role, text in kept("late") if role == "user"],
                         ["The first, 第一。", "The second.", "The third."])
        self.assertFalse(WAITING.exists())

    def test_many_agents_share_what_waits(self):
        with socket.socket() as closed:
            closed.bind(("127.0.0.1", 0))
            away = "http://127.0.0.1:%d" % closed.getsockname()[1]
            agents = [begun("many-%d" % i, away, user="many") for i in range(8)]
            threads = [threading.Thread(target=agent.sync_turn, args=("The number is %d." % i, "Yes."), daemon=True)
                       for i, agent in enumerate(agents)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(60)
        self.assertEqual(len(WAITING.read_text().splitlines()), 8)
        begun("many-8", user="many").sync_turn("The number is 8.", "Yes.")
        for i in range(20):  # on a machine that has much to do not all go at once
            if WAITING.exists():
                begun("again", user="many").sync_turn("Again %d." % i, "Yes.")
        for i in range(9):
            self.assertEqual(kept("many-%d" % i, X_Weft_User="many")[0], ("user", "The number is %d." % i))

    def test_the_profile_is_told_until_a_turn_is_completed(self):
        begun("p0", user="mei").sync_turn("My boat is called Tarovela.", "Yes.")
        made = begun("p1", user="mei")
        for _ in range(100):
            if "Tarovela" in made.prefetch("Good evening!"):
                break
            time.sleep(0.1)
        self.assertIn("Tarovela", made.prefetch("Good evening!"))  # the first turn was interrupted
        made.sync_turn("Good evening!", "Good evening.")
        self.assertNotIn("Tarovela", made.prefetch("Good night!"))

    def test_settings_that_cannot_be(self):
        self.assertFalse(provider(url="ftp://somewhere").is_available())
        self.assertTrue(provider().is_available())
        os.environ["WEFT_KEY"] = "weft_a\nb"
        try:
            self.assertFalse(provider().is_available())
        finally:
            os.environ["WEFT_KEY"] = KEY
        self.assertNotIn("weft_a", "\n".join(self.log.lines))
        (HOME / "weft.json").write_text("no json")
        self.assertTrue(load_memory_provider("weft").is_available())
        made = provider()
        made.save_config({"url": "http://127.0.0.1:9", "user": "安", "key": KEY}, str(HOME))
        self.assertEqual(json.loads((HOME / "weft.json").read_text())["user"], "安")
        self.assertNotIn(KEY, (HOME / "weft.json").read_text())

    def test_tools_say_what_is_wrong(self):
        made = begun("tools")
        for name, arguments in (("memory_search", {}), ("memory_get", {"path": "../../etc/passwd"}),
                                ("memory_get", {"path": "a/b"}), ("no_tool", {})):
            self.assertIn("error", json.loads(made.handle_tool_call(name, arguments)), name)


if __name__ == "__main__":
    unittest.main()
