"""Reads what the documents tell a reader to type, and runs it in a folder of the reader's own, with a recorded model.

Only the addresses are others than in the documents: the server's port and the model's."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest
import urllib.request

from scenario import ScriptedOpenAI, binary, whole

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))


def read(name):
    """A file of the repository."""
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        return file.read()


def blocks(text, language=""):
    """Its code blocks of one language."""
    return re.findall(r"^```%s\n(.*?)^```" % language, text, flags=re.M | re.S)


def words(text):
    """What stands in the text as code, each on one line."""
    return [" ".join(span.split()) for span in re.findall(r"`([^`]+)`", re.sub(r"```.*?```", "", text, flags=re.S))]


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


class Reader(unittest.TestCase):
    """Somebody with a home of their own, in which `build/weft` is the program; `weft` is on the path, too."""

    patience = 300  # seconds for a page

    def setUp(self):
        self.model = ScriptedOpenAI()
        self.folder = tempfile.mkdtemp(prefix="weft-reader-")
        os.makedirs(os.path.join(self.folder, "build"))
        os.symlink(os.path.abspath(binary()), os.path.join(self.folder, "build/weft"))
        self.url = "http://127.0.0.1:%d" % free_port()
        self.server = None

    def tearDown(self):
        if self.server:
            self.server.terminate()
            self.server.wait(timeout=60)
        self.end_background()
        self.model.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def end_background(self):
        """Ends the server that a page started with `&`."""
        try:
            with open(os.path.join(self.folder, "server.pid")) as file:
                pid = int(file.read())
        except OSError:
            return
        os.kill(pid, signal.SIGTERM)
        end = time.time() + 60
        while time.time() < end and os.path.exists("/proc/%d" % pid):
            time.sleep(0.05)

    def here(self, command):
        """A line of a document with the addresses of this test."""
        command = command.replace("http://127.0.0.1:8000/v1", self.model.url)
        return command.replace("http://127.0.0.1:7077", self.url)

    def environment(self):
        """The folder is the reader's home, which is empty; models stay where the set-up put them."""
        home = os.environ.get("HOME", "/")
        return {**os.environ, "HOME": self.folder, "WEFT_CACHE": os.environ.get("WEFT_CACHE", os.path.join(home, ".cache/weft")),
                "PATH": os.path.join(self.folder, "build") + ":" + os.environ["PATH"]}

    def bash(self, script, **environment):
        """What the script printed; each of its lines must succeed, answers of a server too."""
        head = 'set -e -o pipefail\ncurl() { command curl --fail-with-body "$@" && echo; }\n'
        done = subprocess.run(["bash", "-c", head + script], cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=self.patience, env={**self.environment(), **environment})
        self.assertEqual(done.returncode, 0, (script, done.stdout, done.stderr))
        return done.stdout

    def started(self, line):
        """A line that starts a server in the background, followed by what a reader does: waiting until it is there."""
        return ("%s >> serve.log 2>&1 &\necho $! > server.pid\nfor i in $(seq 600); do\n"
                "  command curl -s %s/healthz > /dev/null && break\n  sleep 0.1\ndone\n" %
                (self.here(line).rstrip().rstrip("&").rstrip(), self.url))

    def run_page(self, name):
        """Runs the `sh` blocks of a page in order, as one shell. Gives what was printed."""
        script = ""
        for block in blocks(read(name), "sh"):
            for line in block.splitlines(keepends=True):
                script += self.started(line) if re.match(r"weft serve.*&$", line.strip()) else self.here(line)
        return self.bash(script, WEFT_SERVER_PORT=self.url.rsplit(":", 1)[1])

    def call(self, method, path, body=None, headers=None):
        request = urllib.request.Request(self.url + path, method=method, data=None if body is None else json.dumps(body).encode(),
                                         headers={"Content-Type": "application/json", **(headers or {})})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

    def chat(self, text, session, **headers):
        """Says something through the proxy. Gives all that the model was sent."""
        self.call("POST", "/v1/chat/completions", {"model": "scripted", "messages": [{"role": "user", "content": text}]},
                  {"X-Weft-Session": session, **headers})
        return whole(self.model.seen[-1][1]["messages"])

    def settle(self):
        """Waits until the background has worked off what was said."""
        for _ in range(600):
            status = self.call("GET", "/healthz")
            if status["waiting_blocks"] + status["queue"]["pending"] + status["queue"]["processing"] == 0:
                return
            time.sleep(0.05)
