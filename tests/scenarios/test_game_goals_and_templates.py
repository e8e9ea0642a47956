"""What a game works towards outlives turn, session and process; each turn gets the template that fits; the model is told
how it changes the state, and what it writes takes effect once or not at all."""

import os
import re
import unittest
import uuid

from scenario import Scenario, whole

OWN = """{#- A trial before the judge of the town.
    cues: trial, judge, verdict, 审判, 法官
    weights: narrative 0.2, lore 1.0, event 0.1 -#}
<courtroom goal="{{ plan.current_goal | xml }}">
{{ status }}</courtroom>
"""


class GoalsAndTemplates(Scenario):
    settings = ("embedding.provider=none",)

    def setUp(self):
        self.user = "goal-" + uuid.uuid4().hex[:8]
        self.call("PUT", "/v1/state/default", {"state": {"player": {"name": "Kai", "hp": 40}}}, user=self.user)

    def say(self, text, session="s", **body):
        return self.call("POST", "/v1/sessions/%s/context" % session,
                         {"planned": True, "input": text, "system": "You tell the story.", **body}, user=self.user)

    def test_HC_13_a_goal_outlives_turns_sessions_and_a_restart(self):
        for goal, other in (("My goal is to find the crown of the drowned king.", "I look around."),
                            ("我的目标是找到溺王的王冠。", "我四处看看。")):
            self.user = "goal-" + uuid.uuid4().hex[:8]
            self.call("PUT", "/v1/state/default", {"state": {"player": {"name": "Kai", "hp": 40}}}, user=self.user)
            part = "crown of the drowned king" if "crown" in goal else "溺王的王冠"
            self.assertIn(part, self.say(goal)["plan"]["current_goal"])
            self.assertIn(part, self.say(other)["plan"]["current_goal"])
            self.call("POST", "/v1/sessions/s/save", {}, user=self.user)
            self.server.restart(kill=True)
            woven = self.say(other, session="another")
            self.assertIn(part, woven["plan"]["current_goal"])
            self.assertIn(part, whole(woven["messages"]))
        self.say("我放弃这个目标。", session="another")
        self.assertNotIn("溺王的王冠", self.say("我四处看看。", session="third")["plan"]["current_goal"])

    def test_HC_13_the_goal_of_one_is_not_another_s(self):
        self.say("My goal is to find the crown of the drowned king.")
        self.user = "other-" + uuid.uuid4().hex[:8]
        self.assertNotIn("crown", whole(self.say("I look around.")["messages"]))

    def test_HC_2_templates_are_chosen_by_the_turn(self):
        for text, template in (("I draw my sword and attack the goblin!", "combat"), ("我拔剑攻击哥布林！", "combat"),
                               ("I ask the keeper about the light.", "dialogue"), ("I walk to the pier.", "narrative")):
            self.assertEqual(self.say(text, session=uuid.uuid4().hex)["plan"]["templateId"], template, text)

    def test_HC_13_a_user_s_own_template_is_chosen_and_sets_the_weights(self):
        folder = os.path.join(self.server.workspace, "templates")
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "courtroom.jinja"), "w") as file:
            file.write(OWN)
        woven = self.say("The judge reads the verdict.")
        plan = woven["plan"]
        self.assertEqual(plan["templateId"], "courtroom")
        self.assertEqual(plan["search_intent"]["domain_weight"], {"narrative": 0.2, "lore": 1.0, "event": 0.1})
        self.assertIn("<courtroom", whole(woven["messages"]))
        self.assertEqual(self.say("I fight the guard.", template="courtroom")["plan"]["search_intent"]["domain_weight"]["lore"], 1.0)

    def test_HC_14_the_model_is_told_how_to_change_the_state(self):
        english, chinese = whole(self.say("I wait.")["messages"]), whole(self.say("我等待。", session="z")["messages"])
        for sent in (english, chinese):
            self.assertIn("```state", sent)
            self.assertIn('["ADD","hero.hp",-5]', sent)
        self.assertIn("整体", chinese)
        self.user = "none-" + self.user
        self.assertNotIn("```state", whole(self.say("I wait.")["messages"]))

    def answer(self, text, session="s"):
        return self.observe(session, [{"role": "user", "content": "go on " + uuid.uuid4().hex},
                                      {"role": "assistant", "content": text, "id": "a-" + uuid.uuid4().hex}], user=self.user)

    def hp(self):
        return self.call("GET", "/v1/state/default", user=self.user)["state"]["player"]["hp"]

    def notices(self, text):
        """What the prompt of a turn says was not done; the shipped text only names the tag."""
        return re.findall(r"<notice>\n.*?</notice>", whole(self.say(text)["messages"]), re.S)

    def test_HC_14_what_the_model_writes_is_applied_once_and_whole(self):
        text = 'The arrow hits.\n\n```state\n[["ADD","player.hp",-5],["SET","player.wounded",true]]\n```\n'
        self.answer(text)
        self.assertEqual(self.hp(), 35)
        history = self.call("GET", "/v1/sessions/s/messages", user=self.user)["messages"]
        self.assertIn("The arrow hits.", str(history))
        self.server.restart()
        self.answer('It hits again.\n```state\n[["ADD","player.hp",-5]]\n[["nonsense"\n```')
        self.assertEqual(self.hp(), 35)
        self.assertTrue(self.notices("I duck."))
        self.answer('The third one, too.\n```state\n[["ADD","player.hp",-5],["ADD","player.bag.items[0].count",1]]\n```')
        self.assertEqual(self.hp(), 35, "a block is applied as a whole or not at all")
        self.assertIn("refused", self.notices("I duck again.")[0])
        self.answer("Nothing happens.")
        self.assertEqual(self.notices("I wait."), [])

    def test_HC_14_state_is_read_and_changed_by_tool(self):
        names = [tool["function"]["name"] for tool in self.call("GET", "/v1/tools", user=self.user)["tools"]]
        self.assertIn("state_get", names)
        self.assertIn("state_apply", names)
        self.call("POST", "/v1/tools/state_apply", {"operations": [["ADD", "player.hp", -7]], "request_id": "one"}, user=self.user)
        self.call("POST", "/v1/tools/state_apply", {"operations": [["ADD", "player.hp", -7]], "request_id": "one"}, user=self.user)
        self.assertEqual(self.call("POST", "/v1/tools/state_get", {"path": "player.hp"}, user=self.user)["value"], 33)
        status, error = self.fails("POST", "/v1/tools/state_apply", {"operations": [["SET", "player.a.b", 1]]}, user=self.user)
        self.assertEqual(status, 400, error)


if __name__ == "__main__":
    unittest.main()
