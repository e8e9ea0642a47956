"""Every list of the server has an end that one can reach (PF-10): a page at a time, each thing once, whatever is added
meanwhile, over a restart, and by no cursor but its own."""

import json
import os
import subprocess
import unittest
import urllib.parse

from scenario import AGENT_TOML, Scenario
from weft_server import binary

STORY = "\n".join("- id: quest%d\n  title: Quest number %d\n  status: available" % (i, i) for i in range(7))
SKILL = "Do the work number %d with care.\n1. Look at part %d\n2. Mend what is broken there\n3. Tell who asked"
RULES = ["Compare the price of %s in two shops", "Read the manual of %s before you open it", "Water the %s at dawn",
         "Keep a copy of the %s", "Ask who owns the %s"]

# How each list is asked for, by the id of its operation: its path, the name of the list in the answer, and what of one
# thing tells it from the others. A list that is new in the description has to be added here.
LISTS = {
    "history": ("/v1/sessions/long/messages", "messages", "sequence"),
    "compactions": ("/v1/sessions/packed/compactions", "compactions", "id"),
    "items": ("/v1/items", "items", "id"),
    "preferences": ("/v1/preferences", "preferences", "text"),
    "group_traces": ("/v1/erase/groups", "groups", "group_id"),
    "jobs": ("/v1/jobs", "jobs", "id"),
    "sessions": ("/v1/sessions", "sessions", "session"),
    "turns": ("/v1/sessions/long/turns", "turns", "block"),
    "session_contexts": ("/v1/sessions/long/contexts", "contexts", "id"),
    "scopes": ("/v1/scopes", "users", None),
    "beliefs": ("/v1/beliefs", "beliefs", "dimension"),
    "questions": ("/v1/questions", "questions", "id"),
    "tasks": ("/v1/tasks", "runs", "id"),
    "task_events": ("/v1/tasks/{run}/events", "events", "id"),
    "rules": ("/v1/rules", "rules", "id"),
    "mutations": ("/v1/mutations", "mutations", "id"),
    "reflections": ("/v1/reflections", "reflections", "id"),
    "reports": ("/v1/reports", "reports", "id"),
    "researches": ("/v1/research", "reports", "id"),
    "research_events": ("/v1/research/{research}/events", "events", "id"),
    "days": ("/v1/days", "days", "date"),
    "profile_history": ("/v1/profiles/user/ann/history", "versions", "version"),
    "skills": ("/v1/skills", "skills", "skill_id"),
    "match_skills": ("/v1/skill_matches?task=Do+the+work+number+3+with+care", "matches", None),
    "skill_problems": ("/v1/skill_problems", "problems", None),
    "state_log": ("/v1/state/default/log", "versions", "version"),
    "usage": ("/v1/usage?by=day,role", "usage", None),
    "usage_of_all": ("/v1/usage/all?by=day,scope", "usage", None),
    "quests": ("/v1/quests", "quests", "id"),
    "lore": ("/v1/lore", "lore", "id"),
}
# Of these a server that is well has few or none, or they do not outlive it.
MAY_BE_SHORT = {"usage", "usage_of_all", "jobs", "mutations", "match_skills", "days"}
UNTIL_THE_END = {"session_contexts"}


def report(number):
    return {"id": "task-%d" % number, "run": "run-%d" % number, "session": "work", "type": "coding", "outcome": "success",
            "task": "Mend the pump number %d" % number, "output": "done", "outcome_by": "verifier",
            "started": "2026-03-01T09:00:00Z", "ended": "2026-03-01T09:04:00Z", "tokens": 900, "tool_calls": 1,
            "steps": [{"number": 1, "tool": "shell_run", "arguments": {"command": "make test %d" % number},
                       "output": "passed", "failed": False, "ms": 80}]}


class Walks(Scenario):
    toml = AGENT_TOML

    def setUp(self):
        self.names = dict(self.filled)
        self.settle()

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.filled = Filling(cls()).all()

    def path(self, name):
        return LISTS[name][0].format(**self.names)

    def ask(self, path, **parameters):
        parameters = {name: value for name, value in parameters.items() if value}
        mark = "&" if "?" in path else "?"
        return self.call("GET", path + (mark + urllib.parse.urlencode(parameters) if parameters else ""))

    def things(self, name, page):
        _, listed, key = LISTS[name]
        if name == "scopes":
            return ["user " + one for one in page["users"]] + ["group " + one for one in page["groups"]]
        return [json.dumps(one if key is None else one[key], sort_keys=True) for one in page[listed]]

    def walk(self, name, limit=2, cursor="", between=None):
        """What a list holds from a cursor on, and how many pages it took."""
        seen, pages = [], 0
        while True:
            page = self.ask(self.path(name), limit=limit, cursor=cursor)
            pages += 1
            some = self.things(name, page)
            self.assertLessEqual(len(some), limit, name)
            seen += some
            self.assertLess(pages, 2000, name + " has no end")
            cursor = page.get("next")
            if not cursor:
                return seen, pages
            if between:
                between(pages)


class Filling:
    """More than a page of each kind of thing, by the public surface."""

    def __init__(self, at):
        self.at = at

    def talk(self):
        for i in range(14):
            self.at.observe("long", [{"role": "user", "content": "Tell me of bridge %d of Marlow, please." % i},
                                     {"role": "assistant", "content": "Bridge %d has %d arches." % (i, i + 2)}])
            if i % 4 == 3:
                self.at.call("POST", "/v1/sessions/long/save")
            self.at.context("long", input="How many arches has bridge %d?" % i)
        for i in range(7):
            self.at.observe("short-%d" % i, [{"role": "user", "content": "I paint my boat number %d." % i}])
            self.at.observe("s", [{"role": "user", "content": "Good morning."}], user="guest-%d" % i)
        self.at.settle()

    def compactions(self):
        for i in range(4):
            self.at.observe("packed", [{"role": role, "content": "%s %d of part %d. " % (role, j, i) + "The tide was high. " * 200}
                                       for j in range(12) for role in ("user", "assistant")])
            self.at.call("POST", "/v1/sessions/packed/compact", {})

    def people(self):
        for i in range(5):
            self.at.call("PUT", "/v1/profiles/user/ann", {"body": "Ann has %d boats.\n" % i})
            self.at.call("POST", "/v1/sessions/s/end", {"new_info": "Ann brought %d apples to the meeting." % (i + 2),
                                                        "sender_id": "ann"},
                         headers={"X-Weft-Group": "group-%d" % i})
            self.at.call("POST", "/v1/beliefs/confirm", {"dimension": ["detail", "format", "language", "tone", "order"][i],
                                                         "value": ["short", "table", "en", "plain", "answer_first"][i]})
            self.at.call("POST", "/v1/questions", {"text": "Which colour has boat %d?" % i, "why": "it is to be painted"})
        self.at.call("PUT", "/v1/preferences", [{"text": "prefers boats of %d feet" % i, "confidence": 0.8}
                                                for i in range(20, 27)])
        self.at.settle()

    def story(self):
        for i in range(7):
            self.at.call("PUT", "/v1/state/default", {"state": {"day": i}})
            self.at.call("PUT", "/v1/lore/entry-%d" % i, {"text": "Island %d is made of glass." % i, "title": "Island %d" % i})
        self.at.call("POST", "/v1/quests", raw=STORY, headers={"Content-Type": "text/plain"})

    def work(self):
        for i in range(6):
            self.at.call("POST", "/v1/skills", {"name": "Work %d" % i, "text": SKILL % (i, i)})
            self.at.call("POST", "/v1/reports", report(i))
        number = 0
        for i, strategy in enumerate(RULES):
            for _ in range(3):
                number += 1
                self.learn(number, strategy % ["lamp", "engine", "garden", "map", "gate"][i])
        for i in range(5):
            with open(os.path.join(self.at.server.workspace, "skills/learned/broken-%d.yaml" % i), "w") as file:
                file.write("skill_id: broken-%d\nname: b\ndescription: c\nsteps: nothing\n" % i)

    def learn(self, number, strategy):
        reflection = {"id": "f%d" % number, "time": "2026-02-%02dT08:00:00Z" % number, "owner": "user:ann",
                      "trigger": "task_end", "session": "s%d" % number, "task": "task number %d" % number,
                      "reports": ["t%d" % number], "outcome": "success", "provenance": "own_run", "by": "floor",
                      "suggestions": [{"strategy": strategy, "applies_to": "work with things of number %d" % (number // 3),
                                       "confidence": "MEDIUM", "severity": "LOW"}]}
        subprocess.run([binary(), "--workspace", self.at.server.workspace, "-u", "ann", "rule", "learn", "--file", "-"],
                       check=True, input=json.dumps(reflection), text=True, capture_output=True, timeout=120)

    def runs(self):
        runs = [self.at.call("POST", "/v1/tasks", {"task": "say number %d" % i})["id"] for i in range(5)]
        for run in runs:
            self.at.until(lambda run=run: self.at.call("GET", "/v1/tasks/" + run)["status"] not in ("running", "waiting"))
        kept = self.at.call("POST", "/v1/research", {"question": "How many arches has bridge 1?"})["id"]
        for i in range(2, 6):
            self.at.call("POST", "/v1/research", {"question": "How many arches has bridge %d?" % i})
            self.at.until(lambda: all(one["status"] != "running" for one in self.at.call("GET", "/v1/research")["reports"]))
        # What the runs teach comes behind them.
        self.at.until(lambda: len(self.at.call("GET", "/v1/reports")["reports"]) >= 6 + len(runs))
        self.at.settle()
        return {"run": runs[0], "research": kept}

    def all(self):
        self.talk()
        self.compactions()
        self.people()
        self.story()
        self.work()
        return self.runs()


class PagesOfLists(Walks):
    def test_PF_10_every_list_of_the_description_is_walked_to_its_end(self):
        document = self.call("GET", "/openapi.json")
        told = {one["operationId"] for path in document["paths"].values() for one in path.values()
                if any(at.get("name") == "cursor" for at in one.get("parameters", []))}
        self.assertEqual(told, set(LISTS))
        for name in sorted(LISTS):
            with self.subTest(name):
                whole = self.things(name, self.ask(self.path(name), limit=10000))
                self.assertEqual(len(set(whole)), len(whole))
                if name not in MAY_BE_SHORT:
                    self.assertGreater(len(whole), 3, "there is too little of it for more than one page")
                for limit in (1, 2, 3, 1000):
                    seen, _ = self.walk(name, limit)
                    self.assertEqual(sorted(seen), sorted(whole), "by %d" % limit)

    def test_PF_10_what_is_added_meanwhile_takes_nothing_from_a_walk(self):
        adds = {
            "history": lambda i: self.observe("long", [{"role": "user", "content": "And the tower %d?" % i}]),
            "items": lambda i: self.observe("more-%d" % i, [{"role": "user", "content": "The well %d is deep." % i}]),
            "sessions": lambda i: (self.observe("later-%d" % i, [{"role": "user", "content": "Hello %d." % i}]),
                                   self.observe("short-%d" % (i % 7), [{"role": "user", "content": "Once more, %d." % i}])),
            "turns": lambda i: self.observe("long", [{"role": "user", "content": "And the gate %d?" % i}]),
            "scopes": lambda i: self.observe("s", [{"role": "user", "content": "Hi."}], user="a-late-guest-%d" % i),
            "questions": lambda i: self.call("POST", "/v1/questions", {"text": "Which sail has boat %d?" % (90 + i)}),
            "tasks": lambda i: self.call("POST", "/v1/tasks", {"task": "say it again, %d" % i}),
            "skills": lambda i: self.call("POST", "/v1/skills", {"name": "A later work %d" % i, "text": SKILL % (50 + i, i)}),
            "reports": lambda i: self.call("POST", "/v1/reports", report(50 + i)),
            "state_log": lambda i: self.call("PUT", "/v1/state/default", {"state": {"day": 100 + i}}),
            "lore": lambda i: self.call("PUT", "/v1/lore/a-%d" % i, {"text": "Late lore %d." % i}),
            "quests": lambda i: self.call("PUT", "/v1/quests/a-%d" % i, {"title": "A late quest %d" % i}),
            "profile_history": lambda i: self.call("PUT", "/v1/profiles/user/ann", {"body": "Ann has sold boat %d.\n" % i}),
        }
        for name, add in adds.items():
            with self.subTest(name):
                whole = self.things(name, self.ask(self.path(name), limit=10000))
                # A list that grows at its end by as much as a page takes has none; of what is new half is enough.
                seen, pages = self.walk(name, 2, between=lambda page: page % 2 == 1 and page < 20 and add(page))
                self.assertGreater(pages, 1)
                self.assertEqual(len(set(seen)), len(seen), "something came twice")
                self.assertEqual(set(whole) - set(seen), set(), "something was lost")

    def test_PF_10_the_newest_items_come_first_where_that_is_wanted(self):
        oldest = [one["id"] for one in self.ask("/v1/items", limit=10000)["items"]]
        seen, cursor = [], ""
        while True:
            page = self.ask("/v1/items", order="newest", limit=5, cursor=cursor)
            seen += [one["id"] for one in page["items"]]
            cursor = page.get("next")
            if not cursor:
                break
        self.assertEqual(seen, oldest[::-1])

    def test_PF_10_pages_of_a_search_give_each_hit_once(self):
        found, cursor = [], None
        body = {"query": "How many arches has the bridge?", "top_k": 4}
        whole = self.call("POST", "/v1/search", {**body, "top_k": 1000})["hits"]
        for number in range(251):
            page = self.call("POST", "/v1/search", {**body, **({"cursor": cursor} if cursor else {})})
            found += [hit["id"] for hit in page["hits"]]
            cursor = page.get("next")
            if not cursor:
                break
            if number == 1:
                self.observe("long", [{"role": "user", "content": "How many arches has the bridge of glass?"}])
        self.assertEqual(len(set(found)), len(found))
        self.assertEqual({hit["id"] for hit in whole} - set(found), set())
        self.assertGreater(len(found), 8)

    def test_PF_10_wrong_cursors_say_what_to_do(self):
        cursors = {}
        for name in LISTS:
            page = self.ask(self.path(name), limit=1)
            if "next" in page:
                cursors[name] = page["next"]
        self.assertGreater(len(cursors), 20)
        names = sorted(cursors)
        for name, other in zip(names, names[1:] + names[:1]):
            path = self.path(name)
            mark = "&" if "?" in path else "?"
            for wrong in (cursors[other], "nonsense", "0" * 40, cursors[name][:-1]):
                code, error = self.fails("GET", path + mark + "cursor=" + wrong)
                self.assertEqual(code, 400, name)
                self.assertIn("cursor", error["message"])
                self.assertIn("leave the cursor out", error["hint"])
            code, error = self.fails("GET", path + mark + "user=bob&cursor=" + cursors[name], user="")
            self.assertEqual(code, 400, name)
        code, error = self.fails("GET", "/v1/items?kind=message&cursor=" + cursors["items"])
        self.assertEqual((code, "filters" in error["message"]), (400, True))

    def test_PF_18_parameters_that_nobody_reads_are_refused(self):
        for path, words in (("/v1/items?knd=message", ("knd", 'did you mean "kind"', "limit, cursor")),
                            ("/v1/sessions?offset=100", ("offset", "known are", "cursor")),
                            ("/v1/jobs?user=ann", ("user", "limit, cursor")), ("/metrics?x=1", ("x", "takes none")),
                            ("/v1/items?limit=1&limit=2", ("limit", "more than once"))):
            code, error = self.fails("GET", path)
            self.assertEqual(code, 400, path)
            for word in words:
                self.assertIn(word, error["message"] + " " + error["hint"], path)
        code, error = self.fails("POST", "/v1/search?user=bob", {"query": "x"})
        self.assertEqual((code, "user" in error["message"]), (400, True))
        # What is the model's server's is passed on as it is.
        self.call("POST", "/v1/chat/completions?beta=true", {"model": "m", "messages": [{"role": "user", "content": "hi"}]})

    def test_PF_10_the_command_reaches_the_end_of_its_lists(self):
        for words, listed, path in ((("agent", "list"), "runs", "/v1/tasks"), (("research", "list"), "reports", "/v1/research"),
                                    (("state", "log"), "versions", "/v1/state/default/log")):
            whole = self.ask(path, limit=10000)[listed]
            some = self.weft("-u", "ann", "--json", *words, "--limit", "2")
            self.assertEqual(some.returncode, 0, some.stderr)
            cut = json.loads(some.stdout)
            self.assertEqual((len(cut[listed]), cut["more"]), (2, True), words)
            self.assertIn("--limit 0", self.weft("-u", "ann", *words, "--limit", "2").stdout)
            every = json.loads(self.weft("-u", "ann", "--json", *words, "--limit", "0").stdout)
            self.assertEqual(len(every[listed]), len(whole), words)
            self.assertNotIn("more", every)
            self.assertNotEqual(self.weft("-u", "ann", *words, "--limit", "-1").returncode, 0)


    def test_PF_10_a_walk_goes_on_over_a_restart(self):
        begun = {}
        for name in LISTS:
            if name in UNTIL_THE_END | {"jobs"}:
                continue
            page = self.ask(self.path(name), limit=2)
            begun[name] = (self.things(name, self.ask(self.path(name), limit=10000)), self.things(name, page),
                           page.get("next"))
        self.server.restart(kill=True)
        for i in range(5):  # what does not outlive it is there again for others
            self.context("long", input="How many arches has bridge %d?" % i)
        for name, (whole, first, cursor) in begun.items():
            with self.subTest(name):
                rest = self.walk(name, 2, cursor)[0] if cursor else []
                self.assertEqual(len(set(first + rest)), len(first + rest))
                self.assertEqual(set(whole) - set(first + rest), set())


if __name__ == "__main__":
    unittest.main()
