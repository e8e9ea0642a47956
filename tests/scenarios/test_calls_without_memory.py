"""A call may leave memory out (`X-Weft-Memory`): "off" goes through as if Weft were not there, "record" is kept and gets
nothing woven in."""

import json
import unittest
import urllib.request
import uuid

from scenario import Scenario, whole


class CallsWithoutMemory(Scenario):
    settings = ("embedding.provider=none",)

    def setUp(self):
        self.user = "u" + uuid.uuid4().hex

    def asked(self, text, memory="", session=None):
        headers = {"X-Weft-Memory": memory} if memory else {}
        self.talk([], text, user=self.user, session=session or "s" + uuid.uuid4().hex, headers=headers)
        return whole(self.sent())

    def kept(self, words):
        return json.dumps(self.call("POST", "/v1/search", {"query": words}, user=self.user), ensure_ascii=False)

    def test_PF_6_off_neither_reads_nor_writes(self):
        known, secret = uuid.uuid4().hex[:8], uuid.uuid4().hex[:8]
        self.asked("The green kayak is in shed %s." % known)
        self.settle()
        question = "Where is the green kayak? My other secret word is %s." % secret
        self.assertEqual(self.asked(question, "off"), question)
        self.assertIn(known, self.asked("Where is the green kayak?", "on"))
        self.settle()
        self.server.restart(kill=True)
        self.assertNotIn(secret, self.kept("secret word kayak"))
        self.assertNotIn(secret, json.dumps(self.call("GET", "/v1/sessions", user=self.user)))

    def test_PF_6_record_is_kept_and_gets_nothing(self):
        first, second = uuid.uuid4().hex[:8], uuid.uuid4().hex[:8]
        self.asked("蓝色皮划艇在%s号仓库里。" % first)
        question = "蓝色皮划艇在哪里？红色的在%s号仓库里。" % second
        session = "s" + uuid.uuid4().hex
        self.assertEqual(self.asked(question, "record", session), question)
        self.until(lambda: second in self.kept("红色皮划艇仓库"))
        self.server.restart()
        said = self.call("GET", "/v1/sessions/%s/messages" % session, user=self.user)["messages"]
        self.assertEqual([one["role"] for one in said], ["user", "assistant"])
        self.assertIn(second, self.asked("红色的皮划艇在哪个仓库里？"))

    def test_PF_6_off_holds_for_streams_and_other_forms(self):
        secret = uuid.uuid4().hex[:8]
        text = "The yellow safe opens with %s." % secret
        streamed = urllib.request.Request(
            self.server.url + "/v1/chat/completions", method="POST",
            data=json.dumps({"model": "scripted", "stream": True,
                             "messages": [{"role": "user", "content": text}]}).encode(),
            headers={"Content-Type": "application/json", "X-Weft-User": self.user, "X-Weft-Memory": "off"})
        with urllib.request.urlopen(streamed, timeout=60) as answer:
            self.assertIn("[DONE]", answer.read().decode())
        self.call("POST", "/v1/messages", {"model": "scripted", "max_tokens": 100,
                                           "messages": [{"role": "user", "content": text}]},
                  user=self.user, headers={"X-Weft-Memory": "off"})
        self.assertIn(text, whole(self.sent()))
        self.settle()
        self.assertNotIn(secret, self.kept("yellow safe"))

    def test_PF_6_any_other_word_is_refused(self):
        status, error = self.fails("POST", "/v1/chat/completions",
                                   {"model": "scripted", "messages": [{"role": "user", "content": "hi"}]},
                                   headers={"X-Weft-Memory": "no"})
        self.assertEqual(status, 400)
        self.assertIn("X-Weft-Memory", error["message"])


if __name__ == "__main__":
    unittest.main()
