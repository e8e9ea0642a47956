"""Kills a real server a hundred times while it is used, and compares what is left with an undisturbed run.

It is told messages, some of which change a state, ends of turns, changes of a state and compactions. What was answered must be there; what was not is
sent again, as a client would. At the end messages, events, narratives, the profile, the state, the days and the beliefs
must be those of a run that nobody killed. WEFT_KILLS=1000 does it a thousand times.
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
import urllib.error
import urllib.request

KILLS = int(os.environ.get("WEFT_KILLS", "100"))
WEFT = os.environ.get("WEFT_BINARY", "build/weft")

TOWNS = ["Graz", "Lyon", "Turku", "Sintra", "Bergen", "Trento", "Leuven", "Gijón", "Plzeň", "Cork"]
TRADES = ["glazier", "tanner", "cooper", "baker", "mason", "tiler", "roper", "miller", "weaver", "turner"]

TOPICS = ["garden roses and tulips", "train tickets to Prague", "一只叫芝麻的猫和猫粮", "季度汇报的幻灯片", "chickpea stew with lemon", "database migration of orders"]


def conversation(turns):
    """Requests in order, (path, body[, method]): messages with ids and times, in topics of a few turns, some with tool calls; ends
    of turns, states and compactions between them."""
    requests, clock, count = [("/v1/state/default", {"state": {"town": {"name": "Weft", "visits": 0}}}, "PUT")], 0, 0
    for turn in range(turns):
        topic = TOPICS[turn // 4 % len(TOPICS)]
        clock += 1

        def add(role, text, **fields):
            nonlocal count
            requests.append(("/v1/sessions/days/messages",
                             {"id": f"m{count}", "role": role, "content": text,
                              "time": f"2026-03-{1 + clock // 1000:02d}T{clock // 60 % 24:02d}:{clock % 60:02d}:00+00:00",
                              **fields}))
            count += 1

        add("user", f"question {turn} on {topic}" + (". Please keep your answers short." if turn % 6 == 2 else ""))
        if turn % 5 == 0:
            call = {"id": f"c{turn}", "type": "function", "function": {"name": "look_up", "arguments": "{}"}}
            add("assistant", "", tool_calls=[call])
            add("tool", f"found {turn}", tool_call_id=f"c{turn}")
        change = '\n```state\n[["ADD","town.visits",1]]\n```' if turn % 3 == 1 else ""
        add("assistant", f"answer {turn} on {topic}{change}")
        if turn % 11 == 10:
            requests.append(("/v1/sessions/days/messages", {"role": "user", "content": "/save"}))
        # A message gives one new information: sent again it is refused, so that it counts once.
        if turn % 9 == 4:
            fact = f"My friend number {turn} is a {TRADES[turn // 9 % 10]} in {TOWNS[turn // 18 % 10]}."
            requests.append(("/v1/sessions/days/end", {"new_info": fact, "request_id": f"r{turn}", "message_ids": [f"m{count - 1}"],
                                                      "time": "2026-03-02T08:00:00+00:00"}))
        if turn % 7 == 3:
            requests.append(("/v1/state/default", {"operations": [["SET", f"town.n{turn}", turn]]}))
        if turn % 40 == 39:
            requests.append(("/v1/sessions/days/compact", {}))
    return requests


class Server:
    def __init__(self, workspace):
        self.process = subprocess.Popen(
            [WEFT, "--workspace", workspace, "--set", "embedding.provider=none", "--set", "stream.idle_minutes=100000",
             "--set", "compaction.promote=hold", "--set", "memory.daily_days=0", "serve", "--port", "0"],
            stdout=subprocess.PIPE, stderr=sys.stderr)
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"weft serve did not start: exit {self.process.wait()}")
        self.url = json.loads(line)["listening"]

    def call(self, path, body=None, method=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data=data, method=method, headers={"Content-Type": "application/json", "X-Weft-User": "ann"})
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
        status = server.call("/healthz")
        queue, unread = status["queue"], sum(reader["entries"] for reader in status["readers"])
        if status["waiting_blocks"] == queue["pending"] == queue["processing"] == unread == 0:
            break
        time.sleep(0.01)
    kept = {}
    for kind in ("message", "event", "narrative"):
        items = server.call(f"/v1/items?kind={kind}&limit=10000")["items"]
        kept[kind] = sorted((item["id"], item["text"], item["time"], tuple(item["sources"])) for item in items)
    profile = server.call("/v1/profiles/user/ann")["body"]
    kept["profile"] = sorted(line for line in profile.splitlines() if line.startswith("- "))
    days = [server.call("/v1/days/" + day["date"])["text"] for day in server.call("/v1/days?limit=1000")["days"]]
    kept["day line"] = sorted(line for day in days for line in day.splitlines() if line.startswith("- "))
    kept["belief"] = sorted((one["dimension"], one["value"], one["evidence_count"], one.get("contradictions", 0))
                             for one in server.call("/v1/beliefs")["beliefs"])
    kept["state"] = sorted(server.call("/v1/state/default")["state"].get("town", {}).items())
    return kept


def send(server, request):
    """Sends it; that it was done before, or that there is nothing to put in short, is an answer too."""
    try:
        server.call(*request)
    except urllib.error.HTTPError as error:
        if error.code != 409:
            raise


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
        except urllib.error.HTTPError:
            raise
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
    messages = conversation(turns=max(150, KILLS + 50))
    folder = tempfile.mkdtemp(prefix="weft-kill-")
    try:
        expected = undisturbed(messages, os.path.join(folder, "undisturbed"))
        found, kills, reached = killed(messages, os.path.join(folder, "killed"))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{kills} kills, {len(messages)} requests, " + ", ".join(f"{len(v)} {k}s" for k, v in found.items()))
    assert kills == KILLS and reached > len(messages) // 2, f"{kills} kills within the first {reached} requests"
    for kind in expected:
        assert len(found[kind]) == len(expected[kind]), f"{kind}: {len(found[kind])}, not {len(expected[kind])}"
        missing = [row for row in expected[kind] if row not in found[kind]]
        extra = [row for row in found[kind] if row not in expected[kind]]
        assert not missing and not extra, f"{kind}: missing {missing[:2]}, extra {extra[:2]}"
    print("PF_9 ST_15 CM_3: as in the run that nobody killed")


if __name__ == "__main__":
    main()
