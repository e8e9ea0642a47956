#!/usr/bin/env python3
"""Measures what clients of the server wait for: whole requests, one at a time where nothing else is said.

  tools/bench_http.py proxy [--turns 120] [--pause 0.3] [--items 100000] [--memory off] [--set embedding.provider=none]
      a growing chat of new texts through the proxy, each call beside the same call without it, over so many memories
  tools/bench_http.py session [--messages 10000] [--calls 200]
      POST /v1/sessions/{id}/context over a stored session, without an encoder
  tools/bench_http.py streams [--streams 500] [--tokens 50] [--gap 0.2]
      that many streamed answers through the proxy at the same time, from a model that sends a token at each gap
  tools/bench_http.py observe [--users 1000] [--calls 4000] [--clients 64] [--rest 0] [--set embedding.provider=none]
      calls of two messages by that many users, of whom each has an open topic, over that many connections at once,
      each of which rests so many seconds before a call

Prints one JSON object; times in milliseconds. WEFT_BINARY names the command, by default build/weft."""

import argparse
import asyncio
import concurrent.futures
import http.client
import json
import os
import random
import re
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

    def get(self, path):
        self.connection.request("GET", path)
        return self.connection.getresponse().read().decode()

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
            "p99": round(times[len(times) * 99 // 100], 2), "runs": len(times)}


def pending(client):
    """Jobs in the queue or at work."""
    counted = re.findall(r'weft_queue_jobs\{state="(?:pending|processing)"\} (\d+)', client.get("/metrics"))
    return sum(map(int, counted))


def fill(client, items, chance):
    """So many messages of the same user in other conversations, and a while for the background to come to rest."""
    for start in range(0, items, 100):
        client.post("/v1/sessions/old-%d/messages" % (start // 1000), {
            "messages": [{"role": "user" if i % 2 == 0 else "assistant", "content": sentence(chance)}
                         for i in range(start, min(start + 100, items))]}, **{"X-Weft-User": "ann"})
    while items and pending(client):
        time.sleep(1)


def bench_proxy(options):
    chance = random.Random(5)
    model = ScriptedOpenAI()
    with WeftServer(upstream=model.url, settings=options.set) as server:
        through, direct = Client(server.url), Client(model.url)
        fill(through, options.items, chance)
        history, added, bare = [], [], []
        for _ in range(options.turns):
            history.append({"role": "user", "content": sentence(chance)})
            body = {"model": "scripted", "messages": history}
            time.sleep(options.pause)
            _, without = direct.post("/v1/chat/completions", body)
            answer, took = through.post("/v1/chat/completions", body, **{"X-Weft-User": "ann", "X-Weft-Session": "s",
                                                                          "X-Weft-Memory": options.memory})
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


async def answer_slowly(reader, writer, options):
    """A model's server that sends a token at each gap, with the time it was sent."""
    length = 0
    while (line := await reader.readline()).strip():
        if line.lower().startswith(b"content-length:"):
            length = int(line.split(b":")[1])
    await reader.readexactly(length)
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
    for i in range(options.tokens):
        delta = {"choices": [{"index": 0, "delta": {"content": "%.6f " % time.perf_counter()},
                              "finish_reason": "stop" if i + 1 == options.tokens else None}]}
        writer.write(b"data: " + json.dumps(delta).encode() + b"\n\n")
        await writer.drain()
        await asyncio.sleep(options.gap)
    writer.write(b"data: [DONE]\n\n")
    await writer.drain()
    writer.close()


async def read_stream(port, number, options, late):
    """Whether the whole answer came; appends how late each token was, in milliseconds."""
    body = json.dumps({"model": "scripted", "stream": True,
                       "messages": [{"role": "user", "content": sentence(random.Random(number))}]}).encode()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nX-Weft-User: user-%d\r\n"
                 b"Content-Type: application/json\r\nConnection: close\r\nContent-Length: %d\r\n\r\n"
                 % (port, number, len(body)) + body)
    tokens, done = 0, False
    while line := await reader.readline():
        if stamp := re.search(rb'"content": ?"([0-9.]+) "', line):
            late.append(1000 * (time.perf_counter() - float(stamp[1])))
            tokens += 1
        done = done or b"[DONE]" in line
    writer.close()
    return done and tokens == options.tokens


async def run_streams(options, start_server):
    model = await asyncio.start_server(lambda r, w: answer_slowly(r, w, options), "127.0.0.1", 0, backlog=4096)
    with start_server("http://127.0.0.1:%d/v1" % model.sockets[0].getsockname()[1]) as server:
        late = []
        began = time.perf_counter()
        port = urllib.parse.urlparse(server.url).port
        whole = await asyncio.gather(*(read_stream(port, i, options, late) for i in range(options.streams)))
        took = time.perf_counter() - began
        with open("/proc/%d/status" % server.process.pid) as status:
            peak = int(re.search(r"VmHWM:\s+(\d+)", status.read())[1]) // 1024
    return {"streams": options.streams, "whole": sum(whole), "seconds": round(took, 1),
            "model_seconds": round(options.tokens * options.gap, 1), "token_late": summary(late), "peak_mb": peak}


def bench_streams(options):
    return asyncio.run(run_streams(options, lambda url: WeftServer(upstream=url, settings=options.set)))


def bench_observe(options):
    with WeftServer(settings=("server.max_connections=%d" % (options.clients + 16), *options.set)) as server:
        def calls(first, end):
            def work(own):
                client, chance = Client(server.url), random.Random(own)
                times = []
                for i in range(first + own, end, options.clients):
                    time.sleep(options.rest)
                    _, took = client.post("/v1/sessions/s/messages",
                                          {"messages": [{"role": "user", "content": sentence(chance)},
                                                        {"role": "assistant", "content": sentence(chance)}]},
                                          **{"X-Weft-User": "user%d" % (i % options.users)})
                    times.append(took)
                return times

            start = time.perf_counter()
            with concurrent.futures.ThreadPoolExecutor(options.clients) as pool:
                times = [took for some in pool.map(work, range(options.clients)) for took in some]
            return {"messages_per_second": round(2 * (end - first) / (time.perf_counter() - start)), "call": summary(times)}

        begun = calls(0, options.users)
        time.sleep(options.pause)
        return {"first_call_of_each_user": begun, "later_calls": calls(options.users, options.users + options.calls)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["proxy", "session", "streams", "observe"])
    parser.add_argument("--turns", type=int, default=120)
    parser.add_argument("--pause", type=float, default=0.3, help="seconds between two turns")
    parser.add_argument("--items", type=int, default=0, help="messages that the user has said before")
    parser.add_argument("--memory", default="on", help="what the calls say in X-Weft-Memory")
    parser.add_argument("--streams", type=int, default=500)
    parser.add_argument("--tokens", type=int, default=50, help="of each stream")
    parser.add_argument("--gap", type=float, default=0.2, help="seconds between two tokens")
    parser.add_argument("--messages", type=int, default=10000)
    parser.add_argument("--calls", type=int, default=200)
    parser.add_argument("--settle", type=float, default=60, help="seconds between the last message and the first call")
    parser.add_argument("--users", type=int, default=1000)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--rest", type=float, default=0, help="seconds before each call of a client")
    parser.add_argument("--set", action="append", default=[], help="a setting of the server")
    options = parser.parse_args()
    bench = {"proxy": bench_proxy, "session": bench_session, "streams": bench_streams, "observe": bench_observe}[options.what]
    print(json.dumps(bench(options)))


if __name__ == "__main__":
    main()
