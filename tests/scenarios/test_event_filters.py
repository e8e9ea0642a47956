"""Every event says where it is from, and is found by that: through HTTP, the tool and the command."""

import json
import unittest
import uuid

from scenario import Scenario


def fresh():
    return uuid.uuid4().hex


FIELDS = {"request_id", "end_seq", "timestamp_utc", "timestamp_local", "timezone", "location_abs", "request_type", "user_id",
          "group_id", "sender_id", "message_ids", "has_new_info", "schema_version"}


class EventFilters(Scenario):
    def setUp(self):
        self.group = "g" + fresh()
        self.headers = {"X-Weft-Group": self.group}
        for name, place in (("ann", "Lisbon"), ("bo", "Porto")):
            self.call("POST", "/v1/sessions/s-%s/messages" % name,
                      {"messages": [{"id": "m1", "role": "user", "name": name, "content": "The ferry costs 12 euros."},
                                    {"role": "assistant", "content": "Noted."}]}, user=name, headers=self.headers)
            self.call("POST", "/v1/sessions/s-%s/end" % name,
                      {"action_summary": "Looked up the ferry for %s." % name, "new_info": "%s takes the ferry at %s." %
                       (name.capitalize(), "nine" if name == "ann" else "ten"), "sender_id": name, "location": place},
                      user=name, headers=self.headers)
            self.call("POST", "/v1/sessions/s-%s/save" % name, {}, user=name, headers=self.headers)
        self.settle()

    def search(self, **where):
        found = self.call("POST", "/v1/search", {"query": "ferry", "top_k": 50, "where": where}, user="ann",
                          headers=self.headers)
        return [hit["metadata"] for hit in found["hits"]]

    def test_CM_18_all_events_carry_all_metadata(self):
        events = self.call("GET", "/v1/items?kind=event", user="ann", headers=self.headers)["items"]
        self.assertGreaterEqual(len(events), 4)
        for event in events:
            self.assertEqual(FIELDS - set(event["metadata"]), set(), event)
            self.assertEqual(event["metadata"]["schema_version"], "final_v1")
            self.assertEqual(event["metadata"]["group_id"], self.group)
            self.assertEqual(event["metadata"]["request_type"], "group")
            self.assertIn(event["metadata"]["sender_id"], ("ann", "bo"))
            self.assertTrue(event["metadata"]["message_ids"])

    def test_CM_18_events_are_found_by_each_of_them(self):
        everything = self.search(request_type="group")
        self.assertGreaterEqual(len(everything), 4)
        self.assertEqual(self.search(request_type="private"), [])
        of_ann = self.search(sender_id="ann")
        self.assertTrue(of_ann)
        self.assertEqual({one["sender_id"] for one in of_ann}, {"ann"})
        self.assertEqual({one["location_abs"] for one in self.search(location_abs="lisbon")}, {"Lisbon"})
        self.assertEqual({one["has_new_info"] for one in self.search(has_new_info=True)}, {True})
        self.assertEqual({one["end_seq"] for one in self.search(end_seq=1)}, {1})
        self.assertEqual(len(self.search(schema_version="final_v1")), len(everything))
        self.assertEqual(self.search(schema_version="draft"), [])
        self.assertEqual(len(self.search(group_id=self.group)), len(everything))
        one = of_ann[0]
        self.assertEqual({event["request_id"] for event in self.search(request_id=one["request_id"])}, {one["request_id"]})
        self.assertTrue(self.search(message_id="m1", sender_id="bo"))
        self.assertEqual(self.search(timezone="Mars/Olympus"), [])

    def test_CM_18_the_tool_and_the_command_filter_alike(self):
        answer = self.call("POST", "/v1/tools/cognitive_search_events",
                           {"query": "ferry", "where": {"location_abs": "Porto"}}, user="ann", headers=self.headers)
        text = json.dumps(answer)
        self.assertIn("Bo takes", text)
        self.assertNotIn("Ann takes", text)
        told = self.weft("search", "ferry", "-g", self.group, "--json", "--where", "sender_id=bo")
        hits = json.loads(told.stdout)["hits"]
        self.assertTrue(hits, told.stderr)
        self.assertEqual({hit["metadata"]["sender_id"] for hit in hits}, {"bo"})

    def test_CM_18_a_filter_that_does_not_exist_is_told(self):
        status, error = self.fails("POST", "/v1/search", {"query": "ferry", "where": {"colour": "red"}}, user="ann")
        self.assertEqual(status, 400)
        self.assertIn("colour", error["message"])
        told = self.weft("search", "ferry", "--where", "sender")
        self.assertNotEqual(told.returncode, 0)
        self.assertIn("NAME=VALUE", told.stderr)


if __name__ == "__main__":
    unittest.main()
