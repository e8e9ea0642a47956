"""A person starts a server in a terminal and reads where it is and how to stop it; a program reads JSON."""

import fcntl
import json
import os
import pty
import select
import signal
import subprocess
import tempfile
import termios
import time
import unittest

from scenario import binary


class Terminal(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="weft-terminal-")
        self.addCleanup(folder.cleanup)
        self.command = [binary(), "serve", "--workspace", folder.name, "--port", "0", "--set", "embedding.provider=none",
                        "--set", "server.default_user=mia"]

    def start(self, *more, controls=True):
        """What the server writes to a terminal until it serves, and the server. `controls`: the terminal's keys reach it."""
        ours, theirs = pty.openpty()
        self.addCleanup(os.close, ours)
        in_front = (lambda: fcntl.ioctl(theirs, termios.TIOCSCTTY, 0)) if controls else None
        server = subprocess.Popen([*self.command, *more], stdin=theirs, stdout=theirs, stderr=subprocess.DEVNULL,
                                  start_new_session=True, preexec_fn=in_front, env={**os.environ, "NO_COLOR": "1"})
        os.close(theirs)
        self.addCleanup(server.wait, 30)
        self.addCleanup(server.send_signal, signal.SIGTERM)
        text, end = "", time.monotonic() + 60
        while not (text.endswith("}\r\n") or ("Stop it" in text and text.endswith("\r\n"))):
            ready, _, _ = select.select([ours], [], [], max(0, end - time.monotonic()))
            self.assertTrue(ready, text)
            text += os.read(ours, 4096).decode()
        return text, server

    def test_PF_10_a_person_reads_address_page_memory_and_how_to_stop(self):
        text, server = self.start()
        page = [line.split()[1] for line in text.splitlines() if line.strip().startswith("Page")][0]
        self.assertRegex(page, r"^http://127\.0\.0\.1:\d+/ui$")
        self.assertIn(page[:-len("/ui")] + "/v1", text)
        self.assertIn('the user "mia"', text)
        self.assertIn("--upstream URL", text)
        self.assertIn("Stop it with Ctrl+C.", text)
        self.assertNotIn("{", text)
        server.send_signal(signal.SIGINT)
        self.assertEqual(server.wait(30), 0)

    def test_PF_10_in_the_background_it_names_what_stops_it(self):
        text, server = self.start(controls=False)
        self.assertIn("Stop it with kill %d" % server.pid, text)

    def test_PF_10_the_upstream_is_named(self):
        text, _ = self.start("--upstream", "http://127.0.0.1:9/v1")
        self.assertIn("http://127.0.0.1:9/v1", text)
        self.assertNotIn("--upstream", text)

    def test_PF_10_json_where_it_is_asked_for(self):
        text, _ = self.start("--json")
        self.assertIn("listening", json.loads(text))


if __name__ == "__main__":
    unittest.main()
