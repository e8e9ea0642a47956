"""An operator backs the server up while people use it, loses the machine, and goes on with the backup."""

import json
import os
import shutil
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.request
import uuid

from scenario import Scenario, binary


class Backups(Scenario):
    toml = '[embedding]\nprovider = "none"\n[stream]\nidle_minutes = 100000\n'

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="weft-backup-")
        self.ann = "ann-" + uuid.uuid4().hex[:8]

    def tearDown(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def say(self, session, text, answer="Noted."):
        self.observe(session, [{"role": "user", "content": text}, {"role": "assistant", "content": answer}],
                     user=self.ann)

    def memory(self):
        kept = {}
        for kind in ("message", "event", "narrative", "profile"):
            items = self.call("GET", "/v1/items?kind=%s&limit=10000" % kind, user=self.ann)["items"]
            kept[kind] = {item["id"]: item["text"] for item in items}
        return kept

    def run_weft(self, *arguments, workspace):
        return subprocess.run([binary(), *arguments, "--workspace", workspace], capture_output=True, text=True,
                              timeout=120, cwd=self.folder)

    def move_to(self, workspace):
        """The server goes on in another workspace."""
        self.server.process.terminate()
        self.server.process.wait(timeout=30)
        self.server.process.stdout.close()
        shutil.rmtree(self.server.workspace)
        self.server.command[self.server.command.index(self.server.workspace)] = workspace
        self.server.workspace = workspace
        self.server.start()

    def test_PF_20_a_backup_while_people_write_holds_all_that_was_acknowledged(self):
        acknowledged, stop = [], threading.Event()
        word = uuid.uuid4().hex[:8]
        self.call("POST", "/v1/sessions/s/end", {"new_info": "I mend clocks in Évora %s." % word, "request_id": word},
                  user=self.ann)
        self.call("PUT", "/v1/state/default", {"state": {"lamp": {"name": word}}}, user=self.ann)

        def write(number):
            count = 0
            while not stop.is_set():
                text = "Shelf %d holds jar %d %s 第%d个罐子" % (number, count, word, count)
                self.say("w%d" % number, text)
                acknowledged.append(text)
                if count % 5 == 4:
                    self.call("POST", "/v1/sessions/w%d/save" % number, {}, user=self.ann)
                count += 1

        threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        while len(acknowledged) < 40:
            time.sleep(0.01)
        before = list(acknowledged)
        done = self.run_weft("backup", "kept", workspace=self.server.workspace)
        stop.set()
        for thread in threads:
            thread.join()
        self.assertEqual(done.returncode, 0, done.stderr)

        restored = os.path.join(tempfile.mkdtemp(prefix="weft-restored-"), "workspace")  # the server's from now on
        done = self.run_weft("restore", "kept", workspace=restored)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.move_to(restored)
        self.settle()
        kept = self.memory()
        texts = set(kept["message"].values())
        self.assertEqual([text for text in before if text not in texts], [])
        self.assertTrue(any("clocks" in text for text in kept["event"].values()), kept["event"])
        self.assertTrue(any("clocks" in text for text in kept["profile"].values()), kept["profile"])
        self.assertEqual(self.call("GET", "/v1/state/default", user=self.ann)["state"]["lamp"]["name"], word)
        # It goes on from there.
        self.say("w0", "And now the restored %s" % word)
        hits = self.call("POST", "/v1/search", {"query": "restored " + word}, user=self.ann)["hits"]
        self.assertTrue(any("restored" in hit["text"] for hit in hits))

    def test_PF_20_what_is_damaged_or_in_the_way_is_refused(self):
        self.say("s", "The anchor lies in the shed")
        kept = os.path.join(self.folder, "kept")
        self.assertEqual(self.run_weft("backup", kept, workspace=self.server.workspace).returncode, 0)
        again = self.run_weft("backup", kept, workspace=self.server.workspace)
        self.assertEqual(again.returncode, 1)
        self.assertIn("not empty", again.stderr)
        busy = self.run_weft("restore", kept, workspace=self.server.workspace)
        self.assertEqual(busy.returncode, 1)
        self.assertIn("not empty", busy.stderr)
        with open(os.path.join(kept, "weft.db"), "r+b") as file:
            file.seek(5000)
            file.write(b"damage")
        damaged = self.run_weft("restore", kept, workspace=os.path.join(self.folder, "new"))
        self.assertEqual(damaged.returncode, 1)
        self.assertIn("not what was backed up", damaged.stderr)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "new", "weft.db")))
        none = self.run_weft("restore", self.folder, workspace=os.path.join(self.folder, "new"))
        self.assertIn("no backup", none.stderr)

    def test_PF_20_everything_of_a_person_can_be_taken_along(self):
        word = uuid.uuid4().hex[:8]
        self.say("s", "My canoe %s is green" % word)
        self.say("s", "我的独木舟%s是绿色的" % word, "好的")
        self.call("POST", "/v1/sessions/s/end", {"new_info": "I row on the Douro %s." % word, "request_id": word},
                  user=self.ann)
        self.call("PUT", "/v1/state/default", {"state": {"boat": {"colour": "green"}}}, user=self.ann)
        self.observe("other", [{"role": "user", "content": "bob's own " + word}], user="bob")
        self.call("POST", "/v1/sessions/s/save", {}, user=self.ann)
        self.settle()
        done = self.run_weft("-u", self.ann, "export", "all.jsonl", workspace=self.server.workspace)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(os.path.join(self.folder, "all.jsonl"), encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        request = urllib.request.Request(self.server.url + "/v1/export", headers={"X-Weft-User": self.ann})
        with urllib.request.urlopen(request) as answer:
            streamed = [json.loads(line) for line in answer.read().decode().splitlines()]
        drop = lambda all_lines: [line for line in all_lines if line["kind"] != "scope"]
        self.assertEqual(drop(lines), drop(streamed))
        kinds = {line["kind"] for line in lines}
        self.assertLessEqual({"scope", "message", "event", "narrative", "profile", "state"}, kinds)
        messages = [line for line in lines if line["kind"] == "message"]
        self.assertTrue(all({"id", "role", "session", "time"} <= set(line) for line in messages), messages)
        said = [line["content"] for line in messages]
        self.assertIn("我的独木舟%s是绿色的" % word, said)
        self.assertNotIn("bob's own", json.dumps(lines))


if __name__ == "__main__":
    unittest.main()
