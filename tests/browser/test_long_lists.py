"""The page with a conversation of a hundred thousand messages (PF-10): its views open, scroll and search, hold a bounded
part of it at a time, and every message can be reached. How long the page's thread was held up is told, not judged."""

import os
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../e2e"))
sys.path.insert(0, HERE)

from seed import Client  # noqa: E402
from test_page import NO_MODEL, can_browse, node  # noqa: E402
from weft_server import WeftServer, skip  # noqa: E402

MESSAGES = 100_000
BATCH = 2000

if not can_browse():
    skip("a browser, Node.js, or its packages are not there; tools/setup/clients.sh and a chromium bring them")


def turn(number):
    asked = "How far is it from station %d to station %d by the %s line?" % (
        number % 997, (number * 7) % 997, ("red", "green", "blue", "coast")[number // 50 % 4])
    if number == 0:
        asked = "The heron of the old lighthouse sleeps on one leg."
    return [{"role": "user", "content": asked},
            {"role": "assistant", "content": "It is %d minutes, with %d stops between." % (number % 90 + 3, number % 17)}]


class LongLists(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = WeftServer(settings=(NO_MODEL,))
        client = Client(cls.server.url, "ann")
        for begin in range(0, MESSAGES, BATCH):
            client.call("POST", "/v1/sessions/endless/messages",
                        {"messages": [one for i in range(begin // 2, (begin + BATCH) // 2) for one in turn(i)]})

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()

    def test_PF_10_a_hundred_thousand_messages_are_shown_searched_and_reached(self):
        done = node("long_lists.mjs", self.server.url, str(MESSAGES), seconds=400)
        print(done.stdout)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        lines = done.stdout.splitlines()
        self.assertEqual([line for line in lines if line.startswith("failed ")], [])
        self.assertEqual(len([line for line in lines if line.startswith("ok ")]), 5, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
