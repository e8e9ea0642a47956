"""What users state in passing, in a chat through the proxy or in messages that are observed, is remembered as what an
agent reports at the end of a turn: as facts with their time, in the profile, replaced by what is newer."""

import os
import re
import time
import unittest
import uuid

from scenario import Scenario, whole


def fresh():
    return uuid.uuid4().hex


def city():
    return "C" + fresh()[:9]


def woven(messages):
    """Everything that was woven in, by pieces: lines of profiles, items of memories."""
    pieces = []
    for block in re.findall(r"<(memory|profile|preferences)\b[^>]*>(.*?)</\1>", whole(messages), re.S):
        if block[0] == "memory":
            pieces += re.split(r"\n(?! )", block[1])
        else:
            pieces += block[1].splitlines()
    return pieces


OVER = ("outdated since ", "起已过时", "（至", "until ", "- 至", "（截至", "Earlier")


class AllWays(Scenario):
    def learn(self):
        self.settle()

    def profile(self, user, kind="users"):
        path = os.path.join(self.server.workspace, "profiles", kind, user + ".md")
        with open(path, encoding="utf-8") as file:
            return file.read()

    def current(self, value):
        return [piece for piece in woven(self.sent()) if value in piece and not any(mark in piece for mark in OVER)]

    def moved(self, first, second, question):
        user, berlin, porto = "u" + fresh(), city(), city()
        self.talk([], first % berlin, user=user, session="s" + fresh())
        self.settle()
        self.assertIn(berlin, self.profile(user))
        self.server.restart()
        self.talk([], second % porto, user=user, session="s" + fresh())
        self.settle()
        self.talk([], question, user=user, session="s" + fresh())
        self.assertTrue(self.current(porto), whole(self.sent()))
        self.assertEqual(self.current(berlin), [], whole(self.sent()))
        profile = self.profile(user)
        facts, earlier = re.split(r"## (?:Earlier|以前)", profile)
        self.assertIn(porto, facts)
        self.assertNotIn(berlin, facts)
        self.assertIn(berlin, earlier)
        return user

    def test_CM_17_what_is_said_in_a_chat_reaches_the_profile_and_is_replaced(self):
        user = self.moved("I live in %s and work as a nurse.", "I moved to %s last month.", "Where do I live?")
        self.assertIn("nurse", re.split("## Earlier", self.profile(user))[0])

    def test_CM_17_in_chinese(self):
        user = self.moved("我住在%s，在医院当护士。", "我上个月搬到%s了。", "我住在哪里？")
        self.assertIn("护士", re.split("## 以前", self.profile(user))[0])

    def events(self, user, query):
        found = self.call("POST", "/v1/search", {"query": query, "kinds": ["event"]}, user=user)
        return [hit["text"] for hit in found["hits"]]

    def test_CM_17_what_lasts_is_remembered_in_open_words_and_stands_in_no_profile(self):
        """Said before a question, without "I", in a relative clause, of the family; what is asked or felt is no fact."""
        user, place, animal, shop = "u" + fresh(), city(), "K" + fresh()[:8], "S" + fresh()[:8]
        self.talk([], "Broke my arm on the stairs in %s last month." % place, user=user, session="s" + fresh())
        self.talk([], "We adopted a dog named %s, can you recommend a vet?" % animal, user=user, session="s" + fresh())
        self.talk([], "我老公上个月在%s买了一辆车，你觉得怎么样？" % shop, user=user, session="s" + fresh())
        self.talk([], "I think %s is a nice word, and I feel tired." % fresh()[:9], user=user, session="s" + fresh())
        self.settle()
        self.server.restart(kill=True)
        facts = " ".join(self.events(user, "What happened to my arm?") + self.events(user, "dog") +
                         self.events(user, "我老公买了什么？"))
        for part in ("The user broke the user's arm on the stairs", "The user adopted a dog named %s." % animal, "用户的老公上个月"):
            self.assertIn(part, facts)
        self.assertRegex(facts, r"last month \[\w+ \d{4}\]", "its time stands beside it")
        self.assertNotIn("nice word", facts)
        path = os.path.join(self.server.workspace, "profiles", "users", user + ".md")
        self.assertNotIn("arm", self.profile(user) if os.path.exists(path) else "")
        self.talk([], "Where did I break my arm?", user=user, session="s" + fresh())
        self.assertIn(place, whole(self.sent()))

    def test_CM_17_observed_messages_go_the_same_way(self):
        user, old, new = "u" + fresh(), "N" + fresh()[:8], "N" + fresh()[:8]
        self.observe("s1", [{"role": "user", "content": "My dentist is Dr %s." % old},
                            {"role": "assistant", "content": "Noted."}], user=user)
        self.settle()
        self.observe("s2", [{"role": "user", "content": "My new dentist is Dr %s." % new}], user=user)
        self.settle()
        self.assertIn(new, self.profile(user).split("## Earlier")[0])
        self.assertNotIn(old, self.profile(user).split("## Earlier")[0])

    def test_CM_17_facts_count_as_soon_as_said(self):
        """No topic is closed and nothing is idle: the next session knows it all the same."""
        user, number = "u" + fresh(), "555" + str(int(time.time() * 1000))[-7:]
        self.talk([], "By the way, my phone number is %s." % number, user=user, session="s" + fresh())
        self.settle()
        self.talk([], "What is my phone number?", user=user, session="s" + fresh())
        self.assertTrue(self.current(number))

    def test_CM_17_a_correction_replaces_what_it_corrects(self):
        user, session = "u" + fresh(), "s" + fresh()
        history = []
        self.talk(history, "My locker number is 4711.", user=user, session=session)
        self.settle()
        self.talk(history, "No, I meant 4117.", user=user, session=session)
        self.settle()
        facts = self.profile(user).split("## Earlier")[0]
        self.assertIn("4117", facts)
        self.assertNotIn("4711", facts)

    def test_CM_17_a_branch_that_was_left_takes_its_facts_along(self):
        user, session, wrong, right = "u" + fresh(), "s" + fresh(), city(), city()
        home = city()
        history = []
        self.talk(history, "I live in %s." % home, user=user, session=session)
        kept = list(history)
        self.talk(history, "I moved to %s." % wrong, user=user, session=session)
        self.settle()
        self.assertIn(wrong, self.profile(user))
        self.talk(kept, "What is the weather like?", user=user, session=session)
        self.settle()
        profile = self.profile(user)
        self.assertNotIn(wrong, profile)
        self.assertIn(home, profile.split("## Earlier")[0])
        self.assertNotIn(right, profile)

    def test_CM_17_what_is_erased_leaves_the_profile(self):
        user, place = "u" + fresh(), city()
        self.observe("s1", [{"id": "m1", "role": "user", "content": "I live in %s." % place}], user=user)
        self.settle()
        self.assertIn(place, self.profile(user))
        self.call("POST", "/v1/erase", {"messages": ["m1"]}, user=user)
        self.assertNotIn(place, self.profile(user))

    def test_CM_17_questions_tasks_and_suppositions_leave_nothing(self):
        user = "u" + fresh()
        for text in ("Where do people live in Rome?", "Translate to French: I live in Oslo.",
                     "If I lived in Bern I would ski.", "帮我翻译：我住在上海。"):
            self.talk([], text, user=user, session="s" + fresh())
        self.settle()
        path = os.path.join(self.server.workspace, "profiles", "users", user + ".md")
        self.assertFalse(os.path.exists(path))


class LearningSwitchedOff(Scenario):
    settings = ("cognitive.learn_in_passing=false",)

    def test_CM_17_nothing_is_learnt_in_passing_where_that_is_off(self):
        user = "u" + fresh()
        self.talk([], "I live in Berlin.", user=user, session="s1")
        self.settle()
        self.assertFalse(os.path.exists(os.path.join(self.server.workspace, "profiles", "users", user + ".md")))


if __name__ == "__main__":
    unittest.main()
