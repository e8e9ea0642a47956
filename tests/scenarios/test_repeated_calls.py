"""A client does not know whether its call was heard, and sends it again: with an Idempotency-Key it is worked off once,
also when the server was restarted or killed in between, and what was erased is not told again (PF-9, PF-10)."""

import json
import os
import stat
import threading
import time
import unittest
import urllib.error
import urllib.request

from scenario import AGENT_TOML, Scenario


class Asking(Scenario):
    toml = AGENT_TOML

    def ask(self, method, path, body=None, key=None, user="ann"):
        """Status, answer and headers."""
        headers = {"Content-Type": "application/json", "X-Weft-User": user, **({"Idempotency-Key": key} if key else {})}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.server.url + path, data=data, method=method, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, json.loads(answer.read()), answer.headers
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read()), error.headers

    def say(self, text, key=None, session="s", user="ann"):
        return self.ask("POST", "/v1/sessions/%s/messages" % session, {"role": "user", "content": text}, key, user)

    def kept(self, user="ann"):
        """The texts of all messages that are kept."""
        return [item["text"] for item in self.call("GET", "/v1/items?kind=message&limit=10000", user=user)["items"]]

    def answers(self):
        folder = os.path.join(self.server.workspace, "answers")
        return [os.path.join(folder, name) for name in os.listdir(folder) if name != ".lock"]


class RepeatedCalls(Asking):
    settings = ("compaction.compact_timeout_ms=60000",)

    def test_PF_10_a_call_is_worked_off_once_over_a_restart_and_a_kill(self):
        status, first, headers = self.say("The boat is called Marigold.", "boat")
        self.assertEqual((status, headers["Idempotent-Replayed"]), (200, None))
        for end in ("at once", "restart", "kill"):
            if end != "at once":
                self.server.restart(kill=end == "kill")
            status, again, headers = self.say("The boat is called Marigold.", "boat")
            self.assertEqual((status, again, headers["Idempotent-Replayed"]), (200, first, "true"), end)
            status, answer, _ = self.say("The boat is called Daisy.", "boat")
            self.assertEqual(status, 422, end)
            self.assertIn("another request", answer["error"]["message"])
            # Another caller drew the same key.
            status, _, headers = self.say("Mine is Daisy.", "boat", user="bob-" + end.replace(" ", "-"))
            self.assertEqual((status, headers["Idempotent-Replayed"]), (200, None))
        self.assertEqual([text for text in self.kept() if "boat" in text], ["The boat is called Marigold."])
        # What was refused is the same refusal; without a key each is a call of its own.
        refused = self.ask("POST", "/v1/sessions/s/messages", {"role": "robot", "content": "x"}, "odd")
        self.assertEqual(refused[0], 400)
        self.server.restart(kill=True)
        self.assertEqual(self.ask("POST", "/v1/sessions/s/messages", {"role": "robot", "content": "x"}, "odd")[:2],
                         refused[:2])
        # Nobody else on the machine reads what was answered, nor who drew which key.
        folder = os.path.join(self.server.workspace, "answers")
        self.assertEqual(stat.S_IMODE(os.stat(folder).st_mode), 0o700)
        self.assertNotIn("boat", "".join(os.listdir(folder)))

    def test_PF_9_a_call_that_a_kill_interrupted_is_not_done_again(self):
        talk = []
        for number in range(40):
            talk += [{"role": "user", "content": "Step %d of the journey to Bergen. " % number + "It may rain. " * 20},
                     {"role": "assistant", "content": "Noted: step %d. " % number + "Each has its price. " * 20}]
        self.observe("journey", talk)
        reached, go = threading.Event(), threading.Event()

        def hold(_):
            reached.set()
            go.wait(60)

        def compact(key):
            return self.ask("POST", "/v1/sessions/journey/compact", {}, key)

        self.model.rules.append(hold)
        try:
            def cut_off():
                with self.assertRaises(Exception):
                    compact("once")

            lost = threading.Thread(target=cut_off)
            lost.start()
            self.assertTrue(reached.wait(60), "the call is at work")
            status, answer, _ = compact("once")
            self.assertEqual(status, 409)
            self.assertIn("still at work", answer["error"]["message"])
            self.server.restart(kill=True)
            lost.join(60)
        finally:
            go.set()
            self.model.rules.remove(hold)
        asked = len(self.model.seen)
        for _ in range(2):
            status, answer, headers = compact("once")
            self.assertEqual((status, headers["Idempotent-Replayed"]), (409, None))
            self.assertEqual(answer["error"]["code"], "conflict")
            self.assertIn("not known", answer["error"]["message"])
            self.assertIn("GET", answer["error"]["hint"])
            self.server.restart()
        self.assertEqual(len(self.model.seen), asked, "it was not begun again")
        # Who has looked sends it with a new key.
        self.assertEqual(self.call("GET", "/v1/sessions/journey/compactions")["compactions"], [])
        self.assertEqual(compact("anew")[0], 200)
        self.assertEqual(len(self.call("GET", "/v1/sessions/journey/compactions")["compactions"]), 1)
        self.assertEqual(compact("anew")[2]["Idempotent-Replayed"], "true")

    def test_PF_10_what_is_sent_at_random_is_done_once_over_a_kill(self):
        """Several clients write and repeat what they got no answer to, while the server is killed."""
        done, lock, over = {}, threading.Lock(), threading.Event()

        def write(who):
            number = 0
            while not over.is_set():
                number += 1
                key = "%s-%d" % (who, number)
                for _ in range(200):
                    try:
                        status, _, _ = self.say("Note %s." % key, key, session="notes-" + who, user="many")
                    except (OSError, ValueError):
                        time.sleep(0.05)
                        continue
                    with lock:
                        done[key] = status
                    break

        clients = [threading.Thread(target=write, args=("w%d" % one,)) for one in range(4)]
        for client in clients:
            client.start()
        for _ in range(3):
            time.sleep(0.7)
            self.server.restart(kill=True)
        time.sleep(0.5)
        over.set()
        for client in clients:
            client.join(120)
        self.assertGreater(len(done), 20)
        self.assertLessEqual(set(done.values()), {200, 409})
        kept = self.kept("many")
        for key, status in done.items():
            count = kept.count("Note %s." % key)
            # What was acknowledged is there once; of what was interrupted nobody knows, but never twice.
            self.assertLessEqual(count, 1, key)
            if status == 200:
                self.assertEqual(count, 1, key)

    def test_PF_5_what_was_erased_is_not_told_again(self):
        secret = "zebra-7731-quagga"
        self.say("My code word is %s." % secret, "tell", user="eve")
        search = ("POST", "/v1/search", {"query": "What is my code word?"}, "look")
        self.assertIn(secret, json.dumps(self.ask(*search, user="eve")[1]))
        erase = ("POST", "/v1/erase", {"everything": True}, "forget")
        status, receipt, _ = self.ask(*erase, user="eve")
        self.assertEqual(status, 200, receipt)
        for end in ("at once", "kill"):
            if end == "kill":
                self.server.restart(kill=True)
            status, answer, _ = self.ask(*search, user="eve")
            self.assertEqual(status, 409, end)
            self.assertIn("erased", answer["error"]["message"])
            self.assertNotIn(secret, json.dumps(answer))
            # What was forgotten is not said again either; the receipt is.
            self.assertEqual(self.say("My code word is %s." % secret, "tell", user="eve")[0], 409)
            self.assertEqual(self.ask(*erase, user="eve")[:2], (200, receipt))
        for path in self.answers():
            with open(path, "rb") as file:
                self.assertNotIn(secret.encode(), file.read())
        self.assertTrue(self.call("GET", "/v1/erasures/" + receipt["id"])["clean"])


class BoundedAnswers(Asking):
    settings = ("server.answers_kept=10",)

    def test_PF_10_only_so_many_answers_are_kept(self):
        for number in range(50):
            self.assertEqual(self.say("Line %d." % number, "line-%d" % number, session="lines")[0], 200)
        self.assertLessEqual(len(self.answers()), 11)
        self.assertEqual(self.say("Line 49.", "line-49", session="lines")[2]["Idempotent-Replayed"], "true")


if __name__ == "__main__":
    unittest.main()
