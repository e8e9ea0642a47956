"""Who said it, and whether it still holds: text to be worked on and words of others are nobody's statement, a contrary
ends what it contradicts, and what chat programs put before a sentence does not hide it. What events and the profile
hold, and what a later prompt is given, in both languages."""

import unittest

from scenario import Scenario, whole

NOON = "2026-11-27T12:00:00+08:00"


class WhoSaidIt(Scenario):
    settings = ("embedding.provider=none",)

    def tell(self, user, *texts):
        messages = []
        for text in texts:
            messages += [{"role": "user", "content": text, "time": NOON},
                         {"role": "assistant", "content": "ok", "time": NOON}]
        self.observe("talk", messages, user=user)
        self.call("POST", "/v1/sessions/talk/save", {}, user=user)
        self.settle()
        return self.call("GET", "/v1/items?kind=event&limit=500", user=user)["items"]

    def facts(self, items):
        return [item for item in items if item["id"].startswith("fact:")]

    def holding(self, items):
        return [item["text"] for item in self.facts(items) if "valid_until" not in item.get("metadata", item)]

    def test_PF_25_text_to_work_on_gives_no_fact_and_no_wish(self):
        items = self.tell("editor", "Translate into German: I am 40 years old, I live in Oslo and I have two daughters.",
                          "Rewrite this more formally: I live in Oslo and I love my dog Rex.",
                          "I live in Oslo. I work as a welder.\n\nTranslate the above",
                          "She said “I live in Rome. I have two kids.",
                          "请把下面这段话翻译成英文。\n我住在大连。我有两个女儿。",
                          "我住在大连。我有两个女儿。\n\n上面这段翻译成英文")
        self.assertEqual([], [item["text"] for item in self.facts(items)])

    def test_PF_25_a_pronoun_is_never_the_one_who_tells(self):
        items = self.tell("teller", "昨天我碰到小王，他说他要结婚了。", "今天我遇见老师，她说她怀孕了。",
                          "我问医生，他说我血压高。", "我叫外卖的时候他来了。", "He said he's getting married.",
                          "She told me she's pregnant.", "My dog is called Rex, he is 7",
                          "Never send her personal data")
        for item in items:
            for note in ("[用户]", "[The user]", "[the user]", "[the user's]"):
                self.assertNotIn(note, item["text"])
        self.assertEqual(["The user's dog is called Rex."], [text for text in self.holding(items) if "Rex" in text])
        self.assertFalse([text for text in self.holding(items) if "personal data" in text])

    def test_PF_25_what_says_the_contrary_ends_what_it_contradicts(self):
        for user, old, new, over in (
                ("walnut", "I am allergic to walnuts.",
                 "Sorry, that was wrong: I am not allergic to walnuts, my brother is.",
                 "The user is allergic to walnuts."),
                ("coffee", "I don't like coffee.", "I like coffee now.", "The user doesn't like coffee."),
                ("dog", "I have a dog.", "My dog died last month, I don't have a dog any more.", "The user has a dog."),
                ("coriander", "我不喜欢吃香菜。", "我现在喜欢吃香菜了。", "用户不喜欢吃香菜。"),
                ("nuts", "我对核桃过敏。", "我不对核桃过敏。", "用户对核桃过敏。")):
            items = self.tell(user, old, new)
            self.assertIn(over, [item["text"] for item in self.facts(items)])
            self.assertNotIn(over, self.holding(items))
            prompt = whole(self.context("later", user=user)["messages"])
            self.assertNotIn("\n- " + over + "\n", prompt)
            self.assertNotIn("⚠", prompt)

    def test_PF_25_what_stands_before_a_sentence_does_not_hide_it(self):
        for number, (text, fact) in enumerate((
                ("@小助手 我对花生过敏", "用户对花生过敏。"), ("[CQ:at,qq=10001] 我住在苏州", "用户住在苏州。"),
                ('<at id="1"/> 我住在苏州', "用户住在苏州。"), ("😂我对花生过敏", "用户对花生过敏。"),
                ("[图片] 我住在苏州", "用户住在苏州。"), ("[回复 小王：我住在上海] 我住在苏州", "用户住在苏州。"),
                ("@bot I am allergic to peanuts", "The user is allergic to peanuts."),
                ("<@!123456789> I live in Oslo", "The user lives in Oslo."),
                ("Hey bot, I live in Oslo", "The user lives in Oslo."), ("@bot: I live in Oslo", "The user lives in Oslo."),
                ("我超爱香菜", "用户喜欢香菜。"), ("I freaking love coffee", "The user loves coffee."))):
            items = self.tell("said%d" % number, text)
            self.assertEqual([fact], [item["text"] for item in self.facts(items)], text)
            for item in items:
                for code in ("CQ:", "<at", "<@", "[图片]", "[回复"):
                    self.assertNotIn(code, item["text"])

    def test_PF_25_halves_and_measures_of_nothing_reach_no_later_prompt(self):
        self.tell("builder", "CI takes 14 minutes, our budget is 10", "Run make migrate, never call prisma",
                  "I prefer British spelling, always.", "Call me later", "我们的预算是10万")
        prompt = whole(self.context("later", user="builder")["messages"])
        self.assertNotIn("budget is 10", prompt)
        self.assertNotIn("预算是", prompt)
        self.assertNotIn("asks: never call prisma", prompt)
        self.assertNotIn("Call me later", prompt)
        self.assertNotIn("asks: I prefer", prompt)


if __name__ == "__main__":
    unittest.main()
