#!/usr/bin/env python3
"""Plays the whole circle with the command `weft`: what fails is reflected, what reflections agree on becomes a rule, what
keeps succeeding a skill, a change of the skill that does better takes its place, and the user is listened to."""

import argparse
import datetime
import json
import os
import shutil
import subprocess
import sys

import model

HERE = os.path.dirname(os.path.abspath(__file__))
BUILT = os.path.join(HERE, os.pardir, os.pardir, "build", "weft")
TASK = model.TASK
TOML = """[models.recorded]
url = "%s"
model = "recorded"
window = 65536
[roles]
main = "recorded"
[embedding]
provider = "none"
"""
CLUBS = ["chess club", "choir", "garden club", "rowing club", "film club", "theatre group", "fire brigade",
         "walking group", "bee keepers", "brass band", "sailing club", "reading circle", "cycling club", "ski club"]
TOWNS = ["north", "south", "east", "west"]
SHORTENED = "The minutes of the %s are on the site."


class Circle:
    def __init__(self, weft, workspace, url):
        self.weft_path, self.workspace = weft, workspace
        os.makedirs(os.path.join(workspace, "work", "archive"))
        with open(os.path.join(workspace, "weft.toml"), "w", encoding="utf-8") as file:
            file.write(TOML % url)
        self.write("tools.json", json.dumps({"names": ["human_ask"], "commands": [
            self.tool("minutes_fetch", "fetch", "The minutes of a club, from the archive.",
                      {"club": "string", "attempts": "integer"}),
            self.tool("publisher_rules", "rules", "What minutes_publish takes.", {}),
            self.tool("minutes_publish", "publish", "Puts minutes onto the site.",
                      {"club": "string", "text": "string", "format": "string"})]}))

    @staticmethod
    def tool(name, what, description, arguments):
        schema = {"type": "object", "properties": {one: {"type": kind} for one, kind in arguments.items()}}
        return {"name": name, "description": description, "parameters": schema,
                "effects": "some" if what == "publish" else "none",
                "command": [sys.executable, os.path.join(HERE, "tools.py"), what]}

    def path(self, name):
        return os.path.join(self.workspace, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def weft(self, *arguments, show=True):
        """Runs the command and gives what it prints; shown as a person would type it."""
        if show:
            print("$ weft " + " ".join('"%s"' % one if " " in one else one for one in arguments), flush=True)
        done = subprocess.run([self.weft_path, "--workspace", self.workspace, "-u", "ann", "--log", "error", *arguments],
                              capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL)
        if done.returncode != 0:
            sys.exit("weft %s failed: %s%s" % (" ".join(arguments), done.stdout, done.stderr))
        if show:
            print(done.stdout, flush=True)
        return done.stdout

    def json(self, *arguments):
        return json.loads(self.weft("--json", *arguments, show=False))

    def skills(self):
        return [json.loads(line) for line in self.weft("--json", "skill", "list", show=False).splitlines()]

    def run(self, club, needs=1, verify=True, show=False):
        """A run of the agent. `needs`: attempts until the archive answers. Gives the run as it stands at its end."""
        self.write(os.path.join("work", "archive", club + ".json"),
                   json.dumps({"needs": needs, "minutes": "The %s met on Monday and elected a board." % club}))
        page = "site/%s.html" % club.replace(" ", "-")
        check = ["--verify", "test -s %s || { echo %s is missing; false; }" % (page, page)] if verify else []
        lines = self.weft("--json", "agent", "run", TASK + club, "--tools", self.path("tools.json"), *check, show=False)
        run = json.loads(lines.splitlines()[-1])["run"]
        if show:
            self.weft("agent", "show", run["id"])
        else:
            print("  %-28s %s" % (club, run["outcome"]), flush=True)
        return run


def say(text):
    print("\n── " + text + "\n", flush=True)


def earlier_report(club, days):
    """What a run of an earlier day left: the circle takes days, this play does not."""
    ended = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(days=days)
    step = {"tool": "minutes_publish", "failed": True}
    return {"id": "earlier-%d" % days, "run": "earlier-%d" % days, "session": "earlier-%d" % days, "task": TASK + club,
            "output": "The minutes could not be published.", "outcome": "failure", "outcome_by": "verifier",
            "ended": ended.strftime("%Y-%m-%dT%H:%M:%SZ"), "steps": [
                dict(step, number=1, arguments={"format": "pdf"}, output='error: invalid argument: format "pdf"'),
                dict(step, number=2, arguments={"format": "doc"}, output='error: invalid argument: format "doc"')]}


def clubs():
    for town in TOWNS:
        for club in CLUBS:
            yield "%s %s" % (town, club)


def play(circle):
    names = clubs()
    say("1  A task fails, and the failed step is reflected while the run still works (💡).")
    circle.run("village council", show=True)

    say("2  It failed like this the day before, and the day before that: three reflections make a rule, on trial.")
    for days, club in ((1, "harbour office"), (2, "school board")):
        report = circle.write("earlier-%d.json" % days, json.dumps(earlier_report(club, days)))
        circle.weft("reflect", "run", report)
    circle.weft("rule", "list")

    say("3  Tasks like it are told of the rule. Where no program can say how it went, the user does.")
    judged = circle.run(next(names), verify=False)
    circle.weft("reflect", "feedback", judged["id"], "Perfect, thank you!")
    for _ in range(4):
        circle.run(next(names))
    circle.weft("rule", "list")

    say("4  Three tasks succeeded in the same way: that became a skill, which is on trial, too.")
    circle.weft("skill", "list")
    shown = [circle.run(next(names)) for _ in range(8)]
    [skill] = circle.skills()
    # Before it becomes active, past tasks are played again with it and without it, while other commands work.
    for _ in range(10):
        if skill["stage"] == "active":
            break
        shown.append(circle.run(next(names)))
        [skill] = circle.skills()
    circle.weft("skill", "show", skill["skill_id"])

    say("5  A change of the skill is proposed, and tried against it. Meanwhile the archive has become slow.")
    circle.weft("mutation", "propose", skill["skill_id"])
    for number in range(60):
        if circle.json("mutation", "list")["mutations"][0]["stage"] != "testing":
            break
        circle.run(next(names, "far club %s" % chr(97 + number % 26)), needs=2 if number // 2 % 2 else 1)
    circle.weft("mutation", "list")
    circle.weft("skill", "diff", skill["skill_id"])

    say("6  The user makes answers shorter; from then on they are short.")
    for number, run in enumerate(shown[-3:]):
        after = circle.write("shortened-%d.txt" % number, SHORTENED % run["task"].removeprefix(TASK) + "\n")
        circle.weft("belief", "edit", after, "--report", run["id"])
    print(circle.run("lantern makers")["output"])

    say("7  What only a person knows is asked, and the run goes on with the answer.")
    asked = circle.run("shareholders")
    circle.weft("question", "list")
    circle.weft("agent", "answer", asked["id"], "they go")
    circle.weft("agent", "show", asked["id"])


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("workspace", help="a folder that is not there yet")
    options.add_argument("--weft", default=os.environ.get("WEFT_BINARY"), help="the command")
    chosen = options.parse_args()
    command = chosen.weft or shutil.which("weft") or shutil.which(BUILT)
    if not command:
        options.error("there is no weft on the path and none in build/: `make build` makes it, or name it by --weft")
    server = model.serve()
    try:
        play(Circle(command, os.path.abspath(chosen.workspace), server.url))
    finally:
        server.shutdown()


if __name__ == "__main__":
    main()
