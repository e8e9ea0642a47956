"""The packages for other languages: libweft.so from C, the Python wheel in a fresh environment, the client for Node.js
(PF-10)."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import venv

from weft_server import WeftServer, binary

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
BUILD = os.path.dirname(os.path.abspath(binary()))
LIBRARY = os.path.join(BUILD, "lib", "libweft.so")

C_PROGRAM = r"""
#include <weft.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char** argv) {
  if (argc < 2) return 9;
  char* error = NULL;
  weft_engine* broken = weft_open(argv[1], "{\"recall.auto_topp\": 5}", &error);
  if (broken != NULL || error == NULL || strstr(error, "auto_top") == NULL) return 1;
  weft_free(error);
  weft_engine* engine = weft_open(argv[1], "{\"recall.auto_top\": 5, \"embedding.provider\": \"none\"}", &error);
  if (engine == NULL) return printf("%s\n", error), 2;
  weft_free(weft_observe(engine, "ann", "m", "{\"role\":\"user\",\"content\":\"My sister Mei lives in Utrecht.\"}"));
  weft_free(weft_observe(engine, "ann", "m", "{\"role\":\"assistant\",\"content\":\"Noted.\"}"));
  char* found = weft_search(engine, "ann", "{\"query\":\"Mei\"}");
  if (strstr(found, "Utrecht") == NULL) return printf("%s\n", found), 3;
  weft_free(found);
  char* hidden = weft_search(engine, "bob", "{\"query\":\"Mei\"}");
  if (strstr(hidden, "Utrecht") != NULL) return 4;
  weft_free(hidden);
  char* woven = weft_context(engine, "ann", "f", "{\"input\":\"Where does Mei live?\"}");
  if (strstr(woven, "Utrecht") == NULL) return printf("%s\n", woven), 5;
  weft_free(woven);
  int status = 0;
  char* wrong = weft_call(engine, "GET", "/v1/nothing", NULL, NULL, NULL, &status);
  if (status != 404 || strstr(wrong, "no such path") == NULL) return 6;
  weft_free(wrong);
  weft_close(engine);
  puts(weft_version());
  return 0;
}
"""

PYTHON_PROGRAM = """
import sys
from concurrent.futures import ThreadPoolExecutor
import weft
from weft import Weft, WeftError

with Weft(sys.argv[1], {"embedding.provider": "none"}) as engine:
    ann = engine.user("安 / ann")
    ann.session("星期一").observe({"role": "user", "content": "我妹妹小梅住在乌得勒支。"},
                                [{"role": "assistant", "content": "记住了。"}])
    assert "乌得勒支" in str(ann.search("小梅住在哪里")), ann.search("小梅")
    woven = ann.session("星期五").context("小梅住在哪里？")
    assert "乌得勒支" in str(woven["messages"]), woven
    assert not engine.user("bob").search("小梅")
    assert len(ann.session("星期一").history()) == 2
    assert len({one["id"] for one in ann.list("/v1/items", "items", kind="message", limit=1)}) == 2
    try:
        ann.call("GET", "/v1/lore/none")
        raise SystemExit("no error")
    except WeftError as error:
        assert (error.code, error.status) == ("not_found", 404), error
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda i: engine.user("u%d" % i).session().observe({"role": "user", "content": "I am %d" % i}), range(40)))
    for i in range(40):
        assert [m["content"] for m in engine.user("u%d" % i).session().history()] == ["I am %d" % i]
    try:
        Weft(sys.argv[1])
        raise SystemExit("two hold the workspace")
    except WeftError as error:
        assert error.code == "conflict", error
with Weft(sys.argv[1], {"embedding.provider": "none"}) as engine:
    assert len(engine.user("安 / ann").session("星期一").history()) == 2
print(weft.version())
"""

NODE_PROGRAM = """
import { Weft, WeftError } from "weft-client";
const weft = new Weft({ url: process.argv[2] });
const ann = weft.user("安 / ann");
await ann.session("m").observe({ role: "user", content: "My sister Mei lives in Utrecht." }, { role: "assistant", content: "Noted." });
await ann.session("m").save();
if (!JSON.stringify(await ann.search("Mei")).includes("Utrecht")) throw new Error("not found");
if ((await weft.user("bob").search("Mei")).length) throw new Error("another's memory");
if ((await ann.session("m").history()).length !== 2) throw new Error("history");
const items = new Set();
for await (const one of ann.list("/v1/items", "items", { kind: "message", limit: 1 })) items.add(one.id);
if (items.size !== 2) throw new Error("list");
if (!JSON.stringify(await ann.session("f").context("Where does Mei live?")).includes("Mei")) throw new Error("context");
try {
  await weft.call("GET", "/v1/nothing");
  throw new Error("no error");
} catch (error) {
  if (!(error instanceof WeftError) || error.status !== 404) throw error;
}
console.log((await weft.health()).status);
"""


class Packages(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="weft-packages-")
        self.addCleanup(shutil.rmtree, self.folder, True)

    def run_ok(self, *command, **more):
        run = subprocess.run(command, capture_output=True, text=True, timeout=300, **more)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        return run.stdout

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.write(text)
        return path

    @unittest.skipUnless(os.path.exists(LIBRARY) and shutil.which("cc"), "no libweft.so, or no C compiler")
    def test_c(self):
        program = os.path.join(self.folder, "program")
        self.run_ok("cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-I", os.path.join(ROOT, "include"),
                    self.write("program.c", C_PROGRAM), "-o", program, LIBRARY, "-Wl,-rpath," + os.path.dirname(LIBRARY))
        self.assertIn("0.1.", self.run_ok(program, os.path.join(self.folder, "memory")))
        exported = self.run_ok("nm", "-D", "--defined-only", LIBRARY)
        names = {line.split()[-1] for line in exported.splitlines()}
        self.assertEqual({name for name in names if not name.startswith("weft_")}, set(), "more shows than weft.h tells")

    @unittest.skipUnless(os.path.exists(LIBRARY), "no libweft.so")
    def test_python_wheel_in_a_fresh_environment(self):
        sources = os.path.join(self.folder, "python")
        shutil.copytree(os.path.join(ROOT, "packaging/python"), sources)
        shutil.copy(LIBRARY, os.path.join(sources, "weft"))
        built = subprocess.run([sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--no-index",
                                "--wheel-dir", self.folder, sources], capture_output=True, text=True, timeout=300)
        if "setuptools" in built.stderr and built.returncode != 0:
            self.skipTest("setuptools is not installed (make setup-tests)")
        self.assertEqual(built.returncode, 0, built.stderr)
        wheel = [name for name in os.listdir(self.folder) if name.endswith(".whl")][0]
        self.assertIn("py3-none-linux", wheel)
        venv.create(os.path.join(self.folder, "fresh"), with_pip=True)
        python = os.path.join(self.folder, "fresh/bin/python")
        self.run_ok(python, "-m", "pip", "install", "--no-index", "--no-deps", os.path.join(self.folder, wheel))
        program = self.write("program.py", PYTHON_PROGRAM)
        self.assertIn("0.1.", self.run_ok(python, program, os.path.join(self.folder, "memory"), cwd=self.folder))

    @unittest.skipUnless(shutil.which("node"), "no Node.js")
    def test_node_client(self):
        package = os.path.join(self.folder, "node_modules/weft-client")
        shutil.copytree(os.path.join(ROOT, "packaging/npm"), package)
        with WeftServer() as server:
            self.assertIn(self.run_ok("node", self.write("program.mjs", NODE_PROGRAM), server.url, cwd=self.folder).strip(),
                          ("ok", "degraded"))


if __name__ == "__main__":
    unittest.main()
