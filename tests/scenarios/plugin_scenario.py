"""What holds for every plug-in: the server asks for a key, the user has a strange name, facts are made of no known word."""

import json
import random
import subprocess
import uuid
from urllib.parse import quote

from agent_host import HostModel, users_text
from scenario import Scenario, WeftServer, whole
from weft_server import binary


def a_name():
    """No word of any language, so that only memory can know it."""
    return "".join(random.choice("bdfgklmnprstv") + random.choice("aeiou") for _ in range(4)).capitalize()


class PluginScenario(Scenario):
    """`self.model` is the model that the host calls, `self.server` the memory of `self.person`."""

    @classmethod
    def setUpClass(cls):
        cls.model = HostModel()
        cls.server = WeftServer()
        made = subprocess.run([binary(), "key", "add", "plug-in", "--workspace", cls.server.workspace],
                              capture_output=True, text=True, timeout=60, check=True)
        cls.key = made.stdout.strip()
        cls.person = "安 / ann " + str(uuid.uuid4())

    def call(self, *arguments, headers=None, user=None, **more):
        return super().call(*arguments, headers={"X-Weft-Key": self.key, **(headers or {})},
                            user=quote(user or self.person, safe=""), **more)

    def given(self):
        """What the model was given with the newest message of a user."""
        return users_text(self.model.last_request()["messages"])

    def sent(self):
        """All that the model was sent with the newest call."""
        return whole(self.model.last_request()["messages"])

    def said(self, text, **whose):
        """How often a message with this text is kept, in all sessions."""
        sessions = [one["session"] for one in self.call("GET", "/v1/sessions", **whose)["sessions"]]
        kept = [message for session in sessions for message in
                self.call("GET", "/v1/sessions/%s/messages" % quote(session, safe=""), **whose)["messages"]]
        return sum(text in json.dumps(message, ensure_ascii=False) for message in kept)

    def kept(self, text, **whose):
        return self.until(lambda: self.said(text, **whose))


class HostJourneys:
    """Journeys that are the same in every host. `self.host` is one that runs, `self.say(text, session)` a turn in it."""

    @classmethod
    def tearDownClass(cls):
        cls.host.close()
        super().tearDownClass()

    def test_1_from_one_session_to_another(self):
        name, place = a_name(), a_name()
        self.assertEqual(self.say("The lighthouse of %s is kept by %s." % (place, name)), "All right.")
        self.kept(name)
        self.say("Who keeps the lighthouse of %s?" % place)
        self.assertIn(name, self.given())
        self.assertIn("<memory>", self.given())
        self.say("Boil the potatoes for twenty minutes.")
        self.assertNotIn(name, self.sent())

        boat = a_name()
        self.say("My boat is called %s." % boat)
        self.kept(boat)
        self.until(lambda: boat in json.dumps(self.call("GET", "/v1/profiles/user/" + quote(self.person, safe=""))))
        self.say("Good evening!")
        self.assertIn(boat, self.sent(), "the profile comes along, whatever is asked")

        street = a_name()
        self.say("我的自行车停在%s街的地下车库里。" % street)
        self.kept(street)
        self.say("我的自行车停在哪里？")
        self.assertIn(street, self.given())

    def repeats_nothing(self, session):
        """What is said in a session stands once in what the model is sent for its next turn."""
        name = a_name()
        self.say("The password of the guest network is %s." % name, session)
        self.kept(name)
        self.say("What is the password of the guest network?", session)
        self.assertEqual(self.sent().count(name), 1)

    def looked_up(self):
        """What was told, and what the model read of it when it looked into the memory itself."""
        name = a_name()
        said = "Our cheese comes from the dairy %s." % name
        self.say(said)
        self.kept(name)
        answer = self.say("Look up: from which dairy comes our cheese")
        self.assertIn(name, answer)
        results = [message for message in self.model.last_request()["messages"] if message["role"] == "tool"]
        self.assertEqual(len(results), 2, "it searched, then read the message")
        return said, results[1]["content"]
