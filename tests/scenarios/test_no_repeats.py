"""A long chat through the proxy: what stands in the history is never quoted back, and what was said elsewhere is there
when it is asked for."""

import random
import re
import unittest
import uuid

from scenario import Scenario, text_of, whole

NOUNS_EN = ["lighthouse", "orchard", "violin", "kettle", "glacier", "harbour", "tractor", "library", "balcony", "compass",
            "teapot", "bicycle", "mural", "greenhouse", "chimney", "canoe", "telescope", "bakery", "quarry", "anvil"]
NOUNS_ZH = ["灯塔", "果园", "小提琴", "水壶", "冰川", "港口", "拖拉机", "图书馆", "阳台", "指南针",
            "茶壶", "自行车", "壁画", "温室", "烟囱", "独木舟", "望远镜", "面包房", "采石场", "铁砧"]


def line(i, chinese, chance):
    """A sentence with a name in it that stands nowhere else."""
    name = uuid.UUID(int=chance.getrandbits(128)).hex[:10]
    if chinese:
        noun = NOUNS_ZH[i % len(NOUNS_ZH)]
        return chance.choice(["我昨天在%s旁边看到了编号%s。", "%s的价格是%s元，你觉得贵吗？", "请记住%s的代号是%s。"]) % (noun, name)
    noun = NOUNS_EN[i % len(NOUNS_EN)]
    return chance.choice(["Yesterday I passed the %s with the number %s.", "The %s costs %s, is that too much?",
                          "Please note that the %s goes by the code %s."]) % (noun, name)


class NoRepeats(Scenario):
    def turns(self, chinese, count=60, **more):
        chance = random.Random(17 if chinese else 16)
        history = [{"role": "system", "content": "You are a friend."}]
        repeats = memory = sent_all = 0
        for i in range(count):
            said = line(i, chinese, chance)
            before = [text_of(message) for message in history]
            self.talk(history, said, **more)
            sent = self.sent()
            own = [m["content"] for m in history[:-1]]
            text = whole(sent)
            sent_all += len(text)
            memory += len(text) - sum(len(one) for one in own)
            for name in set(re.findall(r"[0-9a-f]{10}", " ".join(before))):
                shown = sum(one.count(name) for one in own)
                repeats += text.count(name) > shown
        return repeats, memory / sent_all

    def test_AC_13_sixty_turns_repeat_nothing_of_their_history(self):
        repeats, memory = self.turns(False, user="anna")
        self.assertEqual(repeats, 0)
        self.assertLess(memory, 0.05)

    def test_AC_13_sixty_turns_in_chinese_repeat_nothing_of_their_history(self):
        repeats, memory = self.turns(True, user="安娜".encode().hex())
        self.assertEqual(repeats, 0)
        self.assertLess(memory, 0.05)

    def test_PF_18_what_another_conversation_said_is_there_when_asked_for(self):
        for user, told, asked, wanted in [
                ("bea", "My locker in the swimming hall has the number K-4471.", "Which number does my locker have?", "K-4471"),
                ("bo", "我在游泳馆的储物柜号码是K-4471。", "我的储物柜号码是多少？", "K-4471")]:
            self.talk([], told, user=user, session="first")
            self.settle()
            self.talk([], asked, user=user, session="second")
            self.assertIn(wanted, whole(self.sent()))
            self.assertEqual(whole(self.sent()).count(wanted), 1, "one slot a source")

    def test_PF_18_a_restart_in_the_middle_changes_nothing(self):
        chance = random.Random(5)
        history = []
        for i in range(6):
            self.talk(history, line(i, i % 2 == 0, chance), user="cleo")
        self.server.restart(kill=True)
        for i in range(6, 10):
            self.talk(history, line(i, i % 2 == 0, chance), user="cleo")
            text = whole(self.sent())
            for name in set(re.findall(r"[0-9a-f]{10}", text)):
                self.assertEqual(text.count(name), whole(history[:-1]).count(name), name)


class OneSystemMessage(Scenario):
    """What a strict template takes: one system message, at the head."""

    files = {"AGENTS.md": "# Rules\n\n- Never delete a file without asking.\n"}

    def test_AC_10_there_is_one_system_message_and_memories_stand_with_the_user(self):
        self.talk([], "My sister Ines lives in Coimbra, at Rua do Norte 12.", user="dan", session="a")
        self.settle()
        history = [{"role": "system", "content": "You are a guide."}]
        for text in ["Where does my sister Ines live?", "And what is the weather like?", "我姐姐住在哪里？"]:
            self.talk(history, text, user="dan", session="b")
            sent = self.sent()
            self.assertEqual([m["role"] for m in sent if m["role"] == "system"], ["system"])
            self.assertEqual(sent[0]["role"], "system")
            self.assertTrue(sent[0]["content"].startswith("You are a guide."))
            self.assertIn("Never delete a file", sent[0]["content"])
            self.assertTrue(sent[-1]["content"].endswith(text))
            for one, two in zip(sent[1:], sent[2:]):
                self.assertNotEqual(one["role"], two["role"])
        self.assertIn("Rua do Norte 12", whole(sent))

    def test_AC_10_the_prompt_of_the_next_turn_goes_on_from_the_last(self):
        self.talk([], "I keep bees, and the strongest hive is called Aurora.", user="eve", session="a")
        self.settle()
        history = []
        last = None
        for text in ["What is the name of my strongest hive?", "Why do bees swarm?", "When do they sleep?", "蜜蜂冬天吃什么？"]:
            self.talk(history, text, user="eve", session="b")
            sent = self.sent()
            if last is not None:
                self.assertEqual(sent[:len(last)], last)
            last = sent

    def test_AC_10_parts_of_a_message_and_other_fields_stay(self):
        self.talk([], "My cat is called Mörike.", user="fay", session="a")
        self.settle()
        content = [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA", "detail": "low"}},
                   {"type": "text", "text": "What is my cat called?"}]
        self.chat([{"role": "user", "content": content, "name": "fay", "x_extra": [1, 2.50]}], user="fay", session="b")
        sent = self.sent()[-1]
        self.assertEqual(sent["x_extra"], [1, 2.5])
        self.assertEqual(sent["name"], "fay")
        self.assertEqual(sent["content"][0], content[0])
        self.assertTrue(sent["content"][1]["text"].endswith("What is my cat called?"))
        self.assertIn("Mörike", whole([sent]))


if __name__ == "__main__":
    unittest.main()
