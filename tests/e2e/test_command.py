"""Uses the command `weft` as a person does, with good input and with bad."""

import json
import os
import resource
import shutil
import signal
import subprocess
import tempfile
import unittest

from weft_server import binary

WEFT = binary()


class Command(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="weft-command-")
        self.workspace = os.path.join(self.folder, "ws")

    def tearDown(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def weft(self, *words, stdin=b"", expect=0, limit_bytes=None):
        def limit():
            if limit_bytes:
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit_bytes, limit_bytes))

        done = subprocess.run([WEFT, "--workspace", self.workspace, "--set", "embedding.provider=none", "--json", *words],
                              input=stdin if isinstance(stdin, bytes) else stdin.encode(), capture_output=True, preexec_fn=limit, timeout=120)
        if expect is not None:
            self.assertEqual(done.returncode, expect, done.stdout.decode() + done.stderr.decode())
        return [json.loads(line) for line in done.stdout.decode().splitlines()]

    def observe(self, *messages, expect=0, **rest):
        lines = "\n".join(m if isinstance(m, str) else json.dumps(m, ensure_ascii=False) for m in messages)
        return self.weft("observe", stdin=lines, expect=expect, **rest)

    def test_CM_1_CM_8_CM_11_the_way_of_a_bots_author(self):
        end = ["--user", "ann", "end", "--sender", "Ann", "--time", "2026-03-05T14:30:00+01:00"]
        done = self.weft(*end, "--request", "r1", "--action-summary", "I booked 4 seats for you for tomorrow.", "--new-info", "I live in Berlin.")
        self.assertEqual(done[0]["event_id"], "r1:1")
        self.weft(*end, "--request", "r2", "--new-info", "I live in Porto.")
        profile = self.weft("profile", "show", "--id", "ann")[0]
        self.assertIn("Porto", profile["body"])
        versions = self.weft("profile", "history", "--id", "ann")[0]["versions"]
        back = self.weft("profile", "rollback", "--id", "ann", str(versions[-1]["version"]))[0]
        self.assertIn("Berlin", back["body"])
        self.assertEqual([one["entity_id"] for one in self.weft("profile", "list")[0]["profiles"]], ["ann"])
        arguments = json.dumps({"query": "seats", "time_from": "2026-03-01", "time_to": "March 2026"})
        hits = self.weft("--user", "ann", "tool", "cognitive_search_events", arguments)[0]["hits"]
        self.assertIn("6 March 2026", hits[0]["text"])
        whole = self.weft("--user", "ann", "tool", "cognitive_search_events", json.dumps({"id": hits[0]["id"]}))[0]["items"]
        self.assertEqual(whole[0]["metadata"]["schema_version"], "final_v1")
        self.weft("--user", "bob", "tool", "cognitive_get_profile", json.dumps({"entity_type": "user", "entity_id": "ann"}), expect=1)
        self.weft("--user", "ann", "tool", "cognitive_search_events", json.dumps({"query": "seats", "time_from": "gibberish"}), expect=1)
        self.weft("--user", "ann", "tool", "no.such.tool", "{}", expect=1)

    def test_CM_8_a_profile_is_edited_in_an_editor(self):
        editor = os.path.join(self.folder, "editor.sh")
        with open(editor, "w") as file:
            file.write("#!/bin/sh\necho '- Plays the bassoon.' >> \"$1\"\n")
        os.chmod(editor, 0o755)
        os.environ["VISUAL"] = editor
        self.weft("profile", "edit", "--id", "../ann b")
        self.assertIn("bassoon", self.weft("profile", "show", "--id", "../ann b")[0]["body"])
        self.assertFalse(os.path.exists(os.path.join(self.folder, "ann b.md")))

    def test_CM_14_an_old_file_is_migrated_once(self):
        path = os.path.join(self.folder, "end_summaries.json")
        with open(path, "w") as file:
            for i in range(200):
                file.write('{"summary": broken\n' if i % 50 == 3 else json.dumps({"summary": f"Fixed printer {i}", "timestamp": "2026-01-02 10:00:00"}) + "\n")
        first = self.weft("migrate", path)[0]
        self.assertEqual((first["written"], len(first["skipped"])), (196, 4))
        self.assertEqual(first["skipped"][0]["place"], 4)
        self.assertEqual(self.weft("migrate", path)[0]["known"], 196)
        self.weft("migrate", os.path.join(self.folder, "nothing.json"), expect=1)

    def test_PF_5_what_is_erased_is_gone(self):
        self.observe({"id": "u1", "role": "user", "content": "The code of the blue safe is 4711"}, {"role": "assistant", "content": "Noted."})
        self.weft("save")
        receipt = self.weft("erase", "--message", "u1")[0]
        self.assertEqual((receipt["messages"], receipt["traces_found"]), (1, 0))
        self.assertFalse(any("4711" in hit["text"] for hit in self.weft("search", "code of the blue safe")[0]["hits"]))
        self.assertEqual(self.weft("erase", "--verify", receipt["id"])[0]["found"], 0)
        self.weft("erase", "--message", "nobody", expect=1)
        self.weft("erase", expect=1)

    def test_PF_1_the_way_from_messages_to_a_context(self):
        self.weft("init")
        self.assertTrue(os.path.exists(os.path.join(self.workspace, "weft.toml")))
        told = self.observe({"id": "u1", "role": "user", "content": "Our wedding day is the 7th of June in Bergen"},
                            {"id": "a1", "role": "assistant", "content": "Congratulations!"})
        self.assertEqual([line["observations"][0]["action"] for line in told], ["opened", "sealed"])
        self.assertEqual(told[1]["observations"][0]["decision"]["verdict"], "start")
        saved = self.weft("save")
        self.assertEqual(saved[0]["flushed"][0]["reason"], "save")
        hits = self.weft("search", "wedding day in Bergen")[0]["hits"]
        self.assertIn("7th of June", hits[0]["text"])
        kinds = {hit["kind"] for hit in hits}
        self.assertTrue({"message", "event", "narrative"} <= kinds, kinds)
        woven = self.weft("--session", "other", "context", "When is the wedding in Bergen?")[0]
        self.assertIn("7th of June", json.dumps(woven["messages"]))
        self.assertTrue(woven["messages"][-1]["content"].endswith("When is the wedding in Bergen?"), woven["messages"])
        self.assertTrue(any(section["name"] == "memory" for section in woven["report"]["sections"]))
        self.assertEqual(woven["report"]["token_mode"], "script")
        self.assertEqual(self.weft("queue", "status")[0]["queue"]["pending"], 0)

    def test_PF_4_the_same_in_chinese(self):
        self.observe({"role": "user", "content": "我女儿叫小满，她对花生过敏"}, {"role": "assistant", "content": "记住了：小满不能吃花生。"})
        self.weft("save")
        hits = self.weft("search", "小满过敏")[0]["hits"]
        self.assertIn("花生", hits[0]["text"])
        events = [hit for hit in self.weft("search", "小满", "--kind", "event")[0]["hits"]]
        self.assertTrue(any("用户说" in event["text"] for event in events), events)
        self.assertIn("用户的女儿叫小满", "".join(event["text"] for event in events))

    def test_CM_18_the_prompt_that_teaches_to_end_a_turn_is_printed(self):
        for language in ("en", "zh"):
            [printed] = self.weft("prompt", "end", "--language", language)
            self.assertIn("`new_info`", printed["text"])
        [error] = self.weft("prompt", "nothing", expect=1)
        self.assertIn("rewrite", error["error"]["hint"])

    def test_ST_5_bad_lines_are_refused_one_by_one_with_the_line_and_the_fault(self):
        told = self.observe({"role": "user", "content": "good one", "id": "g1"}, "this is no JSON", {"role": "king", "content": "x"},
                            {"role": "user", "content": "good two", "id": "g2"}, {"role": "user", "content": "other text", "id": "g1"}, expect=1)
        self.assertIn("observations", told[0])
        for line, words in ((told[1], "line 2"), (told[2], "role"), (told[4], "already")):
            self.assertIn(words, line["error"]["message"])
            self.assertTrue(line["error"]["code"])
        self.assertEqual(told[3]["observations"][0]["action"], "opened")
        broken = self.weft("observe", stdin=b'{"role":"user","content":"\xff\xfe"}\n', expect=1)
        self.assertIn("UTF-8", broken[0]["error"]["message"])

    def test_PF_12_a_history_sent_again_and_edited(self):
        history = [{"role": "user", "content": "my horse is called Merlin"}, {"role": "assistant", "content": "noble"}]
        self.assertEqual(self.weft("observe", "--history", stdin=json.dumps(history))[0]["added"], 2)
        self.assertEqual(self.weft("observe", "--history", stdin=json.dumps(history))[0]["added"], 0)
        history[0]["content"] = "my horse is called Gandalf"
        edited = self.weft("observe", "--history", stdin=json.dumps(history))[0]
        self.assertEqual((edited["abandoned"], edited["added"]), (2, 2))
        texts = json.dumps(self.weft("search", "what is my horse called")[0])
        self.assertIn("Gandalf", texts)
        self.assertNotIn("Merlin", texts)

    def test_PF_9_a_full_disk_loses_nothing_that_was_acknowledged(self):
        self.weft("init")
        lines = [{"id": f"m{i}", "role": "user" if i % 2 == 0 else "assistant", "content": f"note {i} " + "x" * 2000} for i in range(400)]
        # A limit on the size of files stands in for the full disk: writes begin to fail.
        told = self.observe(*lines, expect=1, limit_bytes=1_500_000)
        kept = [line["observations"][0]["id"] for line in told if "observations" in line]
        refused = [line["error"] for line in told if "error" in line]
        self.assertTrue(kept and refused, (len(kept), len(refused)))
        self.assertTrue(all(error["message"] and error["code"] != "internal" for error in refused), refused[0])
        again = self.observe(*lines)
        actions = {line["observations"][0]["id"]: line["observations"][0]["action"] for line in again}
        self.assertEqual([i for i in kept if actions[i] != "duplicate"], [])

    def test_PF_1_a_folder_that_cannot_be_made_is_named(self):
        blocker = os.path.join(self.folder, "file")
        open(blocker, "w").close()
        self.workspace = os.path.join(blocker, "ws")
        answer = self.weft("doctor", expect=1)
        wrong = [one for one in answer[0]["findings"] if one["grade"] == "wrong"]
        self.assertIn(blocker, wrong[0]["what"])

    def test_PF_9_two_processes_on_one_workspace(self):
        self.weft("init")
        server = subprocess.Popen([WEFT, "--workspace", self.workspace, "--set", "embedding.provider=none", "serve", "--port", "0"], stdout=subprocess.PIPE)
        try:
            server.stdout.readline()
            answer = self.weft("serve", "--port", "0", expect=1)
            self.assertEqual(answer[0]["error"]["code"], "conflict")
            self.assertIn(str(server.pid), answer[0]["error"]["message"])
            self.weft("search", "x")
        finally:
            server.terminate()
            self.assertEqual(server.wait(timeout=20), 0)
            server.stdout.close()
        self.weft("search", "x")

    def test_PF_11_settings_are_checked(self):
        answer = self.weft("--set", "stream.treshold=0.4", "doctor", expect=1)
        self.assertIn("stream.threshold", json.dumps(answer))
        self.weft("--set", "stream.threshold=warm", "doctor", expect=1)
        with open(os.path.join(self.folder, "weft.toml"), "w") as file:
            file.write('preset = "literal"\n')
        shown = {line["key"]: line["value"] for line in self.weft("--preset", "literal", "settings")[0]}
        self.assertEqual((shown["stream.policy"], shown["stream.short_tokens"]), ("threshold", "50"))

    def test_PF_1_wrong_use_is_exit_2_and_says_what_is_wanted(self):
        done = subprocess.run([WEFT, "no-such-command"], capture_output=True)
        self.assertEqual(done.returncode, 2)
        done = subprocess.run([WEFT, "--help"], capture_output=True)
        self.assertEqual(done.returncode, 0)
        for command in ("observe", "search", "context", "serve", "eval", "bench"):
            self.assertIn(command, done.stdout.decode())

    def test_ST_1_traces_of_agents_replay_through_the_command(self):
        shared = os.environ.get("WEFT_SHARED", os.path.join(os.environ.get("WEFT_SOURCE_DIR", "."), "../shared"))
        path = os.path.join(shared, "data/traces/taubench.jsonl")
        if not os.path.exists(path):
            self.skipTest("no development data at " + path + "; set WEFT_SHARED")
        with open(path) as file:
            run = json.loads(next(file))
        messages = [{k: v for k, v in m.items() if v is not None} for m in run["messages"]]
        told = self.observe(*messages)
        self.assertEqual(len(told), len(messages))
        spoken = sum(m["role"] != "system" for m in messages)
        blocks = {line["observations"][0].get("block") for line in told} - {None, ""}
        self.assertGreater(len(blocks), 0)
        self.assertLessEqual(len(blocks), spoken)


if __name__ == "__main__":
    unittest.main(verbosity=1)
