"""Several servers on one PostgreSQL: any of them serves any request, and none knows what the others do not."""

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.request
import uuid

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../e2e"))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))

from postgres import Postgres, folder_of_programs  # noqa: E402
from scripted_openai import ScriptedOpenAI  # noqa: E402
from weft_server import WeftServer, binary, settle, skip  # noqa: E402

TOML = 'store = "{store}"\n[embedding]\nprovider = "none"\n'


class Cluster(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.postgres = Postgres()
        cls.addClassCleanup(cls.postgres.remove)
        cls.postgres.sql("CREATE DATABASE weft")
        cls.model = ScriptedOpenAI()
        cls.addClassCleanup(cls.model.close)
        cls.nodes = []
        for _ in range(3):
            cls.nodes.append(WeftServer(upstream=cls.model.url, toml=TOML.replace("{store}", cls.postgres.url("weft"))))
            cls.addClassCleanup(cls.nodes[-1].__exit__)

    def call(self, node, method, path, body=None, user="ann", headers=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.nodes[node].url + path, data=data, method=method,
                                         headers={"Content-Type": "application/json", "X-Weft-User": user,
                                                  **(headers or {})})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

    def say(self, node, session, text, role="user", **more):
        return self.call(node, "POST", "/v1/sessions/%s/messages" % session,
                         {"messages": [{"role": role, "content": text}]}, **more)

    def found(self, node, query, **more):
        return [hit["text"] for hit in self.call(node, "POST", "/v1/search", {"query": query}, **more)["hits"]]

    def history(self, node, session, **more):
        answer = self.call(node, "GET", "/v1/sessions/%s/messages" % session, **more)
        return [one["content"] for one in answer["messages"]]

    def settle(self, node=0):
        settle(lambda: self.call(node, "GET", "/healthz"))

    def test_SC_2_a_conversation_goes_on_at_another_server_with_every_message(self):
        session, said = uuid.uuid4().hex, []
        for turn in range(12):
            text = "turn %d of the walk to the %s" % (turn, uuid.uuid4().hex[:6])
            said.append(text)
            self.say(turn % 3, session, text, role="user" if turn % 2 == 0 else "assistant", user="walker")
        for node in range(3):
            self.assertEqual(self.history(node, session, user="walker"), said)

    def test_SC_2_what_one_server_was_told_the_next_call_to_another_finds(self):
        for turn in range(6):
            word = "word" + uuid.uuid4().hex[:8]
            # The other server has the memory of this user before it: it must not answer from that.
            self.found((turn + 1) % 3, "the lock of the shed", user="finder")
            self.say(turn % 3, "s%d" % turn, "The lock of the shed is opened by %s." % word, user="finder")
            for node in range(3):
                self.assertTrue(any(word in text for text in self.found(node, "lock shed " + word, user="finder")))
        self.assertEqual(self.found(1, "lock shed", user="somebody-else"), [])

    def test_SC_2_profiles_and_states_are_the_same_at_every_server(self):
        self.call(0, "POST", "/v1/sessions/p/end", {"new_info": "Carla works as a glazier in Porto."}, user="carla")
        self.settle()
        profile = self.call(0, "GET", "/v1/profiles/user/carla", user="carla")
        self.assertIn("glazier", json.dumps(profile))
        for node in (1, 2):
            self.assertEqual(self.call(node, "GET", "/v1/profiles/user/carla", user="carla"), profile)
        self.call(0, "PUT", "/v1/state/default", {"state": {"hero": {"hp": 3}}}, user="carla")
        self.assertEqual(self.call(1, "GET", "/v1/state/default", user="carla")["state"]["hero"]["hp"], 3)
        self.call(1, "POST", "/v1/state/default", {"operations": [["ADD", "hero.hp", -1]]}, user="carla")
        self.call(2, "POST", "/v1/state/default", {"operations": [["ADD", "hero.hp", -1]]}, user="carla")
        self.assertEqual(self.call(0, "GET", "/v1/state/default", user="carla")["state"]["hero"]["hp"], 1)

    def test_SC_2_a_day_holds_what_was_said_at_every_server_and_loses_what_is_erased(self):
        def day(node, date):
            return self.call(node, "GET", "/v1/days/" + date, user="dora")["text"]

        texts = ["The boiler is serviced by %s." % uuid.uuid4().hex[:8] for _ in range(6)]
        for turn, text in enumerate(texts):
            self.say(turn % 3, "house-%d" % (turn % 2), text, user="dora")
        end = time.monotonic() + 60
        date, text = None, ""
        while any(said not in text for said in texts) and time.monotonic() < end:
            time.sleep(0.1)
            dates = self.call(1, "GET", "/v1/days", user="dora")["days"]
            date = dates[-1]["date"] if dates else None
            text = day(1, date) if date else ""
        for node in range(3):
            self.assertEqual([day(node, date).count("**: " + said) for said in texts], [1] * 6, day(node, date))
        message = self.call(2, "GET", "/v1/sessions/house-0/messages", user="dora")["messages"][0]
        self.call(0, "POST", "/v1/erase", {"messages": [message["id"]], "session": "house-0"}, user="dora")
        for node in range(3):
            self.assertEqual([day(node, date).count(said) for said in texts], [0] + [2] * 5, day(node, date))

    def learn(self, node, strategy, owner="workspace"):
        """Hands in what a reflection suggests; it becomes a candidate."""
        reflection = {"id": uuid.uuid4().hex, "time": "2026-02-01T08:00:00Z", "owner": owner, "trigger": "task_end",
                      "session": "s", "task": "sail", "reports": ["t"], "outcome": "success", "provenance": "own_run",
                      "by": "floor", "suggestions": [{"strategy": strategy, "confidence": "MEDIUM", "severity": "LOW"}]}
        learnt = subprocess.run([binary(), "-u", "sailor", "rule", "learn", "--file", "-", "--workspace",
                                 self.nodes[node].workspace], input=json.dumps(reflection), capture_output=True,
                                text=True, timeout=60)
        self.assertEqual(learnt.returncode, 0, learnt.stderr)

    def test_SC_2_SC_3_a_rule_that_becomes_active_at_one_server_is_in_the_prompts_of_all(self):
        strategy = "Check the tide tables of %s twice" % uuid.uuid4().hex[:8]
        self.learn(0, strategy)

        def rule(node):
            rules = self.call(node, "GET", "/v1/rules", user="sailor")["rules"]
            return next(one for one in rules if one["strategy"].startswith(strategy))

        def prompt(node):
            woven = self.call(node, "POST", "/v1/sessions/%s/context" % uuid.uuid4().hex,
                              {"input": "when do we leave?"}, user="sailor")
            return json.dumps(woven["messages"])

        path = "/v1/rules/" + rule(1)["id"]
        for node in range(3):
            self.assertNotIn(strategy, prompt(node))
        self.call(1, "POST", path, {"action": "approve", "by": "sailor"}, user="sailor")
        for node in range(3):
            self.assertIn(strategy, prompt(node))
        self.at_once(lambda node, number: self.call(node, "POST", path, {
            "action": "edit", "by": "sailor", "strategy": "%s, says %d at %d" % (strategy, number, node)}, user="sailor"), 5)
        self.assertEqual([rule(node)["version"] for node in range(3)], [16] * 3)
        self.call(2, "POST", path, {"action": "retire", "by": "sailor"}, user="sailor")
        for node in range(3):
            self.assertNotIn(strategy, prompt(node))
            self.assertFalse(os.path.exists(os.path.join(self.nodes[node].workspace, "evolution", "rules")))

        own = "Call the harbour of %s first" % uuid.uuid4().hex[:8]
        self.learn(1, own, owner="user:sailor")
        rules = lambda node: [one["strategy"] for one in self.call(node, "GET", "/v1/rules", user="sailor")["rules"]]
        self.assertIn(own, rules(2))
        self.call(0, "POST", "/v1/erase", {"everything": True}, user="sailor")
        for node in range(3):
            self.assertNotIn(own, rules(node))
        left = "SELECT count(*) FROM weft.documents WHERE strpos(body, '%s') > 0" % own
        self.assertEqual(self.postgres.sql(left, "weft").strip(), "0")

    def test_SC_2_a_client_sees_the_events_of_all_servers_and_goes_on_at_another(self):
        def events(node, since, wanted):
            request = urllib.request.Request(self.nodes[node].url + "/v1/events?since=%d" % since,
                                             headers={"X-Weft-User": "eve"})
            seen = []
            end = time.monotonic() + 60
            with urllib.request.urlopen(request, timeout=30) as stream:
                while len(seen) < wanted and time.monotonic() < end:
                    line = stream.readline()
                    if not line:
                        break
                    self.connected.set()
                    if line.startswith(b"data: "):
                        event = json.loads(line[6:])
                        if event["kind"] == "message":
                            seen.append((event["id"], event["payload"]["content"]))
            return seen

        self.connected = threading.Event()
        seen = []
        client = threading.Thread(target=lambda: seen.extend(events(0, 0, 2)), daemon=True)
        client.start()
        self.assertTrue(self.connected.wait(30))
        self.say(1, "trip", "We leave on Monday.", user="eve")
        self.say(2, "trip", "We return on Friday.", user="eve")
        client.join(90)
        self.assertEqual([text for _, text in seen], ["We leave on Monday.", "We return on Friday."])
        self.assertEqual(events(1, seen[0][0], 1), seen[1:])

    def test_SC_2_SC_3_a_skill_taught_at_one_server_reaches_the_prompts_of_all_and_counts_each_task_once(self):
        def prompt(node):
            session = uuid.uuid4().hex
            self.call(node, "PUT", "/v1/sessions/%s/task" % session, {"description": "Publish the weekly release"},
                      user="teacher")
            return json.dumps(self.call(node, "POST", "/v1/sessions/%s/context" % session, {"input": "go on"},
                                        user="teacher")["messages"])

        word = "stamp" + uuid.uuid4().hex[:8]
        text = "# Publish the weekly release\n\nWhen the weekly release is due:\n\n1. Run the tests\n2. Write %s\n"
        skill = self.call(0, "POST", "/v1/skills", {"text": text % word}, user="teacher")["skill_id"]
        for node in range(3):
            self.assertIn(word, prompt(node))
        self.at_once(lambda node, number: self.call(node, "POST", "/v1/task_reports", {
            "id": "task%d" % number, "task": "publish", "skills": [skill], "outcome": "success",
            "outcome_by": "verifier"}, user="teacher"), 10)
        for node in range(3):
            uses = self.call(node, "GET", "/v1/skills/" + skill, user="teacher")["uses"]
            self.assertEqual((uses["injected"], uses["succeeded"]), (10, 10))
        self.call(1, "POST", "/v1/skills/" + skill, {"action": "disable"}, user="teacher")
        self.assertNotIn(word, prompt(2))
        self.call(2, "POST", "/v1/skills/" + skill, {"action": "enable"}, user="teacher")
        self.assertIn(word, prompt(0))
        self.call(1, "POST", "/v1/erase", {"everything": True}, user="teacher")
        for node in range(3):
            self.assertEqual(self.call(node, "GET", "/v1/skills", user="teacher")["skills"], [])
            self.assertFalse(os.path.exists(os.path.join(self.nodes[node].workspace, "skills", "learned")))
        left = self.postgres.sql("SELECT count(*) FROM weft.documents WHERE body LIKE '%%%s%%' OR kind='skill_use'" % word,
                                 "weft").strip()
        self.assertEqual(left, "0")

    def test_SC_3_one_session_written_by_all_at_once_keeps_every_message_once(self):
        session, each = uuid.uuid4().hex, 25
        self.at_once(lambda node, number: self.say(node, session, "node %d says %d" % (node, number), user="crowd"), each)
        for node in range(3):
            kept = self.call(node, "GET", "/v1/sessions/%s/messages?limit=500" % session, user="crowd")["messages"]
            texts = [one["content"] for one in kept]
            self.assertEqual(len(texts), 3 * each)
            for other in range(3):
                self.assertEqual([text for text in texts if text.startswith("node %d " % other)],
                                 ["node %d says %d" % (other, number) for number in range(each)])
        log = self.postgres.sql("SELECT count(*), max(seq)-min(seq)+1 FROM weft.log WHERE scope='user:crowd'", "weft").strip()
        count, numbers = map(int, log.split("|"))
        self.assertEqual(count, numbers, "the log has no gap")

    def test_SC_3_every_end_becomes_one_event_whoever_works_it_off(self):
        ends = 30
        for number in range(ends):
            self.call(number % 3, "POST", "/v1/sessions/e/end",
                      {"new_info": "Dora keeps bee hive number %d in garden %d." % (number, number),
                       "request_id": "end-%d" % number}, user="dora")
        self.settle()
        self.settle(1)
        events = self.call(2, "GET", "/v1/items?kind=event&limit=500", user="dora")["items"]
        told = sorted(one["id"] for one in events if one["id"].startswith("end-"))
        self.assertEqual(len(told), len(set(told)))
        self.assertEqual(len(told), ends, told)

    def at_once(self, work, times):
        """Calls `work(node, number)` so many times at each server, all servers at once."""
        failures = []

        def run(node):
            for number in range(times):
                try:
                    work(node, number)
                except urllib.error.HTTPError as refused:
                    failures.append((node, number, refused.read()))

        threads = [threading.Thread(target=run, args=(node,)) for node in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    def test_SC_3_all_changes_of_one_state_count(self):
        self.call(0, "PUT", "/v1/state/default", {"state": {"coins": 0}}, user="rich")
        self.at_once(lambda node, number: self.call(node, "POST", "/v1/state/default",
                                                    {"operations": [["ADD", "coins", 1]]}, user="rich"), 20)
        for node in range(3):
            self.assertEqual(self.call(node, "GET", "/v1/state/default", user="rich")["state"]["coins"], 60)

    def test_SC_3_ends_of_one_request_at_all_servers_are_all_kept(self):
        self.at_once(lambda node, number: self.call(node, "POST", "/v1/sessions/q/end",
                                                    {"action_summary": "Server %d told story %d." % (node, number),
                                                     "request_id": "one"}, user="teller"), 10)
        self.settle()
        events = self.call(1, "GET", "/v1/items?kind=event&limit=500", user="teller")["items"]
        told = {(node, number) for node in range(3) for number in range(10)
                if any("Server %d told story %d." % (node, number) in one["text"] for one in events)}
        self.assertEqual(len(told), 30)

    def test_SC_2_what_is_erased_at_one_server_is_gone_at_all(self):
        for number in range(5):
            self.say(number % 3, "g", "The silver whistle number %d hangs in the hall." % number, user="gone")
        for node in range(3):
            self.assertEqual(len(self.found(node, "silver whistle", user="gone")), 5)
        self.call(1, "POST", "/v1/erase", {"everything": True}, user="gone")
        for node in range(3):
            self.assertEqual(self.found(node, "silver whistle", user="gone"), [])
            self.assertEqual(self.history(node, "g", user="gone"), [])
        self.settle()
        for table in ("heads", "cursors", "log", "items", "messages", "sessions", "documents"):
            left = self.postgres.sql("SELECT count(*) FROM weft.%s WHERE scope='user:gone'" % table, "weft").strip()
            self.assertEqual((table, left), (table, "0"))
        self.say(2, "g", "A new brass bell hangs in the hall.", user="gone")
        for node in range(3):
            self.assertEqual(self.found(node, "hall bell whistle", user="gone"), ["A new brass bell hangs in the hall."])

    def test_SC_3_messages_are_erased_while_another_server_writes_the_session(self):
        ids = [self.say(0, "w", "Line %d of the red book." % number, user="writer")["observations"][0]["id"]
               for number in range(3)]

        def work(node, number):
            if node == 0 and number == 2:
                self.call(0, "POST", "/v1/erase", {"session": "w", "messages": ids}, user="writer")
            elif node > 0:
                self.say(node, "w", "Line %d of the blue book by %d." % (number, node), user="writer")

        self.at_once(work, 15)
        for node in range(3):
            kept = self.call(node, "GET", "/v1/sessions/w/messages?limit=500", user="writer")["messages"]
            self.assertEqual(len(kept), 30)
            self.assertFalse([one for one in kept if "red" in one["content"]])

    def test_SC_2_a_history_that_is_sent_to_any_server_is_one_conversation(self):
        history = []
        for turn in range(6):
            history.append({"role": "user", "content": "Question %d about the orchard" % turn})
            answer = self.call(turn % 3, "POST", "/v1/chat/completions", {"model": "scripted", "messages": history},
                               user="client", headers={"X-Weft-Session": "orchard"})
            history.append({"role": "assistant", "content": answer["choices"][0]["message"]["content"]})
            said = [one["content"] for one in history]
            end = time.time() + 20
            while self.history(0, "orchard", user="client") != said and time.time() < end:
                time.sleep(0.05)  # an answer is recorded behind the call; whoever reads it takes longer than that
        for node in range(3):
            self.assertEqual(self.history(node, "orchard", user="client"), said)

    def test_SC_4_what_a_killed_server_had_before_it_another_one_does(self):
        self.say(2, "k", "The red boat is called Lisette.", user="killed")
        for number in range(20):
            self.call(2, "POST", "/v1/sessions/boats/end",
                      {"new_info": "Emil paints boat number %d." % number, "request_id": "boat-%d" % number},
                      user="killed")
        self.nodes[2].restart(kill=True)
        self.assertTrue(any("Lisette" in text for text in self.found(0, "red boat", user="killed")))
        self.settle()
        events = self.call(0, "GET", "/v1/items?kind=event&limit=500", user="killed")["items"]
        told = sorted(one["id"] for one in events if one["id"].startswith("boat-"))
        self.assertEqual(len(told), 20, told)

    def test_SC_4_a_database_that_restarts_loses_nothing_and_is_found_again(self):
        self.say(0, "r", "Before the restart the key was under the mat.", user="restart")
        self.postgres.stop("immediate")
        with self.assertRaises(urllib.error.HTTPError) as refused:
            self.say(0, "r", "While the database is away.", user="restart")
        self.assertEqual(refused.exception.code, 503)
        self.postgres.start()
        end = time.time() + 30
        while True:
            try:
                self.say(0, "r", "After the restart the key is in the bowl.", user="restart")
                break
            except urllib.error.HTTPError as again:
                self.assertEqual(again.code, 503)
                self.assertLess(time.time(), end)
                time.sleep(0.05)
        kept = self.history(1, "r", user="restart")
        self.assertEqual(kept[0], "Before the restart the key was under the mat.")
        self.assertEqual(kept[-1], "After the restart the key is in the bowl.")
        self.assertEqual(len(kept), 2)

    def test_PF_3_users_stay_apart_at_every_server(self):
        for node in range(3):
            secret = "secret" + uuid.uuid4().hex[:8]
            self.say(node, "own", "My word is %s." % secret, user="owner%d" % node)
            for other in range(3):
                self.assertEqual(self.found(other, secret, user="stranger"), [])

    def test_SC_1_what_cannot_be_opened_is_refused_in_words(self):
        for store, word in (("postgresql://weft@/nowhere?host=" + self.postgres.folder, "nowhere"),
                            ("postgresql://weft:hidden-word@127.0.0.1:1/weft", "reached")):
            with self.subTest(store=store), tempfile.TemporaryDirectory() as workspace:
                run = subprocess.run([binary(), "search", "x", "--workspace", workspace, "--set", "store=" + store],
                                     capture_output=True, text=True, timeout=60)
                self.assertNotEqual(run.returncode, 0)
                self.assertIn(word, run.stderr)
                self.assertNotIn("hidden-word", run.stderr + run.stdout)


if __name__ == "__main__":
    if folder_of_programs() is None:
        skip("PostgreSQL is not installed")
    unittest.main()
