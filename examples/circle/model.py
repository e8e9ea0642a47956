"""The recorded model of this example: an OpenAI-compatible server that answers as a small model answered once. What it
does depends on what stands in its prompt and on nothing else, so it does better only where Weft tells it more."""

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TASK = "Publish the minutes of the "
PRAISE, COMPLAINT = "Perfect, thank you!", "That is wrong, the minutes are not on the site."


def text_of(message):
    content = message.get("content") or ""
    return content if isinstance(content, str) else " ".join(part.get("text", "") for part in content)


def says(text):
    return {"role": "assistant", "content": text}


def calls(name, **arguments):
    return {"role": "assistant", "content": None, "tool_calls": [
        {"id": "call_1", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}]}


def final_answer(club, prompt):
    if "Keep answers short" in prompt:
        return "The minutes of the %s are on the site." % club
    return ("The minutes of the %s are on the site. They were fetched from the archive of the town. The publisher took "
            "them as a page. Nothing in them was changed. Their date stands at the top. Everybody can read them now."
            % club)


def work(body):
    """The next step of a run: from the task, what was learnt, and what the tools have answered so far."""
    messages = body["messages"]
    prompt = "\n".join(text_of(one) for one in messages)
    club = re.findall(re.escape(TASK) + r"([a-z ]+)", prompt)[-1].strip()
    done = [text_of(one) for one in messages if one["role"] == "tool"]
    if club == "shareholders":
        if not done:
            return calls("human_ask", question="Shall the names of those present stay in the minutes?",
                         choices=["they stay", "they go"])
        done = done[1:]
    told = "".join(part for _, part in re.findall(r"<(strategy_rules\w*|skills)>(.*?)</\1>", prompt, flags=re.S))
    if not done:
        attempts = re.search(r"attempts = (\d+)", told)
        return calls("minutes_fetch", club=club, attempts=int(attempts.group(1)) if attempts else 1)
    if "did not answer" in done[0]:
        return says("The archive did not answer, so the minutes of the %s are not on the site." % club)
    if "Read what minutes_publish takes" in told or "publisher_rules" in told:
        if len(done) == 1:
            return calls("publisher_rules")
        if len(done) == 2:
            return calls("minutes_publish", club=club, format="html", text=done[0])
        return says(final_answer(club, prompt))
    if len(done) < 3:
        return calls("minutes_publish", club=club, format=["pdf", "doc"][len(done) - 1], text=done[0])
    return says("The minutes of the %s could not be published." % club)


def propose(body):
    """A change of a skill: more attempts."""
    skill = json.loads(text_of(body["messages"][-1]))["current_skill"]
    steps = [{"action": one["action"], "details": one.get("details", "").replace("attempts = 1", "attempts = 3"),
              "tools": one.get("tools", [])} for one in skill["steps"]]
    return says(json.dumps({"proposals": [{
        "change": "Ask the archive up to three times", "reason": "it answers late now and then", "steps": steps,
        "risk": "a fetch takes longer", "validation": "more minutes get onto the site"}]}))


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        prompt = "\n".join(text_of(one) for one in body["messages"])
        if text_of(body["messages"][-1]).endswith((PRAISE, COMPLAINT)):
            return self.reply(200, says("I see."))
        if body.get("tools") and TASK in prompt:
            return self.reply(200, work(body))
        if "You improve the procedures of an agent" in prompt:
            return self.reply(200, propose(body))
        # Nothing else was recorded. Weft does without.
        self.reply(400, None)

    def reply(self, status, message):
        answer = {"id": "c", "object": "chat.completion", "created": 1, "model": "recorded",
                  "choices": [{"index": 0, "message": message,
                               "finish_reason": "tool_calls" if message and message.get("tool_calls") else "stop"}],
                  "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}}
        if status != 200:
            answer = {"error": {"message": "this was not recorded", "type": "recorded"}}
        data = json.dumps(answer).encode()
        try:
            self.send(status, data)
        except BrokenPipeError:
            pass  # whoever asked does not wait any more

    def send(self, status, data):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def serve():
    """The running server; its address is `url`."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.url = "http://127.0.0.1:%d/v1" % server.server_port
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server
