"""Somebody moves to another machine: the whole workspace in one file, taken while people write, opened by any tar, and put
into an empty workspace; one that was damaged anywhere is refused and nothing is written (PF-10, PF-20)."""

import gzip
import json
import os
import random
import shutil
import subprocess
import tarfile
import tempfile
import threading
import unittest
import urllib.parse
import uuid
import zlib

from scenario import Scenario, binary


def says_the_same(archive, whole):
    """Whether both unpack to the same bytes: some bits only tell where a run of zeros is copied from."""
    try:
        return gzip.decompress(archive) == gzip.decompress(whole)
    except (OSError, EOFError, zlib.error):
        return False


class Archives(Scenario):
    toml = ('[embedding]\nprovider = "none"\n[stream]\nidle_minutes = 100000\n[server]\n'
            'api_key = ""  # none yet\n[cognitive.embedding]\napi_key = "sk-embedding-secret"\n')

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="weft-archive-")
        self.addCleanup(shutil.rmtree, self.folder, True)
        self.file = os.path.join(self.folder, "all.tar.gz")
        self.ann = "ann-" + uuid.uuid4().hex[:8]

    def export(self):
        run = self.weft("export", "--archive", self.file, "--json")
        self.assertEqual(run.returncode, 0, run.stderr)
        return json.loads(run.stdout)

    def run_in(self, workspace, *words, code=0):
        done = subprocess.run([binary(), *words, "--workspace", workspace], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout

    def lines_of(self, workspace, user):
        """All that is kept of somebody, without the moment of asking."""
        lines = [json.loads(line) for line in self.run_in(workspace, "-u", user, "export").splitlines()]
        return lines[1:]

    def say(self, session, text):
        self.observe(session, [{"role": "user", "content": text}, {"role": "assistant", "content": "Noted."}], user=self.ann)

    def test_PF_5_who_erases_is_told_which_archives_still_hold_it(self):
        self.say("s", "The combination of the safe is %s-ultramarine." % self.ann)
        self.settle()
        inside = os.path.join(self.server.workspace, "old.tar.gz")
        for file in (self.file, inside):
            self.assertEqual(self.weft("export", "--archive", file, "--json").returncode, 0)
        # No archive at all, though its head says so.
        with open(os.path.join(self.server.workspace, "torn.tar.gz"), "wb") as torn:
            torn.write(b"\x1f\x8b torn")
        run = self.weft("erase", "-u", self.ann, "--everything")
        self.assertEqual(run.returncode, 0, run.stderr)
        for file in (self.file, inside):
            self.assertIn("a trace stands in " + file, run.stdout)
        self.assertNotIn("torn", run.stdout)
        self.assertIn("delete those", run.stdout)
        receipt = run.stdout.split("receipt ")[1].split()[0]
        for file in (self.file, inside):
            check = json.loads(self.weft("erase", "--verify", receipt, "--json").stdout.splitlines()[0])
            self.assertIn(file, check["traces"])
            os.remove(file)
        self.assertEqual(self.weft("erase", "--verify", receipt).returncode, 0)
        os.remove(os.path.join(self.server.workspace, "torn.tar.gz"))

    def test_PF_20_a_workspace_comes_whole_to_another_machine(self):
        acknowledged, stop = [], threading.Event()
        self.call("POST", "/v1/sessions/s/end", {"new_info": "I mend clocks in Évora.", "request_id": self.ann}, user=self.ann)
        self.call("PUT", "/v1/state/default", {"state": {"lamp": {"name": "brass"}}}, user=self.ann)
        # A name that is longer than tar's own heads take.
        long = "ann-" + "é" * 60
        self.call("POST", "/v1/sessions/s/end", {"new_info": "I live in Kochi.", "request_id": uuid.uuid4().hex},
                  user=urllib.parse.quote(long))
        self.settle()

        def write():
            while not stop.is_set():
                text = "Shelf %d holds jar %s 第%d个罐子" % (len(acknowledged), self.ann, len(acknowledged))
                self.say("w", text)
                acknowledged.append(text)

        writer = threading.Thread(target=write)
        writer.start()
        while len(acknowledged) < 20:
            pass
        before = list(acknowledged)
        self.export()
        stop.set()
        writer.join()
        there = os.path.join(self.folder, "first")
        self.run_in(there, "import", "archive", self.file)
        said = [line["content"] for line in self.lines_of(there, self.ann)
                if line["kind"] == "message" and line["role"] == "user"]
        self.assertEqual([text for text in before if text not in said], [])
        # The door is locked now.
        self.assertEqual(self.weft("key", "add", "desk", "--right", "read").returncode, 0)
        told = self.export()
        self.assertEqual(self.weft("key", "revoke", "desk").returncode, 0)
        # It stays locked until that file is taken away and the server starts anew.
        os.remove(os.path.join(self.server.workspace, "keys.jsonl"))
        self.server.restart()
        self.assertEqual(told["bytes"], os.path.getsize(self.file))

        # Any tar opens it, and what opens doors is not in it.
        with tarfile.open(self.file) as archive:
            names = archive.getnames()
            self.assertEqual(names[0], "backup.json")
            held = {name: archive.extractfile(name).read() for name in names}
        self.assertNotIn("keys.jsonl", names)
        self.assertNotIn("audit.jsonl", names)
        self.assertTrue(any(len(name) > 100 for name in names))
        self.assertEqual([name for name, text in held.items() if b"sk-embedding-secret" in text], [])
        self.assertIn(b"idle_minutes = 100000", held["weft.toml"])
        subprocess.run(["tar", "tzf", self.file], check=True, capture_output=True)
        self.assertEqual(sorted(os.listdir(self.folder)), ["all.tar.gz", "first"])

        there = os.path.join(self.folder, "new")
        self.run_in(there, "import", "archive", self.file)
        kept = self.lines_of(there, self.ann)
        said = [line["content"] for line in kept if line["kind"] == "message" and line["role"] == "user"]
        self.assertEqual([text for text in before if text not in said], [])
        self.assertTrue(any(line["kind"] == "state" for line in kept))
        self.assertIn("Évora", json.dumps(kept, ensure_ascii=False))
        self.assertIn("Kochi", json.dumps(self.lines_of(there, long)))
        self.assertIn("jar", self.run_in(there, "-u", self.ann, "search", "第3个罐子"))
        self.run_in(there, "doctor")
        # Not over what is there, and again from what came out of it.
        self.run_in(there, "import", "archive", self.file, code=1)
        second = os.path.join(self.folder, "second.tar.gz")
        self.run_in(there, "export", "--archive", second)
        other = os.path.join(self.folder, "other")
        self.run_in(other, "restore", second)
        # Readers of the log may go on in between: preferences are theirs.
        self.assertEqual([line for line in self.lines_of(other, self.ann) if line["kind"] != "beliefs"],
                         [line for line in kept if line["kind"] != "beliefs"])

    def test_PF_20_what_is_damaged_is_refused_and_nothing_is_written(self):
        self.say("d", "The lighthouse keeper is called Maud.")
        self.export()
        with open(self.file, "rb") as file:
            whole = file.read()
        draw = random.Random(7)
        broken = {"cut-%d" % size: whole[:size] for size in (0, 1, 100, len(whole) // 2, len(whole) - 1)}
        while len(broken) < 17:
            at = draw.randrange(10, len(whole))
            content = whole[:at] + bytes([whole[at] ^ (1 << draw.randrange(8))]) + whole[at + 1:]
            if not says_the_same(content, whole):
                broken["bit-%d" % at] = content
        broken["more"] = whole + whole
        broken["text"] = b"this is no archive\n" * 100
        for name, content in broken.items():
            path, workspace = os.path.join(self.folder, name), os.path.join(self.folder, "ws-" + name)
            with open(path, "wb") as file:
                file.write(content)
            done = subprocess.run([binary(), "import", "archive", path, "--workspace", workspace, "--json"],
                                  capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 1, name)
            error = json.loads(done.stdout)["error"]
            self.assertIn(path, error["message"], name)
            self.assertFalse(os.path.exists(workspace), name)

    def remade(self, change):
        """The archive with its files changed by somebody who makes a proper one."""
        self.say("d", "x")
        self.export()
        parts = os.path.join(self.folder, "parts")
        shutil.rmtree(parts, True)
        with tarfile.open(self.file) as archive:
            archive.extractall(parts)
        made = os.path.join(self.folder, "made.tar.gz")
        with tarfile.open(made, "w:gz") as archive:
            archive.add(os.path.join(parts, "backup.json"), "backup.json")
            change(archive, parts)
        workspace = os.path.join(self.folder, "ws")
        done = subprocess.run([binary(), "import", "archive", made, "--workspace", workspace, "--json"],
                              capture_output=True, text=True, timeout=60)
        self.assertFalse(os.path.exists(workspace) and done.returncode != 0)
        return done.returncode, json.loads(done.stdout)

    def test_PF_20_what_is_not_as_its_list_says_is_named(self):
        def all_of(archive, parts, but=()):
            for folder, _, files in os.walk(parts):
                for name in files:
                    inside = os.path.relpath(os.path.join(folder, name), parts)
                    if inside != "backup.json" and inside not in but:
                        archive.add(os.path.join(folder, name), inside)

        def lacking(archive, parts):
            all_of(archive, parts, but=("weft.db",))

        def more(archive, parts):
            all_of(archive, parts)
            archive.add(os.path.join(parts, "weft.db"), "../../outside")

        def link(archive, parts):
            all_of(archive, parts, but=("weft.db",))
            info = tarfile.TarInfo("weft.db")
            info.type, info.linkname = tarfile.SYMTYPE, "/etc/passwd"
            archive.addfile(info)

        def other(archive, parts):
            path = os.path.join(parts, "weft.db")
            with open(path, "r+b") as file:
                file.seek(5000)
                file.write(b"!")
            all_of(archive, parts)

        for change, word in ((lacking, "lacks weft.db"), (more, "outside"), (link, "is no file"), (other, "weft.db")):
            code, told = self.remade(change)
            self.assertEqual(code, 1)
            self.assertIn(word, told["error"]["message"])
        code, _ = self.remade(all_of)
        self.assertEqual(code, 0)


if __name__ == "__main__":
    unittest.main()
