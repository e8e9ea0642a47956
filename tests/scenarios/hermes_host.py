"""Hermes Agent, the real one: its command, and agents as its own code makes them."""

import glob
import json
import os
import shutil
import subprocess
import tempfile

from agent_host import CACHE
from doc_reader import ROOT

FOLDER = os.path.join(CACHE, "hosts/hermes")
PYTHON = os.path.join(FOLDER, "bin/python")
PLUGIN = os.path.join(ROOT, "packaging/hermes/weft")
DRIVER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "hermes_driver.py")


def there():
    return os.path.exists(os.path.join(FOLDER, ".weft-host"))


def packages():
    """Where its modules lie."""
    return glob.glob(os.path.join(FOLDER, "lib/python3*/site-packages"))[0]


def environment(home):
    """Of a user who has nothing but this home, with `hermes` on the path."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("HERMES", "WEFT_KEY", "WEFT_U"))}
    return {**kept, "HOME": home, "HERMES_HOME": os.path.join(home, ".hermes"), "PYTHONDONTWRITEBYTECODE": "1",
            "PATH": os.path.dirname(PYTHON) + ":" + os.environ["PATH"]}


class Hermes:
    """A home with the plug-in in it, and a process in which agents live. Runs from construction until `close`."""

    def __init__(self, model_url, plugin_environment, plugin_settings=None):
        self.home = tempfile.mkdtemp(prefix="weft-hermes-")
        self.folder = os.path.join(self.home, ".hermes")
        shutil.copytree(PLUGIN, os.path.join(self.folder, "plugins/weft"), ignore=shutil.ignore_patterns("__pycache__"))
        with open(os.path.join(self.folder, "config.yaml"), "w") as file:
            file.write("memory:\n  provider: weft\n")
        with open(os.path.join(self.folder, "weft.json"), "w") as file:
            json.dump(plugin_settings or {}, file)
        self.model_url, self.variables = model_url, plugin_environment
        self.start()

    def start(self):
        self.errors = open(os.path.join(self.home, "printed"), "a")
        self.process = subprocess.Popen([PYTHON, DRIVER, self.model_url], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=self.errors, text=True, cwd=self.home,
                                        env={**environment(self.home), **self.variables})

    def stop(self):
        self.process.stdin.close()
        self.process.wait(timeout=60)
        self.process.stdout.close()
        self.errors.close()

    def close(self):
        self.stop()
        shutil.rmtree(self.home, ignore_errors=True)

    def ask(self, **told):
        self.process.stdin.write(json.dumps(told) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("the host ended:\n" + self.log[-4000:])
        return json.loads(line)

    @property
    def log(self):
        """All that was printed and logged."""
        text = ""
        for folder, _, files in os.walk(self.home):
            for name in files:
                if name == "printed" or name.endswith(".log"):
                    with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
                        text += file.read()
        return text

    def command(self, *words, **variables):
        return subprocess.run([PYTHON, "-m", "hermes_cli.main", *words], capture_output=True, text=True, timeout=200,
                              stdin=subprocess.DEVNULL, cwd=self.home,
                              env={**environment(self.home), **self.variables, **variables})
