"""Somebody wants to be forgotten: others go on meanwhile, a kill does not stop it, and nothing is left in any file."""

import os
import random
import sqlite3
import threading
import time
import unittest
import urllib.error
import uuid

from scenario import Scenario, whole

ENGLISH = "My %s sleeps under the red stairs of the old mill house"
CHINESE = "我的%s昨天晚上睡在老磨坊的红色楼梯下面"


class Erasing(Scenario):
    toml = '[embedding]\nprovider = "none"\n[stream]\nidle_minutes = 100000\n'

    def setUp(self):
        self.ann = "ann-" + uuid.uuid4().hex[:8]

    def files_with(self, text):
        found = []
        for folder, _, names in os.walk(self.server.workspace):
            for name in names:
                path = os.path.join(folder, name)
                if os.path.islink(path) or not os.path.isfile(path):
                    continue
                with open(path, "rb") as file:
                    if text.encode() in file.read():
                        found.append(path)
        return found

    def live(self, session, secret, ids=("m1", "m2", "m3", "m4")):
        said = [{"id": ids[0], "role": "user", "content": ENGLISH % secret},
                {"id": ids[1], "role": "assistant", "content": "How nice for the %s." % secret},
                {"id": ids[2], "role": "user", "content": CHINESE % secret},
                {"id": ids[3], "role": "assistant", "content": "好的，我记住了。"}]
        self.observe(session, said, user=self.ann)
        self.observe(session, [{"role": "user", "content": "The harbour master is called Ingeborg"},
                               {"role": "assistant", "content": "I see."}], user=self.ann)
        self.call("POST", "/v1/sessions/%s/end" % session,
                  {"new_info": "My pet is the %s." % secret, "request_id": secret + session, "message_ids": [ids[0]]}, user=self.ann)
        self.call("POST", "/v1/sessions/%s/save" % session, {}, user=self.ann)

    def finds(self, query, text):
        hits = self.call("POST", "/v1/search", {"query": query}, user=self.ann)["hits"]
        return any(text in hit["text"] for hit in hits)

    def marks(self, secret):
        """What the store notes of jobs that are done."""
        store = sqlite3.connect("file:%s?mode=ro" % os.path.join(self.server.workspace, "weft.db"), uri=True)
        jobs = [row[0] for row in store.execute("SELECT mark FROM marks") if secret in row[0]]
        store.close()
        return jobs

    def test_PF_5_an_answer_under_way_keeps_nothing_of_what_is_erased(self):
        secret = "zz" + uuid.uuid4().hex
        opening = [{"role": "user", "content": ENGLISH % secret}, {"role": "assistant", "content": "I see."}]
        self.observe("red", opening, user=self.ann)
        erased = []

        def erase(_):
            shown = self.call("GET", "/v1/sessions/red/messages", user=self.ann)["messages"]
            ids = [one["id"] for one in shown if secret in one["content"]]
            erased.append(self.call("POST", "/v1/erase", {"session": "red", "messages": ids}, user=self.ann))

        history = opening + [{"role": "user", "content": "Say where the %s sleeps." % secret}]
        self.model.rules.append(erase)
        try:
            answer = self.chat(history, user=self.ann, session="red")
        finally:
            self.model.rules.remove(erase)
        self.assertIn(secret, answer["content"])
        self.assertEqual([one["messages"] for one in erased], [2])
        self.settle()
        self.assertEqual(self.files_with(secret), [])
        history += [{"role": "assistant", "content": answer["content"]}, {"role": "user", "content": "And the harbour?"}]
        self.chat(history, user=self.ann, session="red")
        self.settle()
        self.assertEqual(self.files_with(secret), [])
        shown = self.call("GET", "/v1/sessions/red/messages", user=self.ann)["messages"]
        self.assertIn("And the harbour?", [one["content"] for one in shown])

    def test_PF_5_others_write_while_one_is_forgotten(self):
        secret = "zz" + uuid.uuid4().hex
        self.live("s", secret)
        self.settle()
        self.assertTrue(self.finds("red stairs", secret))
        stop, written, failed = threading.Event(), [], []

        def write(number):
            count = 0
            while not stop.is_set():
                try:
                    self.observe("w%d" % number, [{"role": "user", "content": "Line %d of %d" % (count, number)}],
                                 user=self.ann if number % 2 else "bob")
                    count += 1
                except Exception as error:  # noqa: BLE001: whatever it is, it is a failure
                    failed.append(error)
                    return
            written.append(count)

        threads = [threading.Thread(target=write, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        receipt = self.call("POST", "/v1/erase", {"messages": ["m1", "m2", "m3"], "session": "s"}, user=self.ann)
        stop.set()
        for thread in threads:
            thread.join()
        self.assertEqual(failed, [])
        self.assertEqual(len(written), 8)
        self.assertEqual(receipt["traces_found"], 0)
        self.assertEqual(receipt["messages"], 3)
        self.settle()
        self.assertFalse(self.finds("red stairs", secret))
        self.assertFalse(self.finds("红色楼梯", secret))
        self.assertTrue(self.finds("harbour master", "Ingeborg"))
        check = self.call("GET", "/v1/erasures/" + receipt["id"])
        self.assertTrue(check["clean"], check)
        self.assertGreater(check["fingerprints"], 4)
        self.server.restart()
        self.assertEqual(self.files_with(secret), [])
        self.assertEqual(self.marks(secret), [])

    def test_PF_5_the_same_call_is_answered_alike(self):
        secret = "zz" + uuid.uuid4().hex
        self.live("s", secret)
        first = self.call("POST", "/v1/erase", {"messages": ["m1"], "session": "s"}, user=self.ann)
        self.assertEqual(self.call("POST", "/v1/erase", {"messages": ["m1"], "session": "s"}, user=self.ann), first)
        code, error = self.fails("POST", "/v1/erase", {"messages": ["nobody"]}, user=self.ann)
        self.assertEqual((code, error["code"]), (404, "not_found"))

    def test_PF_5_an_erasure_that_was_killed_goes_on(self):
        random.seed(uuid.uuid4().hex)
        for wait in (0.0, 0.005, 0.02, 0.05, 0.1):
            ann, self.ann = self.ann, "ann-" + uuid.uuid4().hex[:8]
            secret = "zz" + uuid.uuid4().hex
            for number in range(6):
                self.live("s%d" % number, secret, ["m%d-%d" % (number, i) for i in range(4)])
            what = random.choice([{"everything": True},
                                  {"messages": ["m3-0", "m3-1", "m3-2"]},
                                  {"before": "2100-01-01T00:00:00Z"}])
            killer = threading.Timer(wait + random.uniform(0, 0.01), self.server.process.kill)
            killer.start()
            try:
                receipt = self.call("POST", "/v1/erase", what, user=self.ann)
            except (OSError, urllib.error.URLError):
                receipt = None
            killer.join()
            self.server.restart(kill=True)
            again = self.call("POST", "/v1/erase", what, user=self.ann)
            self.settle()
            self.assertEqual(again["traces_found"], 0, what)
            self.assertTrue(self.call("GET", "/v1/erasures/" + again["id"])["clean"], (what, receipt))
            if "messages" not in what:
                self.assertFalse(self.finds("red stairs", secret))
                self.assertEqual(self.files_with(secret), [], what)
            self.assertEqual([name for name in os.listdir(os.path.join(self.server.workspace, "erasures"))
                              if "pending" in name], [])
            self.ann = ann

    def test_PF_5_ids_that_several_sessions_have_are_asked_about(self):
        one, other = "zz" + uuid.uuid4().hex, "zz" + uuid.uuid4().hex
        self.live("a", one)
        self.observe("b", [{"id": "m1", "role": "user", "content": ENGLISH % other},
                           {"id": "m2", "role": "assistant", "content": "I see."}], user=self.ann)
        self.call("POST", "/v1/sessions/b/save", {}, user=self.ann)
        self.settle()
        code, error = self.fails("POST", "/v1/erase", {"messages": ["m1"]}, user=self.ann)
        self.assertEqual((code, error["code"]), (409, "conflict"))
        receipt = self.call("POST", "/v1/erase", {"messages": ["m1", "m2", "m3"], "session": "a"}, user=self.ann)
        self.settle()
        self.assertFalse(self.finds("red stairs", one))
        self.assertTrue(self.finds("red stairs", other))
        self.assertTrue(self.call("GET", "/v1/erasures/" + receipt["id"])["clean"])
        self.assertEqual(self.files_with(one), [])

    def test_PF_5_failed_and_broken_jobs_are_forgotten_too(self):
        secret = "zz" + uuid.uuid4().hex
        self.live("s", secret)
        self.settle()
        self.queue_nonsense("odd", scope="user:" + self.ann, text=ENGLISH % secret)
        # A file that a former version could not read lies there still.
        failed = os.path.join(self.server.workspace, "queues", "failed")
        os.makedirs(failed, exist_ok=True)
        with open(os.path.join(failed, "torn.json.broken"), "w", encoding="utf-8") as file:
            file.write('{"version":1,"job_id":"torn","payload":{"text":"%s' % (ENGLISH % secret))
        self.server.restart()
        self.settle()
        self.assertEqual(self.call("GET", "/healthz")["queue"]["failed"], 1)
        receipt = self.call("POST", "/v1/erase", {"everything": True}, user=self.ann)
        self.assertGreaterEqual(receipt["jobs"], 2)
        self.assertEqual(self.files_with(secret), [])

    def test_PF_5_an_answer_that_comes_after_the_erasure_is_not_kept(self):
        secret = "zz" + uuid.uuid4().hex
        asked, go = threading.Event(), threading.Event()
        self.addCleanup(go.set)
        self.addCleanup(self.model.rules.clear)

        def ponder(_):
            asked.set()
            go.wait(60)

        self.model.rules[:] = [ponder]
        answers = []
        client = threading.Thread(target=lambda: answers.append(
            self.chat([{"role": "user", "content": "Tell me of the " + secret}], user=self.ann, session="s")))
        client.start()
        self.assertTrue(asked.wait(30))
        self.call("POST", "/v1/erase", {"everything": True}, user=self.ann)
        go.set()
        client.join()
        self.assertIn(secret, answers[0]["content"])
        # The next call of the session waits for the answers that are on their way to memory.
        self.chat([{"role": "user", "content": "Good morning"}], user=self.ann, session="s")
        self.settle()
        self.assertEqual(self.files_with(secret), [])

    def stored(self, session):
        """The texts of a session's active messages, in their order."""
        store = sqlite3.connect("file:%s?mode=ro" % os.path.join(self.server.workspace, "weft.db"), uri=True)
        rows = store.execute("SELECT content FROM messages WHERE scope=? AND (session=? OR ?='') AND active=1 ORDER BY seq",
                             ("user:" + self.ann, session, session))
        texts = [row[0] for row in rows]
        store.close()
        return texts

    def say(self, history, text, session):
        history.append({"role": "user", "content": text})
        history.append(self.chat(history, user=self.ann, session=session))
        self.until(lambda: self.stored(session or "")[-1:] == [history[-1]["content"]])

    def ids_of(self, *texts):
        store = sqlite3.connect("file:%s?mode=ro" % os.path.join(self.server.workspace, "weft.db"), uri=True)
        ids = [store.execute("SELECT id FROM messages WHERE scope=? AND content=?", ("user:" + self.ann, text)).fetchone()[0]
               for text in texts]
        store.close()
        return ids

    def test_PF_5_a_client_that_sends_its_history_again_brings_nothing_back(self):
        for session in ("s", None):
            with self.subTest(session=session):
                self.ann = "ann-" + uuid.uuid4().hex[:8]
                secret = "zz" + uuid.uuid4().hex
                history = []
                self.say(history, "The harbour master is called Ingeborg", session)
                self.say(history, ENGLISH % secret, session)
                self.say(history, "Which day is market day?", session)
                self.say(history, "Yes", session)
                self.settle()
                before = self.stored(session or "")
                gone = [ENGLISH % secret, "You said: " + ENGLISH % secret, "Yes"]
                self.call("POST", "/v1/erase", {"messages": self.ids_of(*gone)}, user=self.ann)
                self.say(history, "And when does it open?", session)
                self.settle()
                self.assertEqual(self.stored(session or ""),
                                 [text for text in before if text not in gone] +
                                 ["And when does it open?", history[-1]["content"]])
                self.assertFalse(self.finds("red stairs", secret))
                self.assertEqual(self.files_with(secret), [])
                # The model is sent what the client sent: that is the client's own.
                self.assertIn(secret, whole(self.sent()))
                # What is said anew is remembered.
                self.say(history, "Yes", session)
                self.say(history, ENGLISH % secret, session)
                self.say(history, "Thank you", session)
                self.settle()
                self.assertEqual([text for text in self.stored(session or "") if text in ("Yes", ENGLISH % secret)],
                                 ["Yes", ENGLISH % secret])
                self.assertTrue(self.finds("red stairs", secret))
                # All is erased, and the same conversation goes on.
                self.call("POST", "/v1/erase", {"everything": True}, user=self.ann)
                self.say(history, "Good night", session)
                self.settle()
                self.assertEqual(self.stored(session or ""), ["Good night", history[-1]["content"]])
                self.assertEqual(self.files_with(secret), [])

    def test_PF_5_words_that_were_said_elsewhere_too_stay_there(self):
        for named in (True, False):
            with self.subTest(named=named):
                self.ann = "ann-" + uuid.uuid4().hex[:8]
                one, other = ("one", "other") if named else (None, None)
                garden, poem = [], []
                for text in ("Plan my garden please", "Yes", "Which beds first?", "Yes", "Thank you"):
                    self.say(garden, text, one)
                for text in ("Write a poem on rivers", "Yes", "Now shorter"):
                    self.say(poem, text, other)
                # The second of two equal turns goes, and each time the client goes on with its whole history.
                store = sqlite3.connect("file:%s?mode=ro" % os.path.join(self.server.workspace, "weft.db"), uri=True)
                rows = store.execute("SELECT session, id, content FROM messages WHERE scope=? ORDER BY seq", ("user:" + self.ann,))
                kept = [row for row in rows]
                store.close()
                self.call("POST", "/v1/erase", {"messages": [kept[6][1], kept[7][1]], "session": kept[6][0]}, user=self.ann)
                left = [text for place, (_, _, text) in enumerate(kept) if place not in (6, 7)]
                self.say(garden, "And the roses?", one)
                self.say(poem, "Add a title", other)
                self.say(poem, "Yes", other)
                self.say(garden, "Good night", one)
                new = ["And the roses?", "Add a title", "Yes", "Good night"]
                self.assertEqual(self.stored(""), left + [text for said in new for text in (said, "You said: " + said)])

    def test_PF_5_verify_looks_into_backups_and_strays(self):
        secret = "zz" + uuid.uuid4().hex
        self.live("s", secret)
        self.settle()
        backup = self.call("POST", "/v1/backups/b" + uuid.uuid4().hex[:8], {})
        stray = os.path.join(self.server.workspace, "notes-%s.txt" % secret[:6])
        receipt = self.call("POST", "/v1/erase", {"everything": True}, user=self.ann)
        check = self.call("GET", "/v1/erasures/" + receipt["id"])
        self.assertFalse(check["clean"])
        self.assertTrue(all(trace.startswith(backup["folder"]) for trace in check["traces"]), check)
        with open(stray, "w", encoding="utf-8") as file:
            file.write(CHINESE % secret)
        self.assertIn(stray, self.call("GET", "/v1/erasures/" + receipt["id"])["traces"])
        os.remove(stray)
        done = self.weft("erase", "--verify", receipt["id"])
        self.assertEqual(done.returncode, 1)
        self.assertIn("a trace stands in", done.stdout)
        for folder, _, names in os.walk(backup["folder"], topdown=False):
            for name in names:
                os.remove(os.path.join(folder, name))
        self.assertTrue(self.call("GET", "/v1/erasures/" + receipt["id"])["clean"])


if __name__ == "__main__":
    unittest.main()
