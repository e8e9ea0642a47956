"""How somebody wants to be answered, said once in passing, stands in every later prompt of theirs, and of nobody else."""

import unittest
import uuid

from scenario import Scenario, whole


# (what somebody says in the middle of a talk, words of it that later prompts must hold)
STANDING = {
    "en": [
        ("Thanks, that worked. Please stop using bullet points, I find them tiring.", "bullet points"),
        ("I'm in Toronto, so give prices in Canadian dollars from now on.", "Canadian dollars"),
        ("Please always show the code before the explanation. What is a mutex?", "code before the explanation"),
        ("I'd rather you didn't apologise so much.", "apologise"),
        ("Just so you know, I prefer short answers.", "short answers"),
        ("My name is Katarzyna but call me Kasia.", "Kasia"),
        ("In future, use the 24-hour clock when you tell me times.", "24-hour clock"),
        ("Never suggest restaurants that serve pork.", "pork"),
        ("I like it when you give an example with every answer, please keep doing that.", "example"),
        ("Going forward, answer in Portuguese unless I say otherwise.", "Portuguese"),
        ("Don't call me sir.", "sir"),
        ("Always cite your sources, please. How tall is Everest?", "cite your sources"),
        ("You can skip the disclaimers with me, always.", "disclaimers"),
        ("I want British spelling in everything you write for me.", "British spelling"),
        ("No more emojis, please!", "emojis"),
        ("Whenever I ask about Python, assume version 3.12.", "3.12"),
        ("Please be more direct with me in general.", "direct"),
        ("I hate long introductions, so get to the point right away every time.", "get to the point"),
        ("From here on, write dates as day, month, year.", "day, month, year"),
        ("I prefer Celsius.", "Celsius"),
        ("Keep your tone casual when we talk.", "casual"),
        ("Please use they/them for me.", "they/them"),
        ("Every time you recommend a film, tell me its length.", "length"),
        ("I'd like you to answer with at most three sentences from today on.", "three sentences"),
        ("Avoid technical jargon when you explain things to me.", "jargon"),
    ],
    "zh": [
        ("谢谢，好用。以后别用列表了，看着累。", "列表"),
        ("我在多伦多，今后价格都用加元。", "加元"),
        ("请始终先给代码再解释。什么是互斥锁？", "先给代码"),
        ("你不用总是道歉。", "道歉"),
        ("跟你说一下，我喜欢简短的回答。", "简短的回答"),
        ("我叫欧阳倩，叫我倩倩就行。", "倩倩"),
        ("以后说时间用24小时制。", "24小时制"),
        ("永远不要推荐有猪肉的餐馆。", "猪肉"),
        ("我喜欢你每次都举个例子，请一直这样。", "例子"),
        ("从现在起用粤语回答，除非我另外说。", "粤语"),
        ("不要叫我先生。", "先生"),
        ("请每次都注明出处。珠峰有多高？", "注明出处"),
        ("跟我说话不用加免责声明，一直都不用。", "免责声明"),
        ("给我写的东西一律用繁体字。", "繁体字"),
        ("再也不要用表情符号了！", "表情符号"),
        ("我问Python问题的时候，默认是3.12版。", "3.12"),
        ("请平时对我说话直接一点。", "直接"),
        ("我讨厌长篇开场白，每次都直奔主题。", "直奔主题"),
        ("今后日期都写成年月日。", "年月日"),
        ("我习惯用摄氏度。", "摄氏度"),
        ("我们聊天时语气随意一点。", "随意"),
        ("称呼我的时候用“您”。", "您"),
        ("每次推荐电影都告诉我片长。", "片长"),
        ("从今天开始，回答最多三句话。", "三句话"),
        ("给我解释东西时避免专业术语。", "专业术语"),
    ],
}
# What only looks like it: for one task, of somebody else, asked, told, or taken back.
PASSING = {
    "en": [
        "Keep the summary of this article under a hundred words.", "Can you answer in one word: is it raining in Oslo?",
        "My boss prefers short emails.", "Why do you always use bullet points?", "Translate this into Portuguese: good night.",
        "She told me to call her Kasia.", "Please rewrite it without the second sentence.",
        "Should I always warm up before running?", "In the poem, never use the letter e.",
        "The manual says to always disconnect the battery first.", "Don't worry about it.", "Write the letter in British spelling.",
        "I used to prefer long answers when I was a student.", "For this recipe, give the weights in ounces.",
        "Do people in Canada use Celsius?", "Let's keep it short today, I have to leave in five minutes.",
        "Remind me to call my sister tomorrow.", "Please don't delete the last paragraph.",
        "He said: never trust a thin cook.", "Use Python for this script.", "I always forget my umbrella.",
        "My grandmother never used a recipe.", "Give me the answer in a table this time.",
        "Act as a pirate in the next story.", "It would be nice if trains were always on time.",
    ],
    "zh": [
        "这篇文章的摘要控制在一百字以内。", "用一个词回答：奥斯陆在下雨吗？", "我老板喜欢简短的邮件。", "你为什么总是用列表？",
        "把这句翻成葡萄牙语：晚安。", "她让我叫她倩倩。", "请重写一遍，去掉第二句。", "跑步前是不是一定要热身？",
        "这首诗里不要出现“月”字。", "说明书上说一定要先断开电池。", "别担心。", "这封信用繁体字写。",
        "我上学的时候喜欢长的回答。", "这个菜谱的重量用盎司。", "加拿大人用摄氏度吗？", "今天简短点，我五分钟后就得走。",
        "明天提醒我给姐姐打电话。", "请不要删最后一段。", "他说：永远别相信瘦厨子。", "这个脚本用Python写。", "我总是忘带伞。",
        "我奶奶做菜从来不看菜谱。", "这次用表格回答。", "下一个故事里你扮演海盗。", "要是火车永远准点就好了。",
    ],
}


def fresh():
    return uuid.uuid4().hex


class Preferences(Scenario):
    def prompt_of(self, user, text="What is a fjord?", **more):
        self.talk([], text, user=user, session="s" + fresh(), **more)
        return whole(self.sent())

    def test_CM_17_standing_wishes_reach_every_later_prompt(self):
        for said, wishes, question in (
                ("Keep answers short, use metric.", ("Keep answers short", "use metric"), "What is a fjord?"),
                ("以后都用中文回答。", ("以后都用中文回答",), "什么是峡湾？"),
                ("I work a lot. Please don't use emojis.", ("don't use emojis",), "What is a fjord?"),
                ("别再用表情了。叫我小王。", ("别再用表情了", "叫我小王"), "什么是峡湾？")):
            user = "u" + fresh()
            self.talk([], said, user=user, session="s" + fresh())
            self.settle()
            self.server.restart()
            prompt = self.prompt_of(user, question)
            for wish in wishes:
                self.assertIn(wish, prompt)
            for wish in wishes:
                self.assertNotIn(wish, self.prompt_of("u" + fresh(), question))

    def test_CM_17_most_standing_wishes_are_found_and_hardly_any_other(self):
        people, rates = [], []
        for language, question in (("en", "What is a fjord?"), ("zh", "什么是峡湾？")):
            for text, words in STANDING[language] + [(text, None) for text in PASSING[language]]:
                people.append(("u" + fresh(), language, question, text, words))
                self.talk([], text, user=people[-1][0], session="s" + fresh())
        self.settle()
        for language in STANDING:
            found = false = 0
            for user, _, question, text, words in [one for one in people if one[1] == language]:
                block = "".join(self.prompt_of(user, question).split("<preferences>")[1:]).split("</preferences>")[0]
                found += words is not None and words in block
                false += words is None and bool(block)
                if words is not None and words not in block or words is None and block:
                    print("  %s -> %r" % (text, block), flush=True)
            print("%s: %d of %d found, %d of %d false" %
                  (language, found, len(STANDING[language]), false, len(PASSING[language])), flush=True)
            rates.append((found / len(STANDING[language]), false / len(PASSING[language])))
        for found, false in rates:
            self.assertGreaterEqual(found, 0.8)
            self.assertLessEqual(false, 0.05)

    def test_CM_17_a_newer_wish_of_the_same_kind_takes_the_place(self):
        user = "u" + fresh()
        self.talk([], "From now on use metric units.", user=user, session="s" + fresh())
        self.settle()
        self.talk([], "From now on use imperial units.", user=user, session="s" + fresh())
        self.settle()
        prompt = self.prompt_of(user)
        block = prompt.split("<preferences>")[1].split("</preferences>")[0]
        self.assertIn("imperial", block)
        self.assertNotIn("metric", block)

    def test_CM_17_what_belongs_to_one_task_is_no_standing_wish(self):
        user = "u" + fresh()
        for text in ("Write a short answer to this email.", "Use metric for this recipe.", "请用中文写这封邮件。",
                     "Please don't change the second paragraph."):
            self.talk([], text, user=user, session="s" + fresh())
        self.settle()
        self.assertNotIn("<preferences>", self.prompt_of(user))

    def test_CM_17_in_a_group_each_speaker_has_their_own(self):
        group = "g" + fresh()
        self.talk([], "Always answer in French.", user="bo", session="s1", headers={"X-Weft-Group": group})
        self.settle()
        asked = lambda user: self.prompt_of(user, headers={"X-Weft-Group": group})
        self.assertIn("Always answer in French", asked("bo").split("<preferences>")[-1])
        self.assertNotIn("<preferences>", asked("eve"))

    def test_CM_17_the_interface_lists_them(self):
        user = "u" + fresh()
        self.talk([], "Call me Bo.", user=user, session="s1")
        self.settle()
        listed = self.call("GET", "/v1/preferences", user=user)["preferences"]
        self.assertEqual([one["text"] for one in listed], ["Call me Bo"])


if __name__ == "__main__":
    unittest.main()
