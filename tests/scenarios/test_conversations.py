"""Which conversation a call belongs to, where its client names none, and what an edit takes back."""

import random
import unittest
import uuid

from scenario import Scenario


class Conversations(Scenario):
    settings = ("context.window=16384",)

    def setUp(self):
        self.user = "u-" + uuid.uuid4().hex[:8]

    def say(self, history, text, **more):
        return self.talk(history, text, user=self.user, **more)

    def kept(self, word):
        """Whether a word that somebody said is found in memory."""
        self.settle()
        hits = self.call("POST", "/v1/search", {"query": word, "top_k": 50}, user=self.user)["hits"]
        return any(word in hit["text"] for hit in hits)

    def sessions(self):
        items = self.call("GET", "/v1/items?kind=message&limit=10000", user=self.user)["items"]
        return {item["session"] for item in items}

    def word(self):
        return "w" + uuid.uuid4().hex[:8]

    def test_PF_12_two_chats_that_begin_alike_are_two(self):
        for greeting in ("Hi", "你好", "Please help me to plan my week."):
            words = [self.word() for _ in range(6)]
            first, second = [], []
            self.say(first, greeting)
            self.say(second, greeting)
            for i in range(3):
                self.say(first, "My locker at place %d is called %s." % (i, words[i]))
                self.say(second, "我在第%d处的柜子叫%s。" % (i, words[3 + i]))
            self.assertEqual([word for word in words if not self.kept(word)], [], greeting)

    def test_PF_12_a_chat_goes_on_after_a_restart(self):
        words = [self.word() for _ in range(4)]
        first, second = [], []
        self.say(first, "Hello there")
        self.say(first, "The code of the gate is %s." % words[0])
        self.say(second, "Hello there")
        self.say(second, "The code of the shed is %s." % words[1])
        before = self.sessions()
        self.server.restart()
        self.say(first, "The code of the barn is %s." % words[2])
        self.say(second, "The code of the boat is %s." % words[3])
        self.assertEqual([word for word in words if not self.kept(word)], [])
        self.assertEqual(self.sessions(), before)

    def test_PF_12_a_regenerated_or_edited_newest_turn_moves_the_branch(self):
        old, new, stays = self.word(), self.word(), self.word()
        history = []
        self.say(history, "My sister is called %s." % stays)
        self.say(history, "My cat is called %s." % old)
        before = self.sessions()
        edited = history[:-2]
        self.say(edited, "My cat is called %s." % new)
        self.assertTrue(self.kept(new))
        self.assertTrue(self.kept(stays))
        self.assertFalse(self.kept(old))
        self.chat(edited[:-1], user=self.user)  # its answer is asked for again
        self.assertTrue(self.kept(new))
        self.assertEqual(self.sessions(), before)

    def test_PF_12_a_branch_from_an_early_message_leaves_the_first_one_alone(self):
        words = [self.word() for _ in range(5)]
        history = []
        for word in words[:4]:
            self.say(history, "One of my passwords is %s, mind it." % word)
        branch = history[:2]
        self.say(branch, "Another of my passwords is %s, mind it." % words[4])
        self.assertEqual([word for word in words if not self.kept(word)], [])

    def test_PF_12_an_edited_first_message_of_a_named_session_takes_back_what_it_replaces(self):
        for turns in (1, 3):
            session, rome, madrid = "s-" + uuid.uuid4().hex, self.word(), self.word()
            history = []
            self.say(history, "I live in the town of %s." % rome, session=session)
            for i in range(1, turns):
                self.say(history, "And what is worth a look on day %d?" % i, session=session)
            self.say([], "I live in the town of %s." % madrid, session=session)
            self.assertTrue(self.kept(madrid))
            self.assertFalse(self.kept(rome), turns)

    def test_PF_12_a_named_session_that_is_sent_only_what_is_new_loses_nothing(self):
        session = "s-" + uuid.uuid4().hex
        words = [self.word() for _ in range(4)]
        for word, text in zip(words, ("My dog is called %s.", "今天我买了%s。", "What is %s?", "The train to %s was late.")):
            self.say([], text % word, session=session)
        self.assertEqual([word for word in words if not self.kept(word)], [])

    def test_PF_12_a_client_that_drops_old_messages_stays_in_its_chat(self):
        history = []
        words = [self.word() for _ in range(6)]
        for word in words:
            window = history[-4:]
            self.say(window, "Note that %s is the name of a star." % word)
            history = history + window[-2:]
        self.assertEqual([word for word in words if not self.kept(word)], [])
        self.assertEqual(len(self.sessions()), 1)

    def test_PF_12_a_client_that_changes_answers_stays_in_its_chat(self):
        history = []
        for i in range(4):
            self.say(history, "Please tell me about star number %d." % i)
            history[-1]["content"] = history[-1]["content"][:-2]  # cut, as clients do that hide a part
        self.assertEqual(len(self.sessions()), 1)

    def test_PF_12_random_chats_take_nothing_back_from_each_other(self):
        rng = random.Random(9)
        beginnings = ["Hi", "Good morning", "你好", "Let us plan the trip."]
        chats = [{"history": [], "user": self.user + "-%d" % (i % 2), "said": []} for i in range(8)]
        for _ in range(60):
            chat = rng.choice(chats)
            kind = rng.random()
            if not chat["history"]:
                self.talk(chat["history"], rng.choice(beginnings), user=chat["user"])
            elif kind < 0.15 and len(chat["history"]) > 2:
                self.chat(chat["history"][:-1], user=chat["user"])  # regenerated, and the same is said again
            elif kind < 0.25 and len(chat["history"]) > 6:
                at = 2 * rng.randrange(1, len(chat["history"]) // 2)
                chats.append({"history": chat["history"][:at], "user": chat["user"], "said": []})
            else:
                word = self.word()
                chat["said"].append(word)
                self.talk(chat["history"], "The secret of the day is %s." % word, user=chat["user"])
        self.settle()
        for user in (self.user + "-0", self.user + "-1"):
            items = self.call("GET", "/v1/items?kind=message&limit=10000", user=user)["items"]
            found = "\n".join(item["text"] for item in items)
            for chat in chats:
                for word in chat["said"]:
                    self.assertEqual(word in found, chat["user"] == user, word)


if __name__ == "__main__":
    unittest.main()
