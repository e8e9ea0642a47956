"""Somebody brings along what other systems have kept: it is laid ready, looked at, taken in, and found; again, in
another's name, or cut off in the middle, nothing is doubled and nobody else's memory grows (PF-10, PF-15)."""

import json
import os
import random
import shutil
import sqlite3
import tempfile
import unittest
import urllib.parse
import zipfile

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


class ImportScenario(Scenario):
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


class Imports(ImportScenario):
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


def node(name, parent, role, text, at, **more):
    """A node of a conversation of ChatGPT."""
    content = text if isinstance(text, dict) else {"content_type": "text", "parts": [text]}
    return {"id": name, "parent": parent, "children": [], "message": {
        "id": name, "author": {"role": role}, "create_time": at, "content": content, "recipient": "all", "weight": 1.0,
        "metadata": {}, **more}}


def talk(title, turns, began=1610000000, **more):
    """A conversation of ChatGPT: `turns` are (id, role, text, time), each below the one before."""
    mapping = {"root": {"id": "root", "parent": None, "children": [], "message": None}}
    parent = "root"
    for name, role, text, at in turns:
        mapping[name] = node(name, parent, role, text, at)
        mapping[parent]["children"].append(name)
        parent = name
    return {"title": title, "conversation_id": "c-" + title, "create_time": began, "update_time": began + 500,
            "current_node": parent, "mapping": mapping, **more}


def claude_message(name, sender, text, at, **more):
    return {"uuid": name, "sender": sender, "text": text, "content": [{"type": "text", "text": text}] if text else [],
            "created_at": at, "attachments": [], "files": [], **more}


class Exports(ImportScenario):
    """What data exports hold, and exports that come again (PF-28, PF-12)."""

    def take(self, export, user, name="export.json"):
        """Stages and accepts; gives both answers."""
        staged = self.stage(export if isinstance(export, str) else json.dumps(export), user=user, name=name)
        return staged, self.do("accept", staged["id"], user=user)[0]

    def said(self, session, user):
        found = self.call("GET", "/v1/sessions/%s/messages" % urllib.parse.quote(session, safe=""), user=user)
        return [(one["id"], one["content"]) for one in found["messages"]]

    def told(self, query, user):
        """What hits say of themselves, without the numbers by which they were found."""
        hits = self.call("POST", "/v1/search", {"query": query}, user=user)["hits"]
        return json.dumps([{key: hit.get(key) for key in ("text", "time", "metadata")} for hit in hits])

    def kinds(self, answer):
        return {one["kind"]: one["count"] for one in answer.get("left_out", [])}

    def test_PF_28_a_later_export_brings_a_branch_and_what_is_new(self):
        gift = [("n0", "user", "I need a gift for my aunt.", 1610000000), ("n1", "assistant", "What does she like?", 1610000005),
                ("n2", "user", "She likes orchids.", 1610000010)]
        boat = [("b0", "user", "My boat is called Kittiwake.", 1610000100), ("b1", "assistant", "Nice.", 1610000110)]
        first = [talk("Boat", boat), talk("Gift", gift + [("n3", "assistant", "An orchid then.", 1610000015)])]
        # The regenerated answer may have the id of the one before it.
        second = [talk("Flat", [("f0", "user", "My new flat is in Skagen Lane.", 1612000000)], began=1612000000),
                  talk("Gift", gift + [("n3", "assistant", "REGENERATED: a white orchid.", 1610000030)]),
                  talk("Boat", boat + [("b2", "user", "It lies in Lerwick.", 1612000001)])]
        self.assertEqual(self.take(first, "fay")[1]["messages"], 6)
        staged, taken = self.take(second, "fay")
        self.assertEqual(taken["messages"], 3)
        self.assertNotIn("problems", taken)
        gift_said = self.said("import:chatgpt:c-Gift", "fay")
        self.assertEqual([text for _, text in gift_said][2:], ["She likes orchids.", "REGENERATED: a white orchid."])
        self.assertTrue(gift_said[0][0].endswith("n0"), gift_said)
        self.assertEqual(len(self.said("import:chatgpt:c-Boat", "fay")), 3)
        self.settle()
        self.assertIn("Skagen", self.found("Where is my new flat?", user="fay"))
        self.assertNotIn("An orchid then", self.found("orchid", user="fay"))
        # Again, in whichever order, nothing is added and the newest branch stays.
        for again in (second, first, second):
            self.assertEqual(self.take(again, "fay")[1]["messages"], 0)
        self.assertEqual(self.said("import:chatgpt:c-Gift", "fay"), gift_said)
        self.assertEqual(len(self.said("import:chatgpt:c-Boat", "fay")), 3)

    def test_PF_28_an_edited_first_message_is_a_branch_from_the_beginning(self):
        root = "00000000-0000-4000-8000-000000000000"
        asked = claude_message("a", "human", "我的猫叫团子。", "2025-03-01T10:00:00Z", parent_message_uuid=root)
        reply = claude_message("b", "assistant", "好名字。", "2025-03-01T10:00:05Z", parent_message_uuid="a")
        edited = claude_message("c", "human", "我的狗叫雪球，三岁了。", "2025-03-02T10:00:00Z", parent_message_uuid=root)
        other = claude_message("d", "assistant", "真可爱。", "2025-03-02T10:00:05Z", parent_message_uuid="c")
        chat = {"uuid": "u-pet", "name": "宠物", "created_at": "2025-03-01T10:00:00Z", "chat_messages": [asked, reply]}
        self.assertEqual(self.take([chat], "gus")[1]["messages"], 2)
        staged, taken = self.take([dict(chat, chat_messages=[asked, reply, edited, other])], "gus")
        self.assertEqual((taken["messages"], self.kinds(staged)), (2, {"message of a branch that was given up": 2}))
        self.assertEqual([text for _, text in self.said("import:claude:u-pet", "gus")], ["我的狗叫雪球，三岁了。", "真可爱。"])
        self.settle()
        self.assertNotIn("团子", self.found("我的猫叫什么", user="gus"))

    def test_PF_28_a_swiped_chat_of_sillytavern_under_another_name(self):
        head = {"user_name": "Ann", "character_name": "Seraphina", "create_date": "2024-05-01@10h00m00s",
                "chat_metadata": {"integrity": "4f1c"}}
        lines = [{"name": "Seraphina", "is_user": False, "mes": "Welcome to the glade.", "send_date": "2024-05-01T10:00:00Z"},
                 {"name": "Ann", "is_user": True, "mes": "I bring the silver key.", "send_date": "2024-05-01T10:01:00Z"}]
        answer = {"name": "Seraphina", "is_user": False, "mes": "FIRST ANSWER", "send_date": "2024-05-01T10:02:00Z"}
        swiped = dict(answer, mes="SECOND ANSWER", swipes=["FIRST ANSWER", "SECOND ANSWER"], swipe_id=1)
        write = lambda some: "\n".join(json.dumps(one) for one in [head] + some)  # noqa: E731
        self.assertEqual(self.take(write(lines + [answer]), "hal", name="glade.jsonl")[1]["messages"], 3)
        staged, taken = self.take(write(lines + [swiped]), "hal", name="glade (1).jsonl")
        self.assertEqual((taken["messages"], self.kinds(taken)), (1, {"answer that is not shown": 1}))
        self.assertEqual(self.said("import:sillytavern:4f1c", "hal")[2][1], "SECOND ANSWER")

    def test_PF_28_what_a_former_weft_took_in_is_not_doubled(self):
        # Its ids were places, and a chat of SillyTavern was called by its path.
        path = os.path.join(self.server.workspace, "old.jsonl")
        for session, prefix in (("import:chatgpt:c-Old", "c-Old"), ("import:sillytavern:" + path, path)):
            self.observe(urllib.parse.quote(session, safe=""), [
                {"id": prefix + "#1", "role": "user", "content": "The barn is green.", "time": "2024-05-01T10:00:00Z"},
                {"id": prefix + "#2", "role": "assistant", "content": "Fine.", "time": "2024-05-01T10:00:05Z"}], user="ida")
        turns = [("x", "user", "The barn is green.", 1714557600), ("y", "assistant", "Fine.", 1714557605)]
        self.assertEqual(self.take([talk("Old", turns)], "ida")[1]["messages"], 0)
        turns.append(("z", "user", "And the gate is blue.", 1714557700))
        self.assertEqual(self.take([talk("Old", turns)], "ida")[1]["messages"], 1)
        lines = [{"user_name": "Ida", "character_name": "Bo", "create_date": "2024-05-01@10h00m00s"}] + [
            {"name": name, "is_user": name == "Ida", "mes": text, "send_date": 1714557600000}
            for name, text in (("Ida", "The barn is green."), ("Bo", "Fine."))]
        self.assertEqual(self.take("\n".join(map(json.dumps, lines)), "ida", name="old.jsonl")[1]["messages"], 0)

    def test_PF_28_texts_of_attachments_are_taken_and_the_rest_is_counted(self):
        letter = {"uuid": "u1", "name": "Letter", "created_at": "2025-03-01T10:00:00Z", "chat_messages": [
            claude_message("a", "human", "", "2025-03-01T10:00:00Z", attachments=[
                {"file_name": "paste.txt", "extracted_content": "The lease of the Hagstone cottage ends on 30 June 2026."}]),
            claude_message("b", "assistant", "I have read the lease.", "2025-03-01T10:00:09Z"),
            claude_message("c", "human", "Remember that.", "2025-03-01T10:01:00Z",
                           attachments=[{"file_name": "notes.md", "extracted_content": "My name is Zork. The boiler code is 7788-Q."},
                                        {"file_name": "scan.pdf", "extracted_content": ""}],
                           files=[{"file_name": "house.png", "file_kind": "image"}]),
            claude_message("d", "assistant", "Done.", "2025-03-01T10:01:09Z", content=[
                {"type": "thinking", "thinking": "HM"}, {"type": "text", "text": "Done."},
                {"type": "tool_use", "name": "artifacts", "input": {"command": "create", "title": "Plan", "content": "Paint the eaves teal."}},
                {"type": "tool_use", "name": "web_search", "input": {}}, {"type": "tool_result", "content": []},
                {"type": "hologram"}])]}
        staged, taken = self.take([letter], "jan")
        self.assertEqual((staged["messages"], taken["messages"]), (4, 4))
        for answer in (staged, taken):
            self.assertEqual(self.kinds(answer), {"file": 1, "image": 1, "thought": 1, "tool call": 1, "tool output": 1,
                                                  'unknown part "hologram"': 1})
            self.assertTrue(all("Letter" in where for one in answer["left_out"] for where in one["where"]), answer)
        self.settle()
        for query, wanted in (("When does the lease end?", "30 June 2026"), ("boiler code", "7788-Q"), ("eaves", "teal")):
            self.assertIn(wanted, self.found(query, user="jan"))
        # A document is nobody's statement of themselves.
        kept = self.call("GET", "/v1/items?kind=event", user="jan")["items"]
        self.assertNotIn("Zork", json.dumps([one for one in kept if one["event"].get("attribute")]))

    def test_PF_28_messages_out_of_order_are_ordered_by_their_times(self):
        chat = {"uuid": "u3", "name": "Ribs", "created_at": "2024-06-08T15:49:39Z", "chat_messages": [
            {"uuid": str(i), "text": text, "sender": sender, "created_at": "2024-06-08T15:%s" % at}
            for i, (text, sender, at) in enumerate([
                ("How do I cook ribs?", "human", "49:59Z"), ("Can I use foil?", "human", "52:05Z"),
                ("ANSWER-RIBS bake them slowly.", "assistant", "49:59Z"), ("Do I salt first?", "human", "50:54Z"),
                ("ANSWER-SALT yes.", "assistant", "50:54Z"), ("ANSWER-FOIL yes.", "assistant", "52:05Z")])]}
        self.take([chat], "kim")
        self.assertEqual([text for _, text in self.said("import:claude:u3", "kim")], [
            "How do I cook ribs?", "ANSWER-RIBS bake them slowly.", "Do I salt first?", "ANSWER-SALT yes.",
            "Can I use foil?", "ANSWER-FOIL yes."])

    def test_PF_28_what_is_not_to_be_remembered_is_left_out(self):
        secret = [("n0", "user", "My safe code is 4711-X.", 1610000000), ("n1", "assistant", "ok", 1610000002)]
        for mark in ("is_do_not_remember", "is_temporary_chat"):
            staged, taken = self.take([talk("Secret " + mark, secret, **{mark: True})], "leo")
            self.assertEqual((staged["chats"], taken["messages"]), (0, 0))
            self.assertEqual(sum(self.kinds(taken).values()), 1)
            self.assertIn("not to be remembered", json.dumps(staged))

    def test_PF_25_missing_times_are_those_of_the_conversation_and_unknown_ones_give_no_note(self):
        turns = [("n0", "user", "Yesterday I bought a boat called Kittiwake.", None), ("n1", "assistant", "Nice.", None)]
        staged, _ = self.take([talk("Boat", turns)], "mia")
        self.assertIn("without a time", json.dumps(staged["assumed"]))
        self.settle()
        self.assertIn("2021", self.told("Kittiwake", "mia"))
        self.assertNotIn("2026", self.told("Kittiwake", "mia"))

        # No time anywhere: the words stay as they were said.
        staged, _ = self.take([talk("Boat", turns, create_time=None, update_time=None)], "ned")
        self.assertIn("without any time", json.dumps(staged["assumed"]))
        self.take({"results": [{"memory": "Planted a pear tree last week.", "user_id": "ned"}]}, "ned")
        self.settle()
        for query in ("Kittiwake", "pear tree"):
            found = self.told(query, "ned")
            self.assertIn(query, found)
            for year in ("1970", "1969", "2026"):
                self.assertNotIn(year, found)
        woven = self.context("other", user="ned", input="Tell me about the Kittiwake.")["messages"]
        self.assertIn("Kittiwake", json.dumps(woven))
        self.assertNotIn("1970", json.dumps(woven))

    def test_PF_28_a_conversation_without_children_and_leaf_is_whole(self):
        texts = ["My boat is called Kittiwake.", "Nice.", "It lies in Lerwick harbour.", "Ok."]
        chat = talk("Slim", [("n%d" % i, "assistant" if i % 2 else "user", text, None) for i, text in enumerate(texts)])
        del chat["current_node"]
        for one in chat["mapping"].values():
            del one["children"]
        staged, _ = self.take([chat], "oda")
        self.assertEqual(staged["messages"], 4)
        self.assertEqual([text for _, text in self.said("import:chatgpt:c-Slim", "oda")], texts)

    def test_PF_28_one_bad_conversation_stops_no_other(self):
        good = [json.dumps(talk(name, [(name, "user", "Word of %s." % name, 1610000000)])) for name in ("One", "Two", "Three")]
        broken = '{"title": "Cut \\ud83d", "mapping": {"a": {"message": {"author": {"role": "user"}, "content": ' \
                 '{"content_type": "text", "parts": ["half an emoji \\ud83d here"]}}}}, "id": "c-half"}'
        deep = '{"mapping": %s}' % ("[" * 400 + "]" * 400)
        staged, taken = self.take("[%s]" % ", ".join([deep, good[0], '{"mapping": nonsense}', broken, good[1], good[2]]), "pam")
        self.assertEqual((staged["chats"], taken["messages"]), (4, 4))
        for number in (1, 3, 4):
            self.assertIn("conversation %d" % number, " ".join(staged["problems"]))
        # An export that was cut off holds what came before.
        staged, taken = self.take("[%s, %s" % (good[0], good[1][:-40]), "pam")
        self.assertEqual((staged["chats"], taken["messages"], len(taken["problems"])), (1, 0, 1))

    def zipped(self, files, name="export.zip"):
        path = os.path.join(self.server.workspace, name)
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for inside, text in files.items():
                archive.writestr(inside, text)
        return path

    def stage_path(self, path, user, expect=0):
        run = self.weft("import", "stage", path, "--user", user, "--json")
        self.assertEqual(run.returncode, expect, run.stderr)
        return json.loads(run.stdout)

    def test_PF_28_a_zip_and_the_unpacked_folder_are_read(self):
        files = {"conversations-000.json": json.dumps([talk("One", [("a", "user", "My kayak is orange.", 1610000000)])]),
                 "conversations-001.json": json.dumps([talk("Two", [("b", "user", "我的独木舟是红色的。", 1610000100)])]),
                 "conversations-002.json": "[{\"mapping\": ",
                 "user.json": '{"email": "ann@example.com"}', "chat.html": "<html>", "file-1-cat.png": "PNG",
                 "message_feedback.json": '[{"id": "x", "rating": "thumbs_up"}]'}
        folder = tempfile.mkdtemp(prefix="weft-export-")
        for name, text in files.items():
            with open(os.path.join(folder, name), "w") as file:
                file.write(text)
        staged = self.stage_path(self.zipped(files), "quy")
        for one in (staged, self.stage_path(folder, "quy")):
            self.assertEqual((one["source"], one["chats"], one["messages"]), ("chatgpt", 2, 2))
            self.assertEqual(sum(self.kinds(one).values()), 4)
            self.assertIn("conversations-002.json", " ".join(one["problems"]))
            self.assertEqual(one["id"], staged["id"])
        self.do("accept", staged["id"], user="quy")
        self.settle()
        self.assertIn("orange", self.found("kayak", user="quy"))
        shutil.rmtree(folder)

    def test_PF_28_projects_and_memories_of_claude_come_along(self):
        chat = {"uuid": "u9", "name": "Hi", "created_at": "2025-03-01T10:00:00Z", "chat_messages": [
            claude_message("a", "human", "Hello there, old friend.", "2025-03-01T10:00:00Z")]}
        path = self.zipped({
            "data/conversations.json": json.dumps([chat]),
            "data/projects/p1.json": json.dumps({"uuid": "p1", "name": "Barn", "prompt_template": "Be brief.", "docs": [
                {"uuid": "d1", "filename": "barn.md", "content": "The barn roof is slate.", "created_at": "2025-02-01T10:00:00Z"}]}),
            "data/memories.json": json.dumps([{"conversations_memory": "**Work context**\n\nTeaches the oboe in Ghent.",
                                               "project_memories": {"p1": "The barn is being rebuilt."}}]),
            "data/users.json": json.dumps([{"uuid": "x", "full_name": "Ann"}])}, "claude.zip")
        staged = self.stage_path(path, "ria")
        self.assertEqual((staged["chats"], staged["messages"], staged["notes"]), (2, 2, 2))
        self.assertEqual(self.kinds(staged)["custom instructions"], 1)
        self.do("accept", staged["id"], user="ria")
        self.settle()
        for query, wanted in (("oboe", "Ghent"), ("barn roof", "slate"), ("barn rebuilt", "rebuilt")):
            self.assertIn(wanted, self.found(query, user="ria"))
        self.assertEqual(self.do("accept", staged["id"], user="ria")[0]["notes"], 0)

    def test_PF_28_hostile_and_foreign_archives_are_refused_by_name(self):
        bomb = self.zipped({"conversations.json": "[" + " " * (64 << 20) + "]"}, "bomb.zip")
        error = self.stage_path(bomb, "sam", expect=1)["error"]
        self.assertEqual(error["code"], "too_large")
        self.assertIn("conversations.json", error["message"])
        other = self.zipped({"../../escape.json": json.dumps([talk("Out", [("a", "user", "Escaped.", 1610000000)])])}, "up.zip")
        self.stage_path(other, "sam")
        self.assertFalse(os.path.exists(os.path.join(self.server.workspace, "../../escape.json")))
        nothing = self.zipped({"readme.txt": "hello"}, "other.zip")
        self.assertIn("no export", self.stage_path(nothing, "sam", expect=1)["error"]["message"])
        with open(bomb, "r+b") as file:
            file.truncate(200)
        self.assertEqual(self.stage_path(bomb, "sam", expect=1)["error"]["code"], "corrupt")


if __name__ == "__main__":
    unittest.main()
