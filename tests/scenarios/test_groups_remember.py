"""What is said in a group is the group's; a speaker's own profile has it only where that is granted, and forgetting a
user says what of theirs groups keep."""

import json
import os
import unittest
import uuid

from scenario import Scenario, whole


def fresh():
    return uuid.uuid4().hex


class Groups(Scenario):
    def say(self, group, user, text, session=None, name=None):
        return self.call("POST", "/v1/sessions/%s/messages" % (session or "s" + fresh()),
                         {"messages": [{"role": "user", "content": text, "name": name or user},
                                       {"role": "assistant", "content": "Noted."}]},
                         user=user, headers={"X-Weft-Group": group})

    def file(self, kind, name):
        path = os.path.join(self.server.workspace, "profiles", kind, name + ".md")
        return open(path, encoding="utf-8").read() if os.path.exists(path) else ""


class InAGroup(Groups):
    def test_CM_17_facts_stand_by_person_and_are_replaced(self):
        group, ann, bob = "g" + fresh(), "ann" + fresh()[:6], "bob" + fresh()[:6]
        self.say(group, ann, "I live in Bergen.")
        self.say(group, bob, "I live in Tromso.")
        self.say(group, ann, "I work as a nurse.")
        self.settle()
        self.server.restart()
        self.say(group, ann, "I moved to Stavanger.")
        self.settle()
        facts, earlier = self.file("groups", group).split("## Earlier")
        self.assertIn("Stavanger", facts)
        self.assertIn("Tromso", facts)
        self.assertNotIn("Bergen", facts)
        self.assertIn("Bergen", earlier)
        of_ann = [line for line in facts.splitlines() if line.startswith("- " + ann)]
        self.assertEqual(len(of_ann), 2, facts)
        for line in of_ann:
            self.assertEqual(line.split(" ")[1], ann)

    def test_CM_17_in_chinese(self):
        group = "g" + fresh()
        self.say(group, "an", "我住在卑尔根。", name="小安")
        self.say(group, "bo", "我住在特罗姆瑟。", name="小波")
        self.settle()
        self.say(group, "an", "我搬到斯塔万格了。", name="小安")
        self.settle()
        facts, earlier = self.file("groups", group).split("## 以前")
        self.assertIn("斯塔万格", facts)
        self.assertIn("特罗姆瑟", facts)
        self.assertIn("卑尔根", earlier)

    def test_CM_17_what_is_said_there_does_not_reach_the_speakers_own_profile(self):
        group, ann = "g" + fresh(), "ann" + fresh()[:6]
        self.say(group, ann, "I live in Bergen.")
        self.settle()
        self.assertEqual(self.file("users", ann), "")
        self.talk([], "Where do I live?", user=ann, session="s" + fresh())
        self.assertNotIn("Bergen", whole(self.sent()))

    def test_CM_17_forgetting_a_user_tells_what_groups_keep_and_takes_it_along(self):
        group, ann, bob = "g" + fresh(), "ann" + fresh()[:6], "bob" + fresh()[:6]
        self.say(group, ann, "I live in Bergen.", session="s1")
        self.say(group, bob, "I live in Tromso.", session="s2")
        self.talk([], "I work as a nurse.", user=ann, session="s1")
        self.settle()
        self.call("POST", "/v1/erase", {"everything": True}, user=ann)
        told = self.call("GET", "/v1/erase/groups", user=ann)["groups"]
        self.assertEqual([one["group_id"] for one in told], [group])
        self.assertGreaterEqual(told[0]["events"], 1)
        self.assertIn("Bergen", self.file("groups", group))
        self.call("POST", "/v1/erase/groups", {}, user=ann)
        self.settle()
        self.assertNotIn("Bergen", self.file("groups", group))
        self.assertIn("Tromso", self.file("groups", group))
        self.assertEqual(self.call("GET", "/v1/erase/groups", user=ann)["groups"], [])

    def test_CM_17_the_command_tells_it_too(self):
        group, ann = "g" + fresh(), "ann" + fresh()[:6]
        self.say(group, ann, "I live in Bergen.")
        self.settle()
        told = self.weft("erase", "--everything", "-u", ann)
        self.assertIn(group, told.stdout, told.stderr)
        self.assertIn("--in-groups", told.stdout)
        self.weft("erase", "--everything", "--in-groups", "-u", ann)
        self.assertNotIn("Bergen", self.file("groups", group))


class Granted(Groups):
    settings = ("cognitive.speaker_profiles=true",)

    def test_CM_17_both_profiles_know_it_where_that_is_granted(self):
        group, ann = "g" + fresh(), "ann" + fresh()[:6]
        self.say(group, ann, "I live in Bergen.", session="s1")
        self.settle()
        self.assertIn("Bergen", self.file("groups", group))
        self.assertIn("Bergen", self.file("users", ann))
        self.say(group, ann, "I moved to Stavanger.", session="s1")
        self.settle()
        self.assertIn("Bergen", self.file("users", ann).split("## Earlier")[1])
        messages = self.call("GET", "/v1/sessions/s1/messages", user=ann, headers={"X-Weft-Group": group})
        first = messages["messages"][0]["id"]
        self.call("POST", "/v1/erase", {"messages": [first]}, user=ann, headers={"X-Weft-Group": group})
        self.settle()
        self.assertNotIn("Bergen", self.file("users", ann))
        self.assertNotIn("Bergen", self.file("groups", group))


class SomeScopes(Groups):
    settings = ("cognitive.scopes=user:* group:on* -user:off*",)

    def test_CM_19_memory_is_on_for_some_scopes_only(self):
        on, off = "on" + fresh(), "off" + fresh()
        for user in (on, off):
            self.talk([], "I live in Bergen.", user=user, session="s1")
            self.settle()
            self.talk([], "Where do I live?", user=user, session="s2")
            self.assertEqual("Bergen" in whole(self.sent()), user == on)
        self.say(on, "eve", "I live in Bergen.")
        self.say(off, "eve", "I live in Bergen.")
        self.settle()
        self.assertIn("Bergen", self.file("groups", on))
        self.assertEqual(self.file("groups", off), "")
        report = self.call("POST", "/v1/sessions/s1/end", {"action_summary": "Booked a table."}, user=off)
        self.assertIn("end_summaries.json", json.dumps(report))


if __name__ == "__main__":
    unittest.main()
