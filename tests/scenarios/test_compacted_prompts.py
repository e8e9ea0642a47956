"""A session that outgrows its window: what the model sees after the compaction, and what is kept of it."""

import random
import unittest
import uuid

from scenario import Scenario, whole

RULES = ["Never send a draft without asking.", "Always answer in metric units.", "未经许可不要删除任何文件。"]


class CompactedPrompts(Scenario):
    settings = ("embedding.provider=none",)
    files = {"AGENTS.md": "# Rules\n\n" + "".join("- %s\n" % rule for rule in RULES)}

    def setUp(self):
        self.user = "c-" + uuid.uuid4().hex[:8]

    def long_talk(self, chance, turns=90):
        """The messages, with what was said of the user and what must be found again."""
        ticket = "TK-%d" % chance.randrange(10**5, 10**6)
        messages = [{"role": "user", "content": "My ticket is %s and I prefer window seats. Plan my journey to Bergen." % ticket},
                    {"role": "assistant", "content": "I will plan it."}]
        for i in range(turns):
            messages += [{"role": "user", "content": "Step %d: what about the %s? " % (i, chance.choice(["ferry", "train", "hotel"])) +
                          "It may rain on the way there. " * 8},
                         {"role": "assistant", "content": "For step %d there are %d choices. " % (i, chance.randrange(2, 9)) +
                          "Each has its own price and hour. " * 8}]
        return ticket, messages

    def test_IC_11_the_prompt_is_counted_again_and_what_was_to_be_kept_stands_in_it(self):
        for seed in (1, 2):
            ticket, messages = self.long_talk(random.Random(seed))
            session = "s%d" % seed
            woven = self.call("POST", "/v1/sessions/%s/context" % session,
                              {"messages": messages + [{"role": "user", "content": "And what comes next?"}], "window": 8192},
                              user=self.user)
            report, sent = woven["report"], whole(woven["messages"])
            self.assertTrue(report["compaction"], report)
            self.assertFalse(report.get("compaction_missing"), report)
            self.assertLessEqual(report["tokens"], report["usable"])
            self.assertLess(len(sent), len(whole(messages)))
            for part in RULES + [ticket]:
                self.assertIn(part, sent)
            self.assertTrue(woven["messages"][-1]["content"].endswith("And what comes next?"))

    def test_IC_12_candidates_name_their_source_as_specified(self):
        group = "g-" + uuid.uuid4().hex[:8]
        for headers, source in (({}, "main"), ({"X-Weft-Group": group}, "group:" + group)):
            _, messages = self.long_talk(random.Random(3))
            self.call("POST", "/v1/sessions/trip/messages", {"messages": messages}, user=self.user, headers=headers)
            self.call("POST", "/v1/sessions/trip/compact", {}, user=self.user, headers=headers)
            made = self.call("GET", "/v1/sessions/trip/compactions", user=self.user, headers=headers)["compactions"]
            candidates = [one for compaction in made for one in compaction["candidates"]]
            self.assertTrue(candidates)
            self.assertEqual({one["source_session_id"] for one in candidates}, {source})
            self.assertEqual({compaction["summary"]["session"] for compaction in made}, {"trip"})


if __name__ == "__main__":
    unittest.main()
