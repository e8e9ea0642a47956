#!/usr/bin/env python3
"""What a flush before a compaction finds worth keeping stands in MEMORY.md where `compaction.promote` is "append": below
a heading of its kind, with day and source, once, in both languages, and it goes with its message. By default the
historian gets it (AC-11, MS-3, CM-6).
"""

import random
import unittest
import uuid

from scenario import Scenario
from test_compacted_prompts import CompactedPrompts

SAID = {"My ticket is %s and I prefer window seats.": ("window seats", "## Preferences"),
        "我的目标是在三月底之前跑完一次全程马拉松。": ("马拉松", "## 目标")}


class FlushAppend(Scenario):
    settings = ("embedding.provider=none", "compaction.promote=append")

    def setUp(self):
        self.user = "f-" + uuid.uuid4().hex[:8]
        self.group = None

    def call(self, *arguments, **more):
        headers = dict(more.pop("headers", None) or {}, **({"X-Weft-Group": self.group} if self.group else {}))
        return super().call(*arguments, user=more.pop("user", self.user), headers=headers, **more)

    def compacted(self, session="trip", seed=3):
        """A long talk that was compacted; gives what was said of the user in it."""
        ticket, messages = CompactedPrompts.long_talk(self, random.Random(seed))
        messages[2:2] = [{"role": "user", "content": "我的目标是在三月底之前跑完一次全程马拉松。"},
                         {"role": "assistant", "content": "好的，加油。"}]
        for n, message in enumerate(messages):
            message["id"] = "%s-m%d" % (session, n)
        self.observe(session, messages)
        self.call("POST", "/v1/sessions/%s/compact" % session, {})
        self.settle()
        return ticket

    def memory(self):
        return self.call("GET", "/v1/knowledge")

    def test_AC_11_MS_3_what_is_worth_keeping_is_appended_once_and_found(self):
        ticket = self.compacted()
        file = self.until(lambda: [one for one in [self.memory()] if "window seats" in one["text"]])[0]
        for said, (part, heading) in SAID.items():
            [entry] = [one for one in file["entries"] if part in one["text"]]
            self.assertEqual("## " + entry["section"], heading)
            self.assertTrue(entry["source"].startswith("trip/trip-m"))
            self.assertRegex(entry["date"], r"^\d{4}-\d\d-\d\d$")
        self.assertIn(ticket, file["text"])
        # Said again in another session, compacted again, over a kill: each stands there once.
        self.compacted("again")
        self.server.restart(kill=True)
        self.settle()
        text = self.memory()["text"]
        for part, _ in SAID.values():
            self.assertEqual(text.count(part), 1)
        found = self.call("POST", "/v1/search", {"query": "which seats are preferred on the train?", "kinds": ["knowledge"]})
        self.assertTrue([one for one in found["hits"] if "window seats" in one["text"]])

    def test_MS_3_PF_5_it_goes_with_its_message(self):
        self.compacted()
        self.until(lambda: "window seats" in self.memory()["text"])
        self.call("POST", "/v1/erase", {"session": "trip", "messages": ["trip-m0"]})
        self.until(lambda: "window seats" not in self.memory()["text"])
        self.assertIn("马拉松", self.memory()["text"])

    def test_AC_11_in_a_group_it_says_who_said_it(self):
        self.group = "g-" + uuid.uuid4().hex[:8]
        self.compacted()
        self.until(lambda: "window seats" in self.memory()["text"])
        self.group = None
        self.assertNotIn("window seats", self.memory()["text"])


class FlushQueue(FlushAppend):
    settings = ("embedding.provider=none",)

    def test_AC_11_MS_3_what_is_worth_keeping_is_appended_once_and_found(self):
        self.compacted()
        self.assertNotIn("window seats", self.memory()["text"])

    test_MS_3_PF_5_it_goes_with_its_message = None
    test_AC_11_in_a_group_it_says_who_said_it = None


if __name__ == "__main__":
    unittest.main()
