"""An operator asks what is wrong: things are really broken, one at a time, and each is named with where it is and what to
do; what can be made anew is made anew, and everything said is found again (PF-10, CM-15)."""

import json
import os
import shutil
import signal
import sqlite3
import stat
import subprocess
import tempfile
import time
import unittest

from scenario import Scenario, binary

WORDS_ALONE = '[embedding]\nprovider = "none"\n'


def grades(report, check):
    return [finding["grade"] for finding in report["findings"] if finding["check"] == check]


def worst(report, check):
    """The gravest finding of a kind."""
    order = {"ok": 0, "look": 1, "wrong": 2}
    return max((one for one in report["findings"] if one["check"] == check), key=lambda one: order[one["grade"]])


class Alone(unittest.TestCase):
    """No server runs."""

    toml = WORDS_ALONE

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="weft-doctor-")
        self.addCleanup(shutil.rmtree, self.folder, True)
        self.workspace = os.path.join(self.folder, "ws")
        os.makedirs(self.workspace)
        self.settings(self.toml)

    def settings(self, toml):
        with open(os.path.join(self.workspace, "weft.toml"), "w") as file:
            file.write(toml)

    def weft(self, *words, stdin="", code=None, **more):
        done = subprocess.run([binary(), *words, "--workspace", self.workspace], input=stdin, capture_output=True,
                              text=True, timeout=300, **more)
        if code is not None:
            self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def doctor(self, *words, code=1, **more):
        report = json.loads(self.weft("doctor", "--json", *words, code=code, **more).stdout)
        self.assertEqual(report["well"], code == 0)
        for finding in report["findings"]:
            self.assertEqual(finding["grade"] == "ok", "advice" not in finding, finding)
        return report

    def keep(self, *texts):
        lines = "\n".join(json.dumps({"role": "user", "content": text}, ensure_ascii=False) for text in texts)
        self.weft("-u", "ann", "-s", "s", "observe", stdin=lines, code=0)

    def finds(self, query):
        return self.weft("-u", "ann", "search", query, "--json", code=0).stdout

    def change(self, *statements):
        store = sqlite3.connect(os.path.join(self.workspace, "weft.db"))
        for statement, *values in statements:
            store.execute(statement, values)
        store.commit()
        store.close()


class Disk(Alone):
    def test_CM_15_a_sound_workspace_is_well(self):
        self.keep("The ferry to Texel leaves at nine.", "我的自行车停在车站后面。")
        report = self.doctor(code=0)
        for check in ("disk", "flush", "rights", "lock", "settings", "door", "time_zones", "store", "index", "queue"):
            self.assertEqual(set(grades(report, check)), {"ok"}, check)
        self.assertIn("2 message", worst(report, "index")["what"])
        self.assertEqual(report["status"]["messages"], 2)
        self.assertIn("ok", self.weft("doctor", code=0).stdout)

    def test_CM_15_no_workspace_is_made_by_looking(self):
        shutil.rmtree(self.workspace)
        report = self.doctor("--set", "embedding.provider=none", code=0)
        self.assertEqual(grades(report, "workspace"), ["ok"])
        self.assertFalse(os.path.exists(self.workspace))
        with open(self.workspace, "w"):
            pass
        self.assertIn("no folder", worst(self.doctor(), "disk")["what"])

    def test_CM_15_a_disk_that_takes_nothing_is_told(self):
        self.keep("x")

        def no_room():
            import resource
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

        report = self.doctor(preexec_fn=no_room)
        flush = worst(report, "flush")
        self.assertEqual(flush["grade"], "wrong")
        self.assertIn(self.workspace, flush["what"])
        self.assertEqual([name for name in os.listdir(self.workspace) if "trial" in name], [])

    def test_CM_15_little_space_is_told(self):
        self.settings(WORDS_ALONE + "[health]\nmin_free_bytes = 4611686018427387904\n")
        self.assertIn("min_free_bytes", worst(self.doctor(), "disk")["what"])

    def test_PF_10_a_workspace_that_is_open_to_others_is_told_with_the_command_that_closes_it(self):
        os.chmod(self.folder, 0o755)
        shutil.rmtree(self.workspace)
        # What is made now is its owner's alone, with all that comes into it.
        self.weft("init", code=0)
        self.settings(WORDS_ALONE)
        self.keep("My passport number is 4711.")
        self.weft("-u", "ann", "backup", os.path.join(self.folder, "copy"), code=0)
        for top in (self.workspace, os.path.join(self.folder, "copy")):
            for folder, folders, files in os.walk(top):
                for name in [".", *folders, *files]:
                    mode = os.lstat(os.path.join(folder, name)).st_mode
                    if name != "weft.toml":  # written by this test
                        self.assertEqual(mode & 0o077, 0, os.path.join(folder, name))
        self.assertEqual(set(grades(self.doctor(code=0), "rights")), {"ok"})
        # One of an earlier version.
        subprocess.run(["chmod", "-R", "a+rX", self.workspace], check=True)
        found = [one for one in self.doctor()["findings"] if one["check"] == "rights" and "open to other" in one["what"]]
        self.assertEqual((found[0]["grade"], found[0]["where"]), ("look", self.workspace))
        self.weft("-u", "ann", "backup", os.path.join(self.folder, "copy2"), code=0)
        self.assertEqual(os.stat(os.path.join(self.folder, "copy2")).st_mode & 0o077, 0)
        subprocess.run(["sh", "-c", found[0]["advice"]], check=True)
        self.assertEqual(set(grades(self.doctor(code=0), "rights")), {"ok"})
        self.assertIn("4711", self.finds("passport"))

    def test_CM_15_secrets_that_others_may_read_are_told(self):
        self.weft("key", "add", "desk", "--right", "read", code=0)
        keys = os.path.join(self.workspace, "keys.jsonl")
        os.chmod(keys, 0o644)
        rights = worst(self.doctor(), "rights")
        self.assertEqual((rights["grade"], rights["where"]), ("wrong", keys))
        os.chmod(keys, stat.S_IRUSR | stat.S_IWUSR)
        report = self.doctor()
        self.assertEqual(set(grades(report, "rights")), {"ok"})
        self.assertIn("administrate", worst(report, "door")["what"])
        with open(keys, "a") as file:
            file.write("{ torn\n")
        self.assertEqual(worst(self.doctor(), "door")["grade"], "wrong")


class Locks(Alone):
    def test_CM_15_who_holds_the_workspace_is_told(self):
        self.keep("x")
        server = subprocess.Popen([binary(), "serve", "--port", "0", "--workspace", self.workspace],
                                  stdout=subprocess.PIPE, text=True)
        self.addCleanup(server.stdout.close)
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        url = json.loads(server.stdout.readline())["listening"]
        report = self.doctor(code=0)
        self.assertIn("process %d" % server.pid, worst(report, "lock")["what"])
        answered = worst(report, "server")
        self.assertEqual((answered["grade"], answered["where"]), ("ok", url))
        # Its socket is gone: it holds the workspace and takes no commands, while its clients are still served.
        os.remove(os.path.join(self.workspace, "weft.sock"))
        report = self.doctor()
        self.assertEqual(worst(report, "lock")["grade"], "wrong")
        self.assertIn("kill %d" % server.pid, worst(report, "lock")["advice"])
        self.assertEqual(grades(report, "server"), ["ok"])
        # It hangs: what it said of itself leads to nobody.
        server.send_signal(signal.SIGSTOP)
        report = self.doctor()
        self.assertEqual((grades(report, "lock"), grades(report, "server")), (["wrong"], ["wrong"]))
        server.send_signal(signal.SIGCONT)

    def test_CM_15_who_is_about_to_let_go_of_the_lock_is_waited_for(self):
        self.keep("x")
        lock = os.path.join(self.workspace, "weft.lock")
        holder = subprocess.Popen(["flock", "-x", lock, "sleep", "3"])
        self.addCleanup(holder.wait)
        self.until_held(lock)
        told = worst(self.doctor("--patience", "0"), "lock")
        self.assertEqual(told["grade"], "wrong")
        self.assertIn("within 0 s", told["what"])
        self.assertEqual(grades(self.doctor("--patience", "60", code=0), "lock"), ["ok"])
        self.assertEqual(self.weft("doctor", "--patience", "-1").returncode, 2)

    def until_held(self, lock):
        while subprocess.run(["flock", "-n", "-s", lock, "true"]).returncode == 0:
            time.sleep(0.01)

    def test_CM_15_what_a_killed_server_left_is_no_harm(self):
        self.keep("x")
        server = subprocess.Popen([binary(), "serve", "--port", "0", "--workspace", self.workspace],
                                  stdout=subprocess.PIPE, text=True)
        server.stdout.readline()
        server.kill()
        server.wait()
        server.stdout.close()
        self.assertTrue(os.path.exists(os.path.join(self.workspace, "weft.sock")))
        lock = worst(self.doctor(code=0), "lock")
        self.assertIn("killed", lock["what"])


class Settings(Alone):
    def test_PF_11_settings_that_make_no_sense_are_named(self):
        for toml, check, word in (
                ("[stream]\ntreshold = 0.4\n", "settings", "threshold"),
                ('[embedding]\nprovider = "openai"\n', "settings", "embedding.url"),
                ('[embedding]\nprovider = "none"\npath = "/x.gguf"\n', "settings", "embedding.path"),
                ('[roles]\nmain = "nobody"\n' + WORDS_ALONE, "settings", "nobody"),
                (WORDS_ALONE + '[models.m]\nurl = "http://127.0.0.1:9/v1"\nmodel = "m"\napi_key_env = "NOT_SET_ANYWHERE"\n',
                 "settings", "NOT_SET_ANYWHERE"),
                (WORDS_ALONE + '[proxy]\nupstream = "http://127.0.0.1:7077/v1"\n', "settings", "itself"),
                (WORDS_ALONE + '[server]\nhost = "0.0.0.0"\n', "door", "no key"),
                (WORDS_ALONE + '[server]\ntls_certificate = "/nowhere/c.pem"\ntls_key = "/nowhere/k.pem"\n', "door", "not there"),
                ("not toml\n", "settings", "weft.toml")):
            self.settings(toml)
            found = [one for one in self.doctor()["findings"] if one["check"] == check and one["grade"] != "ok"]
            self.assertTrue(any(word in json.dumps(one) for one in found), (toml, found))

    def test_CM_15_only_with_online_others_are_asked(self):
        self.settings(WORDS_ALONE + '[proxy]\nupstream = "http://127.0.0.1:9/v1"\n')
        self.assertEqual(grades(self.doctor(code=0), "online"), [])
        self.assertEqual(grades(self.doctor("--online"), "online"), ["wrong"])


class Models(Alone):
    toml = ""

    def test_CM_15_models_that_are_missing_or_cut_off_are_told(self):
        folder = os.path.join(self.folder, "models")
        os.makedirs(folder)
        self.settings("model_folder = \"%s\"\n" % folder)
        missing = worst(self.doctor(), "model")
        path = os.path.join(folder, "multilingual-e5-small-q4.gguf")
        self.assertEqual((missing["grade"], missing["where"]), ("look", path))
        shipped = os.path.join(os.environ.get("WEFT_CACHE", os.path.expanduser("~/.cache/weft")), "models",
                               "multilingual-e5-small-q4.gguf")
        if not os.path.exists(shipped):
            self.skipTest("the models of set-up are not there")
        shutil.copy(shipped, path)
        report = self.doctor(code=0)
        self.assertIn("%d bytes" % os.path.getsize(path), worst(report, "model")["what"])
        self.assertEqual(grades(report, "embedder"), ["ok"])
        os.truncate(path, os.path.getsize(path) - 4096)
        cut = worst(self.doctor(), "model")
        self.assertIn("cut off", cut["what"])
        with open(path, "w") as file:
            file.write("this is no model")
        self.assertIn("no model", worst(self.doctor(), "model")["what"])

    def test_CM_15_vectors_of_another_model_are_found_and_made_again(self):
        shipped = os.path.join(os.environ.get("WEFT_CACHE", os.path.expanduser("~/.cache/weft")), "models")
        if not os.path.exists(os.path.join(shipped, "multilingual-e5-small-q4.gguf")):
            self.skipTest("the models of set-up are not there")
        self.keep(*["Note %d is about the harbour of %s." % (number, place) for number, place in
                    enumerate(("Lerwick", "Bergen", "Esbjerg", "Harlingen", "Aberdeen", "Kiel"))])
        self.doctor("--repair", code=0)  # waits until all have their vectors
        before = self.vectors()
        self.assertTrue(all(len(vector) == 384 * 4 for vector in before))
        self.assertEqual(grades(self.doctor(code=0), "vectors"), ["ok"])
        # Of right length and form, and of another text each, as a model of the same name would make them.
        for row, vector in zip(self.rows(), before[1:] + before[:1]):
            self.change(("UPDATE items SET vector=? WHERE row=?", vector, row))
        self.assertEqual(grades(self.doctor(), "vectors"), ["wrong"])
        self.doctor("--repair", code=0)
        self.assertEqual(self.vectors(), before)
        # Of another length.
        self.change(("UPDATE items SET vector=? WHERE row=?", before[0][:400], self.rows()[0]))
        self.assertIn("1 have a vector", worst(self.doctor(), "index")["what"])
        self.doctor("--repair", code=0)
        self.assertEqual(self.vectors(), before)
        self.doctor(code=0)

    def rows(self):
        return [row for row, _ in self.items()]

    def vectors(self):
        return [bytes(vector) for _, vector in self.items()]

    def items(self):
        store = sqlite3.connect(os.path.join(self.workspace, "weft.db"))
        found = store.execute("SELECT row, vector FROM items ORDER BY row").fetchall()
        store.close()
        return found


class Index(Alone):
    def setUp(self):
        super().setUp()
        self.keep("The spare key hangs behind the barometer.", "猫的药在冰箱第二层。", "Is the lighthouse open on Mondays?")
        self.weft("-u", "bob", "-s", "t", "observe", stdin='{"role":"user","content":"Bob keeps bees on the roof."}', code=0)

    def test_CM_15_an_index_that_lost_entries_is_told_and_made_anew(self):
        self.assertIn("barometer", self.finds("spare key"))
        self.change(("DELETE FROM items WHERE text LIKE '%barometer%'",))
        self.assertNotIn("barometer", self.finds("spare key"))
        found = worst(self.doctor(), "index")
        self.assertEqual((found["grade"], found["where"]), ("wrong", "user:ann message"))
        self.assertIn("1 messages cannot be found", found["what"])
        self.assertIn("--repair", found["advice"])
        self.doctor("--repair", code=0)
        self.assertIn("barometer", self.finds("spare key"))
        self.doctor(code=0)

    def test_CM_15_entries_under_wrong_words_are_told_and_made_anew(self):
        self.change(("UPDATE items SET terms=x'' WHERE scope='user:ann'",))
        self.assertNotIn("冰箱", self.finds("猫的药"))
        self.assertIn("3 stand under other words", worst(self.doctor(), "index")["what"])
        self.doctor("--repair", code=0)
        self.assertIn("冰箱", self.finds("猫的药"))
        self.doctor(code=0)

    def test_CM_15_messages_that_are_gone_are_told_and_not_invented(self):
        self.change(("DELETE FROM messages WHERE content LIKE '%barometer%'",))
        found = worst(self.doctor("--repair"), "index")
        self.assertIn("not there", found["what"])
        self.assertIn("restore", found["advice"])
        self.assertIn("barometer", self.finds("spare key"))  # what is left of it is not taken away

    def test_CM_15_an_index_of_the_store_that_was_overwritten_is_made_anew(self):
        path = os.path.join(self.workspace, "weft.db")
        store = sqlite3.connect(path)
        store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (page,) = store.execute("SELECT rootpage FROM sqlite_master WHERE name='messages_by_digest'").fetchone()
        (size,) = store.execute("PRAGMA page_size").fetchone()
        store.close()
        with open(path, "r+b") as file:
            file.seek((page - 1) * size + 3)
            file.write(b"\0\0")  # the number of its cells
        broken = worst(self.doctor(), "store")
        self.assertEqual(broken["grade"], "wrong")
        self.assertIn("messages_by_digest", broken["what"])
        self.doctor("--repair", code=0)
        self.assertEqual(grades(self.doctor(code=0), "store"), ["ok"])

    def test_CM_15_a_store_that_was_cut_off_is_told_and_left_alone(self):
        path = os.path.join(self.workspace, "weft.db")
        store = sqlite3.connect(path)
        store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        store.close()
        os.truncate(path, os.path.getsize(path) // 2)
        with open(path, "rb") as file:
            before = file.read()
        report = self.doctor("--repair")
        broken = worst(report, "store")
        self.assertEqual(broken["grade"], "wrong")
        self.assertIn("backup", broken["advice"])
        with open(path, "rb") as file:
            self.assertEqual(file.read()[:4096][:24], before[:24])


class BesideServer(Scenario):
    toml = WORDS_ALONE

    def test_CM_15_a_running_server_is_looked_at_and_mended_while_it_serves(self):
        self.observe("s", [{"role": "user", "content": "The sledge is in the loft."}])
        self.assertIn("loft", json.dumps(self.call("POST", "/v1/search", {"query": "sledge"})))
        store = sqlite3.connect(os.path.join(self.server.workspace, "weft.db"), timeout=30)
        store.execute("DELETE FROM items")
        store.commit()
        store.close()
        run = self.weft("doctor", "--json")
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertEqual(worst(json.loads(run.stdout), "index")["grade"], "wrong")
        self.assertEqual(self.weft("doctor", "--repair").returncode, 0)
        self.assertEqual(self.weft("doctor").returncode, 0)
        self.assertIn("loft", json.dumps(self.call("POST", "/v1/search", {"query": "sledge"})))
        # A setting that the file has and the server has not.
        time.sleep(1.1)
        with open(os.path.join(self.server.workspace, "weft.toml"), "a") as file:
            file.write("[recall]\nauto_top = 7\n")
        changed = worst(json.loads(self.weft("doctor", "--json").stdout), "settings")
        self.assertIn("recall.auto_top", changed["what"])
        self.assertIn("restart", changed["advice"])


if __name__ == "__main__":
    unittest.main()
