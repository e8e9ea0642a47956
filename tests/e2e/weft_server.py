"""Runs the real `weft serve` for a test."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time


def skip(why):
    print("skipped:", why)
    sys.exit(77)


def binary():
    path = os.environ.get("WEFT_BINARY") or os.path.join(os.path.dirname(__file__), "../../build/weft")
    if not os.path.exists(path):
        skip("there is no " + path)
    return path


def settle(health, seconds=60):
    """Waits until the background has worked off what was said. `health` gives the answer of /healthz."""
    end = time.time() + seconds
    while time.time() < end:
        status = health()
        queue = status["queue"]
        if status["waiting_blocks"] + queue["pending"] + queue["processing"] + status["unembedded"] == 0:
            return
        time.sleep(0.05)
    raise AssertionError("the background did not come to rest")


class WeftServer:
    """A server on a free port in a new workspace; `url` is its address. `toml` is its weft.toml, `files` are further
    ones of the workspace by name. Ends, and removes the workspace, on exit."""

    def __init__(self, upstream="http://127.0.0.1:9/v1", settings=(), toml="", files=None):
        self.workspace = tempfile.mkdtemp(prefix="weft-e2e-")
        for name, text in {**(files or {}), **({"weft.toml": toml} if toml else {})}.items():
            with open(os.path.join(self.workspace, name), "w") as file:
                file.write(text)
        self.command = [binary(), "serve", "--workspace", self.workspace, "--port", "0", "--upstream", upstream]
        for setting in settings:
            self.command += ["--set", setting]
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("weft serve ended with %s" % self.process.wait())
        self.url = json.loads(line)["listening"]

    def restart(self, kill=False, meanwhile=None):
        """Ends the server (`kill`: with no chance to tidy up) and starts it again in the same workspace; `meanwhile` is
        called while none runs."""
        self.process.send_signal(signal.SIGKILL if kill else signal.SIGTERM)
        self.process.wait(timeout=30)
        self.process.stdout.close()
        if meanwhile:
            meanwhile()
        self.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.exit_code = self.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        finally:
            self.process.stdout.close()
            shutil.rmtree(self.workspace, ignore_errors=True)
