#!/usr/bin/env python3
"""An installed Weft, as `make install` and the Debian package lay it out, works offline at once wherever it was moved to:
the embedding model comes along, and what is wrong is told to somebody who has no source tree (PF-2, PF-10)."""

import json
import os
import shutil
import subprocess
import tempfile
import unittest

import scenario  # noqa: F401 (it knows where the helpers are)
from weft_server import binary, skip

BUILD = os.path.dirname(os.path.abspath(binary()))
MODEL = "multilingual-e5-small-q4.gguf"


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="weft-installed-")
        prefix = os.path.join(cls.folder, "usr")
        # The same parts as the package has.
        done = subprocess.run(["cmake", "--install", BUILD, "--component", "command", "--prefix", prefix],
                              capture_output=True, text=True, timeout=300)
        if done.returncode != 0:
            shutil.rmtree(cls.folder)
            raise AssertionError(done.stdout + done.stderr)
        cls.prefix = prefix
        cls.home = os.path.join(cls.folder, "home")
        os.makedirs(cls.home)
        if not os.path.exists(os.path.join(prefix, "share/weft/models", MODEL)):
            shutil.rmtree(cls.folder)
            skip("`make setup` has brought no embedding model")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder, True)

    def weft(self, prefix, *words, stdin="", code=0):
        known = {name: value for name, value in os.environ.items() if not name.startswith("WEFT_")}
        known.update(HOME=self.home, WEFT_CACHE=os.path.join(self.home, "no-cache"), http_proxy="http://127.0.0.1:9",
                     https_proxy="http://127.0.0.1:9")
        done = subprocess.run([os.path.join(prefix, "bin/weft"), *words, "--workspace", os.path.join(self.home, "ws")],
                              input=stdin, capture_output=True, text=True, timeout=300, env=known, cwd=self.home)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout

    def model(self, prefix, code=0):
        report = json.loads(self.weft(prefix, "doctor", "--json", code=code))
        return [one for one in report["findings"] if one["check"] == "model"][0], report

    def test_PF_2_it_searches_by_meaning_wherever_it_was_moved_to(self):
        said = [{"role": "user", "content": "I keep my canoe in the boathouse by the weir."},
                {"role": "user", "content": "The dentist has moved to Mill Lane."}]
        self.weft(self.prefix, "-u", "ann", "observe", stdin="\n".join(json.dumps(one) for one in said))
        found, _ = self.model(self.prefix)
        self.assertEqual(found["where"], os.path.join(self.prefix, "share/weft/models", MODEL))
        moved = os.path.join(self.folder, "opt", "weft 2")
        os.makedirs(os.path.dirname(moved))
        shutil.move(self.prefix, moved)
        try:
            found, report = self.model(moved)
            self.assertEqual((found["grade"], found["where"]), ("ok", os.path.join(moved, "share/weft/models", MODEL)))
            self.assertEqual([one["grade"] for one in report["findings"] if one["check"] == "embedder"], ["ok"])
            # No word of the question stands in what was said.
            hits = json.loads(self.weft(moved, "-u", "ann", "search", "Where are small rowing vessels stored?", "--json"))
            self.assertEqual(hits["by"], "model")
            self.assertIn("canoe", hits["hits"][0]["text"])
            # The last one too: the command waited until all had their vectors.
            self.assertIn("The dentist has moved to Mill Lane.", [hit["text"] for hit in hits["hits"]])
        finally:
            shutil.move(moved, self.prefix)

    def test_PF_10_what_is_missing_is_told_without_a_source_tree(self):
        model = os.path.join(self.prefix, "share/weft/models", MODEL)
        os.rename(model, model + ".away")
        try:
            found, report = self.model(self.prefix, code=1)
            self.assertIn("install Weft again", found["advice"])
            self.assertNotIn("make setup", json.dumps(report))
        finally:
            os.rename(model + ".away", model)

    def test_PF_2_only_the_embedding_model_comes_along(self):
        self.assertEqual(os.listdir(os.path.join(self.prefix, "share/weft/models")), [MODEL])


if __name__ == "__main__":
    unittest.main()
