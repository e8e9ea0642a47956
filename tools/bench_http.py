#!/usr/bin/env python3
"""Measures what clients of the server wait for: whole requests, one at a time.

  tools/bench_http.py proxy [--turns 120] [--pause 0.3] [--set embedding.provider=none]
      a growing chat of new texts through the proxy, each call beside the same call without it
  tools/bench_http.py session [--messages 10000] [--calls 200]
      POST /v1/sessions/{id}/context over a stored session, without an encoder

Prints one JSON object; times in milliseconds. WEFT_BINARY names the command, by default build/weft."""

import argparse
import http.client
import json
import os
import random
import sys
import time
import urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../tests/e2e"))

from scripted_openai import ScriptedOpenAI  # noqa: E402
from weft_server import WeftServer  # noqa: E402

WORDS = """river table green sister meeting budget garden yellow travel hotel walking doctor summer camera letter window
coffee planet silver basket morning ticket pepper market bottle winter forest engine thunder lantern orange violin museum
blanket copper island pocket saddle harbour carpet mirror pencil candle bridge button kitchen ladder meadow needle""".split()


def sentence(chance, least=8, most=30):
    return " ".join(chance.choice(WORDS) for _ in range(chance.randint(least, most))) + "."


class Client:
    def __init__(self, url):
        self.connection = http.client.HTTPConnection(urllib.parse.urlparse(url).netloc)

    def post(self, path, body, **headers):
        """The answer and how long it took."""
        data = json.dumps(body)
        start = time.perf_counter()
        self.connection.request("POST", path, data, {"Content-Type": "application/json", **headers})
        answer = self.connection.getresponse()
        text = answer.read()
        took = (time.perf_counter() - start) * 1000
        if answer.status != 200:
            sys.exit("%s answers %d: %s" % (path, answer.status, text.decode()))
        return json.loads(text), took


def summary(times):
    times = sorted(times)
    return {"p50": round(times[len(times) // 2], 2), "p95": round(times[len(times) * 95 // 100], 2),
            "runs": len(times)}


def bench_proxy(options):
    chance = random.Random(5)
    model = ScriptedOpenAI()
    with WeftServer(upstream=model.url, settings=options.set) as server:
        through, direct = Client(server.url), Client(model.url)
        history, added, bare = [], [], []
        for _ in range(options.turns):
            history.append({"role": "user", "content": sentence(chance)})
            body = {"model": "scripted", "messages": history}
            time.sleep(options.pause)
            _, without = direct.post("/v1/chat/completions", body)
            answer, took = through.post("/v1/chat/completions", body, **{"X-Weft-User": "ann", "X-Weft-Session": "s"})
            added.append(took - without)
            bare.append(without)
            history.append({"role": "assistant", "content": answer["choices"][0]["message"]["content"]})
    model.close()
    return {"added": summary(added), "without": summary(bare)}


def bench_session(options):
    chance = random.Random(7)
    with WeftServer(settings=["embedding.provider=none", *options.set]) as server:
        client = Client(server.url)
        path = "/v1/sessions/long/messages"
        for start in range(0, options.messages, 100):
            client.post(path, {"messages": [{"role": "user" if i % 2 == 0 else "assistant", "content": sentence(chance)}
                                            for i in range(start, min(start + 100, options.messages))]}, **{"X-Weft-User": "ann"})
        time.sleep(options.settle)
        times = []
        for _ in range(options.calls):
            _, took = client.post("/v1/sessions/long/context", {"input": sentence(chance)}, **{"X-Weft-User": "ann"})
            times.append(took)
    return {"messages": options.messages, "context": summary(times), "first": round(times[0], 2)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["proxy", "session"])
    parser.add_argument("--turns", type=int, default=120)
    parser.add_argument("--pause", type=float, default=0.3, help="seconds between two turns")
    parser.add_argument("--messages", type=int, default=10000)
    parser.add_argument("--calls", type=int, default=200)
    parser.add_argument("--settle", type=float, default=60, help="seconds between the last message and the first call")
    parser.add_argument("--set", action="append", default=[], help="a setting of the server")
    options = parser.parse_args()
    print(json.dumps(bench_proxy(options) if options.what == "proxy" else bench_session(options)))


if __name__ == "__main__":
    main()
