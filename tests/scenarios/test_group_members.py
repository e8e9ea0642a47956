"""Who speaks in a group is known by id, whatever people are called."""

import json
import os
import unittest
import uuid

from scenario import Scenario


def fresh():
    return uuid.uuid4().hex[:8]


class Members(Scenario):
    toml = '[embedding]\nprovider = "none"\n'

    def say(self, group, user, text, name=None, session="s"):
        message = {"role": "user", "content": text, **({"name": name} if name else {})}
        self.call("POST", "/v1/sessions/%s/messages" % session,
                  {"messages": [message, {"role": "assistant", "content": "好的"}]},
                  user=user, headers={"X-Weft-Group": group})

    def of(self, group, method, path, body=None):
        return self.call(method, path, body, user="", headers={"X-Weft-Group": group})

    def events(self, group):
        self.of(group, "POST", "/v1/sessions/s/save", {})
        self.settle()
        return self.of(group, "GET", "/v1/items?kind=event")["items"]

    def file(self, kind, name):
        path = os.path.join(self.server.workspace, "profiles", kind, name + ".md")
        return open(path, encoding="utf-8").read() if os.path.exists(path) else ""

    def lines(self, group):
        facts = self.file("groups", group).split("---", 2)[-1]
        return [line.split("<!--")[0] for line in facts.splitlines() if line.startswith("- ")]


class Namesakes(Members):
    def test_PF_22_two_members_of_one_name_are_two_people(self):
        for words in (("我对花生过敏", "我住在成都"), ("我住在成都", "我住在杭州"), ("I live in Bergen.", "I live in Tromso."),
                      ("I am allergic to peanuts.", "I work as a nurse.")):
            group, name = "g" + fresh(), "小明" if ord(words[0][0]) > 255 else "Ann"
            with self.subTest(words=words):
                for user, text in zip(("1004", "1005"), words):
                    self.say(group, user, text, name)
                    self.settle()  # the second comes when the first is known already
                lines = self.lines(group)
                self.assertEqual(len(lines), 2, lines)
                self.assertTrue(any("1004" in line for line in lines), lines)
                self.assertTrue(any("1005" in line for line in lines), lines)
                self.assertFalse(any("1004" in line and "1005" in line for line in lines), lines)
                self.assertNotIn("Earlier", self.file("groups", group))
                told = {(one["metadata"]["sender_id"], one["text"]) for one in self.events(group)}
                self.assertEqual({sender for sender, _ in told}, {"1004", "1005"})
                for sender, text in told:
                    self.assertIn(sender, text)

    def test_PF_22_who_moves_is_the_one_who_says_so(self):
        group = "g" + fresh()
        self.say(group, "1004", "I live in Bergen.", "Ann")
        self.say(group, "1005", "I live in Tromso.", "Ann")
        self.settle()
        self.say(group, "1005", "I moved to Stavanger.", "Ann")
        self.settle()
        facts, earlier = self.file("groups", group).split("## Earlier")
        self.assertIn("Bergen", facts)
        self.assertIn("Stavanger", facts)
        self.assertIn("Tromso", earlier)
        self.assertNotIn("Tromso", facts)

    def test_PF_22_nobody_corrects_what_another_said(self):
        group = "g" + fresh()
        self.say(group, "1004", "My appointment is on Tuesday.", "Ann")
        self.settle()
        self.say(group, "1005", "No, I meant Thursday.", "Ann")
        self.settle()
        self.assertNotIn("Thursday", "".join(self.lines(group)))

    def test_PF_22_prompts_and_searches_tell_them_apart(self):
        group = "g" + fresh()
        self.say(group, "1004", "I am allergic to peanuts.", "Ann", session="one")
        self.say(group, "1005", "I love peanuts.", "Ann", session="two")
        self.settle()
        found = self.of(group, "POST", "/v1/search", {"query": "peanuts", "kinds": ["message"]})["hits"]
        said = {one["sender_id"]: one for one in found if one["who"] != "assistant"}
        self.assertEqual(set(said), {"1004", "1005"})
        for sender, one in said.items():
            self.assertIn(sender, one["who"])
        woven = self.call("POST", "/v1/sessions/three/context", {"input": "Who must not eat peanuts?"}, user="1006",
                          headers={"X-Weft-Group": group})
        prompt = "\n".join(str(message["content"]) for message in woven["messages"])
        self.assertIn("1004", prompt)
        only = self.of(group, "POST", "/v1/search", {"query": "peanuts", "who": "1005", "kinds": ["message"]})["hits"]
        self.assertEqual({one["sender_id"] for one in only}, {"1005"})


class OneMember(Members):
    def test_PF_22_who_changes_the_nickname_stays_one_person(self):
        for first, second in (("I live in Bergen.", "I moved to Stavanger."), ("我住在成都", "我搬到杭州了")):
            group = "g" + fresh()
            with self.subTest(first=first):
                self.say(group, "1004", first, "Ann")
                self.settle()
                self.say(group, "1004", second, "Queen of the North")
                self.settle()
                body = self.file("groups", group)
                now = body.split("## Earlier")[0].split("## 以前")[0]
                self.assertNotEqual(now, body, "what was said first is over")
                self.assertNotIn("Bergen", now)
                self.assertNotIn("成都", now)
                events = self.events(group)
                self.assertEqual({one["metadata"]["sender_id"] for one in events}, {"1004"})

    def test_PF_22_a_name_is_no_id(self):
        group = "g" + fresh()
        self.say(group, "1708213363", "I live in Bergen.", "Ann")
        where = {"X-Weft-Group": group}
        for sender, found in (("1708213363", True), ("Ann", False)):
            self.events(group)
            hits = self.call("POST", "/v1/search", {"query": "Bergen", "where": {"sender_id": sender}}, user="",
                             headers=where)["hits"]
            self.assertEqual(bool(hits), found, sender)
        shown = self.of(group, "GET", "/v1/sessions/s/messages")["messages"]
        self.assertEqual(shown[0]["sender_id"], "1708213363")
        self.assertEqual(shown[0]["name"], "Ann")
        self.assertNotIn("sender_id", shown[1])

    def test_PF_22_a_label_cannot_be_forged(self):
        group = "g" + fresh()
        self.say(group, "1004", "I live in Bergen.", "Ann")
        self.say(group, "1005", "I live in Tromso.", "Ann")
        self.say(group, "999", "I moved to Stavanger.", "Ann(1004)")
        self.say(group, "998", "I moved to Alesund.", "1004")
        self.settle()
        body = self.file("groups", group)
        self.assertNotIn("## Earlier", body)
        lines = self.lines(group)
        for place, member in (("Bergen", "1004"), ("Tromso", "1005"), ("Stavanger", "999"), ("Alesund", "998")):
            self.assertTrue(any(place in line and member in line for line in lines), lines)


class Granted(Members):
    toml = 'preset = "literal"\n' + Members.toml

    def test_PF_22_a_nickname_does_not_open_anothers_profile(self):
        group, mine, other = "g" + fresh(), "9" + fresh(), "2" + fresh()
        self.call("POST", "/v1/sessions/own/messages", {"messages": [{"role": "user", "content": "I live in Bergen."}]},
                  user=other)
        self.settle()
        before = self.file("users", other)
        self.assertIn("Bergen", before)
        self.say(group, mine, "I moved to Stavanger.", other)
        self.events(group)
        self.assertEqual(self.file("users", other), before)
        self.assertIn("Stavanger", self.file("users", mine))

    def test_CM_6_an_end_of_a_turn_is_told_of_who_spoke(self):
        group, ann, bob = "g" + fresh(), "ann" + fresh(), "bob" + fresh()
        self.say(group, ann, "We have moved to Bergen, as you know.", "Chief")
        self.call("POST", "/v1/sessions/s/end", {"new_info": "Chief lives in Bergen.", "request_id": "r" + group},
                  user=bob, headers={"X-Weft-Group": group})
        self.settle()
        self.assertIn("Bergen", self.file("users", ann))
        self.assertEqual(self.file("users", bob), "")

    def test_CM_7_nothing_private_is_written_of_who_is_not_known(self):
        group = "g" + fresh()
        self.say(group, "", "I live in Bergen.", "Ann" + group)
        events = self.events(group)
        self.assertEqual({one["metadata"]["sender_id"] for one in events}, {""})
        self.assertEqual(self.file("users", "Ann" + group), "")
        self.assertIn("Bergen", self.file("groups", group))

    def test_PF_22_other_speakers_of_one_call_are_not_the_caller(self):
        group, bob = "g" + fresh(), "bob" + fresh()
        self.call("POST", "/v1/sessions/s/messages",
                  {"messages": [{"role": "user", "content": "I live in Bergen.", "name": "Ann"},
                                {"role": "assistant", "content": "Noted."},
                                {"role": "user", "content": "I live in Tromso.", "name": "Bob"}]},
                  user=bob, headers={"X-Weft-Group": group})
        self.events(group)
        shown = self.of(group, "GET", "/v1/sessions/s/messages")["messages"]
        self.assertEqual([one.get("sender_id", "") for one in shown], ["", "", bob])
        self.assertIn("Tromso", self.file("users", bob))
        self.assertNotIn("Bergen", self.file("users", bob))


class Erasing(Members):
    def erase(self, group, **what):
        return self.of(group, "POST", "/v1/erase", what)

    def test_PF_5_numbers_of_erased_messages_are_not_given_again(self):
        group = "g" + fresh()
        self.say(group, "1004", "I live in Bergen.", "Ann")
        self.of(group, "POST", "/v1/sessions/s/end", {"action_summary": "Looked up the ferry.", "request_id": "r1"})
        self.settle()
        shown = self.of(group, "GET", "/v1/sessions/s/messages")["messages"]
        ids = [one["id"] for one in shown]
        receipt = self.erase(group, messages=ids)
        self.server.restart()
        self.say(group, "1004", "I live in Tromso.", "Ann")
        self.of(group, "POST", "/v1/sessions/s/end", {"action_summary": "Looked up the bus.", "request_id": "r1"})
        self.settle()
        after = self.of(group, "GET", "/v1/sessions/s/messages")["messages"]
        self.assertEqual(len(after), 2)
        self.assertFalse(set(ids) & {one["id"] for one in after})
        self.assertGreater(min(one["sequence"] for one in after), max(one["sequence"] for one in shown))
        check = self.call("GET", "/v1/erasures/" + receipt["id"])
        self.assertEqual(check["found"], 0, check)

    def test_PF_5_a_new_conversation_gets_a_name_of_its_own(self):
        opening = [{"role": "user", "content": "Which ferries go to Tromso? " + fresh()}]
        self.chat(opening, user="eve")
        first = self.call("GET", "/v1/sessions", user="eve")["sessions"][0]["id"]
        self.call("POST", "/v1/erase", {"everything": True}, user="eve")
        self.chat(opening, user="eve")
        again = self.call("GET", "/v1/sessions", user="eve")["sessions"]
        self.assertEqual(len(again), 1, json.dumps(again))
        self.assertNotEqual(again[0]["id"], first)


if __name__ == "__main__":
    unittest.main()
