"""An OpenAI-compatible model server that answers by rule and records what it was asked. For tests."""

import json
import re
import threading
import time
from http.server import BaseHTTPRequestHandler

from scripted_server import ScriptedServer


def last_user_text(messages):
    """What the user said, without what was woven in before it."""
    for message in reversed(messages):
        if message["role"] == "user":
            content = message["content"]
            text = content if isinstance(content, str) else " ".join(p.get("text", "") for p in content)
            return re.sub(r"<(memory|task|errors|notice|context_layer)\b[^>]*>\n.*?\n</\1>\s*", "", text, flags=re.S)
    return ""


def answer_to(body):
    """The assistant's message and the reason why it ends."""
    messages = body["messages"]
    if messages[-1]["role"] == "tool":
        return {"role": "assistant", "content": "The tool says: " + messages[-1]["content"]}, "stop"
    if body.get("tools") and "weather" in last_user_text(messages):
        call = {"id": "call_1", "type": "function",
                "function": {"name": "get_weather", "arguments": '{"city": "杭州"}'}}
        return {"role": "assistant", "content": None, "tool_calls": [call]}, "tool_calls"
    return {"role": "assistant", "content": "You said: " + last_user_text(messages)}, "stop"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # as servers in earnest do: else each answer waits 40 ms for an acknowledgement

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.reply(200, {"object": "list", "data": self.server.models})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path.endswith("/responses"):
            return self.reply(404, {"detail": "Not Found"})  # chat completions are all that it speaks
        self.server.seen.append((dict(self.headers), body))
        for rule in self.server.rules:
            refusal = rule(body)
            if refusal:
                return self.reply(*refusal)
        text = last_user_text(body["messages"])
        if '<item id="' in text:
            # It is asked to choose among candidates: the last one that holds a word, after a sleep.
            self.server.awake.wait(60)
            chosen = [line for line in text.splitlines() if line.startswith("<item") and self.server.choice in line]
            ids = [line.split('"')[1] for line in chosen][-1:]
            return self.reply(200, {"id": "c1", "object": "chat.completion", "created": 1, "model": body["model"],
                                    "choices": [{"index": 0, "finish_reason": "stop",
                                                 "message": {"role": "assistant", "content": json.dumps(ids)}}]})
        if "fail with" in text:
            status = int(text.split("fail with ")[1].split()[0])
            return self.reply(status, {"error": {"message": "scripted failure", "type": "scripted", "param": None,
                                                 "code": "scripted_%d" % status}}, {"Retry-After": "0"})
        message, reason = answer_to(body)
        if body.get("stream"):
            return self.stream(message, reason, breaks_off="break off" in text, slow="slowly" in text)
        self.reply(200, {"id": "c1", "object": "chat.completion", "created": 1, "model": body["model"],
                         "choices": [{"index": 0, "message": message, "finish_reason": reason}],
                         "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}})

    def reply(self, status, value, headers=None):
        text = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        for name, header in (headers or {}).items():
            self.send_header(name, header)
        self.end_headers()
        self.wfile.write(text)

    def stream(self, message, reason, breaks_off, slow):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        self.event({"role": "assistant", "content": ""})
        try:
            for piece in self.pieces(message):
                self.event(piece)
                if breaks_off:
                    return
                if slow:
                    time.sleep(0.05)
            self.event({}, reason)
            self.wfile.write(b"data: [DONE]\n\n")
        except (BrokenPipeError, ConnectionResetError):
            self.server.left.set()

    def pieces(self, message):
        if message.get("content"):
            text = message["content"]
            repeat = 200 if "slowly" in text else 1
            yield from ({"content": text[i:i + 3]} for _ in range(repeat) for i in range(0, len(text), 3))
        for index, call in enumerate(message.get("tool_calls", [])):
            name, arguments = call["function"]["name"], call["function"]["arguments"]
            yield {"tool_calls": [{"index": index, "id": call["id"], "type": "function",
                                   "function": {"name": name, "arguments": ""}}]}
            for i in range(0, len(arguments), 4):
                yield {"tool_calls": [{"index": index, "function": {"arguments": arguments[i:i + 4]}}]}

    def event(self, delta, reason=None):
        chunk = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "scripted",
                 "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}
        self.wfile.write(b"data: " + json.dumps(chunk).encode() + b"\n\n")
        self.wfile.flush()


class ScriptedOpenAI(ScriptedServer):
    """Runs from construction until `close`. `seen` holds (headers, body) of every chat call, also of those that were
    refused. `rules` are functions of the body that give (status, JSON) where the call is refused; `models` is what
    GET /models lists."""

    def __init__(self):
        # `awake`: until it is set, choices are slept over.
        super().__init__(Handler, awake=threading.Event(), choice="", rules=[],
                         models=[{"id": "scripted", "object": "model", "created": 0, "owned_by": "test"}])

    @property
    def rules(self):
        return self.server.rules

    @property
    def models(self):
        return self.server.models
