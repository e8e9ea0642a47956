"""OpenClaw, as its users run it: a gateway with a folder of its own, spoken to over HTTP."""

import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

from agent_host import CACHE
from doc_reader import ROOT, free_port

FOLDER = os.path.join(CACHE, "hosts/openclaw")
PROGRAM = os.path.join(FOLDER, "node_modules/.bin/openclaw")
NODE = os.path.join(FOLDER, "runtime/node_modules/node/bin/node")
PLUGIN = os.path.join(ROOT, "packaging/openclaw")


def there():
    return os.path.exists(os.path.join(FOLDER, ".weft-host"))


def environment(home):
    """Of a user who has nothing but this home, and OpenClaw with the Node.js that it wants on the path."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("OPENCLAW", "WEFT_KEY", "WEFT_U"))}
    path = [os.path.dirname(NODE), os.path.dirname(PROGRAM), os.environ["PATH"]]
    return {**kept, "HOME": home, "TMPDIR": os.path.join(home, "tmp"), "NO_COLOR": "1", "PATH": ":".join(path)}


def model_settings(model_url):
    """A provider of models that is the recorded one; tools are offered as they are, not behind a search for tools."""
    return {"agents": {"defaults": {"model": {"primary": "recorded/scripted"}, "skipBootstrap": True}},
            "tools": {"toolSearch": False},
            "models": {"mode": "merge", "providers": {"recorded": {
                "baseUrl": model_url, "apiKey": "none", "api": "openai-completions",
                "models": [{"id": "scripted", "name": "Scripted"}]}}}}


class Gateway:
    """Runs from construction until `close`. `log` is all that it has printed."""

    TOKEN = "of-the-gateway"

    def __init__(self, model_url, plugin_settings, environment_settings=None):
        self.home = tempfile.mkdtemp(prefix="weft-openclaw-")
        os.makedirs(os.path.join(self.home, ".openclaw"))
        os.makedirs(os.path.join(self.home, "tmp"))
        self.port = free_port()
        self.extra = environment_settings or {}
        self.settings = {
            **model_settings(model_url),
            "gateway": {"mode": "local", "port": self.port, "bind": "loopback",
                        "auth": {"mode": "token", "token": self.TOKEN},
                        "http": {"endpoints": {"chatCompletions": {"enabled": True}}}},
            "plugins": {"load": {"paths": [PLUGIN]}, "allow": ["weft", "memory-core"], "slots": {"memory": "weft"},
                        "entries": {"weft": {"enabled": True, "hooks": {"allowConversationAccess": True},
                                             "config": plugin_settings}}}}
        self.write_settings()
        self.start()

    def write_settings(self):
        with open(os.path.join(self.home, ".openclaw/openclaw.json"), "w") as file:
            json.dump(self.settings, file)

    def start(self):
        self.out = open(os.path.join(self.home, "gateway.log"), "a")
        self.process = subprocess.Popen([PROGRAM, "gateway", "run"], env={**environment(self.home), **self.extra},
                                        cwd=self.home, stdout=self.out, stderr=subprocess.STDOUT)
        self.ready()

    def ready(self):
        end = time.time() + 240
        while time.time() < end and self.process.poll() is None:
            try:
                with urllib.request.urlopen("http://127.0.0.1:%d/readyz" % self.port, timeout=5):
                    return
            except OSError:
                time.sleep(0.2)
        raise RuntimeError("OpenClaw does not start:\n" + self.log[-4000:])

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.out.close()

    def restart(self):
        self.stop()
        self.start()

    def close(self):
        self.stop()
        shutil.rmtree(self.home, ignore_errors=True)

    @property
    def log(self):
        with open(os.path.join(self.home, "gateway.log"), encoding="utf-8", errors="replace") as file:
            return file.read()

    def say(self, text, session, channel=None):
        """One turn. Gives the agent's answer."""
        headers = {"Authorization": "Bearer " + self.TOKEN, "Content-Type": "application/json",
                   "x-openclaw-session-key": session}
        if channel:
            headers["x-openclaw-message-channel"] = channel
        body = json.dumps({"model": "openclaw", "messages": [{"role": "user", "content": text}]}).encode()
        request = urllib.request.Request("http://127.0.0.1:%d/v1/chat/completions" % self.port, body, headers)
        try:
            with urllib.request.urlopen(request, timeout=180) as answer:
                return json.load(answer)["choices"][0]["message"]["content"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(error.read().decode()) from error
