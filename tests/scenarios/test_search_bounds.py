"""The bounds of a search in words: a month, a weekday or a feast is the past one, by every way in."""

import json
import unittest

from scenario import Scenario

FIRED = {"role": "user", "content": "The kiln was fired.", "time": "2026-06-30T12:00:00Z"}
ASKED = "2026-11-27T10:00:00Z"


class Bounds(Scenario):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls("found").observe("s", [FIRED, {"role": "assistant", "content": "ok", "time": "2026-06-30T12:00:05Z"}])

    def found(self, **bounds):
        answer = self.call("POST", "/v1/search", {"query": "kiln", "asked": ASKED, **bounds})
        return "The kiln was fired." in json.dumps(answer, ensure_ascii=False)

    def test_PF_25_a_bound_in_words_is_the_past_one(self):
        for month in ("6月", "六月", "June", "june", "March", "三月", "夏天", "summer", "端午节", "Easter", "May"):
            self.assertTrue(self.found(**{"from": month}), month)
        for later in ("7月", "July", "Monday", "周一", "last week", "中秋", "autumn"):
            self.assertFalse(self.found(**{"from": later}), later)
        for end in ("July", "十月", "yesterday", "Sunday", "June"):
            self.assertTrue(self.found(to=end), end)
        self.assertFalse(self.found(to="May"))
        self.assertTrue(self.found(**{"from": "June", "to": "June"}))

    def test_PF_25_a_bound_that_cannot_be_read_is_named(self):
        for field in ("from", "to", "as_of"):
            status, error = self.fails("POST", "/v1/search", {"query": "kiln", field: "Smarch", "asked": ASKED})
            self.assertEqual(status, 400)
            self.assertIn('"%s": "Smarch" is not a time' % field, error["message"])
            for words in ("last week", "June", "三月"):
                self.assertIn(words, error["hint"])
                self.call("POST", "/v1/search", {"query": "kiln", field: words, "asked": ASKED})

    def test_PF_25_the_command_reads_bounds_as_the_server_does(self):
        self.assertIn("The kiln was fired.", self.weft("-u", "ann", "search", "kiln", "--from", "June", "--asked", ASKED).stdout)
        refused = self.weft("-u", "ann", "search", "kiln", "--from", "Smarch")
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("Smarch", refused.stderr)


if __name__ == "__main__":
    unittest.main()
