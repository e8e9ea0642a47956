#!/usr/bin/env python3
"""What somebody prefers is learnt from what they change, choose and ask, stands in their prompts and in nobody else's, and
can be confirmed, rejected and forgotten; what only a person knows is asked one at a time, and survives a kill (EV-4,
CU-2, CU-3).
"""

import json
import os
import sqlite3
import threading
import time
import unittest
import uuid

from scenario import Scenario, whole

LONG = {
    "en": "The old bridge was built in the year 1750. It is made of grey stone. The river below it is called Ash. "
          "Boats pass under it in summer. A small chapel stands beside it. Visitors like the view from the tower.",
    "zh": "老桥建于一七五零年。桥身用灰色石头砌成。桥下的河叫灰河。夏天有船从桥下经过。桥边有一座小教堂。游客喜欢从塔上看风景。",
}
SHORT = {"en": "The old bridge was built in the year 1750. It is made of grey stone.",
         "zh": "老桥建于一七五零年。桥身用灰色石头砌成。"}
TOLD = {"en": "Keep answers short.", "zh": "回答要简短。"}


class BeliefsAndQuestions(Scenario):
    def user(self):
        return "u" + uuid.uuid4().hex[:8]

    def beliefs(self, user):
        return {(one["dimension"], one["value"]): one for one in self.call("GET", "/v1/beliefs", user=user)["beliefs"]}

    def believed(self, user, dimension, value, evidence):
        """Waits until the background has learnt it."""
        end = time.time() + 30
        while time.time() < end:
            one = self.beliefs(user).get((dimension, value))
            if one and one.get("evidence_count", 0) >= evidence:
                return one
            time.sleep(0.1)
        self.fail("%s %s was not learnt: %s" % (dimension, value, self.beliefs(user)))

    def prompt(self, user, text="What else?"):
        return whole(self.context("p-" + uuid.uuid4().hex[:6], user=user, input=text)["messages"])

    def edits(self, user, language, count):
        for number in range(count):
            self.observe("s" + uuid.uuid4().hex[:8], [{"role": "user", "content": "?" + str(number)},
                                          {"role": "assistant", "content": LONG[language]},
                                          {"role": "user", "content": SHORT[language]}], user=user)

    def test_EV_4_changed_answers_become_a_belief_of_this_user_alone(self):
        for language in ("en", "zh"):
            with self.subTest(language):
                ann, bob = self.user(), self.user()
                self.edits(ann, language, 1)
                self.believed(ann, "detail", "brief", 1)
                self.assertNotIn(TOLD[language], self.prompt(ann))  # one change is not enough
                self.edits(ann, language, 2)
                one = self.believed(ann, "detail", "brief", 3)
                self.assertGreater(one["confidence"], 0.6)
                self.assertTrue(all("/" in source for source in one["sources"]))
                self.assertIn(TOLD[language], self.prompt(ann))
                self.assertEqual(self.beliefs(bob), {})
                self.assertNotIn(TOLD[language], self.prompt(bob))
                self.server.restart(kill=True)
                self.assertIn(TOLD[language], self.prompt(ann))

                self.call("POST", "/v1/beliefs/reject", {"dimension": "detail"}, user=ann)
                self.assertNotIn(TOLD[language], self.prompt(ann))
                self.call("POST", "/v1/beliefs/confirm", {"dimension": "detail", "value": "brief"}, user=ann)
                self.assertTrue(self.beliefs(ann)[("detail", "brief")]["confirmed"])
                listed = self.weft("-u", ann, "belief", "list").stdout
                self.assertIn("confirmed", listed)
                self.weft("-u", ann, "belief", "forget", "detail")
                self.assertEqual(self.beliefs(ann), {})

    def test_EV_4_the_file_may_be_edited_and_a_bad_one_is_left_alone(self):
        ann = self.user()
        self.call("POST", "/v1/beliefs/confirm", {"dimension": "format", "value": "table"}, user=ann)
        path = os.path.join(self.server.workspace, "beliefs", "users", ann, "beliefs.yaml")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace("value: table", "value: list"))
        self.assertIn(("format", "list"), self.beliefs(ann))
        with open(path, "w", encoding="utf-8") as file:
            file.write("beliefs: [\n")
        code, _ = self.fails("GET", "/v1/beliefs", user=ann)
        self.assertEqual(code, 400)
        self.assertIn("What else?", self.prompt(ann))  # the prompt is whole without it
        with open(path, encoding="utf-8") as file:
            self.assertEqual(file.read(), "beliefs: [\n")

    def test_EV_4_erasing_a_user_takes_beliefs_and_questions_too(self):
        ann = self.user()
        self.edits(ann, "en", 2)
        self.believed(ann, "detail", "brief", 2)
        self.call("POST", "/v1/questions", {"text": "Which colour for %s?" % ann, "urgency": "HIGH"}, user=ann)
        self.call("POST", "/v1/erase", {"everything": True}, user=ann)
        self.assertEqual(self.beliefs(ann), {})
        self.assertEqual(self.call("GET", "/v1/questions", user=ann)["questions"], [])
        with open(os.path.join(self.server.workspace, "weft.db"), "rb") as file:
            self.assertNotIn(("Which colour for %s" % ann).encode(), file.read())

    def test_CU_3_PF_9_an_answer_and_its_effects_survive_a_kill_together(self):
        answered = 0
        for number in range(8):
            ann = self.user()
            for source, before, after in (("a/1", LONG, SHORT), ("a/2", SHORT, LONG), ("a/3", LONG, SHORT)):
                self.call("POST", "/v1/beliefs/edits", {"before": before["zh"], "after": after["zh"], "source": source},
                          user=ann)
            [asked] = self.call("GET", "/v1/questions", user=ann)["questions"]
            call = threading.Thread(target=self.try_to_answer, args=(asked["id"], "回答要简短。", ann))
            call.start()
            time.sleep(0.0015 * number)
            self.server.restart(kill=True)
            call.join()
            [question] = self.call("GET", "/v1/questions", user=ann)["questions"]
            kept = question["stage"] == "answered"
            answered += kept
            self.assertEqual(self.beliefs(ann).get(("detail", "brief"), {}).get("confirmed", False), kept)
            talk = lambda: [one["content"] for one in
                            self.call("GET", "/v1/sessions/questions/messages", user=ann)["messages"]]
            if kept:
                self.until(lambda: len(talk()) == 2)
                self.assertEqual(talk()[1], "回答要简短。")
            self.settle()
            self.assertEqual(len(talk()), 2 if kept else 0)
        self.assertGreater(answered, 0)

    def test_CU_3_questions_of_users_and_those_that_talks_leave_open_do_not_meet(self):
        ann = self.user()
        asked, talking = {}, threading.Event()

        def talk():
            for number, thing in enumerate(("harbour bridge", "old mill", "town archive", "salt mine", "glass house")):
                self.observe("t%d" % number, [
                    {"role": "user", "content": "When was the %s built?" % thing},
                    {"role": "assistant", "content": "I am not sure, the %s might be from %d." % (thing, 1700 + number)}],
                    user=ann)
                time.sleep(0.2)
            talking.set()

        thread = threading.Thread(target=talk)
        thread.start()
        while not talking.is_set():
            question = self.call("POST", "/v1/questions", {"text": "Number %d?" % len(asked)}, user=ann)
            asked[question["id"]] = question["text"]
        thread.join()
        self.until(lambda: not sum(one["entries"] for one in self.call("GET", "/healthz")["readers"]))
        store = sqlite3.connect(os.path.join(self.server.workspace, "weft.db"))
        kept = {one["id"]: one for one in (json.loads(body) for body, in store.execute(
            "SELECT body FROM documents WHERE scope=? AND kind IN ('question', 'question_past')", ("user:" + ann,)))}
        store.close()
        self.assertEqual({one: kept[one]["text"] for one in asked}, asked)
        self.assertEqual({kept[one]["stage"] for one in asked}, {"queued"})

    def try_to_answer(self, question, text, user):
        try:
            self.call("POST", "/v1/questions/" + question, {"answer": text}, user=user)
        except Exception:  # the server was killed meanwhile
            pass

    def next(self, user):
        found = self.call("GET", "/v1/questions/next", user=user)["questions"]
        return found[0]["text"] if found else None

    def test_CU_2_CU_3_questions_come_one_at_a_time_and_survive_a_kill(self):
        ann, bob = self.user(), self.user()
        ask = lambda text, **more: self.call("POST", "/v1/questions", dict(text=text, **more), user=ann)
        waiting = ask("Where is the key?")
        urgent = ask("Red or blue?", urgency="HIGH", choices=["red", "blue"], fallback="red", kind="decision")
        ask("也要问：哪天出发？", urgency="HIGH")
        self.assertEqual(self.next(ann), "Red or blue?")
        self.assertIsNone(self.next(bob))
        self.assertEqual(self.fails("POST", "/v1/questions/" + urgent["id"], {"answer": "b"}, user=bob)[0], 404)
        self.server.restart(kill=True)
        self.assertEqual(self.next(ann), "Red or blue?")
        answered = self.call("POST", "/v1/questions/" + urgent["id"], {"answer": "b"}, user=ann)
        self.assertEqual((answered["answer"], answered["stage"]), ("blue", "answered"))
        self.assertEqual(self.fails("POST", "/v1/questions/" + urgent["id"], {"answer": "a"}, user=ann)[0], 409)
        self.assertEqual(self.next(ann), "也要问：哪天出发？")
        found = json.loads(self.weft("-u", ann, "--json", "question", "list").stdout)["questions"]
        self.assertEqual([one["stage"] for one in found], ["queued", "answered", "asked"])
        self.weft("-u", ann, "question", "answer", found[2]["id"], "星期五")
        self.assertIsNone(self.next(ann))  # what is not urgent waits for others
        self.call("DELETE", "/v1/questions/" + waiting["id"], user=ann)
        # The answer is remembered as a talk.
        self.assertIn("星期五", json.dumps(self.call("POST", "/v1/search", {"query": "哪天出发"}, user=ann),
                                        ensure_ascii=False))

    def test_EV_4_CU_3_a_doubt_is_asked_about_and_the_answer_settles_it(self):
        ann = self.user()
        self.call("POST", "/v1/beliefs/edits", {"before": LONG["zh"], "after": SHORT["zh"], "source": "a/1"}, user=ann)
        self.call("POST", "/v1/beliefs/edits", {"before": SHORT["zh"], "after": LONG["zh"], "source": "a/2"}, user=ann)
        self.call("POST", "/v1/beliefs/edits", {"before": LONG["zh"], "after": SHORT["zh"], "source": "a/3"}, user=ann)
        with open(os.path.join(self.server.workspace, "beliefs", "users", ann, "beliefs.yaml"), encoding="utf-8") as shown:
            self.assertIn("a/3", shown.read())
        about = [one for one in self.call("GET", "/v1/questions", user=ann)["questions"]
                 if one.get("about") == "belief:detail"]
        self.assertEqual(len(about), 1)
        self.assertNotIn(TOLD["zh"], self.prompt(ann, "还有呢？"))
        self.assertEqual(sorted(about[0]["choices"]), sorted(["回答要详细。", "回答要简短。"]))
        self.call("POST", "/v1/questions/" + about[0]["id"], {"answer": "回答要简短。"}, user=ann)
        self.assertTrue(self.beliefs(ann)[("detail", "brief")]["confirmed"])
        # As a belief, or as the wish that the answer is: whichever is kept first.
        self.assertIn(TOLD["zh"].rstrip("。"), self.prompt(ann, "还有呢？"))


if __name__ == "__main__":
    unittest.main()
