"""Weft as the memory provider of Hermes Agent, the real one: what is told in one session comes to another, in both
languages; restarts in between; a memory that is away holds nobody up, and what was said meanwhile reaches it later, once
(PF-10)."""

import json
import os
import random
import shutil
import socket
import stat
import subprocess
import tempfile
import threading
import unittest
import uuid
from urllib.parse import quote

import hermes_host
from hermes_host import Hermes
from plugin_scenario import HostJourneys, PluginScenario, a_name
from weft_server import skip


class HermesAgent(HostJourneys, PluginScenario):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.host = Hermes(cls.model.url, {"WEFT_KEY": cls.key}, cls.settings_for(cls.server.url))

    @classmethod
    def settings_for(cls, url):
        return {"url": url, "user": cls.person, "recall_ms": 10000, "observe_ms": 10000}

    def say(self, text, session=None, who=None):
        return self.host.ask(say=text, session=session or str(uuid.uuid4()), who=who)["answer"]

    def point_at(self, url):
        with open(os.path.join(self.host.folder, "weft.json"), "w") as file:
            json.dump(self.settings_for(url), file)

    def test_2_what_the_model_still_sees_is_not_repeated(self):
        session = str(uuid.uuid4())
        self.repeats_nothing(session)
        self.until(lambda: self.topics(session) == ["open"])
        self.host.ask(end=session)
        self.until(lambda: self.topics(session) == ["save"])

    def topics(self, session):
        """Of each topic why it was closed, or that it is open."""
        told = self.call("GET", "/v1/sessions/%s/turns" % quote("hermes:" + session, safe=""))["topics"]
        return ["open" if one["open"] else one["reason"] for one in told]

    def test_3_the_model_asks_the_memory_itself(self):
        said, read = self.looked_up()
        self.assertIn(said, read)

    def test_4_groups_have_a_memory_of_their_own(self):
        name, group, mill = a_name(), str(random.randrange(10**9)), a_name()
        self.say("My locker at the pool has the code %s." % name)
        self.kept(name)
        who = {"platform": "telegram", "user_id": "7", "chat_id": group, "chat_type": "group"}
        self.say("Which code has the locker at the pool?", who=who)
        self.assertNotIn(name, self.sent())
        self.say("The picnic is at the mill %s." % mill, who=who)
        self.kept(mill, headers={"X-Weft-Group": "telegram%3A" + group})
        self.assertEqual(self.said(mill), 0, "in nobody's private memory")

    def test_5_a_memory_that_is_away(self):
        before, during, after = a_name(), a_name(), a_name()
        session = str(uuid.uuid4())
        self.say("The key to the shed hangs at %s." % before, session)
        self.kept(before)
        self.server.process.kill()
        self.server.process.wait()
        self.server.process.stdout.close()
        self.assertEqual(self.say("My cousin %s comes on Friday." % during, session), "All right.")
        waiting = os.path.join(self.host.folder, "weft/waiting.jsonl")
        self.until(lambda: os.path.exists(waiting))
        self.assertEqual(stat.S_IMODE(os.stat(waiting).st_mode), 0o600)
        self.assertIn("goes on without it", self.host.log)

        # Both sides start anew; the server elsewhere, as it likes.
        self.host.stop()
        self.server.start()
        self.point_at(self.server.url)
        self.host.start()
        self.say("I have painted the fence in the colour %s." % after)
        self.kept(after)
        for name in (before, during, after):
            self.assertEqual(self.said(name), 1, name)
        self.until(lambda: not os.path.exists(waiting))
        self.say("When does my cousin %s come?" % during)
        self.assertIn("Friday", self.given())

    def test_6_a_memory_that_hangs(self):
        """It takes connections and never answers: the host waits as long as it was told to, and no longer."""
        with socket.socket() as silent:
            silent.bind(("127.0.0.1", 0))
            silent.listen()
            taken = []
            threading.Thread(target=lambda: taken.extend(iter(silent.accept, None)), daemon=True).start()
            other = Hermes(self.model.url, {"WEFT_KEY": self.key}, {
                "url": "http://127.0.0.1:%d" % silent.getsockname()[1], "recall_ms": 300, "observe_ms": 300})
            try:
                session = str(uuid.uuid4())
                first = other.ask(say="Good morning.", session=session)
                self.assertEqual(first["answer"], "All right.")
                other.ask(end=session)
                self.assertIn("no answer within 300 ms", other.log)
                self.assertNotIn(self.key, other.log)
            finally:
                other.close()

    def test_7_the_hosts_own_commands_know_it(self):
        status = self.host.command("memory", "status")
        self.assertEqual(status.returncode, 0, status.stderr)
        self.assertRegex(status.stdout, r"Provider:\s+weft")
        self.assertIn("available", status.stdout)
        wrong = self.host.command("memory", "status", WEFT_KEY="weft_a\u00e4b")
        self.assertNotIn("weft_a", wrong.stdout + wrong.stderr)

    def test_8_no_key_in_what_is_kept(self):
        self.assertNotIn(self.key, self.host.log)
        found = subprocess.run(["grep", "-rlF", self.key, self.host.home], capture_output=True, text=True)
        self.assertEqual(found.stdout, "")

    def test_9_edges(self):
        other = Hermes(self.model.url, {"WEFT_KEY": self.key})
        try:
            run = subprocess.run([hermes_host.PYTHON, os.path.join(os.path.dirname(hermes_host.DRIVER), "hermes_edges.py"),
                                  self.server.url], capture_output=True, text=True, timeout=300, cwd=other.home,
                                 env={**hermes_host.environment(other.home), "WEFT_KEY": self.key})
        finally:
            other.close()
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertRegex(run.stderr, r"Ran 15 tests")

    def test_a_types_of_the_host(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(hermes_host.PLUGIN, os.path.join(folder, "weft_plugin"))
            for module in ("agent", "hermes_constants.py"):  # beside it, since the host does not say that it has types
                os.symlink(os.path.join(hermes_host.packages(), module), os.path.join(folder, module))
            run = subprocess.run([hermes_host.PYTHON, "-m", "mypy", "--strict", "--follow-imports=silent",
                                  "--ignore-missing-imports", "-p", "weft_plugin"], capture_output=True, text=True,
                                 timeout=300, cwd=folder)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)


if __name__ == "__main__":
    if not hermes_host.there():
        skip("Hermes Agent is not there (make setup-tests brings it where a registry is reached)")
    unittest.main()
