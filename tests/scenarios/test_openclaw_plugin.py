"""Weft in the memory slot of OpenClaw, the real one: what is told in one session comes to another, in both languages;
restarts in between; a memory that is away holds nobody up, and what was said meanwhile reaches it later, once (PF-10)."""

import json
import os
import random
import shutil
import stat
import subprocess
import tempfile
import time
import unittest
import uuid
from urllib.parse import quote

import openclaw_host
from openclaw_host import Gateway
from plugin_scenario import HostJourneys, PluginScenario, a_name


HERE = os.path.dirname(os.path.abspath(__file__))


@unittest.skipUnless(openclaw_host.there(), "OpenClaw is not there (make setup-tests brings it where a registry is reached)")
class OpenClaw(HostJourneys, PluginScenario):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.host = Gateway(cls.model.url, {"url": cls.server.url, "user": cls.person, "key": "${OF_WEFT}", "recallMs": 10000,
                                           "observeMs": 10000}, {"OF_WEFT": cls.key})

    def say(self, text, session=None, **more):
        return self.host.say(text, session or str(uuid.uuid4()), **more)

    def test_2_what_the_model_still_sees_is_not_repeated(self):
        self.repeats_nothing(str(uuid.uuid4()))

    def test_3_the_model_asks_the_memory_itself(self):
        said, read = self.looked_up()
        self.assertEqual(json.loads(read)["text"], said)
        # What was found is quoted in a tool's result, and not kept as if somebody had said it again.
        self.assertEqual(self.said(said), 1)

    def test_4_groups_have_a_memory_of_their_own(self):
        name, group = a_name(), str(random.randrange(10**9))
        self.say("My locker at the pool has the code %s." % name)
        self.kept(name)
        self.say("Which code has the locker at the pool?", "agent:main:telegram:group:" + group, channel="telegram")
        self.assertNotIn(name, self.sent())
        mill = a_name()
        self.say("The picnic is at the mill %s." % mill, "agent:main:telegram:group:" + group, channel="telegram")
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
        begun = time.time()
        self.assertEqual(self.say("My cousin %s comes on Friday." % during, session), "All right.")
        self.assertLess(time.time() - begun, 60)
        waiting = os.path.join(self.host.home, ".openclaw/weft/waiting.jsonl")
        self.until(lambda: os.path.exists(waiting))
        self.assertEqual(stat.S_IMODE(os.stat(waiting).st_mode), 0o600)
        self.assertIn("goes on without it", self.host.log)

        # Both sides start anew; the server elsewhere, as it likes.
        self.server.start()
        self.host.settings["plugins"]["entries"]["weft"]["config"]["url"] = self.server.url
        self.host.stop()
        self.host.write_settings()
        self.host.start()
        self.say("I have painted the fence in the colour %s." % after, session)
        self.kept(after)
        for name in (before, during, after):
            self.assertEqual(self.said(name), 1, name)
        self.until(lambda: not os.path.exists(waiting))
        self.say("When does my cousin %s come?" % during)
        self.assertIn("Friday", self.given())

    def test_6_no_key_in_what_is_printed_or_kept(self):
        self.assertNotIn(self.key, self.host.log)
        found = subprocess.run(["grep", "-rlF", self.key, self.host.home], capture_output=True, text=True)
        self.assertEqual(found.stdout, "")


class WithoutTheHost(PluginScenario):
    """What the real host seldom does, and its types, which the plug-in keeps to."""

    @unittest.skipUnless(shutil.which("node"), "no Node.js")
    def test_7_edges(self):
        with tempfile.TemporaryDirectory() as state:
            run = subprocess.run(["node", os.path.join(HERE, "openclaw_edges.mjs"), openclaw_host.PLUGIN, state, self.server.url,
                                  self.key], capture_output=True, text=True, timeout=300)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertIn("10 checks", run.stdout)

    @unittest.skipUnless(openclaw_host.there(), "OpenClaw is not there (make setup-tests)")
    def test_8_types_of_the_host(self):
        modules = os.path.join(openclaw_host.FOLDER, "node_modules")
        with tempfile.TemporaryDirectory() as folder:
            copy = os.path.join(folder, "plugin")
            shutil.copytree(openclaw_host.PLUGIN, copy)
            os.symlink(modules, os.path.join(folder, "node_modules"))
            run = subprocess.run(
                [openclaw_host.NODE, os.path.join(modules, "typescript/bin/tsc"), "--noEmit", "--allowJs", "--checkJs", "--strict",
                 "--noImplicitAny", "false", "--useUnknownInCatchVariables", "false", "--skipLibCheck", "--module", "nodenext",
                 "--target", "esnext", "--lib", "esnext,dom", os.path.join(copy, "index.js")],
                capture_output=True, text=True, timeout=300)
        self.assertEqual(run.returncode, 0, run.stdout)


if __name__ == "__main__":
    unittest.main()
