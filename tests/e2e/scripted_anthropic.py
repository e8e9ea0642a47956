"""A model's server that speaks Anthropic's Messages API, for tests: it answers what was said, or calls a tool."""

import json
from http.server import BaseHTTPRequestHandler

from scripted_server import ScriptedServer


def blocks(content):
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def answer_to(body):
    """The blocks of an answer, and why it ends."""
    last = blocks(body["messages"][-1]["content"])
    results = [block for block in last if block["type"] == "tool_result"]
    if results:
        said = results[0]["content"]
        return [{"type": "text", "text": "The tool says: " + (said if isinstance(said, str) else said[0]["text"])}], "end_turn"
    text = " ".join(block.get("text", "") for block in last)
    if body.get("tools") and "weather" in text:
        return [{"type": "text", "text": "I look."},
                {"type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": {"city": "杭州"}}], "tool_use"
    return [{"type": "text", "text": "You said: " + text.split("\n")[-1]}], "end_turn"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.seen.append((dict(self.headers.items()), body))
        if self.path.endswith("/count_tokens"):
            return self.reply(200, {"input_tokens": 42})
        if body["model"] == "missing":
            return self.reply(404, {"type": "error", "error": {"type": "not_found_error", "message": "no such model"}})
        if any(not isinstance(message["content"], (str, list)) for message in body["messages"]):
            return self.reply(400, {"type": "error", "error": {"type": "invalid_request_error", "message": "content"}})
        content, reason = answer_to(body)
        message = {"id": "msg_1", "type": "message", "role": "assistant", "model": body["model"], "content": content,
                   "stop_reason": reason, "stop_sequence": None, "usage": {"input_tokens": 5, "output_tokens": 7}}
        if body.get("stream"):
            return self.stream(message)
        return self.reply(200, message)

    def reply(self, status, value):
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def event(self, kind, **more):
        data = "event: %s\ndata: %s\n\n" % (kind, json.dumps({"type": kind, **more}, ensure_ascii=False))
        data = data.encode()
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))

    def stream(self, message):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.event("message_start", message={**message, "content": [], "stop_reason": None})
        self.event("ping")
        for index, block in enumerate(message["content"]):
            if block["type"] == "text":
                self.event("content_block_start", index=index, content_block={"type": "text", "text": ""})
                for part in (block["text"][:5], block["text"][5:]):
                    self.event("content_block_delta", index=index, delta={"type": "text_delta", "text": part})
            else:
                self.event("content_block_start", index=index, content_block={**block, "input": {}})
                written = json.dumps(block["input"], ensure_ascii=False)
                for part in (written[:4], written[4:]):
                    self.event("content_block_delta", index=index,
                               delta={"type": "input_json_delta", "partial_json": part})
            self.event("content_block_stop", index=index)
        self.event("message_delta", delta={"stop_reason": message["stop_reason"], "stop_sequence": None},
                   usage={"output_tokens": 7})
        self.event("message_stop")
        self.wfile.write(b"0\r\n\r\n")


class ScriptedAnthropic(ScriptedServer):
    """Runs from construction until `close`. `seen` holds (headers, body) of every call."""

    def __init__(self):
        super().__init__(Handler)
