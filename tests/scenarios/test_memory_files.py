#!/usr/bin/env python3
"""MEMORY.md and days: what is known and what happened, in files that people read and edit while the server runs."""

import datetime
import os
import random
import shutil
import time
import unittest

from scenario import Scenario, whole

ID = "%06x" % random.randrange(1 << 24)
TODAY = datetime.datetime.now().strftime("%Y-%m-%d")


class MemoryFiles(Scenario):
    def path(self, *parts):
        return os.path.join(self.server.workspace, "memory", *parts)

    def add(self, text, section="Domain", user="ann", **more):
        return self.call("POST", "/v1/knowledge/entries", {"text": text, "section": section, **more}, user=user)["added"]

    def recalled(self, query, user="ann"):
        hits = self.call("POST", "/v1/search", {"query": query, "kinds": ["knowledge"]}, user=user)["hits"]
        return [hit["text"] for hit in hits]

    def test_MS_3_MS_5_MS_6_knowledge_is_found_edited_by_people_and_told_to_nobody_else(self):
        self.assertEqual(self.add("The gateway of %s listens on port 7443" % ID), "new")
        self.assertEqual(self.add("部署前先在预发环境%s跑一遍回归测试" % ID, "策略经验"), "new")
        self.assertEqual(self.add("the gateway of %s listens on port 7443." % ID), "known")
        self.assertIn("7443", self.recalled("which port does the gateway use?")[0])
        self.assertIn("预发环境", self.recalled("部署之前要做什么？")[0])
        self.assertEqual(self.recalled("gateway port", user="bob"), [])
        # A person edits the file while the server runs.
        file = self.path("users", "ann", "MEMORY.md")
        with open(file, encoding="utf-8") as now:
            text = now.read()
        with open(file, "w", encoding="utf-8") as now:
            now.write(text.replace("port 7443", "port 9001") + "\n## By hand\n* The spare key of %s hangs in the barn\n" % ID)
        self.assertIn("barn", self.recalled("where is the spare key?")[0])
        self.assertIn("9001", self.recalled("gateway port")[0])
        # It reaches the model of an agent that asks for it.
        prompt = whole(self.context("keys-" + ID, input="Where does the spare key of %s hang?" % ID)["messages"])
        self.assertIn("barn", prompt)
        # A contradiction waits, marked in place, until somebody says which one holds.
        self.assertEqual(self.add("The gateway of %s listens on port 7555" % ID), "contradicts")
        with open(file, encoding="utf-8") as now:
            text = now.read()
        self.assertIn("port 9001", text)
        self.assertIn("contradicted: The gateway of %s listens on port 7555" % ID, text)
        self.assertFalse([one for one in self.recalled("gateway port") if "7555" in one])
        self.server.restart(kill=True)
        gone = self.call("POST", "/v1/knowledge/confirm", {"text": "The gateway of %s listens on port 7555" % ID})
        self.assertIn("9001", gone["text"])
        self.assertIn("7555", self.recalled("gateway port")[0])
        with open(self.path("users", "ann", "MEMORY.archive.md"), encoding="utf-8") as archive:
            self.assertIn("9001", archive.read())
        code, error = self.fails("PUT", "/v1/knowledge", {"text": "## Domain\n"})
        self.assertEqual(code, 409, error)
        with open(file, "wb") as broken:
            broken.write(b"- \xff\xfe broken\n")
        code, error = self.fails("GET", "/v1/knowledge")
        self.assertIn("UTF-8", error["message"])
        with open(file, "rb") as broken:
            self.assertEqual(broken.read(), b"- \xff\xfe broken\n")

    def test_MS_3_edits_stay_beside_what_is_added_and_removed_folders_come_back(self):
        self.add("The cellar of %s floods in spring" % ID, user="eve")
        file = self.path("users", "eve", "MEMORY.md")
        with open(file, encoding="utf-8") as now:
            opened = now.read()
        with open(file, "w", encoding="utf-8") as now:
            now.write(opened.replace("in spring", "in March") + "- The attic of %s is dry\n" % ID)
        self.add("The roof of %s was mended in May" % ID, user="eve")
        for question, word in (("cellar", "March"), ("roof", "mended"), ("attic", "dry")):
            self.assertTrue([hit for hit in self.recalled(question, user="eve") if word in hit], question)
        self.assertFalse([hit for hit in self.recalled("cellar", user="eve") if "spring" in hit])
        text = self.call("GET", "/v1/knowledge", user="eve")["text"]
        with open(file, encoding="utf-8") as now:
            self.assertEqual(now.read(), text)
        # A folder that is removed is written again, also after a kill; a file that a person removes is gone.
        shutil.rmtree(os.path.dirname(file))
        self.server.restart(kill=True)
        self.assertEqual(self.call("GET", "/v1/knowledge", user="eve")["text"], text)
        self.assertTrue(os.path.exists(file))
        os.unlink(file)
        self.until(lambda: self.recalled("roof", user="eve") == [])
        self.assertEqual(self.call("GET", "/v1/knowledge", user="eve")["text"], "")

    def test_MS_3_a_file_that_is_being_written_is_not_taken_from_its_editor(self):
        self.add("The well of %s is deep" % ID, user="fay")
        file = self.path("users", "fay", "MEMORY.md")
        with open(file, encoding="utf-8") as now:
            lines = now.read() + "".join("- Barrel %d of %s holds plums\n" % (i, ID) for i in range(100))
        with open(file, "w", encoding="utf-8") as editor:
            self.recalled("well", user="fay")
            for part in (lines[:900], lines[900:2000], lines[2000:]):
                editor.write(part)
                editor.flush()
                self.recalled("plums", user="fay")
        self.assertEqual(self.call("GET", "/v1/knowledge", user="fay")["text"], lines)
        with open(file, encoding="utf-8") as now:
            self.assertEqual(now.read(), lines)

    def test_PF_5_a_folder_in_the_place_of_a_file_holds_up_no_erasure(self):
        self.observe("fold-" + ID, [{"id": "m1", "role": "user", "content": "The safe of %s opens with 8812" % ID}], user="hal")
        self.add("The safe of %s opens with 8812" % ID, user="hal", source="fold-%s/m1" % ID)
        self.add("The barn of %s needs paint" % ID, user="hal")
        file = self.path("users", "hal", "MEMORY.md")
        os.unlink(file)
        os.mkdir(file)
        code, error = self.fails("GET", "/v1/knowledge", user="hal")
        self.assertIn("not a regular file", error["message"])
        self.call("POST", "/v1/erase", {"messages": ["m1"], "session": "fold-" + ID}, user="hal")
        self.assertFalse([hit for hit in self.recalled("safe", user="hal") if "8812" in hit])
        self.assertEqual(self.recalled("barn paint", user="hal"), ["The barn of %s needs paint" % ID])
        os.rmdir(file)
        text = self.call("GET", "/v1/knowledge", user="hal")["text"]
        self.assertIn("barn", text)
        self.assertNotIn("8812", text)
        with open(file, encoding="utf-8") as now:
            self.assertEqual(now.read(), text)
        os.unlink(file)
        os.mkdir(file)
        self.call("POST", "/v1/erase", {"everything": True}, user="hal")
        os.rmdir(file)
        self.assertEqual(self.call("GET", "/v1/knowledge", user="hal")["text"], "")

    def test_MS_3_lines_of_other_systems_keep_their_source(self):
        self.observe("crlf-" + ID, [{"id": "m1", "role": "user", "content": "The gate code of %s is 7443" % ID}], user="gus")
        self.add("The gate code of %s is 7443" % ID, user="gus", source="crlf-%s/m1" % ID)
        file = self.path("users", "gus", "MEMORY.md")
        with open(file, "rb") as now:
            text = now.read()
        with open(file, "wb") as now:
            now.write(text.replace(b"\n", b" \r\n"))
        self.assertEqual(self.recalled("gate code", user="gus"), ["The gate code of %s is 7443" % ID])
        self.call("POST", "/v1/erase", {"messages": ["m1"], "session": "crlf-" + ID}, user="gus")
        self.assertNotIn("7443", self.call("GET", "/v1/knowledge", user="gus")["text"])

    def day(self, user, wanted):
        for _ in range(100):
            try:
                text = self.call("GET", "/v1/days/" + TODAY, user=user)["text"]
                if wanted in text:
                    return text
            except Exception:  # noqa: BLE001: nothing is written yet
                pass
            time.sleep(0.1)
        self.fail("the day never told of " + wanted)

    def test_MS_2_what_happens_stands_in_the_day_and_survives_a_kill(self):
        session = "day-" + ID
        self.observe(session, [
            {"id": "m1", "role": "user", "content": "Compare the prices of " + ID},
            {"id": "m2", "role": "assistant", "content": "", "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "search_web", "arguments": '{"query":"%s"}' % ID}}]},
            {"id": "m3", "role": "tool", "tool_call_id": "c1", "content": "3 results for " + ID},
            {"id": "m4", "role": "assistant", "content": "Done: %s is the cheapest" % ID}], user="carl")
        self.server.restart(kill=True)
        text = self.day("carl", "is the cheapest")
        for part in ("- **User**: Compare the prices of " + ID, "search_web", "→ 3 results for " + ID, "## "):
            self.assertIn(part, text)
        self.assertEqual(text.count("3 results for"), 1)
        self.assertEqual(self.call("GET", "/v1/days", user="carl")["days"][-1]["date"], TODAY)
        # Another session that works on a task is told what the day was about, and nobody else's is.
        other = "next-" + ID
        self.call("PUT", "/v1/sessions/%s/task" % other, {"description": "Write the report"}, user="carl")
        self.assertIn("- Compare the prices of " + ID, whole(self.context(other, user="carl", input="go on")["messages"]))
        self.call("PUT", "/v1/sessions/%s/task" % other, {"description": "Write the report"}, user="dora")
        self.assertNotIn("Compare the prices of", whole(self.context(other, user="dora", input="go on")["messages"]))
        # What is erased is in no day.
        self.call("POST", "/v1/erase", {"messages": ["m1", "m2", "m3", "m4"], "session": session}, user="carl")
        text = ""
        if os.path.exists(self.path("users", "carl", "daily", TODAY + ".md")):
            with open(self.path("users", "carl", "daily", TODAY + ".md"), encoding="utf-8") as now:
                text = now.read()
        self.assertNotIn("Compare the prices of", text)
        self.assertNotIn("is the cheapest", text)


if __name__ == "__main__":
    unittest.main()
