"""A model's server that speaks OpenAI's Responses API, for tests: it answers what was said or calls a tool, and keeps
responses and conversations, so that a call may go on from one."""

import json
import time
from http.server import BaseHTTPRequestHandler
from itertools import count

from scripted_openai import last_user_text
from scripted_server import ScriptedServer

numbers = count(1)


def as_items(given):
    return [{"type": "message", "role": "user", "content": given}] if isinstance(given, str) else list(given)


def text_of(item):
    content = item.get("content") or ""
    return content if isinstance(content, str) else " ".join(part.get("text", "") for part in content)


def answer_to(items, tools):
    """The items of an answer, without ids."""
    last = items[-1]
    if last.get("type") == "function_call_output":
        said = last["output"] if isinstance(last["output"], str) else text_of({"content": last["output"]})
        return [{"type": "message", "text": "The tool says: " + said}]
    messages = [{"role": item.get("role", ""), "content": text_of(item)} for item in items if item.get("role")]
    text = last_user_text(messages)
    if tools and ("weather" in text or "天气" in text):
        return [{"type": "reasoning", "text": "I look."},
                {"type": "function_call", "name": "get_weather", "arguments": '{"city": "杭州"}'}]
    return [{"type": "message", "text": "You said: " + text}]


def made(item, response, place):
    """An item as it stands in a response."""
    name = "%s_%d" % (response[len("resp_"):], place)
    if item["type"] == "reasoning":
        return {"type": "reasoning", "id": "rs_" + name, "summary": [{"type": "summary_text", "text": item["text"]}]}
    if item["type"] == "function_call":
        return {"type": "function_call", "id": "fc_" + name, "call_id": "call_" + name, "name": item["name"],
                "arguments": item["arguments"], "status": "completed"}
    return {"type": "message", "id": "msg_" + name, "role": "assistant", "status": "completed",
            "content": [{"type": "output_text", "text": item["text"], "annotations": []}]}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def reply(self, status, value):
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def refuse(self, status, message, code, param=None):
        self.reply(status, {"error": {"message": message, "type": "invalid_request_error", "param": param,
                                      "code": code}})

    def kept(self):
        return self.server.kept.get(self.path.split("?")[0].split("/")[3])

    def do_GET(self):
        self.server.paths.append("GET " + self.path)
        if self.path.startswith("/v1/models"):
            return self.reply(200, {"object": "list", "data": [{"id": "scripted", "object": "model"}]})
        found = self.kept()
        if not found:
            return self.refuse(404, "Response not found.", "response_not_found")
        if found["response"]["status"] == "queued":
            found["response"]["status"] = "completed"
        if self.path.split("?")[0].endswith("/input_items"):
            return self.reply(200, {"object": "list", "data": found["input"], "has_more": False,
                                    "first_id": None, "last_id": None})
        self.reply(200, found["response"])

    def do_DELETE(self):
        self.server.paths.append("DELETE " + self.path)
        found = self.kept()
        if found:
            del self.server.kept[found["response"]["id"]]
        self.reply(200, {"id": self.path.split("/")[3], "object": "response", "deleted": bool(found)})

    def do_POST(self):
        self.server.paths.append("POST " + self.path)
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
        if self.path.endswith("/cancel"):
            return self.reply(200, {**self.kept()["response"], "status": "cancelled"})
        if self.path == "/v1/conversations":
            name = "conv_%d" % next(numbers)
            self.server.conversations[name] = []
            return self.reply(200, {"id": name, "object": "conversation", "created_at": 1, "metadata": {}})
        self.server.seen.append((dict(self.headers.items()), body))
        if body["model"] == "missing":
            return self.refuse(404, "The model does not exist", "model_not_found")
        before = []
        if body.get("previous_response_id"):
            found = self.server.kept.get(body["previous_response_id"])
            if not found:
                return self.refuse(400, "Previous response with id '%s' not found." % body["previous_response_id"],
                                   "previous_response_not_found", "previous_response_id")
            before = found["whole"]
        conversation = body.get("conversation")
        if conversation:
            conversation = conversation if isinstance(conversation, str) else conversation["id"]
            before = self.server.conversations[conversation]
        given = as_items(body["input"])
        for item in given:
            if item.get("type", "message") == "message" and item.get("role") not in ("user", "assistant", "developer",
                                                                                    "system"):
                return self.refuse(400, "role", "invalid_value", "input")
            parts = item.get("content") if isinstance(item.get("content"), list) else []
            if any(part["type"] not in ("input_text", "input_image", "output_text", "refusal") for part in parts):
                return self.refuse(400, "Invalid value: '%s'" % parts[0]["type"], "invalid_value", "input")
        name = "resp_%d" % next(numbers)
        items = before + given
        self.server.contexts.append([body.get("instructions") or ""] + [json.dumps(item, ensure_ascii=False) for item in items])
        output = [made(item, name, place) for place, item in enumerate(answer_to(items, body.get("tools")))]
        status = "queued" if body.get("background") else "completed"
        response = {"id": name, "object": "response", "created_at": 1, "status": status, "error": None,
                    "incomplete_details": None, "instructions": body.get("instructions"), "metadata": {},
                    "model": body["model"], "output": output, "parallel_tool_calls": True, "temperature": 1.0,
                    "tool_choice": "auto", "tools": body.get("tools", []), "top_p": 1.0,
                    "previous_response_id": body.get("previous_response_id"),
                    "usage": {"input_tokens": 5, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 7,
                              "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 12}}
        if body.get("store", True):
            self.server.kept[name] = {"response": response, "input": given, "whole": items + output}
        if conversation:
            self.server.conversations[conversation] = items + output
        text = text_of(given[-1])
        if body.get("stream"):
            return self.stream(response, "break off" in text, "slowly" in text)
        answered = {**response, "output": []} if status == "queued" else response
        self.reply(200, answered)

    def event(self, kind, **more):
        data = {"type": kind, "sequence_number": self.number, **more}
        self.number += 1
        self.wfile.write(("event: %s\ndata: %s\n\n" % (kind, json.dumps(data, ensure_ascii=False))).encode())
        self.wfile.flush()

    def stream(self, response, breaks_off, slow):
        self.number = 0
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        running = {**response, "status": "in_progress", "output": [], "usage": None}
        try:
            self.event("response.created", response=running)
            self.event("response.in_progress", response=running)
            for place, item in enumerate(response["output"]):
                if not self.stream_item(place, item, breaks_off, slow):
                    return
            self.event("response.completed", response=response)
        except (BrokenPipeError, ConnectionResetError):
            self.server.left.set()

    def stream_item(self, place, item, breaks_off, slow):
        if item["type"] == "function_call":
            self.event("response.output_item.added", output_index=place, item={**item, "arguments": ""})
            self.event("response.function_call_arguments.delta", output_index=place, item_id=item["id"],
                       delta=item["arguments"])
            self.event("response.function_call_arguments.done", output_index=place, item_id=item["id"],
                       name=item["name"], arguments=item["arguments"])
        elif item["type"] == "message":
            text = item["content"][0]["text"]
            self.event("response.output_item.added", output_index=place,
                       item={**item, "content": [], "status": "in_progress"})
            at = {"output_index": place, "content_index": 0, "item_id": item["id"]}
            self.event("response.content_part.added", **at, part={**item["content"][0], "text": ""})
            for begin in range(0, len(text), 3):
                for _ in range(200 if slow else 1):
                    self.event("response.output_text.delta", **at, delta=text[begin:begin + 3], logprobs=[])
                    if breaks_off:
                        return False
                    if slow:
                        time.sleep(0.02)
            self.event("response.output_text.done", **at, text=text, logprobs=[])
            self.event("response.content_part.done", **at, part=item["content"][0])
        else:
            self.event("response.output_item.added", output_index=place, item=item)
        self.event("response.output_item.done", output_index=place, item=item)
        return True


class ScriptedResponses(ScriptedServer):
    """Runs from construction until `close`. `seen` holds (headers, body) of every call, `contexts` all that the model
    read for it: the instructions and each item, also those that the server kept; `paths` what was asked for."""

    def __init__(self):
        super().__init__(Handler, paths=[], contexts=[], kept={}, conversations={})

    @property
    def contexts(self):
        return self.server.contexts

    @property
    def paths(self):
        return self.server.paths
