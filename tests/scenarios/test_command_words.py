"""What a person or a program types, and what the command answers: nearest words, one JSON value, no sudden loss."""

import json
import os
import shutil
import subprocess
import tempfile
import unittest
import uuid

from scenario import Scenario, binary

WORDS_ALONE = '[embedding]\nprovider = "none"\n'


class Words(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="weft-words-")
        self.workspace = os.path.join(self.folder, "ws")
        os.makedirs(self.workspace)
        with open(os.path.join(self.workspace, "weft.toml"), "w") as file:
            file.write(WORDS_ALONE)

    def tearDown(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def weft(self, *words, stdin="", code=0):
        done = subprocess.run([binary(), "--workspace", self.workspace, *words], input=stdin, capture_output=True, text=True,
                              timeout=300, cwd=self.folder)
        self.assertEqual(done.returncode, code, (words, done.stdout, done.stderr))
        return done

    def observe(self, text, *who):
        self.weft(*who, "observe", stdin=json.dumps({"id": "m" + uuid.uuid4().hex, "role": "user", "content": text}, ensure_ascii=False))


class Nearest(Words):
    def test_PF_18_a_slip_of_the_hand_is_told_what_was_near(self):
        for words, near in ((("serch", "x"), "search"), (("profle", "list"), "profile"), (("profile", "shwo"), "show"),
                            (("qeue", "status"), "queue"), (("queue", "statsu"), "status"), (("serve", "--prot", "1"), "--port"),
                            (("search", "x", "--orignals"), "--originals"), (("erase", "--evrything"), "--everything"),
                            (("state", "aply", "[]"), "apply"), (("help", "contxt"), "context")):
            self.assertIn("did you mean " + near + "?", self.weft(*words, code=2).stderr)
            told = json.loads(self.weft("--json", *words, code=2).stdout)
            self.assertIn(near, told["error"]["hint"])

    def test_PF_18_what_is_near_to_nothing_is_told_where_all_stand(self):
        done = self.weft("zzzzzzzzzz", code=2)
        self.assertNotIn("did you mean", done.stderr)
        self.assertIn("weft --help", done.stderr)
        self.assertIn("quotes", self.weft("search", "hotel", "in", "Kyoto", code=2).stderr)
        self.assertIn("weft search --help", self.weft("search", code=2).stderr)

    def test_PF_18_the_help_that_is_named_is_there(self):
        whole = self.weft("help").stdout
        for command in ("observe", "search", "context", "serve", "erase", "settings", "help http"):
            self.assertIn(command, whole)
        self.assertIn("--originals", self.weft("help", "search").stdout)
        self.assertIn("user:ID", self.weft("help", "profile", "show").stdout)
        self.assertIn("POST /v1/sessions/{id}/context", self.weft("help", "http").stdout)


class Profiles(Words):
    def test_PF_18_a_profile_is_shown_by_the_name_that_the_list_gives_it(self):
        for user, fact in (("ann lee", "I live in Berlin."), ("小明", "我住在杭州。")):
            self.weft("-u", user, "end", "--request", "r1", "--new-info", fact)
        names = [line[:30].strip() for line in self.weft("profile", "list").stdout.splitlines()]
        self.assertEqual(len(names), 2)
        for name in names:
            name = next(part for part in ("user:ann lee", "user:小明") if part in name)
            shown = self.weft("profile", "show", name).stdout
            self.assertTrue("Berlin" in shown or "杭州" in shown, shown)
            self.weft("profile", "history", name)
        self.assertIn("user:ann", self.weft("profile", "show", "nobody", code=2).stderr)
        self.weft("profile", "diff", "user:ann lee", code=2)


class Erasing(Words):
    def test_PF_3_everything_of_nobody_in_particular_is_not_erased_without_a_word(self):
        for fact, asked in (("The attic holds the old maps", "old maps"), ("阁楼里放着旧地图", "旧地图")):
            self.observe(fact)
            self.observe(fact, "-u", "ann")
            for words in (("erase", "--everything"), ("erase", "--before", "2100-01-01")):
                told = self.weft(*words, code=2).stderr
                self.assertIn('"default"', told)
                self.assertIn("1 messages", told)
                self.assertIn("--yes", told)
                self.assertIn("1 messages", json.loads(self.weft("--json", *words, code=2).stdout)["error"]["message"])
            self.assertIn(asked, self.weft("search", asked).stdout)
            self.weft("-u", "ann", "erase", "--everything")
            self.assertNotIn(asked, self.weft("-u", "ann", "search", asked).stdout)
            self.assertIn(asked, self.weft("search", asked).stdout)
            self.weft("erase", "--everything", "--yes")
            self.assertNotIn(asked, self.weft("search", asked).stdout)


class AsJson(Words):
    def values(self, *words, stdin="", code=0):
        return [json.loads(line) for line in self.weft("--json", *words, stdin=stdin, code=code).stdout.splitlines()]

    def test_PF_18_with_json_each_command_gives_one_value_and_nothing_else(self):
        self.observe("The lighthouse stands on the north cape")
        state, schema = '{"hero":{"hp":3}}', '{"type":"object"}'
        with open(os.path.join(self.folder, "quests.yaml"), "w") as file:
            file.write("quests:\n  - id: light\n    title: Light the lamp\n    status: available\n")
        with open(os.path.join(self.folder, "world.md"), "w") as file:
            file.write("# Lighthouse\n\nIt has been dark for a year.\n")
        with open(os.path.join(self.folder, "ends.json"), "w") as file:
            file.write('{"summary": "Fixed the printer", "timestamp": "2026-01-02 10:00:00"}\n')
        for words in (("init",), ("save",), ("search", "cape"), ("-s", "n", "context", "Where is it?"), ("state", "put", state),
                      ("state", "get"), ("state", "apply", '[["SET","hero.hp",2]]'), ("state", "log"), ("state", "schema", schema),
                      ("state", "schema"), ("state", "rollback", "1"), ("quest", "import", "quests.yaml"), ("quest", "list"),
                      ("quest", "move", "light", "in_progress"), ("lore", "import", "world.md"), ("compact", "--show"),
                      ("-s", "e1", "end", "--request", "r1", "--new-info", "I live in Berlin."),
                      ("-s", "e2", "end", "--request", "r2", "--new-info", "I live in Porto."),
                      ("profile", "list"), ("profile", "show", "user:default"), ("profile", "history", "user:default"),
                      ("profile", "diff", "user:default", "1"), ("profile", "rollback", "user:default", "1"),
                      ("tool", "cognitive_search_events", '{"query":"Berlin"}'), ("migrate", "ends.json"), ("queue", "status"),
                      ("queue", "list"), ("queue", "purge", "--all"), ("doctor",), ("settings",), ("help", "http"),
                      ("-s", "c", "chat"), ("erase", "--everything", "--yes")):
            values = self.values(*words, stdin="Where is the lighthouse?\n" if "chat" in words else "")
            self.assertEqual(len(values), 1, words)

    def test_PF_18_the_demonstration_is_json_too(self):
        (seen,) = self.values("--set", "embedding.provider=none", "demo")
        self.assertTrue(seen["observed"] and seen["memories"], seen.keys())
        self.assertEqual(len(seen["questions"]), 6)
        self.assertTrue(all(one["context"]["messages"] for one in seen["questions"]))

    def test_PF_18_errors_are_json_where_json_is_asked_for(self):
        for words, code in ((("quest", "import", "nothing.yaml"), 1), (("queue", "show", "nobody"), 1), (("queue", "purge"), 2),
                            (("profile", "show", "user:nobody"), 1), (("search",), 2)):
            (told,) = self.values(*words, code=code)
            self.assertTrue(told["error"]["message"], words)


class WrongPaths(Scenario):
    toml = WORDS_ALONE

    def test_PF_18_a_wrong_path_of_the_server_names_a_help_that_is_there(self):
        status, error = self.fails("POST", "/v1/serch", {"query": "x"})
        self.assertEqual(status, 404)
        self.assertIn("did you mean /v1/search?", error["hint"])
        self.assertIn("`weft help http`", error["hint"])
        self.assertIn("POST /v1/search", self.weft("help", "http").stdout)


if __name__ == "__main__":
    unittest.main()
