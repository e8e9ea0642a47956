"""A person brings the workspace of an older Weft: it opens, nothing is lost, and it goes on."""

import glob
import os
import re
import shutil
import sqlite3
import time
import unittest
import uuid

from scenario import Scenario

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../fixtures/stores")
STORES = {int(re.search(r"schema_(\d+)", path).group(1)): path for path in glob.glob(os.path.join(FOLDER, "schema_*.sql"))}
NEWEST = 11  # a store of each schema that was ever written is here; add one with every new step


def lay(workspace, schema, change=""):
    store = sqlite3.connect(os.path.join(workspace, "weft.db"))
    with open(STORES[schema], encoding="utf-8") as file:
        store.executescript(file.read() + change)
    store.close()


class OldStores(Scenario):
    toml = '[embedding]\nprovider = "none"\n'

    def open_store(self, schema, change=""):
        self.server.process.terminate()
        self.server.process.wait(timeout=30)
        for name in os.listdir(self.server.workspace):
            path = os.path.join(self.server.workspace, name)
            if os.path.isdir(path):
                shutil.rmtree(path)
            elif name != "weft.toml":
                os.remove(path)
        lay(self.server.workspace, schema, change)
        self.server.process.stdout.close()
        self.server.start()

    def found(self, query):
        return [hit["text"] for hit in self.call("POST", "/v1/search", {"query": query})["hits"]]

    def test_PF_20_there_is_a_store_of_every_schema(self):
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../src/ports/store/sqlite/sqlite_store.cpp")
        with open(source, encoding="utf-8") as file:
            known = int(re.search(r"kSchemaVersion = (\d+)", file.read()).group(1))
        self.assertEqual(sorted(STORES), list(range(1, NEWEST + 1)))
        self.assertIn(known, STORES, "put a store of the schema before this one into tests/fixtures/stores")

    def test_PF_20_a_store_of_each_schema_is_read_and_written(self):
        for schema in sorted(STORES):
            with self.subTest(schema=schema):
                self.open_store(schema)
                for query, answer in (("Who keeps bees?", "Marta"), ("书法课在哪里", "文化宫"), ("spare key", "boiler")):
                    self.assertTrue(any(answer in text for text in self.found(query)), (query, self.found(query)))
                history = self.call("GET", "/v1/sessions/first/messages")["messages"]
                self.assertEqual([one["id"] for one in history], ["m1", "m2", "m3", "m4", "m5", "m6"])
                self.assertEqual([one.get("sender_id", "") for one in history], ["ann", ""] * 3)
                if schema > 1:
                    self.assertTrue(any("glazier" in text for text in self.found("What is her work?")))
                if schema > 3:
                    self.assertEqual(self.call("GET", "/v1/state/default")["state"]["hero"]["hp"], 3)
                # The conversation goes on where it stood, in both languages, and so after a restart.
                word = uuid.uuid4().hex[:10]
                self.observe("first", [{"role": "user", "content": "The blue ladder is lent to %s" % word},
                                       {"role": "assistant", "content": "Good to know."},
                                       {"role": "user", "content": "蓝色的梯子借给了%s的邻居" % word},
                                       {"role": "assistant", "content": "好的"}])
                self.call("POST", "/v1/sessions/first/end",
                          {"new_info": "I repair windows in Braga %s." % word, "request_id": word})
                tree = {"hero": {"hp": 3}} if schema < 4 else self.call("GET", "/v1/state/default")["state"]
                self.call("PUT", "/v1/state/default", {"state": tree})
                self.call("POST", "/v1/state/default", {"operations": [["SET", "hero.name", word]]})
                self.call("POST", "/v1/sessions/first/save", {})
                self.settle()
                self.server.restart()
                self.assertTrue(any("ladder" in text for text in self.found("Who has the ladder? " + word)))
                self.assertTrue(any("梯子" in text for text in self.found("梯子借给了谁 " + word)))
                self.assertTrue(any("Braga" in text for text in self.found("windows Braga " + word)))
                self.assertEqual(self.call("GET", "/v1/state/default")["state"]["hero"]["name"], word)
                resent = [{"role": "user", "content": "My sister Marta keeps bees in Lisbon"},
                          {"role": "assistant", "content": "How lovely, how many hives has she?"},
                          {"role": "user", "content": "Eleven, by the way " + word}]
                self.chat(resent)
                self.assertIn(word, self.sent()[-1]["content"])
                self.assertEqual(self.call("GET", "/healthz")["status"], "ok")

    def test_PF_20_a_topic_that_was_closed_and_not_queued_is_worked_off(self):
        self.open_store(7, "UPDATE topics SET done=0 WHERE id='t1'; DELETE FROM items WHERE kind<>0;")
        self.settle()
        narratives = self.call("GET", "/v1/items?kind=narrative")["items"]
        self.assertIn("narrative:t1", [one["id"] for one in narratives])

    def days(self):
        return [day["date"] for day in self.call("GET", "/v1/days")["days"]]

    def day(self, date, wanted):
        """What is written of a day, once `wanted` stands there."""
        for _ in range(300):
            if date in self.days():
                text = self.call("GET", "/v1/days/" + date)["text"]
                if wanted in text:
                    return text
            time.sleep(0.05)
        self.fail("%r does not stand in %s" % (wanted, date))

    def test_PF_23_messages_that_the_diary_had_not_read_are_written_after_the_migration(self):
        self.open_store(8, "INSERT INTO meta VALUES('daily.seq','4'); INSERT INTO meta VALUES('adaptation.seq','6');")
        self.assertIn("boiler", self.day("2026-01-11", "Noted."))
        self.assertEqual(self.days(), ["2026-01-11"], "what was read before is not read again")
        self.open_store(9)
        self.assertIn("boiler", self.day("2026-01-11", "Noted."))

    def test_PF_20_a_store_of_a_newer_program_is_refused_in_words(self):
        self.open_store(NEWEST)
        self.server.process.terminate()
        self.server.process.wait(timeout=30)
        store = sqlite3.connect(os.path.join(self.server.workspace, "weft.db"))
        store.execute("PRAGMA user_version=%d" % 9999)
        store.close()
        done = self.weft("search", "bees")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("newer", done.stderr)
        store = sqlite3.connect(os.path.join(self.server.workspace, "weft.db"))
        store.execute("PRAGMA user_version=%d" % NEWEST)
        store.close()
        self.server.process.stdout.close()
        self.server.start()


if __name__ == "__main__":
    unittest.main()
