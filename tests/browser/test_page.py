"""The page, used in a headless Chromium as people use it: each view's main job, both languages, colours, keyboard; that its
files are served as they should be; and that a key is asked for where the server wants one."""

import json
import os
import shutil
import subprocess
import sys
import time
import unittest
import urllib.error
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../e2e"))
sys.path.insert(0, HERE)

from scripted_openai import ScriptedOpenAI  # noqa: E402
from seed import Client, seed  # noqa: E402
from weft_server import WeftServer, binary, skip  # noqa: E402

MODULES = os.environ.get("WEFT_NODE_MODULES", os.path.expanduser("~/.cache/weft/node/node_modules"))
BROWSERS = [os.environ.get("WEFT_CHROMIUM", ""), "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]


def can_browse():
    """Whether there is a browser and what drives it."""
    return (shutil.which("node") and any(path and os.path.exists(path) for path in BROWSERS)
            and all(os.path.isdir(os.path.join(MODULES, name)) for name in ("playwright-core", "axe-core")))


def node(script, *arguments, seconds=540):
    return subprocess.run(["node", os.path.join(HERE, script), *arguments], capture_output=True, text=True,
                          timeout=seconds, env={**os.environ, "WEFT_NODE_MODULES": MODULES})


def fetch(url, headers=None):
    """Status, headers and body; a refusal is an answer, too."""
    request = urllib.request.Request(url, headers=headers or {})
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read()


# Where nothing is searched by meaning no model is loaded, which takes longer than all that is looked at.
NO_MODEL = "embedding.provider=none"


class PageFiles(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = WeftServer(settings=(NO_MODEL,))

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()

    def test_strict_policy_types_and_tags(self):
        status, headers, body = fetch(self.server.url + "/ui")
        self.assertEqual((status, headers["Content-Type"]), (200, "text/html; charset=utf-8"))
        policy = headers["Content-Security-Policy"]
        for part in ("default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'",
                     "frame-ancestors 'none'"):
            self.assertIn(part, policy)
        self.assertNotIn("unsafe", policy)
        self.assertNotIn(b"style=", body)
        self.assertNotIn(b"<script>", body)
        self.assertEqual(fetch(self.server.url + "/ui", {"If-None-Match": headers["ETag"]})[0], 304)
        for name, wanted in (("app.js", "text/javascript"), ("css/base.css", "text/css"), ("icon.svg", "image/svg+xml")):
            status, headers, _ = fetch(self.server.url + "/ui/" + name)
            self.assertEqual(status, 200)
            self.assertTrue(headers["Content-Type"].startswith(wanted), headers["Content-Type"])
            self.assertEqual(headers["X-Content-Type-Options"], "nosniff")

    def test_nothing_but_its_files(self):
        for path in ("/ui/../weft.toml", "/ui/%2e%2e/weft.toml", "/ui/views", "/ui/app.js/", "/ui/lang/fr.js"):
            self.assertEqual(fetch(self.server.url + path)[0], 404, path)


class Watching(unittest.TestCase):
    """What the page is told by: conversations, decisions and happenings, each of its scope alone, also after a restart."""

    @classmethod
    def setUpClass(cls):
        cls.server = WeftServer(settings=(NO_MODEL,))
        cls.ann = Client(cls.server.url, "ann")
        turns = ["Book a train to Paris for Monday, please.", "At nine, second class, by the window.",
                 "How long do I boil an egg so that the yolk stays soft?", "And for six eggs at once?"]
        messages = [message for turn in turns for message in ({"role": "user", "content": turn},
                                                              {"role": "assistant", "content": "Certainly."})]
        cls.ann.call("POST", "/v1/sessions/s/messages", {"messages": messages})
        cls.ann.call("POST", "/v1/sessions/s/save")
        cls.ann.settle()

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()

    def test_decisions_outlive_the_server(self):
        before = self.ann.call("GET", "/v1/sessions/s/turns")
        self.assertEqual(len(before["turns"]), 4)
        verdicts = [turn["decision"]["verdict"] for turn in before["turns"]]
        self.assertEqual(verdicts[0], "start")
        self.assertTrue(all(turn["decision"]["block"] == turn["block"] for turn in before["turns"]))
        self.assertEqual({turn["topic"] for turn in before["turns"]}, {topic["topic"] for topic in before["topics"]})
        self.server.restart()
        Watching.ann = Client(self.server.url, "ann")
        self.assertEqual(self.ann.call("GET", "/v1/sessions/s/turns"), before)

    def test_conversations_of_the_scope_alone(self):
        (one,) = self.ann.call("GET", "/v1/sessions")["sessions"]
        self.assertEqual((one["session"], one["turns"], one["open"]), ("s", 4, False))
        self.assertTrue(one["title"].startswith("Book a train"))
        bob = Client(self.server.url, "bob")
        self.assertEqual(bob.call("GET", "/v1/sessions")["sessions"], [])
        with self.assertRaises(RuntimeError):
            bob.call("GET", "/v1/sessions/s/turns")
        self.assertIn("ann", self.ann.call("GET", "/v1/scopes")["users"])

    def test_prompts_are_listed(self):
        self.ann.call("POST", "/v1/sessions/other/context", {"input": "When does my train leave?"})
        (one,) = self.ann.call("GET", "/v1/sessions/other/contexts")["contexts"]
        self.assertEqual(one["input"], "When does my train leave?")
        self.assertGreater(one["report"]["usable"], 0)
        bob = Client(self.server.url, "bob")
        self.assertEqual(bob.call("GET", "/v1/sessions/other/contexts")["contexts"], [])

    def test_events_come_and_are_of_the_scope(self):
        request = urllib.request.Request(self.server.url + "/v1/events", headers={"X-Weft-User": "carol"})
        with urllib.request.urlopen(request, timeout=30) as events:
            self.assertTrue(events.headers["Content-Type"].startswith("text/event-stream"))
            events.readline()
            said = {"messages": [{"role": "user", "content": "Mine."}, {"role": "assistant", "content": "Yours."}]}
            self.ann.call("POST", "/v1/sessions/secret/messages", said)
            Client(self.server.url, "carol").call("POST", "/v1/sessions/c/messages", said)
            told = []
            end = time.monotonic() + 60
            while not any(one["kind"] == "turn" for one in told):
                line = events.readline().decode()
                self.assertTrue(line and time.monotonic() < end, told)
                if line.startswith("data: "):
                    told.append(json.loads(line[6:]))
            said = [one for one in told if one["kind"] in ("message", "turn")]
            self.assertEqual({one["about"] for one in said}, {"c"})
            self.assertEqual([one["kind"] for one in said], ["message", "message", "turn"])
            self.assertNotIn("secret", json.dumps(told))
            last = [one for one in told if one["kind"] == "turn"][-1]["id"]
        self.server.restart()
        Watching.ann = Client(self.server.url, "ann")
        again = urllib.request.Request(self.server.url + "/v1/events?since=%d" % (last - 1),
                                       headers={"X-Weft-User": "carol"})
        with urllib.request.urlopen(again, timeout=30) as events:
            end = time.monotonic() + 60
            while not (line := events.readline()).startswith(b"data: "):
                self.assertTrue(line and time.monotonic() < end)
            self.assertEqual(json.loads(line[6:])["id"], last)  # events outlive the server

    def test_erased_decisions_are_gone(self):
        dan = Client(self.server.url, "dan")
        dan.call("POST", "/v1/sessions/d/messages?wait=decision", {"messages": [{"role": "user", "content": "Hi"},
                                                                                {"role": "assistant", "content": "Hello"}]})
        self.assertIn("decision", dan.call("GET", "/v1/sessions/d/turns")["turns"][0])
        dan.call("POST", "/v1/erase", {"everything": True})
        self.assertEqual(dan.call("GET", "/v1/sessions")["sessions"], [])
        self.assertEqual(dan.call("GET", "/v1/sessions/d/contexts")["contexts"], [])

    def test_who_and_topic_narrow_a_search(self):
        hits = self.ann.call("POST", "/v1/search", {"query": "train", "who": "assistant"})["hits"]
        self.assertTrue(hits and all(hit["who"] == "assistant" for hit in hits))
        topic = self.ann.call("GET", "/v1/sessions/s/turns")["topics"][0]["topic"]
        hits = self.ann.call("POST", "/v1/search", {"query": "egg", "topic": topic})["hits"]
        self.assertTrue(all(hit["topic"] == topic for hit in hits))


@unittest.skipUnless(can_browse(), "no Chromium, or no playwright-core and axe-core (make setup-tests)")
class PageInBrowser(unittest.TestCase):
    def test_every_view(self):
        with WeftServer() as server:
            seed(server.url, server.workspace)
            run = node("page.mjs", server.url)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertGreater(run.stdout.count("ok "), 25)

    def test_PF_10_a_chat_with_what_is_remembered(self):
        model = ScriptedOpenAI()
        self.addCleanup(model.close)
        with WeftServer(upstream=model.url, settings=(NO_MODEL,)) as server:
            Client(server.url, "ann").call("POST", "/v1/sessions/s/messages", {"messages": [
                {"role": "user", "content": "The ferry leaves at noon."}, {"role": "assistant", "content": "Noted."}]})
            run = node("chat.mjs", server.url)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        first, second = [body["messages"] for _, body in model.seen][-2:]
        self.assertIn("noon", json.dumps(first))
        self.assertIn("When does the ferry leave?", json.dumps(second))

    def test_a_key_is_asked_for(self):
        with WeftServer(settings=("server.api_key=open-sesame", NO_MODEL)) as server:
            Client(server.url, "ann", "open-sesame").call("POST", "/v1/sessions/s/messages", {"messages": [
                {"role": "user", "content": "The ferry leaves at noon."}, {"role": "assistant", "content": "Noted."}]})
            made = subprocess.run([binary(), "--workspace", server.workspace, "--json", "key", "add", "laptop", "--for-user",
                                   "ann"], check=True, capture_output=True, text=True, timeout=60)
            run = node("key.mjs", server.url, "open-sesame", json.loads(made.stdout)["key"])
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)


if __name__ == "__main__":
    if not os.environ.get("WEFT_BINARY") and not os.path.exists(os.path.join(HERE, "../../build/weft")):
        skip("there is no build/weft")
    ran = unittest.main(exit=False).result
    if not ran.wasSuccessful():
        sys.exit(1)
    if ran.skipped:
        skip("the page in a browser: " + ran.skipped[0][1])
