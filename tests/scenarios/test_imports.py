"""Somebody brings along what other systems have kept: it is laid ready, looked at, taken in, and found; again, in
another's name, or cut off in the middle, nothing is doubled and nobody else's memory grows (PF-10, PF-15)."""

import json
import os
import random
import sqlite3
import tempfile
import unittest

from scenario import Scenario


def chatgpt(conversations):
    """A data export: each conversation is a tree, with a branch that was given up."""
    out = []
    for title, turns in conversations:
        mapping = {"root": {"id": "root", "message": None, "parent": None, "children": ["m0"]}}
        parent = "root"
        for i, (role, text, at) in enumerate(turns):
            node = "m%d" % i
            mapping[node] = {"id": node, "parent": parent, "children": ["m%d" % (i + 1)] if i + 1 < len(turns) else [],
                             "message": {"author": {"role": role}, "create_time": at,
                                         "content": {"content_type": "text", "parts": [text]}}}
            parent = node
        mapping["given-up"] = {"id": "given-up", "parent": "m0", "children": [], "message": {
            "author": {"role": "assistant"}, "create_time": 1, "content": {"content_type": "text", "parts": ["GIVEN UP"]}}}
        mapping["m0"]["children"].append("given-up")
        out.append({"title": title, "conversation_id": "c-" + title, "mapping": mapping, "current_node": parent,
                    "create_time": turns[0][2]})
    return json.dumps(out, ensure_ascii=False)


# The tables as chromadb 1.x and mem0 2.x make them, as far as they are read.
CHROMA = """
CREATE TABLE collections (id TEXT PRIMARY KEY, name TEXT NOT NULL, dimension INTEGER, database_id TEXT NOT NULL);
CREATE TABLE segments (id TEXT PRIMARY KEY, type TEXT NOT NULL, scope TEXT NOT NULL, collection TEXT NOT NULL);
CREATE TABLE embeddings (id INTEGER PRIMARY KEY, segment_id TEXT NOT NULL, embedding_id TEXT NOT NULL, seq_id BLOB NOT NULL,
  created_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, UNIQUE (segment_id, embedding_id));
CREATE TABLE embedding_metadata (id INTEGER REFERENCES embeddings(id), key TEXT NOT NULL, string_value TEXT,
  int_value INTEGER, float_value REAL, bool_value INTEGER, PRIMARY KEY (id, key));
CREATE VIRTUAL TABLE embedding_fulltext_search USING fts5(string_value, tokenize='trigram');
"""
MEM0 = """CREATE TABLE history (id TEXT PRIMARY KEY, memory_id TEXT, old_memory TEXT, new_memory TEXT, event TEXT,
  created_at DATETIME, updated_at DATETIME, is_deleted INTEGER, actor_id TEXT, role TEXT)"""


def chroma_store(folder, collections):
    """{name: [{key: value}]} as a persistent client leaves it."""
    os.makedirs(folder, exist_ok=True)
    store = sqlite3.connect(os.path.join(folder, "chroma.sqlite3"))
    store.executescript(CHROMA)
    number = 0
    for name, entries in collections.items():
        store.execute("INSERT INTO collections VALUES (?, ?, 3, 'd')", ("c" + name, name))
        for scope in ("METADATA", "VECTOR"):
            store.execute("INSERT INTO segments VALUES (?, 'urn:chroma', ?, ?)", (scope + name, scope, "c" + name))
        for entry in entries:
            number += 1
            store.execute("INSERT INTO embeddings VALUES (?, ?, ?, x'00', '2024-03-01 10:00:00')",
                          (number, "METADATA" + name, "e%d" % number))
            for key, value in entry.items():
                kind = "int_value" if isinstance(value, int) else "string_value"
                store.execute("INSERT INTO embedding_metadata (id, key, %s) VALUES (?, ?, ?)" % kind, (number, key, value))
    store.commit()
    store.close()


class Imports(Scenario):
    def stage(self, text, user="ann", expect=0, name="export.json"):
        path = os.path.join(self.server.workspace, name)
        with open(path, "w") as file:
            file.write(text)
        run = self.weft("import", "stage", path, "--user", user, "--json")
        self.assertEqual(run.returncode, expect, run.stderr)
        return json.loads(run.stdout)

    def do(self, *words, user="ann", expect=0):
        run = self.weft("import", *words, "--user", user, "--json")
        self.assertEqual(run.returncode, expect, run.stderr)
        return [json.loads(line) for line in run.stdout.splitlines()]

    def found(self, query, user="ann"):
        return json.dumps(self.call("POST", "/v1/search", {"query": query}, user=user), ensure_ascii=False)

    def test_chats_are_looked_at_before_they_are_memory(self):
        staged = self.stage(chatgpt([
            ("Boat", [("user", "My boat is called Kittiwake and lies in Lerwick.", 1600000000.5),
                      ("assistant", "A fine name.", 1600000060)]),
            ("过敏", [("user", "我对花生过敏，请记住。", 1700000000), ("assistant", "好的，记住了。", 1700000010),
                    ("user", "谢谢", 1700000020)])]))
        self.assertEqual((staged["source"], staged["chats"], staged["messages"], staged["stage"]),
                         ("chatgpt", 2, 5, "staged"))
        self.assertNotIn("Kittiwake", self.found("boat"))
        shown = self.do("show", staged["id"])[0]
        self.assertEqual([chat["title"] for chat in shown["chats"]], ["Boat", "过敏"])
        self.assertNotIn("GIVEN UP", json.dumps(shown))

        # Nobody takes in what is another's.
        self.do("accept", staged["id"], user="bob", expect=1)
        self.assertEqual(self.do("accept", staged["id"])[0]["messages"], 5)
        self.settle()
        self.assertIn("Kittiwake", self.found("What is my boat called?"))
        self.assertIn("花生", self.found("我对什么过敏？"))
        self.assertNotIn("Kittiwake", self.found("boat", user="bob"))
        # When it was said counts, not when it came.
        old = self.call("POST", "/v1/search", {"query": "boat", "to": "2020-12-31"})
        self.assertIn("Kittiwake", json.dumps(old))

        # Again nothing is doubled, also behind a restart, and dropping takes nothing away.
        self.server.restart(kill=True)
        self.assertEqual(self.do("accept", staged["id"])[0]["messages"], 0)
        self.assertEqual(self.do("list")[0]["stage"], "accepted")
        self.do("drop", staged["id"])
        self.assertEqual(self.do("list"), [])
        self.assertIn("Kittiwake", self.found("What is my boat called?"))

    def test_other_systems(self):
        number = str(random.randrange(10**9))
        claude = [{"uuid": "u1", "name": "Garden", "created_at": "2025-03-01T10:00:00Z", "chat_messages": [
            {"uuid": "a", "sender": "human", "text": "The shed key hangs behind the ivy %s." % number,
             "created_at": "2025-03-01T10:00:00.123456Z"},
            {"uuid": "b", "sender": "assistant", "text": "", "created_at": "2025-03-01T10:00:09Z",
             "content": [{"type": "thinking", "thinking": "SECRET"}, {"type": "text", "text": "Understood."}]}]}]
        tavern = "\n".join(json.dumps(line, ensure_ascii=False) for line in [
            {"user_name": "Ann", "character_name": "Seraphina", "chat_metadata": {}},
            {"name": "Seraphina", "is_user": False, "mes": "Welcome to the glade.", "send_date": "2024-05-01T10:00:00Z"},
            {"name": "Ann", "is_user": True, "mes": "我带来了银钥匙。", "send_date": "2024-05-01T10:01:00Z"}]) + "\nbroken\n"
        mem0 = {"results": [{"id": "1", "memory": "Prefers window seats on trains.", "user_id": "ann",
                             "created_at": "2025-01-02T03:04:05Z"}]}
        chroma = {"ids": ["x"], "documents": ["The spare tyre is in the cellar."],
                  "metadatas": [{"created_at": "2024-02-02T00:00:00Z"}], "embeddings": None}
        for source, text, query, wanted in (("claude", json.dumps(claude), "Where is the shed key?", number),
                                            ("sillytavern", tavern, "银钥匙", "银钥匙"),
                                            ("mem0", json.dumps(mem0), "seats on trains", "window seats"),
                                            ("chroma", json.dumps(chroma), "spare tyre", "cellar")):
            staged = self.stage(text, user="carl")
            self.assertEqual(staged["source"], source)
            self.do("accept", staged["id"], user="carl")
            self.settle()
            self.assertIn(wanted, self.found(query, user="carl"), source)
            if source == "sillytavern":
                self.assertIn("line 4", staged["problems"][0])
        self.assertNotIn("SECRET", self.found("SECRET", user="carl"))

    def stage_store(self, path, expect=0, user="dora"):
        run = self.weft("import", "stage", path, "--user", user, "--json")
        self.assertEqual(run.returncode, expect, run.stderr)
        return json.loads(run.stdout)

    def test_PF_10_a_store_of_chroma_as_it_lies_on_disk(self):
        with tempfile.TemporaryDirectory(prefix="weft-chroma-") as folder:
            chroma_store(folder, {
                "notes": [{"chroma:document": "The spare tyre is in the attic.", "created_at": "2023-02-02T00:00:00Z", "n": 3},
                          {"chroma:document": "我的护照在书桌抽屉里。", "timestamp": 1700000000}],
                "mem0": [{"data": "Allergic to walnuts and pecans.", "hash": "b8", "user_id": "dora",
                          "created_at": "2025-06-01T10:00:00+00:00"}],
                "vectors only": [{"n": 1}]})
            before = os.stat(os.path.join(folder, "chroma.sqlite3")).st_mtime_ns
            staged = self.stage_store(folder)
            self.assertEqual((staged["source"], staged["notes"], staged["stage"]), ("chroma", 3, "staged"))
            self.assertNotIn("attic", self.found("spare tyre", user="dora"))
            shown = self.do("show", staged["id"], user="dora")[0]["notes"]
            self.assertEqual([note["place"] for note in shown], ["notes", "notes", "dora"])
            self.assertEqual([note["time"][:4] for note in shown], ["2023", "2023", "2025"])
            self.do("accept", staged["id"], user="dora")
            self.settle()
            for query, wanted in (("Where is the spare tyre?", "attic"), ("护照在哪里", "抽屉"), ("walnuts", "pecans")):
                self.assertIn(wanted, self.found(query, user="dora"))
            # The same again is known, also by the file itself, and the store is as it was.
            self.assertEqual(self.stage_store(os.path.join(folder, "chroma.sqlite3"))["stage"], "accepted")
            self.assertEqual(os.stat(os.path.join(folder, "chroma.sqlite3")).st_mtime_ns, before)
            self.assertEqual(os.listdir(folder), ["chroma.sqlite3"])
            self.do("drop", staged["id"], user="dora")

    def test_PF_10_a_history_of_mem0_as_it_lies_on_disk(self):
        with tempfile.TemporaryDirectory(prefix="weft-mem0-") as folder:
            path = os.path.join(folder, "history.db")
            store = sqlite3.connect(path)
            store.execute(MEM0)
            for number, (memory, old, new, event, at) in enumerate((
                    ("a", None, "Prefers window seats.", "ADD", "2025-01-01T00:00:00+00:00"),
                    ("b", None, "Lives in Ghent.", "ADD", "2025-01-02T00:00:00+00:00"),
                    ("a", "Prefers window seats.", "Prefers aisle seats.", "UPDATE", "2025-03-01T00:00:00+00:00"),
                    ("c", None, "Will be forgotten.", "ADD", "2025-03-02T00:00:00+00:00"),
                    ("c", "Will be forgotten.", None, "DELETE", "2025-03-03T00:00:00+00:00"))):
                store.execute("INSERT INTO history VALUES (?, ?, ?, ?, ?, '2025-01-01T00:00:00+00:00', ?, 0, NULL, 'user')",
                              ("h%d" % number, memory, old, new, event, at))
            store.commit()
            # Its program still runs.
            staged = self.stage_store(path, user="emil")
            store.close()
            shown = self.do("show", staged["id"], user="emil")[0]["notes"]
            self.assertEqual([note["text"] for note in shown], ["Prefers aisle seats.", "Lives in Ghent."])
            self.assertEqual(shown[0]["time"][:7], "2025-03")
            self.do("drop", staged["id"], user="emil")

    def test_PF_10_files_of_sqlite_that_are_no_store_are_told(self):
        with tempfile.TemporaryDirectory(prefix="weft-nostore-") as folder:
            self.assertIn("no store", self.stage_store(folder, expect=1)["error"]["message"])
            path = os.path.join(folder, "other.db")
            store = sqlite3.connect(path)
            # What has the name of a table and runs something instead.
            store.execute("CREATE VIEW history AS SELECT 1 AS memory_id, 'ADD' AS event, 'x' AS new_memory, '' AS created_at, "
                          "'' AS updated_at")
            store.commit()
            store.close()
            self.assertIn("not known", self.stage_store(path, expect=1)["error"]["message"])
            chroma_store(folder, {"n": [{"chroma:document": "line %d " % i * 200} for i in range(200)]})
            chroma = os.path.join(folder, "chroma.sqlite3")
            os.truncate(chroma, os.path.getsize(chroma) // 2)
            self.assertEqual(self.stage_store(folder, expect=1)["error"]["code"], "corrupt")

    def test_what_is_no_export_is_told(self):
        for text in ("", "{}", "[]", "[1]", "hello", '{"results": 7}', '[{"mapping": 1}, 2]', "\x00"):
            run = self.stage(text, expect=1 if text != '[{"mapping": 1}, 2]' else 0)
            self.assertTrue("stage" in run or run["error"]["hint"] or run["error"]["message"], run)
        self.do("show", "chatgpt-none", expect=1)
        self.do("accept", "../../etc", expect=1)


if __name__ == "__main__":
    unittest.main()
