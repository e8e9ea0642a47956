"""Kills a real server a hundred times while messages go in, and compares what is left with an undisturbed run.

A message whose request was answered must be there; one whose request was not is sent again, as a client would.
At the end events, narratives and messages must be those of a run that nobody killed.
"""

import http.client
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

KILLS = int(os.environ.get("WEFT_KILLS", "100"))
WEFT = os.environ.get("WEFT_BINARY", "build/weft")

TOPICS = ["garden roses and tulips", "train tickets to Prague", "一只叫芝麻的猫和猫粮", "季度汇报的幻灯片", "chickpea stew with lemon", "database migration of orders"]


def conversation(turns):
    """Messages with ids and times, in topics of a few turns, some with tool calls."""
    messages, clock = [], 0
    for turn in range(turns):
        topic = TOPICS[turn // 4 % len(TOPICS)]
        clock += 1

        def add(role, text, **fields):
            messages.append({"id": f"m{len(messages)}", "role": role, "content": text,
                             "time": f"2026-03-{1 + clock // 1000:02d}T{clock // 60 % 24:02d}:{clock % 60:02d}:00+00:00", **fields})

        add("user", f"question {turn} on {topic}")
        if turn % 5 == 0:
            call = {"id": f"c{turn}", "type": "function", "function": {"name": "look_up", "arguments": "{}"}}
            add("assistant", "", tool_calls=[call])
            add("tool", f"found {turn}", tool_call_id=f"c{turn}")
        add("assistant", f"answer {turn} on {topic}")
        if turn % 11 == 10:
            messages.append({"role": "user", "content": "/save"})
    return messages


class Server:
    def __init__(self, workspace):
        self.process = subprocess.Popen(
            [WEFT, "--workspace", workspace, "--set", "embedding.provider=none", "--set", "stream.idle_minutes=100000", "serve", "--port", "0"],
            stdout=subprocess.PIPE, stderr=sys.stderr)
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"weft serve did not start: exit {self.process.wait()}")
        self.url = json.loads(line)["listening"]

    def call(self, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data=data, headers={"Content-Type": "application/json", "X-Weft-User": "ann"})
        with urllib.request.urlopen(request, timeout=20) as answer:
            return json.load(answer)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        if self.process.wait(timeout=20) != 0:
            raise SystemExit("weft serve did not end well")


def remembered(server):
    """Everything that was made of the messages, when the queue has run empty."""
    for _ in range(1000):
        queue = server.call("/healthz")["queue"]
        if queue["pending"] == queue["processing"] == 0:
            break
        time.sleep(0.01)
    kept = {}
    for kind in ("message", "event", "narrative"):
        items = server.call(f"/v1/items?kind={kind}&limit=1000")["items"]
        kept[kind] = sorted((item["id"], item["text"], item["time"], tuple(item["sources"])) for item in items)
    return kept


def send(server, message):
    server.call("/v1/sessions/days/messages", message)


def undisturbed(messages, workspace):
    server = Server(workspace)
    for message in messages:
        send(server, message)
    server.call("/v1/sessions/days/save", {})
    kept = remembered(server)
    server.stop()
    return kept


def killed(messages, workspace):
    """Sends the messages in as many lives as there are kills, each life a few messages long, and returns what is left."""
    random.seed(7)
    kills, next_message = 0, 0
    per_life = max(1, len(messages) // (KILLS + 1))
    while kills < KILLS:
        server = Server(workspace)
        last = next_message + random.randint(0, 2 * per_life - 1) if len(messages) - next_message > 2 * per_life else next_message
        try:
            while next_message < min(last, len(messages)):
                send(server, messages[next_message])
                next_message += 1
            # From before the next request arrives until after its answer, while the background works.
            threading.Timer(random.uniform(0.0, 0.006), server.process.kill).start()
            if next_message < len(messages):
                send(server, messages[next_message])
                next_message += 1
            server.process.wait(timeout=20)
        except (OSError, ValueError, http.client.HTTPException):
            pass
        server.kill()
        kills += 1
    # What is left of the kills, while the queue is being worked off.
    server = Server(workspace)
    for message in messages[next_message:]:
        send(server, message)
    server.call("/v1/sessions/days/save", {})
    server.kill()
    server = Server(workspace)
    kept = remembered(server)
    server.stop()
    return kept, kills, next_message


def main():
    messages = conversation(turns=150)
    folder = tempfile.mkdtemp(prefix="weft-kill-")
    try:
        expected = undisturbed(messages, os.path.join(folder, "undisturbed"))
        found, kills, reached = killed(messages, os.path.join(folder, "killed"))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{kills} kills, {len(messages)} messages, " + ", ".join(f"{len(v)} {k}s" for k, v in found.items()))
    assert kills == KILLS and reached > len(messages) // 2, f"{kills} kills within the first {reached} messages"
    for kind in expected:
        missing = [row for row in expected[kind] if row not in found[kind]]
        extra = [row for row in found[kind] if row not in expected[kind]]
        assert not missing and not extra, f"{kind}: missing {missing[:2]}, extra {extra[:2]}"
    print("PF_9 ST_15 CM_3: as in the run that nobody killed")


if __name__ == "__main__":
    main()
