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
