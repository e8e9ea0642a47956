"""Responses that are made while nobody waits for them: they outlive the server that was asked, and go with an erasure."""

import glob
import os
import threading
import unittest
import urllib.error

from scenario import Scenario


class BackgroundResponses(Scenario):
    settings = ("proxy.responses=chat", "embedding.provider=none")

    def setUp(self):
        self.go = threading.Event()
        self.asked = threading.Event()
        self.model.rules[:] = [self.ponder]
        self.addCleanup(self.go.set)

    def ponder(self, body):
        """The model takes its time over what is to be pondered."""
        if "ponder" in body["messages"][-1]["content"]:
            self.asked.set()
            self.go.wait(60)

    def begin(self, text, user="ann", **more):
        response = self.call("POST", "/v1/responses", {"model": "scripted", "background": True, "input": text, **more},
                             user=user)
        self.assertEqual((response["status"], response["background"], response["output"]), ("queued", True, []))
        return response["id"]

    def get(self, name, user="ann"):
        return self.call("GET", "/v1/responses/" + name, user=user)

    def ended(self, name, user="ann"):
        def look():
            response = self.get(name, user)
            return response if response["status"] not in ("queued", "in_progress") else None
        return self.until(look)

    def kept_files(self):
        return glob.glob(os.path.join(self.server.workspace, "responses", "*", "*.json"))

    def gone(self, name, user="ann"):
        with self.assertRaises(urllib.error.HTTPError) as caught:
            self.get(name, user)
        self.assertEqual(caught.exception.code, 404)

    def test_PF_10_a_kill_in_the_middle(self):
        done = self.begin("Say something of lighthouses.")
        whole = self.ended(done)
        self.assertIn("lighthouses", whole["output"][0]["content"][0]["text"])
        cut = self.begin("Please ponder windmills.")
        self.assertTrue(self.asked.wait(30))
        self.assertEqual(self.until(lambda: self.get(cut)["status"] == "in_progress" and "running"), "running")
        self.server.restart(kill=True)
        self.assertEqual(self.get(done), whole)
        failed = self.get(cut)
        self.assertEqual((failed["status"], failed["error"]["code"]), ("failed", "server_error"))
        self.assertIn("ended before", failed["error"]["message"])
        # What was said is remembered; the chain goes on from what was complete.
        self.go.set()
        answer = self.call("POST", "/v1/responses", {"model": "scripted", "input": "And harbours?",
                                                     "previous_response_id": done})
        self.assertEqual(answer["status"], "completed")
        self.assertIn("lighthouses", str(self.sent()))

    def test_PF_10_cancelled_and_deleted(self):
        name = self.begin("Please ponder rivers.")
        self.assertTrue(self.asked.wait(30))
        self.assertEqual(self.call("POST", "/v1/responses/%s/cancel" % name)["status"], "cancelled")
        self.server.restart(kill=True)
        self.assertEqual(self.get(name)["status"], "cancelled")
        self.assertTrue(self.call("DELETE", "/v1/responses/" + name)["deleted"])
        self.gone(name)
        self.server.restart()
        self.gone(name)

    def test_PF_5_an_erasure_takes_them_along(self):
        mine = self.begin("The vault's word is marzipan-kaleidoscope.", user="kim")
        other = self.begin("Say something of bridges.", user="lee")
        for name, user in ((mine, "kim"), (other, "lee")):
            self.assertEqual(self.ended(name, user)["status"], "completed")
        running = self.begin("Please ponder the marzipan-kaleidoscope.", user="kim")
        self.assertTrue(self.asked.wait(30))
        erased = self.weft("erase", "-u", "kim", "--everything", "--yes", "--json")
        self.assertEqual(erased.returncode, 0, erased.stderr)
        self.go.set()
        self.gone(mine, "kim")
        self.gone(running, "kim")
        self.assertEqual(self.get(other, "lee")["status"], "completed")
        for path in self.kept_files():
            with open(path) as file:
                self.assertNotIn("marzipan", file.read())


if __name__ == "__main__":
    unittest.main()
