"""Runs the real `weft serve` for a test."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile


def skip(why):
    print("skipped:", why)
    sys.exit(77)


def binary():
    path = os.environ.get("WEFT_BINARY") or os.path.join(os.path.dirname(__file__), "../../build/weft")
    if not os.path.exists(path):
        skip("there is no " + path)
    return path


class WeftServer:
    """A server on a free port in a new workspace; `url` is its address. `toml` is its weft.toml. Ends, and removes the
    workspace, on exit."""

    def __init__(self, upstream="http://127.0.0.1:9/v1", settings=(), toml=""):
        self.workspace = tempfile.mkdtemp(prefix="weft-e2e-")
        if toml:
            with open(os.path.join(self.workspace, "weft.toml"), "w") as file:
                file.write(toml)
        command = [binary(), "serve", "--workspace", self.workspace, "--port", "0", "--upstream", upstream]
        for setting in settings:
            command += ["--set", setting]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("weft serve ended with %s" % self.process.wait())
        self.url = json.loads(line)["listening"]

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
            shutil.rmtree(self.workspace, ignore_errors=True)
