"""Stores that the real chromadb and mem0ai have made, as they lie on disk: laid ready, looked at, taken in and found
(PF-10). The two with what they bring are some 600 MB, so set-up does not install them: where an environment has them its
interpreter is named by WEFT_STORES_PYTHON, or lies in the cache:

    python3 -m venv ~/.cache/weft/stores && ~/.cache/weft/stores/bin/pip install chromadb==1.5.9 mem0ai==2.2.1
"""

import json
import os
import shutil
import subprocess
import tempfile
import time
import unittest
import urllib.request

from weft_server import WeftServer, binary, skip

PYTHON = os.environ.get("WEFT_STORES_PYTHON") or os.path.join(
    os.environ.get("WEFT_CACHE", os.path.expanduser("~/.cache/weft")), "stores/bin/python")
if not os.path.exists(PYTHON):
    skip("no environment with chromadb and mem0ai: " + PYTHON)
MAKER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "foreign_stores.py")


class ForeignStores(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="weft-foreign-")
        made = subprocess.run([PYTHON, MAKER, cls.folder], capture_output=True, text=True, timeout=300)
        if made.returncode != 0:
            raise RuntimeError(made.stdout + made.stderr)
        cls.server = WeftServer(settings=("embedding.provider=none",))

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()
        shutil.rmtree(cls.folder, ignore_errors=True)

    def weft(self, *words, user="dora", code=0):
        run = subprocess.run([binary(), "import", *words, "-u", user, "--json", "--workspace", self.server.workspace],
                             capture_output=True, text=True, timeout=120)
        self.assertEqual(run.returncode, code, run.stdout + run.stderr)
        return json.loads(run.stdout)

    def notes(self, name, *more, user="dora"):
        """What is staged of a store, as (text, place, year and month)."""
        staged = self.weft("stage", os.path.join(self.folder, name), *more, user=user)
        shown = self.weft("show", staged["id"], user=user)
        return staged, sorted((note["text"], note.get("place", ""), note.get("time", "")[:7]) for note in shown["notes"])

    def found(self, query, user):
        request = urllib.request.Request(self.server.url + "/v1/search", data=json.dumps({"query": query}).encode(),
                                         headers={"Content-Type": "application/json", "X-Weft-User": user})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.read().decode()

    def settle(self):
        """Until the background has worked off what was taken in."""
        while True:
            with urllib.request.urlopen(self.server.url + "/healthz", timeout=60) as answer:
                status = json.load(answer)
            if status["waiting_blocks"] + status["queue"]["pending"] + status["queue"]["processing"] == 0:
                return
            time.sleep(0.05)

    def test_a_folder_of_chroma(self):
        staged, notes = self.notes("chroma")
        self.assertEqual((staged["source"], staged["notes"]), ("chroma", 3))
        self.assertEqual([(text, place) for text, place, _ in notes],
                         [("The oars are in the boat shed.", "notes"), ("The spare tyre is in the attic.", "notes"),
                          ("我的护照在书桌抽屉里。", "notes")])
        self.assertEqual([when for _, _, when in notes][1:], ["2023-02", "2023-11"])
        exported, same = self.notes("chroma.json")
        self.assertEqual([note[0] for note in same], [note[0] for note in notes])
        self.weft("accept", staged["id"])
        self.settle()
        for query, word in (("spare tyre", "attic"), ("护照", "抽屉"), ("oars", "boat shed")):
            self.assertIn(word, self.found(query, "dora"))

    def test_memories_of_mem0_are_taken_one_persons_at_a_time(self):
        for name in ("mem0-chroma", "mem0-qdrant"):
            staged, _ = self.notes(name)
            self.assertEqual({one["name"]: one["notes"] for one in staged["places"]},
                             {"captain": 1, "dora": 3, "emil": 1}, name)
            staged, notes = self.notes(name, "--of", "dora", user="dora-" + name)
            self.assertEqual([note[:2] for note in notes],
                             [("Allergic to walnuts and pecans.", "dora"), ("I live in Bruges.", "dora"), ("Noted.", "dora")])
            self.weft("accept", staged["id"], user="dora-" + name)
            self.settle()
            self.assertIn("Bruges", self.found("live", "dora-" + name))
            self.assertNotIn("海鸥", self.found("船", "dora-" + name))
            self.weft("stage", os.path.join(self.folder, name), "--of", "nobody", code=1)

    def test_what_get_all_gives_and_the_history(self):
        for provider in ("chroma", "qdrant"):
            staged, notes = self.notes("mem0-%s.json" % provider, user="json-" + provider)
            self.assertEqual((staged["source"], len(notes)), ("mem0", 3))
            staged, notes = self.notes("mem0-%s/history.db" % provider, user="history-" + provider)
            self.assertEqual((staged["source"], sorted(note[0] for note in notes)),
                             ("mem0", ["Allergic to walnuts and pecans.", "I live in Bruges.", "Noted.",
                                       "Sail plans are kept in the chart room.", "我的船叫海鸥。"]))


if __name__ == "__main__":
    unittest.main()
