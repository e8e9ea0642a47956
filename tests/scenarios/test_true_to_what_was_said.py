"""What is kept is true to what was said: the words stand as they were, what they mean stands beside them in brackets,
and nothing is guessed. Through HTTP, the proxy and the command, in both languages, over a restart."""

import json
import os
import random
import signal
import sqlite3
import unittest
import uuid
from contextlib import closing

from scenario import Scenario
from scripted_openai import ScriptedOpenAI
from weft_server import WeftServer

SUNDAY = "2026-11-22T10:00:00Z"
random_ = random.Random(11)


def hexadecimal(length):
    return "".join(random_.choice("0123456789abcdef") for _ in range(length))


def things(count):
    """Words of machines and amounts, with the months in them that a grammar would love to find."""
    kinds = [lambda: hexadecimal(4) + random_.choice(["feb", "dec"]) + hexadecimal(9),
             lambda: str(uuid.UUID(int=random_.getrandbits(128))),
             lambda: random_.choice(["april", "may", "sunday"]) + "-" + hexadecimal(4) + ".pdf",
             lambda: "today_%s.dart" % hexadecimal(3), lambda: "%d块" % random_.randint(100, 9999),
             lambda: "$%d.%02d" % (random_.randint(1, 9999), random_.randint(0, 99)),
             lambda: "v%d.%d.%d" % tuple(random_.randint(0, 30) for _ in range(3)),
             lambda: "%d degrees" % random_.randint(100, 300)]
    return [kinds[i % len(kinds)]() for i in range(count)]


def plain(item):
    """The text of an event without what was set beside the words."""
    text = item["text"].encode()
    for begin, end in reversed(item.get("writing", {}).get("annotations", [])):
        text = text[:begin] + text[end:]
    return text.decode()


class TrueToWhatWasSaid(Scenario):
    settings = ("embedding.provider=none",)

    def tell(self, session, texts, user, time=SUNDAY):
        messages = []
        for text in texts:
            messages += [{"role": "user", "content": text, "time": time},
                         {"role": "assistant", "content": "Noted.", "time": time}]
        self.observe(session, messages, user=user)
        self.call("POST", "/v1/sessions/%s/save" % session, {}, user=user)
        self.settle()
        return self.events(user)

    def events(self, user):
        return self.call("GET", "/v1/items?kind=event&limit=500", user=user)["items"]

    def event_of(self, items, text):
        found = [item for item in items if text in plain(item)]
        self.assertTrue(found, "no event holds, without its annotations: " + text)
        return found[0]["text"]

    def test_CM_16_random_identifiers_amounts_and_files_stand_byte_for_byte(self):
        english = ["Please remember %s for the flat, he said." % thing for thing in things(24)]
        chinese = ["请记住%s，他说的。" % thing for thing in things(24)]
        items = self.tell("machines", english + chinese, "machines")
        for said in english + chinese:
            self.assertIn(said, self.event_of(items, said))
        self.server.restart(kill=True)
        self.assertEqual([item["text"] for item in items], [item["text"] for item in self.events("machines")])

    def test_CM_16_names_and_lengths_of_time_are_no_dates(self):
        said = ["June Carter and August Wilson came over", "Friday Night Lights at 8 again",
                "Bake it 12 minutes at 200 degrees", "Twelve nights in Rome were good", "王五月来了",
                "我用今日头条看新闻", "民宿一晚1100块", "饭前一小时吃药", "李明天要开会"]
        items = self.tell("names", said, "names")
        for text in said:
            self.assertIn(text, self.event_of(items, text), "nothing stands beside its words")

    def test_CM_4_times_and_people_stand_beside_the_words(self):
        said = ["Tom called me. He moves in next Saturday.", "I have been ill since last month.",
                "My sister Kate came yesterday. She is a nurse.", "李雷很忙，他下周三要去上海出差。", "王芳来了，她女儿考上了北大。"]
        items = self.tell("people", said, "people")
        for text, wanted in zip(said, ["He [Tom] moves in next Saturday [28 November 2026].",
                                       "since last month [October 2026].",
                                       "came yesterday [21 November 2026]. She [Kate] is a nurse.",
                                       "他[李雷]下周三[2026年11月25日]要去上海出差。", "她[王芳]女儿考上了北大。"]):
            self.assertIn(wanted, self.event_of(items, text))

    def test_CM_4_who_is_not_known_is_not_guessed(self):
        said = ["His flight was cancelled.", "张伟说她女儿考上了北大", "他妈妈住院了", "lol no walnuts in Anneke!"]
        for number, text in enumerate(said):
            user = "unknown%d" % number
            event = self.event_of(self.tell(user, [text], user), text)
            self.assertIn(text, event)
            for vague in ("the one concerned", "某人", "该地", "有关人员"):
                self.assertNotIn(vague, event.lower())

    def test_CM_4_through_the_proxy_and_the_end_of_a_turn(self):
        word = hexadecimal(3) + "feb" + hexadecimal(6)
        history = []
        self.talk(history, "Tom sold the boat %s. He wants it gone." % word, user="proxied", session="p")
        self.call("POST", "/v1/sessions/p/end",
                  {"action_summary": "I noted the boat %s for you." % word, "new_info": "I moved to Porto yesterday.",
                   "sender_id": "proxied", "sender_name": "Anna", "time": SUNDAY}, user="proxied")
        self.call("POST", "/v1/sessions/p/save", {}, user="proxied")
        self.settle()
        items = self.events("proxied")
        self.assertIn("He [Tom] wants it gone.", self.event_of(items, "Tom sold the boat %s. He wants it gone." % word))
        ended = self.event_of(items, "I moved to Porto yesterday.")
        self.assertIn("I [Anna] moved to Porto yesterday [21 November 2026].", ended)
        self.assertIn("the boat %s" % word, ended)

    def make_old(self, scope_part, old):
        """Puts the words of an earlier version into the store, while nobody holds it."""
        self.server.process.send_signal(signal.SIGTERM)
        self.server.process.wait(timeout=30)
        self.server.process.stdout.close()
        with closing(sqlite3.connect(os.path.join(self.server.workspace, "weft.db"))) as store, store:
            changed = store.execute("UPDATE items SET text = ?, details = '' WHERE id LIKE 'event:%' AND scope LIKE ?",
                                    (old, "%" + scope_part + "%")).rowcount
        self.server.start()
        return changed

    def test_CM_16_events_of_an_existing_store_are_made_anew(self):
        said = "Ben wrote. He comes next Saturday, not %s." % hexadecimal(12)
        wanted = self.tell("old", [said], "oldstore")
        self.assertEqual(self.make_old("oldstore", "[2026-11-22] The one concerned comes on 28 November 2026."), len(wanted))
        done = self.weft("repair", "events", "--dry-run", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout.splitlines()[-1])
        self.assertTrue(report["dry_run"])
        self.assertEqual(report["changed"], len(wanted))
        self.assertIn("The one concerned", report["examples"][0]["before"])
        self.assertIn("He [Ben] comes next Saturday [28 November 2026]", report["examples"][0]["after"])
        self.assertNotEqual([item["text"] for item in wanted], [item["text"] for item in self.events("oldstore")])
        again = self.weft("repair", "events")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertIn("%d were made anew" % len(wanted), again.stdout)
        self.assertEqual([item["text"] for item in wanted], [item["text"] for item in self.events("oldstore")])
        self.assertEqual([plain(item) for item in wanted], [plain(item) for item in self.events("oldstore")])
        self.assertRegex(self.weft("repair", "events").stdout, r"\d+ events: 0 were made anew")


class AModelThatInvents(Scenario):
    """The role `historian` is a model that rewords events."""

    settings = ("embedding.provider=none",)

    @classmethod
    def setUpClass(cls):
        cls.model = ScriptedOpenAI()
        toml = '[models.words]\nmodel = "scripted"\nurl = "%s"\n[roles]\nhistorian = "words"\n' % cls.model.url
        cls.server = WeftServer(upstream=cls.model.url, settings=cls.settings, toml=toml)

    def setUp(self):
        self.model.rules.clear()
        self.answers, self.asked = [], []

        def rule(body):
            system = body["messages"][0]["content"]
            if "did_what" not in system:
                return None
            self.asked.append(body)
            data = json.loads(body["messages"][1]["content"])
            return 200, {"id": "c", "object": "chat.completion", "created": 1, "model": body["model"],
                         "choices": [{"index": 0, "finish_reason": "stop", "message": {
                             "role": "assistant", "content": json.dumps(self.reword(data["draft"]), ensure_ascii=False)}}]}
        self.model.rules.append(rule)

    def end(self, user, info):
        self.observe(user, [{"role": "user", "content": "Hello.", "time": SUNDAY}], user=user)
        self.call("POST", "/v1/sessions/%s/end" % user,
                  {"new_info": info, "sender_id": user, "sender_name": "Anna", "time": SUNDAY}, user=user)
        self.settle()
        items = self.call("GET", "/v1/items?kind=event", user=user)["items"]
        return [item for item in items if "metadata" in item][0]

    def test_CM_4_what_it_adds_is_refused_and_the_words_as_said_are_kept(self):
        number = str(random_.randint(1000, 9999))
        for user, invention, said in [("i1", " %s guests came." % number, "I moved to Porto yesterday."),
                                      ("i2", " Doctor Hollister agreed.", "I moved to Porto yesterday."),
                                      ("i3", " 韩梅梅也同意了。", "我昨天搬到了深圳。")]:
            self.asked.clear()
            self.reword = lambda draft, more=invention: {**draft, "new_info": draft["new_info"] + more}
            event = self.end(user, said)
            self.assertEqual(event["by"], "floor")
            self.assertIn(said, plain(event))
            self.assertEqual(len(self.asked), 3, "asked again with the reason, at most twice")
            self.assertIn("adds", self.asked[-1]["messages"][-1]["content"])

    def test_CM_4_an_event_records_its_model_and_prompt(self):
        self.reword = lambda draft: {
            "did_what": "", "new_info": "Anna moved to Porto on 21 November 2026.",
            "canonical_text": "On 22 November 2026 at 10:00: Anna moved to Porto on 21 November 2026."}
        event = self.end("good", "I moved to Porto yesterday.")
        self.assertEqual(event["by"], "model", event)
        self.assertEqual(event["writing"]["model"], "scripted")
        self.assertRegex(event["writing"]["prompt"], r"^rewrite/en \d+$")


if __name__ == "__main__":
    unittest.main(verbosity=2)
