"""What was talked about before is taken up again: what is kept of the return knows what was said then."""

import unittest
import uuid

from scenario import Scenario

TALKS = [
    (["I am planning a trip to Lofoten in June with my brother, we want to hike and stay in a fishing cabin.",
      "Which of the islands has the best hiking paths for beginners?",
      "By the way, something else: my washing machine leaks at the door. What could it be?",
      "The rubber seal looks worn. Can I change the seal myself?",
      "OK, back to the Lofoten trip: how long should we stay?"], "how long should we stay", "fishing cabin"),
    (["我和弟弟打算六月去罗弗敦旅行，想徒步，住渔村小屋。", "哪个岛的徒步路线适合新手？",
      "对了，换个话题：我家洗衣机门口漏水，是什么原因？", "橡胶密封圈看起来旧了，可以自己换密封圈吗？",
      "好的，说回罗弗敦的旅行：住几天合适？"], "住几天合适", "渔村小屋"),
]


class TakenUpAgain(Scenario):
    def events(self, user, query):
        return self.call("POST", "/v1/search", {"query": query, "kinds": ["event"], "top_k": 10}, user=user)["hits"]

    def test_ST_7_a_return_is_kept_with_what_was_said_before(self):
        for restart in (False, True):
            for turns, asked, before in TALKS:
                user = "r-" + uuid.uuid4().hex[:8]
                history = []
                for said in turns:
                    if restart and said == turns[-1]:
                        self.server.restart()
                    self.talk(history, said, user=user, session="s")
                self.call("POST", "/v1/sessions/s/save", {}, user=user)
                self.settle()
                kept = [hit["text"] for hit in self.events(user, turns[-1]) if asked in hit["text"]]
                self.assertTrue(any(before in text for text in kept), kept)


if __name__ == "__main__":
    unittest.main()
