"""What a prompt says, it says once, and what says nothing about the world is no memory: receipts of tools, calls that
failed, state blocks, questions that nobody answered. Summaries of a group say who spoke. What Weft says itself is in the
language of the conversation."""

import json
import re
import unittest
import uuid

from scenario import Scenario, whole


def fresh():
    return uuid.uuid4().hex


def blocks(prompt):
    return "\n".join(re.findall(r"<(?:memory|profile|preferences)>.*?</(?:memory|profile|preferences)>", prompt, re.S))


class SaidOnce(Scenario):
    def setUp(self):
        self.user = "u" + fresh()

    def told(self, *messages):
        self.observe("old" + fresh()[:6], [{"role": role, "content": text} for role, text in messages], user=self.user)
        self.settle()

    def ask(self, text, user=None, headers=None):
        body = {"input": text}
        path = "/v1/sessions/n%s/context" % fresh()[:6]
        return blocks(whole(self.call("POST", path, body, user=user or self.user, headers=headers)["messages"]))

    def test_PF_25_a_wish_stands_in_one_place(self):
        for wish, question in (("From now on keep answers short.", "What is a fjord?"), ("以后都用中文回答。", "什么是峡湾？")):
            self.user = "u" + fresh()
            self.told(("user", wish), ("assistant", "ok"))
            prompt = self.ask(question)
            self.assertEqual(prompt.count(wish.rstrip(".。").split(" now on ")[-1]), 1, prompt)

    def test_PF_14_what_a_message_says_beside_a_fact_of_the_profile_is_not_lost(self):
        self.told(("user", "I'm scared of moths, don't ever put one in the story."), ("assistant", "ok"))
        prompt = self.ask("Which animals must never appear in our story?")
        self.assertIn("scared of moths", prompt)
        self.assertIn("put one in the story", prompt)

    def test_PF_25_receipts_and_calls_that_failed_are_no_memories(self):
        def call(number, name, arguments):
            return {"role": "assistant", "content": "", "tool_calls": [
                {"id": "c%d" % number, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}]}
        self.observe("old", [
            {"role": "user", "content": "Please write the kayak route to route.txt."},
            call(1, "write_file", {"path": "route.txt", "text": "kayak route"}),
            {"role": "tool", "tool_call_id": "c1", "content": "written: 48 bytes"},
            {"role": "assistant", "content": "The kayak route is in route.txt."},
            {"role": "user", "content": "Now fetch the kayak weather."},
            call(2, "fetch", {"url": "http://kayak.example"}),
            {"role": "tool", "tool_call_id": "c2", "content": "Error: connection refused by http://kayak.example"},
            {"role": "assistant", "content": "The kayak weather page was down."}], user=self.user)
        self.settle()
        for question in ("Where is the kayak route written?", "What became of the kayak weather?", "kayak route.txt bytes written"):
            prompt = self.ask(question)
            self.assertIn("kayak", prompt)
            for noise in ("48 bytes", "connection refused", "fetch {"):
                self.assertNotIn(noise, prompt)

    def test_PF_25_state_blocks_are_no_memories(self):
        self.told(("user", "I walk into the dragon's cave."),
                  ("assistant", 'The dragon breathes fire.\n```state\n[["ADD","player.hp",-5]]\n```'),
                  ("user", "I hit the dragon with the silver spear."),
                  ("assistant", '```state\n[["SET","dragon.wounded",true]]\n```'))
        prompt = self.ask("What did the dragon do in the cave?")
        self.assertIn("breathes fire", prompt)
        for noise in ("```", "player.hp", "dragon.wounded"):
            self.assertNotIn(noise, prompt)

    def test_PF_14_a_question_without_an_answer_is_none(self):
        for asked, none, again in (
                ("Which port does the staging database use?", "You asked which port the staging database uses. I do not know yet.",
                 "Which port does our staging database use?"),
                ("我们的测试数据库用哪个端口？", "我还不知道测试数据库用哪个端口。", "测试数据库用的是哪个端口？")):
            self.user = "u" + fresh()
            self.told(("user", asked), ("assistant", none))
            for question in (asked, again):
                self.assertEqual(self.ask(question), "", question)
            self.told(("user", asked), ("assistant", "6543."))
            self.assertIn("6543", self.ask(again))

    def test_PF_25_a_summary_of_a_group_says_who_spoke(self):
        group = "g" + fresh()[:6]
        for user, text in (("ann", "The kayak trip starts at nine from the old mill."), ("bob", "I cannot swim, so I take the big vest."),
                           ("cat", "I bring the map of the Lea river for the trip.")):
            self.call("POST", "/v1/sessions/talk/messages", {"messages": [{"role": "user", "content": text, "name": user.title()}]},
                      user=user, headers={"X-Weft-Group": group})
        self.call("POST", "/v1/sessions/talk/save", {}, user="ann", headers={"X-Weft-Group": group})
        self.settle()
        found = self.call("POST", "/v1/search", {"query": "kayak trip", "kinds": ["narrative"]}, user="ann",
                          headers={"X-Weft-Group": group})["hits"]
        self.assertTrue(found)
        self.assertIn("Bob: I cannot swim", found[0]["text"])

    def test_PF_25_what_weft_says_itself_is_in_the_language_of_the_conversation(self):
        self.told(("user", "我对花生过敏。我住在成都。我养了一只猫叫雪球。"), ("assistant", "好的。"))
        self.told(("user", "我搬到重庆了。以后都用中文回答。"), ("assistant", "好的。"))
        prompt = self.ask("我住在哪里，对什么过敏？")
        self.assertIn("过敏", prompt)
        said = re.sub(r"</?(memory|profile|preferences)>", "", prompt)
        self.assertIsNone(re.search(r"[A-Za-z]", said), prompt)
        self.assertNotIn(self.user, prompt)
        self.assertIn("关于", prompt)
        english = self.ask("Where do I live?")
        self.assertIn("as of today", english)
        self.assertNotIn("What is known of whom", english)


if __name__ == "__main__":
    unittest.main()
