#!/usr/bin/env python3
"""Plays the circle with nothing but chat calls: a chat client uses tools through the proxy, its user says what is wrong
and what is right, and Weft makes a rule of it. The client calls nothing else, and never says that a task has ended."""

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
import urllib.request

import model
import play



class Chat:
    """A chat client: it resends the whole talk with each call, and runs the tools that the model asks for."""

    def __init__(self, url, folder):
        self.url, self.folder, self.talks = url, folder, 0
        self.tools = [{"type": "function", "function": {"name": name, "parameters": {"type": "object"}}}
                      for name in ("minutes_fetch", "publisher_rules", "minutes_publish")]

    def ask(self, path, body=None, session=""):
        headers = {"Content-Type": "application/json", "X-Weft-User": "ann", "X-Weft-Session": session}
        data = json.dumps(body).encode() if body else None
        request = urllib.request.Request(self.url + path, data, headers)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

    def say(self, talk, session):
        body = {"model": "recorded", "messages": talk, "tools": self.tools}
        talk.append(self.ask("/v1/chat/completions", body, session)["choices"][0]["message"])
        return talk[-1]

    def run_tool(self, call):
        what = {"minutes_fetch": "fetch", "publisher_rules": "rules", "minutes_publish": "publish"}
        done = subprocess.run([sys.executable, os.path.join(play.HERE, "tools.py"), what[call["function"]["name"]]],
                              input=call["function"]["arguments"], cwd=self.folder, capture_output=True, text=True)
        return {"role": "tool", "tool_call_id": call["id"], "content": done.stdout.strip()}

    def task(self, club):
        """A talk of its own: the request, the work, and the user's word. Gives whether the minutes are on the site."""
        with open(os.path.join(self.folder, "archive", club + ".json"), "w", encoding="utf-8") as file:
            json.dump({"needs": 1, "minutes": "The %s met on Monday and elected a board." % club}, file)
        self.talks += 1
        session, talk = "talk-%d" % self.talks, [{"role": "user", "content": model.TASK + club}]
        while self.say(talk, session).get("tool_calls"):
            talk += [self.run_tool(call) for call in talk[-1]["tool_calls"]]
        done = os.path.exists(os.path.join(self.folder, "site", club.replace(" ", "-") + ".html"))
        print("  %-24s %s" % (club, talk[-1]["content"].split(". ")[0]), flush=True)
        talk.append({"role": "user", "content": model.PRAISE if done else model.COMPLAINT})
        self.say(talk, session)
        self.wait(lambda: len(self.ask("/v1/reflections?limit=100")["reflections"]) == self.talks)
        return done

    @staticmethod
    def wait(until):
        end = time.monotonic() + 60
        while not until():
            if time.monotonic() > end:
                sys.exit("the server has not learnt from the task within a minute")
            time.sleep(0.1)

    def rule(self):
        """The rule that most tasks bear out, and its uses; none yet: it is no rule."""
        rules = self.ask("/v1/rules?limit=100")["rules"]
        return max(rules, key=lambda one: len(one.get("learned_from", []))) if rules else None


def circle(chat):
    names = play.clubs()
    play.say("1  Five tasks of one day fail in the same way, and the user says so.")
    while chat.rule() is None or chat.rule()["stage"] == "candidate":
        chat.task(next(names))
    print("\n  a rule on trial: " + chat.rule()["strategy"])
    play.say("2  The prompts of tasks like these contain the rule. They succeed, and the user says so.")
    while chat.rule()["stage"] == "probation":
        chat.task(next(names))
    rule = chat.rule()
    print("\n  the rule is %s: %s" % (rule["stage"], rule["note"]))
    return rule["stage"] == "active"


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("workspace", help="a folder that is not there yet")
    options.add_argument("--weft", default=os.environ.get("WEFT_BINARY"), help="the command")
    chosen = options.parse_args()
    command = chosen.weft or shutil.which("weft") or shutil.which(play.BUILT)
    if not command:
        options.error("there is no weft on the path and none in build/: `make build` makes it, or name it by --weft")
    folder = os.path.join(os.path.abspath(chosen.workspace), "work")
    os.makedirs(os.path.join(folder, "archive"))
    recorded = model.serve()
    server = subprocess.Popen([command, "serve", "--workspace", chosen.workspace, "--port", "0", "--upstream",
                               recorded.url, "--set", "embedding.provider=none", "--log", "error"],
                              stdout=subprocess.PIPE, text=True)
    try:
        ready = json.loads(server.stdout.readline())
        return 0 if circle(Chat(ready["listening"], folder)) else 1
    finally:
        server.terminate()
        server.wait(timeout=30)
        recorded.shutdown()


if __name__ == "__main__":
    sys.exit(main())
