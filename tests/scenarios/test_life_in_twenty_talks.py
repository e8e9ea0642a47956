"""A user's life over twenty talks: what is so changes thirty times. Asked in talks of their own, what is so now is
woven, and what was so is woven only as past."""

import json
import os
import random
import re
import unittest
import uuid

from scenario import Scenario, whole

TALKS = 20
DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../data/talks")

# (values, how it is said first, how two people say that it changed, the question).
ENGLISH = [
    (["Leipzig", "Ghent", "Turin"], "I live in {}.", "I moved to {} last week.",
     "We have packed up everything, I live in {} these days.", "Where do I live?"),
    (["midwife", "carpenter", "translator"], "I work as a {}.", "I changed careers and work as a {} now.",
     "I got hired as a {}, so the old job is history.", "What do I work as?"),
    (["Orbitex", "Kaminski Foods", "Tidewater Press"], "My employer is {}.", "I left my employer, I am at {} now.",
     "Since Monday my employer has been {}.", "Who is my employer?"),
    (["Skoda", "Renault", "Volvo"], "I drive a {}.", "I sold the old car and drive a {} now.",
     "My new car is a {}, the other one is gone.", "Which car do I drive?"),
    (["Ashgrove School", "Maple Hall", "St Anne's"], "My daughter Lena goes to {}.", "Lena goes to {} now.",
     "Lena has switched to {}.", "Which school does Lena go to?"),
    (["Tuesdays", "Fridays", "Sundays"], "My yoga class is on {}.", "My yoga class was moved to {}.",
     "From now on yoga is on {}.", "On which day is my yoga class?"),
    (["teal", "crimson", "ochre"], "My favourite colour is {}.", "My favourite colour is {} now.",
     "These days {} is my favourite colour.", "What is my favourite colour?"),
    (["740 euros", "815 euros", "890 euros"], "My rent is {} a month.", "The landlord raised my rent to {} a month.",
     "As of this month I pay {} of rent.", "How much is my rent?"),
    (["Dr Osei", "Dr Lindqvist", "Dr Ferrante"], "My doctor is {}.", "I switched doctors, my doctor is {} now.",
     "{} has taken over as my doctor.", "Who is my doctor?"),
    (["Marguerite", "Tobias", "Ingrid"], "My manager is called {}.", "My manager is {} now.",
     "We got a new manager, {}.", "Who is my manager?"),
    (["4 March", "19 April", "7 June"], "My thesis is due on {}.", "The deadline of my thesis was pushed back to {}.",
     "I got an extension, my thesis is due on {} instead.", "When is my thesis due?"),
    (["Malmo", "Krakow", "Bilbao"], "My brother Paul lives in {}.", "My brother Paul moved to {}.",
     "Paul, my brother, has settled in {}.", "Where does my brother Paul live?"),
    (["Basque", "Swahili", "Icelandic"], "I am learning {}.", "I stopped that and am learning {} now.",
     "I have switched to learning {}.", "Which language am I learning?"),
    (["Hotel Miramar", "Casa Verde", "the Belvedere"], "We booked {} for our week in Lisbon.",
     "We cancelled the hotel and booked {} for our week in Lisbon.",
     "For our week in Lisbon we are staying at {} instead.", "Which hotel did we book for Lisbon?"),
    (["half past nine", "a quarter to four", "noon"], "My dentist appointment is at {}.",
     "They moved my dentist appointment to {}.", "My dentist appointment is at {} after all.",
     "At what time is my dentist appointment?"),
    (["Biscuit"], "My dog is called {}.", None, None, "What is my dog called?"),
    (["walnuts"], "I am allergic to {}.", None, None, "What am I allergic to?"),
    (["the cello"], "I play {}.", None, None, "Which instrument do I play?"),
    (["Rosalind"], "My sister's name is {}.", None, None, "What is my sister's name?"),
    (["2 November"], "My birthday is on {}.", None, None, "When is my birthday?"),
]
CHINESE = [
    (["洛阳", "厦门", "贵阳"], "我住在{}。", "我上周搬到{}了。", "东西都搬完了，我如今住{}。", "我住在哪里？"),
    (["护士", "木匠", "翻译"], "我是一名{}。", "我换工作了，现在是{}。", "我被录用当{}了，以前的活不干了。", "我是做什么工作的？"),
    (["海川科技", "明达食品", "青桐出版社"], "我在{}上班。", "我离职了，现在在{}上班。", "从周一起我在{}上班。", "我在哪家公司上班？"),
    (["大众", "丰田", "比亚迪"], "我开的车是{}。", "我把旧车卖了，现在开{}。", "我的新车是{}，原来那辆没了。", "我开什么车？"),
    (["实验小学", "育才小学", "阳光小学"], "我女儿朵朵在{}上学。", "朵朵现在在{}上学。", "朵朵转学到{}了。", "朵朵在哪所学校上学？"),
    (["周二", "周五", "周日"], "我的瑜伽课在{}。", "我的瑜伽课改到{}了。", "以后瑜伽课是{}。", "我的瑜伽课在周几？"),
    (["墨绿色", "酒红色", "土黄色"], "我最喜欢的颜色是{}。", "我现在最喜欢的颜色是{}。", "这阵子我更喜欢{}。", "我最喜欢什么颜色？"),
    (["3200元", "3650元", "3900元"], "我每月房租{}。", "房东把我的房租涨到{}了。", "这个月起我每月交{}房租。", "我的房租是多少？"),
    (["欧阳医生", "邵医生", "覃医生"], "我的家庭医生是{}。", "我换医生了，现在的家庭医生是{}。", "{}接手做我的家庭医生了。", "我的家庭医生是谁？"),
    (["冯建国", "卢晓燕", "邓志强"], "我的经理叫{}。", "我的经理现在是{}。", "我们来了新经理，{}。", "我的经理是谁？"),
    (["3月4日", "4月19日", "6月7日"], "我的论文{}截止。", "我的论文截止日期推迟到{}了。", "导师给我延期了，论文改成{}交。", "我的论文什么时候截止？"),
    (["大连", "珠海", "兰州"], "我弟弟小磊住在{}。", "我弟弟小磊搬到{}了。", "小磊如今在{}安家了。", "我弟弟小磊住在哪里？"),
    (["泰语", "德语", "波斯语"], "我在学{}。", "我不学那个了，现在在学{}。", "我改学{}了。", "我在学什么语言？"),
    (["望海酒店", "云栖客栈", "碧波宾馆"], "我们去三亚订了{}。", "我们把酒店退了，去三亚改订{}。", "三亚那周我们改住{}。", "我们去三亚订了哪家酒店？"),
    (["九点半", "三点三刻", "正午"], "我看牙的时间是{}。", "我看牙的时间改到{}了。", "看牙还是定在{}。", "我几点看牙？"),
    (["饼干"], "我的狗叫{}。", None, None, "我的狗叫什么？"),
    (["核桃"], "我对{}过敏。", None, None, "我对什么过敏？"),
    (["大提琴"], "我会拉{}。", None, None, "我会什么乐器？"),
    (["丽华"], "我姐姐叫{}。", None, None, "我姐姐叫什么？"),
    (["11月2日"], "我的生日是{}。", None, None, "我的生日是哪天？"),
]
FILLERS = {
    "en": ["Thanks!", "Ok.", "How do I get wine stains out of linen?", "It has been windy all day.",
           "Give me three words that rhyme with plum.", "I could not sleep last night.", "What goes well with fennel?",
           "Explain compound interest to me."],
    "zh": ["谢谢！", "好的。", "亚麻布上的红酒渍怎么洗？", "今天风刮了一整天。", "给我三个押韵的词。", "我昨晚没睡着。",
           "茴香配什么好吃？", "给我讲讲复利。"],
}
ENDED = ("(until ", "(outdated since ", "（至", "（截至", "起已过时")
EARLIER = ("## Earlier", "## 以前", "## 早先", "## 过去")


def woven(messages):
    """What memory added, without what it says has ended."""
    now = []
    for block in re.findall(r"<memory>.*?</memory>|<profile.*?</profile>", whole(messages), re.S):
        earlier = ended = False
        for line in block.splitlines():
            if line.startswith("#"):
                earlier = line.startswith(EARLIER)
            if not line.startswith(" "):  # else the memory goes on
                ended = any(mark in line for mark in ENDED)
            if not earlier and not ended:
                now.append(line)
    return now


def as_now(lines, old, current):
    """Whether an old value is woven as if it held: on no line that says it has ended, and with what holds now on no later
    line, where a reader in the order of time would find it."""
    last = max((i for i, line in enumerate(lines) if current in line), default=-1)
    return any(old in line for line in lines[last + 1:])


class TwentyTalks(Scenario):
    def plan(self, facts, wording, language, chance):
        """Texts of the talks in order: first statements early, changes spread over the rest."""
        talks = [[] for _ in range(TALKS)]
        for values, first, *changes, _ in facts:
            said = [first.format(values[0])]
            if changes[wording]:
                said += [changes[wording].format(value) for value in values[1:]]
            at = sorted(chance.sample(range(TALKS), len(said)))
            for talk, text in zip(at, said):
                talks[talk].append(text)
        for talk in talks:
            talk += chance.sample(FILLERS[language], 2)
            chance.shuffle(talk)
        return talks

    def journey(self, facts, wording, language, seed):
        """Shares of questions whose answer is woven, and of those that changed whose old values are woven as so."""
        chance = random.Random(seed)
        user = "u" + uuid.uuid4().hex
        for talk in self.plan(facts, wording, language, chance):
            history, session = [], "t" + uuid.uuid4().hex
            for text in talk:
                self.talk(history, text, user=user, session=session)
            self.settle()
        self.server.restart()
        answers = stale = changed = 0
        for values, _, change, _, question in facts:
            self.talk([], question, user=user, session="q" + uuid.uuid4().hex)
            found = woven(self.sent())
            answered = any(values[-1] in line for line in found)
            answers += answered
            changed += change is not None
            old = [value for value in values[:-1] if as_now(found, value, values[-1])]
            stale += bool(old)
            if old or not answered:
                print("  %s now %s, woven as so: %s" % (question, values[-1], old or "-"), flush=True)
        print("%s, wording %d: %d of %d answers, %d of %d stale" %
              (language, wording + 1, answers, len(facts), stale, changed), flush=True)
        return answers / len(facts), stale / changed

    def test_CM_17_thirty_changes_in_two_languages_and_wordings(self):
        journeys = [self.journey(facts, wording, language, seed)
                    for facts, wording, language, seed in ((ENGLISH, 0, "en", 31), (ENGLISH, 1, "en", 32),
                                                           (CHINESE, 0, "zh", 33), (CHINESE, 1, "zh", 34))]
        self.assertGreaterEqual(sum(answers for answers, _ in journeys) / len(journeys), 0.8)
        self.assertLessEqual(sum(stale for _, stale in journeys) / len(journeys), 0.1)

    def test_CM_17_lives_told_by_other_hands(self):
        """Told much more freely. How much of the old is still woven as so is printed, not asserted: a grammar alone
        leaves about half of it (docs/quality.md)."""
        for number in (1, 2, 3):
            with open(os.path.join(DATA, "life_%d.json" % number), encoding="utf-8") as file:
                lives = json.load(file)
            for language, life in lives.items():
                facts = [(one["values"], one["first"], one["change"], one["change"], one["question"]) for one in life]
                answers, _ = self.journey(facts, 0, language, 50 + number)
                self.assertGreaterEqual(answers, 0.4)


if __name__ == "__main__":
    unittest.main()
