"""What the scenarios share: a real server in front of a recorded model, used only as users use it.

A scenario is one journey through the public surfaces (HTTP, proxy, command). It asserts what the model was sent and
what was kept, never how."""

import json
import os
import sqlite3
import subprocess
import sys
import time
import unittest
import urllib.error
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../e2e"))

from scripted_openai import ScriptedOpenAI  # noqa: E402
from weft_server import WeftServer, binary, settle  # noqa: E402


# A weft.toml whose agents ask the scripted model, and where words alone are searched.
AGENT_TOML = """[models.m]
url = "{model}"
model = "scripted"
window = 65536
[roles]
main = "m"
[embedding]
provider = "none"
"""


def text_of(message):
    """All that a model reads of a message."""
    content = message.get("content") or ""
    if not isinstance(content, str):
        content = " ".join(part.get("text", "") for part in content)
    return content + "".join(call["function"]["name"] + call["function"]["arguments"]
                             for call in message.get("tool_calls") or [])


def whole(messages):
    return "\n".join(text_of(message) for message in messages)


class Scenario(unittest.TestCase):
    """`self.server` is a running Weft, `self.model` the recorded model behind it."""

    settings = ()
    toml = ""  # where "{model}" stands for the address of `self.model`
    files = {}  # of the workspace, by name, before the start

    @classmethod
    def setUpClass(cls):
        cls.model = ScriptedOpenAI()
        cls.server = WeftServer(upstream=cls.model.url, settings=cls.settings,
                                toml=cls.toml.replace("{model}", cls.model.url), files=cls.files)

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()
        cls.model.close()

    def call(self, method, path, body=None, raw=None, user="ann", headers=None):
        """The answer as JSON. `raw` is a body that is sent as it is."""
        data = raw.encode() if raw is not None else None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.server.url + path, data=data, method=method,
                                         headers={"Content-Type": "application/json", "X-Weft-User": user,
                                                  **(headers or {})})
        with urllib.request.urlopen(request, timeout=120) as answer:
            return json.load(answer)

    def fails(self, *call, **more):
        """The status and the error of a call that must not succeed."""
        with self.assertRaises(urllib.error.HTTPError) as caught:
            self.call(*call, **more)
        return caught.exception.code, json.load(caught.exception)["error"]

    def observe(self, session, messages, **more):
        return self.call("POST", "/v1/sessions/%s/messages" % session, {"messages": messages}, **more)

    def context(self, session, user="ann", **body):
        return self.call("POST", "/v1/sessions/%s/context" % session, body, user=user)

    def chat(self, messages, user="ann", session=None, model="scripted", headers=None, **body):
        """A call through the proxy. Gives the assistant's message; `self.sent()` is what the model got."""
        more = dict(headers or {})
        if session:
            more["X-Weft-Session"] = session
        answer = self.call("POST", "/v1/chat/completions", {"model": model, "messages": messages, **body},
                           user=user, headers=more)
        return answer["choices"][0]["message"]

    def talk(self, history, text, **more):
        """One turn of a chat client that resends its history; adds both messages to `history`."""
        history.append({"role": "user", "content": text})
        reply = self.chat(history, **more)
        history.append({"role": "assistant", "content": reply["content"]})
        return reply

    def sent(self):
        """The messages of the newest call that reached the model."""
        return self.model.seen[-1][1]["messages"]

    def settle(self, seconds=60):
        """Waits until the background has worked off what was said."""
        settle(lambda: self.call("GET", "/healthz"), seconds)

    def until(self, look, seconds=60):
        """What `look` finds, as soon as it finds something. What is not there yet may answer 404."""
        end = time.time() + seconds
        while time.time() < end:
            try:
                found = look()
            except urllib.error.HTTPError as refused:
                if refused.code != 404:
                    raise
                found = None
            if found:
                return found
            time.sleep(0.05)
        self.fail("nothing came")

    def queue_nonsense(self, *names, scope="", text=""):
        """Puts jobs of no known kind into the store, which are seen after a restart."""
        store = sqlite3.connect(os.path.join(self.server.workspace, "weft.db"))
        for name in names:
            store.execute("INSERT INTO jobs (id,scope,kind,payload,state,attempts,reason,created,not_before,lease) "
                          "VALUES (?,?,'nonsense',?,0,0,'',0,0,0)",
                          (name, scope, json.dumps({"scope": scope, "text": text})))
        store.commit()
        store.close()

    def weft(self, *arguments, stdin=""):
        """The command in the server's workspace."""
        return subprocess.run([binary(), *arguments, "--workspace", self.server.workspace], input=stdin,
                              capture_output=True, text=True, timeout=120)
