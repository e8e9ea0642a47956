#!/usr/bin/env python3
"""Tools: those that the input needs are offered beside those of the task, and those in use stay."""

import random
import unittest

from scenario import Scenario, whole

ID = "%06x" % random.randrange(1 << 24)


def tool(name, description, **properties):
    return {"type": "function", "function": {
        "name": name, "description": description,
        "parameters": {"type": "object", "properties": {key: {"type": "string", "description": text}
                                                        for key, text in properties.items()}}}}


ENGLISH = [
    tool("play_music", "Plays a song or an album.", title="what to play"),
    tool("weather", "Tells the weather of a town.", town="which town"),
    tool("read_file", "Reads a file of the project.", path="path of the file"),
    tool("edit_file", "Changes lines of a file of the project.", path="path of the file", text="the new lines"),
    tool("git_commit", "Commits the changes with a message.", message="what was changed"),
    tool("run_tests", "Runs the tests of the project.", filter="which tests"),
    tool("book_flight", "Books a flight between two airports.", origin="from", destination="to"),
    tool("send_mail", "Sends a mail.", to="to whom", text="what it says"),
    tool("translate_text", "Translates a text to another language.", text="the text", language="to which"),
    tool("stock_price", "Tells the price of a share.", symbol="which share"),
    tool("set_alarm", "Sets an alarm for a time of day.", time="when"),
    tool("find_recipe", "Finds a recipe for some ingredients.", ingredients="what is there"),
]
CHINESE = [
    tool("play_music", "播放歌曲或专辑。", title="播放什么"),
    tool("weather", "查询城市的天气。", town="哪个城市"),
    tool("read_file", "读取项目中的文件。", path="文件路径"),
    tool("git_commit", "提交改动并写提交说明。", message="改了什么"),
    tool("book_flight", "预订两个机场之间的航班。", origin="出发地", destination="目的地"),
    tool("send_mail", "发送邮件。", to="发给谁", text="内容"),
    tool("stock_price", "查询股票价格。", symbol="哪支股票"),
    tool("set_alarm", "设置闹钟。", time="几点"),
    tool("find_recipe", "按食材查找菜谱。", ingredients="有什么食材"),
    tool("translate_text", "把文本翻译成另一种语言。", text="文本", language="哪种语言"),
]


def call(name, arguments, number):
    return {"role": "assistant", "content": None, "tool_calls": [
        {"id": "c%d" % number, "type": "function", "function": {"name": name, "arguments": arguments}}]}


class Tools(Scenario):
    def test_AC_8_what_the_input_needs_is_offered_beside_what_the_task_needs(self):
        woven = self.context("in-" + ID, input="Fix the bug in parser.py and commit it", task="Mend the parser",
                             tools=ENGLISH)
        self.assertLessEqual({"read_file", "git_commit"}, set(woven["tools"]))
        self.assertLessEqual(len(woven["tools"]), 7)
        shown = whole(woven["messages"])
        self.assertIn("read_file(", shown)
        self.assertIn("git_commit(", shown)

    def test_AC_8_in_chinese_too(self):
        woven = self.context("zh-" + ID, input="修复 parser.py 里的错误，然后提交改动", task="修好解析器", tools=CHINESE)
        self.assertLessEqual({"read_file", "git_commit"}, set(woven["tools"]))

    def test_AC_8_what_a_later_input_needs_is_added_and_the_others_stay_as_they_were(self):
        session = "later-" + ID
        first = self.context(session, input="Read setup.py", task="Prepare the release", tools=ENGLISH)
        wishes = {"send_mail": "Now send a mail to Bo", "set_alarm": "Set an alarm for nine",
                  "book_flight": "Book a flight from Oslo to Rome", "stock_price": "What is the price of the share?"}
        name = [one for one in wishes if one not in first["tools"]][0]
        later = self.context(session, input=wishes[name], task="Prepare the release", tools=ENGLISH)
        self.assertIn(name, later["tools"])
        lines = [line for line in self.described(first).splitlines() if "(" in line]
        self.assertTrue(self.described(later).startswith("<tools>\n" + "\n".join(lines)), self.described(later))

    def test_AC_8_what_was_called_in_the_task_stays_offered(self):
        session = "used-" + ID
        messages = [{"role": "user", "content": "What does the share ACME%s cost? Then mend the parser." % ID},
                    call("stock_price", '{"symbol":"ACME"}', 1),
                    {"role": "tool", "tool_call_id": "c1", "content": "12.40"},
                    {"role": "assistant", "content": "12.40. Now the parser."},
                    {"role": "user", "content": "Fix the bug in parser.py and commit it"}]
        woven = self.context(session, messages=messages, task="Mend the parser", tools=ENGLISH)
        self.assertLessEqual({"stock_price", "read_file", "git_commit"}, set(woven["tools"]))
        self.server.restart()
        again = self.context(session, messages=messages, task="Mend the parser", tools=ENGLISH)
        self.assertIn("stock_price", again["tools"])

    def test_AC_8_the_proxy_passes_all_tools_on(self):
        self.chat([{"role": "user", "content": "Fix the bug in parser.py %s" % ID}], session="all-" + ID, tools=ENGLISH)
        self.assertEqual(self.model.seen[-1][1]["tools"], ENGLISH)

    @staticmethod
    def described(woven):
        text = whole(woven["messages"])
        return text[text.index("<tools>"):text.index("</tools>")]


class ChosenTools(Scenario):
    settings = ("proxy.tools=chosen",)

    def test_AC_8_the_proxy_narrows_the_tools_where_it_is_asked_to(self):
        session = "chosen-" + ID
        history = [{"role": "user", "content": "Fix the bug in parser.py and commit it"}]
        self.chat(history, session=session, tools=ENGLISH)
        sent = self.model.seen[-1][1]["tools"]
        names = [one["function"]["name"] for one in sent]
        self.assertLessEqual({"read_file", "git_commit"}, set(names))
        self.assertLessEqual(len(names), 7)
        for one in sent:
            self.assertIn(one, ENGLISH)
        self.assertNotIn("<tools>", whole(self.sent()))
        # What was called stays, whatever is asked next.
        history += [call("git_commit", '{"message":"mended"}', 7),
                    {"role": "tool", "tool_call_id": "c7", "content": "[main 1a2b3c] mended"},
                    {"role": "assistant", "content": "Done."},
                    {"role": "user", "content": "Set an alarm for half past nine"}]
        self.chat(history, session=session, tools=ENGLISH)
        names = [one["function"]["name"] for one in self.model.seen[-1][1]["tools"]]
        self.assertLessEqual({"set_alarm", "git_commit"}, set(names))


if __name__ == "__main__":
    unittest.main()
