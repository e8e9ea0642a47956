"""Measures what the proxy adds to a call: the time of a turn through it less that of the same call straight to the model.

    python3 tests/measure/proxy_addition.py MESSAGES.jsonl [TURNS]

The turns are the first messages of a file of the recall data, each said once by one user in one chat; the recorded
model answers at once. Prints milliseconds as JSON. Wants an idle machine."""

import json
import os
import sys
import time
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../scenarios"))

from scenario import Scenario  # noqa: E402

PAUSE = 0.3  # seconds between two turns: people do not type faster, and the background comes to rest


class Turns(Scenario):
    settings = ("log.level=error",)

    def runTest(self):
        pass


def post(url, body):
    request = urllib.request.Request(url, data=json.dumps(body).encode(), method="POST",
                                     headers={"Content-Type": "application/json", "X-Weft-User": "ann"})
    begin = time.perf_counter()
    with urllib.request.urlopen(request, timeout=60) as answer:
        reply = json.load(answer)
    return 1000 * (time.perf_counter() - begin), reply["choices"][0]["message"]["content"]


def main():
    turns = int(sys.argv[2]) if len(sys.argv) > 2 else 120
    with open(sys.argv[1], encoding="utf-8") as file:
        texts = [json.loads(line)["text"] for line in file][:turns]
    Turns.setUpClass()
    try:
        history, added = [], []
        for text in texts:
            history.append({"role": "user", "content": text})
            body = {"model": "scripted", "messages": history}
            direct, _ = post(Turns.model.url + "/chat/completions", body)
            through, reply = post(Turns.server.url + "/v1/chat/completions", body)
            added.append(through - direct)
            history.append({"role": "assistant", "content": reply})
            time.sleep(PAUSE)
        added.sort()
        print(json.dumps({"turns": len(added), "p50": round(added[len(added) // 2], 1),
                          "p95": round(added[len(added) * 95 // 100], 1),
                          "characters": round(sum(map(len, texts)) / len(texts))}))
    finally:
        Turns.tearDownClass()


main()
