#!/usr/bin/env python3
"""Runs of agents: AL-1 to AL-4. A scripted model drives the real program, which is killed, interrupted, asked and
answered as its users do it."""

import datetime
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from scenario import AGENT_TOML, Scenario, text_of
from scripted_openai import ScriptedOpenAI
from weft_server import binary

STEPS = 60
TOML = AGENT_TOML + '[agent]\npermissions = "file_write=ask"\n'
# It keeps its own log of the calls that reached it.
TOOL = """import json, os, sys
step = json.load(sys.stdin)["step"]
with open(%r, "a") as log:
    log.write("%%d %%s\\n" %% (step, os.environ.get("WEFT_TOOL_KEY", "")))
    log.flush()
    os.fsync(log.fileno())
print("did %%d" %% step)
"""


def answer(content=None, calls=()):
    made = [{"id": "call_1", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
            for name, arguments in calls]
    message = {"role": "assistant", "content": content, **({"tool_calls": made} if made else {})}
    return 200, {"id": "c", "object": "chat.completion", "created": 1, "model": "scripted",
                 "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls" if made else "stop"}],
                 "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}}


def outputs(body):
    return [text_of(message) for message in body["messages"] if message["role"] == "tool"]


def step_rule(body):
    """One step after the other, by what the newest output says."""
    if not body.get("tools"):
        return None
    done = outputs(body)
    step = int(re.findall(r"did (\d+)", done[-1])[-1]) + 1 if done else 1
    if step > STEPS:
        return answer("all %d steps are done" % STEPS)
    return answer(calls=[("step_read" if step % 2 else "step_keyed", {"step": step})])


class AgentCommand(unittest.TestCase):
    def setUp(self):
        self.model = ScriptedOpenAI()
        self.addCleanup(self.model.close)
        self.model.rules.append(step_rule)
        self.folder = tempfile.mkdtemp(prefix="weft-agent-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def workspace(self, name):
        place = os.path.join(self.folder, name)
        os.makedirs(place)
        log = os.path.join(place, "tool.log")
        schema = {"type": "object", "properties": {"step": {"type": "integer"}}, "required": ["step"]}
        with open(os.path.join(place, "weft.toml"), "w") as file:
            file.write(TOML.replace("{model}", self.model.url))
        with open(os.path.join(place, "tool.py"), "w") as file:
            file.write(TOOL % log)
        with open(os.path.join(place, "tools.json"), "w") as file:
            json.dump({"names": ["result_read"], "commands": [
                {"name": "step_read", "description": "reads", "parameters": schema, "effects": "none",
                 "command": [sys.executable, os.path.join(place, "tool.py")]},
                {"name": "step_keyed", "description": "writes", "parameters": schema, "effects": "keyed",
                 "command": [sys.executable, os.path.join(place, "tool.py")]}]}, file)
        return place

    def start(self, place, *arguments):
        return subprocess.Popen([binary(), "agent", *arguments, "--json", "--workspace", place],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def begin(self, place):
        return self.start(place, "run", "do the %d steps" % STEPS, "--tools", os.path.join(place, "tools.json"))

    def rest(self, process):
        out, complaint = process.communicate(timeout=240)
        lines = [json.loads(line) for line in out.splitlines()]
        self.assertTrue(lines and "run" in lines[-1], complaint)
        return lines[:-1], lines[-1]["run"]

    def run_id(self, place):
        names = [name for name in os.listdir(os.path.join(place, "agents")) if name.endswith(".jsonl")]
        self.assertEqual(len(names), 1)
        return names[0][:-len(".jsonl")]

    def events(self, place):
        with open(os.path.join(place, "agents", self.run_id(place) + ".jsonl")) as file:
            lines = file.read().split("\n")
        return [json.loads(line) for line in lines[:-1]]

    def told(self, place):
        """What was called, what it gave, and what was said, in order and without times."""
        found = []
        for event in self.events(place):
            payload = event["payload"]
            if "message" in payload:
                found.append((payload["message"].get("content"),
                              [c["function"]["arguments"] for c in payload["message"].get("tool_calls") or []]))
            elif "output" in payload:
                found.append((payload["call"], payload["output"]))
        return found

    def tell_overhead(self, events):
        """What a step takes beside model and tool: from answer to answer, prompt, stream and all."""
        times, before, spent = [], None, 0
        for event in events:
            if "seen" in event["payload"] and "message" in event["payload"]:
                now = datetime.datetime.fromisoformat(event["time"]).timestamp() * 1000
                if before is not None:
                    times.append(now - before - spent - event["payload"]["ms"])
                before, spent = now, 0
            elif "ms" in event["payload"]:
                spent += event["payload"]["ms"]
        times.sort()
        self.assertEqual(len(times), STEPS)
        print("overhead of a step: median %.1f ms, p95 %.1f ms" % (times[len(times) // 2], times[int(len(times) * .95)]))

    def test_AL_4_killed_again_and_again_it_ends_the_same(self):
        whole = self.workspace("whole")
        _, run = self.rest(self.begin(whole))
        self.assertEqual(run["status"], "ended")
        self.assertEqual(run["output"], "all %d steps are done" % STEPS)
        self.assertEqual(run["tool_calls"], STEPS)
        self.tell_overhead(self.events(whole))

        chance = random.Random(11)
        place = self.workspace("killed")
        process = self.begin(place)
        answered, kills = {}, 0
        while True:
            ended = False
            for _ in range(chance.randrange(3, 30)):
                line = process.stdout.readline()
                if not line or "run" in json.loads(line):
                    ended = True
                    break
            if ended:
                process.communicate(timeout=60)
                break
            process.send_signal(signal.SIGKILL)
            process.communicate(timeout=60)
            kills += 1
            # What had answered before this kill is called by nobody any more.
            with open(os.path.join(place, "tool.log")) as file:
                logged = file.read().splitlines()
            calls = {}
            for event in self.events(place):
                if event["payload"].get("output") is not None and "call" in event["payload"]:
                    step = int(re.findall(r"did (\d+)", event["payload"]["output"])[0])
                    calls[step] = [line for line in logged if int(line.split()[0]) == step]
            for step, times in answered.items():
                self.assertEqual(calls[step], times, "step %d was made again after it had answered" % step)
            answered = calls
            process = self.start(place, "resume", self.run_id(place))
        self.assertGreater(kills, 5)
        self.assertEqual(self.told(place), self.told(whole))
        with open(os.path.join(place, "tool.log")) as file:
            logged = [line.split() for line in file.read().splitlines()]
        self.assertEqual({int(line[0]) for line in logged}, set(range(1, STEPS + 1)))
        keys = {}
        for line in logged:
            if len(line) > 1:
                keys.setdefault(line[0], set()).add(line[1])
        self.assertTrue(keys and all(len(of_one) == 1 for of_one in keys.values()), keys)

    def test_AL_2_interrupted_by_ctrl_c_it_is_resumed_and_forked(self):
        place = self.workspace("interrupted")
        process = self.begin(place)
        for _ in range(12):
            process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, run = self.rest(process)
        self.assertEqual(run["status"], "interrupted")
        self.assertIn("Ctrl-C", run["why"])
        _, run = self.rest(self.start(place, "resume", run["id"]))
        self.assertEqual((run["status"], run["tool_calls"]), ("ended", STEPS))
        # From step 3 on once more, beside it.
        at = [e["id"] for e in self.events(place) if e["payload"].get("output", "").startswith("did 3")][0]
        _, fork = self.rest(self.start(place, "fork", run["id"], "--at", str(at)))
        self.assertNotEqual(fork["id"], run["id"])
        self.assertEqual(fork["tool_calls"], 3)
        _, fork = self.rest(self.start(place, "resume", fork["id"]))
        self.assertEqual((fork["status"], fork["output"]), ("ended", run["output"]))

    def test_AL_3_a_limit_ends_it_with_what_there_is(self):
        place = self.workspace("limited")
        process = self.start(place, "run", "do the %d steps" % STEPS, "--tools", os.path.join(place, "tools.json"),
                             "--tool-calls", "7")
        events, run = self.rest(process)
        self.assertEqual((run["status"], run["limit"], run["tool_calls"]), ("ended", "calls", 7))
        self.assertTrue(run["output"])
        self.assertFalse(self.model.seen[-1][1].get("tools"))


class AgentServer(Scenario):
    toml = TOML

    def setUp(self):
        self.model.rules.clear()

    def until(self, run, *states):
        end = time.time() + 60
        while time.time() < end:
            now = self.call("GET", "/v1/tasks/" + run)
            if now["status"] in states:
                return now
            time.sleep(0.02)
        self.fail("%s is not among %s" % (now, states))

    def test_AL_2_a_question_waits_over_a_restart_and_is_answered(self):
        def rule(body):
            if not body.get("tools"):
                return None
            done = outputs(body)
            if not done:
                return answer(calls=[("human_ask", {"question": "Which colour?", "choices": ["red", "blue"]})])
            if len(done) == 1:
                return answer(calls=[("file_write", {"path": "colour.txt", "content": done[0][:40]})])
            return answer("painted: " + done[0][:3])

        self.model.rules.append(rule)
        run = self.call("POST", "/v1/tasks", {"task": "paint the shed"})["id"]
        asked = self.until(run, "waiting")["questions"][0]
        self.assertEqual((asked["text"], asked["choices"]), ("Which colour?", ["red", "blue"]))
        self.server.restart(kill=True)
        self.call("POST", "/v1/tasks/%s/answers" % run, {"text": "red"})  # it goes on by itself
        end = time.time() + 60
        while not (approval := [one for one in self.call("GET", "/v1/tasks/" + run).get("questions", [])
                                if one["kind"] == "approval"]):
            self.assertLess(time.time(), end)
            time.sleep(0.02)
        approval = approval[0]
        self.assertIn("file_write", approval["text"])
        code, error = self.fails("POST", "/v1/tasks/%s/answers" % run, {"text": "perhaps"})
        self.assertEqual(code, 400)
        self.call("POST", "/v1/tasks/%s/answers" % run,
                  {"text": "allow", "arguments": {"path": "colour.txt", "content": "edited"}})
        ended = self.until(run, "ended")
        self.assertEqual(ended["output"], "painted: red")
        with open(os.path.join(self.server.workspace, "work", "colour.txt")) as file:
            self.assertEqual(file.read(), "edited")
        # Nobody else sees it.
        self.assertEqual(self.fails("GET", "/v1/tasks/" + run, user="bob")[0], 404)
        self.assertEqual(self.call("GET", "/v1/tasks", user="bob")["runs"], [])
        self.assertIn(run, [one["id"] for one in self.call("GET", "/v1/tasks")["runs"]])

    def test_AL_3_what_is_said_in_the_middle_is_seen_at_the_next_turn(self):
        said = []

        def rule(body):
            if not body.get("tools"):
                return None
            texts = [text_of(message) for message in body["messages"] if message["role"] == "user"]
            if any("也要蓝色的" in text for text in texts):
                return answer("both colours")
            if not said:
                said.append(self.call("POST", "/v1/tasks/%s/messages" % run_of(), {"text": "也要蓝色的"}))
            return answer(calls=[("file_list", {})])

        def run_of():
            return self.call("GET", "/v1/tasks")["runs"][0]["id"]

        self.model.rules.append(rule)
        run = self.call("POST", "/v1/tasks", {"task": "list the red ones"})["id"]
        ended = self.until(run, "ended")
        self.assertEqual(ended["output"], "both colours")
        self.assertEqual(ended["tool_calls"], 1)

    def test_AL_2_sub_agents_have_their_own_stream_and_context(self):
        def rule(body):
            if not body.get("tools"):
                return None
            task = next(text_of(message) for message in body["messages"] if message["role"] == "user")
            if "count the apples" in task:
                return answer("seven apples")
            done = outputs(body)
            return answer("in all: " + done[0][:12]) if done else answer(
                calls=[("agent_spawn", {"task": "count the apples"}), ("agent_spawn", {"task": "count the apples"})])

        self.model.rules.append(rule)
        run = self.call("POST", "/v1/tasks", {"task": "count the fruit"})["id"]
        self.assertEqual(self.until(run, "ended")["output"], "in all: seven apples")
        events = self.call("GET", "/v1/tasks/%s/events" % run)["events"]
        below = {event["payload"]["run"] for event in events if event["payload"].get("run")}
        self.assertEqual(len(below), 2)
        for one in below:
            self.assertEqual(self.call("GET", "/v1/tasks/" + one)["parent"], run)

    def test_AL_2_programs_over_http_are_refused_unless_allowed(self):
        code, error = self.fails("POST", "/v1/tasks", {"task": "x", "tools": {"commands": [
            {"name": "t", "command": ["/bin/true"]}]}})
        self.assertEqual(code, 403, error)


if __name__ == "__main__":
    unittest.main()
