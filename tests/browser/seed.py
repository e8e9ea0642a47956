"""Fills a workspace through its public surface, so that each view of the page has something to show: the demonstration's
conversation, a Chinese one, prompts, a state with quests, skills, rules, beliefs, questions."""

import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../e2e"))

from weft_server import binary  # noqa: E402

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")


class Client:
    def __init__(self, url, user="ann", key=""):
        self.url, self.user, self.key = url, user, key

    def call(self, method, path, body=None, raw=None, **headers):
        data = raw.encode() if raw is not None else None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json", "X-Weft-User": urllib.parse.quote(self.user), **headers}
        if self.key:
            headers["Authorization"] = "Bearer " + self.key
        request = urllib.request.Request(self.url + path, data=data, method=method, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            raise RuntimeError("%s %s: %s" % (method, path, error.read().decode())) from error

    def settle(self, seconds=120):
        """Waits until the background has worked off what was said."""
        end = time.time() + seconds
        while time.time() < end:
            status = self.call("GET", "/healthz")
            queue = status["queue"]
            if status["waiting_blocks"] + queue["pending"] + queue["processing"] + status["unembedded"] == 0:
                return
            time.sleep(0.1)
        raise RuntimeError("the background did not come to rest")


def lines(name):
    with open(os.path.join(ROOT, "data/demo", name), encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


CHINESE_TALK = [
    ("我想在阳台上种番茄，四月开始来得及吗？", "来得及。四月中旬移苗最稳妥，夜里低于十度时搬进屋里。"),
    ("花盆要多大？", "每株至少二十升，底部要有排水孔，土里掺三分之一的珍珠岩。"),
    ("多久浇一次水？", "表土两厘米干了再浇，浇透；夏天大约每天一次，早上浇最好。"),
    ("另外，我妹妹住在杭州，下个月来看我。", "好的，我记下了：妹妹住在杭州，下个月来访。"),
    ("她喜欢吃辣，帮我想三道菜。", "麻婆豆腐、水煮鱼、宫保鸡丁。前两道可以提前备料。"),
]

STATE = {
    "hero": {"name": "Mira", "hp": 42, "gold": 130, "inventory": {"lantern": 1, "rope": 2, "healing herb": 5}},
    "tavern": {"name": "The Broken Oar", "keeper": "Hollis", "mood": "uneasy", "guests": 7},
    "harbour": {"tide": "ebbing", "ships": {"Sea Wren": "being loaded", "Old Marten": "missing"}},
    "day": 3,
}

QUESTS = """
- id: talk_to_hollis
  title: Win the trust of Hollis
  status: completed
  objective: The keeper of the Broken Oar knows more than he says.
  outcome: He gave Mira the key to the boathouse.
- id: find_marten
  title: Find out what became of the Old Marten
  status: in_progress
  objective: The ship left for Karsk nine days ago and was never seen there.
  progress: The harbour book names a second crew.
  prerequisites: [talk_to_hollis]
- id: cliff_light
  title: See who lights the lamp on the cliff
  status: available
  prerequisites: [talk_to_hollis]
- id: karsk_voyage
  title: Sail to Karsk
  status: locked
  prerequisites: [find_marten, cliff_light]
"""

SKILLS = [
    ("Publish a release",
     "Publish a release of the library when the branch is green.\n1. Run the whole test-suite\n2. Update the changelog\n"
     "3. Tag the commit and push the tag\n4. Check that the package can be installed from the registry"),
    ("Answer a complaint",
     "Answer a customer's complaint about a late delivery.\n1. Look up the order\n2. Say what went wrong in one sentence\n"
     "3. Offer a refund of the shipping cost\n4. Confirm the new date"),
    ("周报", "每周五写周报时使用。\n1. 汇总本周完成的任务\n2. 列出阻塞的问题\n3. 写下周计划\n4. 发给团队"),
]


def talk(client):
    messages = lines("talk.jsonl")
    client.call("POST", "/v1/sessions/days-in-march/messages", {"messages": messages})
    client.call("POST", "/v1/sessions/days-in-march/save")
    chinese = []
    for i, (asked, answered) in enumerate(CHINESE_TALK):
        when = "2026-04-%02dT20:1%d:00+08:00" % (5 + i // 3, i)
        chinese += [{"role": "user", "content": asked, "time": when}, {"role": "assistant", "content": answered, "time": when}]
    client.call("POST", "/v1/sessions/%E9%98%B3%E5%8F%B0/messages", {"messages": chinese})
    client.settle()


def prompts(client):
    for question in lines("questions.jsonl"):
        client.call("POST", "/v1/sessions/later/context", {"input": question["content"]})
        client.call("POST", "/v1/sessions/later/messages", {"messages": [
            question, {"role": "assistant", "content": "Here is what I remember, and what I would do next."}]})
    client.call("POST", "/v1/sessions/later/context", {"input": "And what should I pack for my father?", "window": 6000})


def profile(client):
    for number, said in enumerate(["My sister Mei lives in Utrecht.", "I work as a nurse in Leiden.",
                                   "I have moved: I live in Delft now."]):
        session = "about-me-%d" % number
        client.call("POST", "/v1/sessions/%s/messages" % session, {"messages": [
            {"id": "m1", "role": "user", "content": said}, {"id": "m2", "role": "assistant", "content": "Noted."}]})
        client.call("POST", "/v1/sessions/%s/end" % session, {"new_info": said, "sender_id": client.user})
        client.settle()


def story(client):
    client.call("PUT", "/v1/state/default", {"state": STATE})
    client.call("POST", "/v1/state/default", {"operations": [["ADD", "hero.gold", -35], ["SET", "tavern.mood", "hopeful"]]})
    client.call("POST", "/v1/state/default", {"operations": [["ADD", "hero.hp", -6]]})
    client.call("POST", "/v1/quests", raw=QUESTS, **{"Content-Type": "text/plain"})


def report(number, task, steps, outcome, **more):
    return {"id": "task-%d" % number, "run": "run-%d" % number, "session": "work", "task": task, "type": "coding",
            "output": "done", "outcome": outcome, "outcome_by": "verifier",
            "started": "2026-03-0%dT09:00:00Z" % (number % 9 + 1), "ended": "2026-03-0%dT09:04:00Z" % (number % 9 + 1),
            "tokens": 5200 + 90 * number, "tool_calls": len(steps),
            "steps": [{"number": i + 1, "tool": tool, "arguments": arguments, "output": output, "failed": failed,
                       "ms": 800} for i, (tool, arguments, output, failed) in enumerate(steps)], **more}


def growth(client):
    skills = [client.call("POST", "/v1/skills", {"name": name, "text": text}) for name, text in SKILLS]
    for number in range(6):
        failed = number % 3 == 2
        steps = [("shell_run", {"command": "pytest"}, "E   ModuleNotFoundError: No module named 'yaml'", True),
                 ("shell_run", {"command": "pip install pyyaml"}, "Successfully installed", False),
                 ("shell_run", {"command": "pytest"}, "12 passed" if not failed else "2 failed", failed)]
        client.call("POST", "/v1/reports", report(number, "Run the tests of service %d and fix what fails" % number, steps,
                                                  "failure" if failed else "success"))
    for number in range(24):
        client.call("POST", "/v1/task_reports", report(
            20 + number, "Publish a release of the library", [("shell_run", {"command": "make test"}, "ok", False)],
            "success" if number % 12 else "failure", skills=[skills[0]["skill_id"]]))
        if number == 11:
            client.call("POST", "/v1/mutations", {"skill": skills[0]["skill_id"]})
    for dimension, value in (("detail", "short"), ("format", "table"), ("language", "en")):
        try:
            client.call("POST", "/v1/beliefs/confirm", {"dimension": dimension, "value": value})
        except RuntimeError:
            pass
    client.call("POST", "/v1/questions", {"text": "Shall releases on a Friday wait until Monday?", "kind": "decision",
                                          "urgency": "HIGH", "why": "the release of service 4 is ready",
                                          "choices": ["wait", "publish now"], "fallback": "wait"})


RULES = [("Check prices against two sources before you answer", "reports on prices", 3),
         ("Run one test alone before the whole suite", "a test fails", 3), ("先列出文件再修改", "修改代码之前", 2)]


def learn_rules(workspace):
    """Rules come from what several reflections have in common; the command hands them over, beside the server."""
    number = 0
    for strategy, applies_to, times in RULES:
        for _ in range(times):
            number += 1
            reflection = {
                "id": "f%d" % number, "time": "2026-02-%02dT08:00:00Z" % number, "owner": "user:ann", "trigger": "task_end",
                "session": "s%d" % number, "task": "task number %d" % number, "reports": ["t%d" % number],
                "outcome": "success", "provenance": "own_run", "by": "floor",
                "suggestions": [{"strategy": strategy, "applies_to": applies_to, "confidence": "MEDIUM", "severity": "LOW"}]}
            subprocess.run([binary(), "--workspace", workspace, "-u", "ann", "rule", "learn", "--file", "-"], check=True,
                           input=json.dumps(reflection), text=True, capture_output=True, timeout=120)


def wait_ready(client, seconds=60):
    """Until the embedder can be asked: what is said before is judged by its words alone."""
    end = time.time() + seconds
    while client.call("GET", "/healthz")["embedder"]["state"] == "loading" and time.time() < end:
        time.sleep(0.1)


def seed(url, workspace, user="ann", key=""):
    client = Client(url, user, key)
    wait_ready(client)
    learn_rules(workspace)
    talk(client)
    prompts(client)
    profile(client)
    story(client)
    growth(client)
    client.settle()
    return client


if __name__ == "__main__":
    seed(*sys.argv[1:])
