"""What the scenarios of plug-ins share: programs that host agents, and the recorded model that they call.

The hosts are the real ones, from their registries, in versions that `make setup-tests` pins; where they are not there
the scenarios are skipped."""

import json
import os
import re

from scenario import ScriptedOpenAI, text_of
from scripted_openai import Handler

CACHE = os.environ.get("WEFT_CACHE", os.path.expanduser("~/.cache/weft"))
INTERNAL = "OPENCLAW_INTERNAL_CONTEXT"  # a message of OpenClaw's own, behind the user's


def users_text(messages):
    """The newest message of a user, with all that the host and its memory have put around it."""
    for message in reversed(messages):
        if message["role"] == "user" and INTERNAL not in text_of(message):
            return text_of(message)
    return ""


class HostHandler(Handler):
    """Answers as an agent's model might: looks into the memory where it is told to, says what it found, else nods."""

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")
        if not self.path.endswith("/chat/completions"):
            return self.reply(404, {"error": {"message": "no such path", "type": "scripted"}})
        self.server.seen.append((dict(self.headers), body))
        message, reason = self.answer(body)
        if body.get("stream"):
            return self.stream(message, reason, breaks_off=False, slow=False)
        self.reply(200, {"id": "c1", "object": "chat.completion", "created": 1, "model": body.get("model"),
                         "choices": [{"index": 0, "message": message, "finish_reason": reason}],
                         "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}})

    def answer(self, body):
        messages = body["messages"]
        offered = {tool["function"]["name"] for tool in body.get("tools") or []}
        wanted = re.search(r"Look up: (.+)", users_text(messages))
        results = [text_of(message) for message in messages if message["role"] == "tool"]
        if wanted and not results and "memory_search" in offered:
            return self.call("memory_search", {"query": wanted.group(1)})
        path = re.search(r'"path": ?"([^"]+)"', results[-1]) if len(results) == 1 else None
        if wanted and path and "memory_get" in offered:
            return self.call("memory_get", {"path": path.group(1)})
        said = "In the memory stands: " + results[-1] if wanted and results else "All right."
        return {"role": "assistant", "content": said}, "stop"

    def call(self, name, arguments):
        call = {"id": "call_" + name, "type": "function",
                "function": {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False)}}
        return {"role": "assistant", "content": None, "tool_calls": [call]}, "tool_calls"


class HostModel(ScriptedOpenAI):
    def __init__(self):
        super().__init__()
        self.server.RequestHandlerClass = HostHandler

    def last_request(self):
        """All of the newest request that a host sent."""
        return self.seen[-1][1]
