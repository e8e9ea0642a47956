"""Each role reaches the model that it was given: one server for each, which asks for the name of its own model. A role
that has none says who answers for it."""

import json
import unittest

from scenario import Scenario, ScriptedOpenAI, WeftServer

ROLES = ("main", "fast", "historian", "planner", "reflection", "user_model", "coder", "artist")
ROUTES = "code=coder, chat=fast, review=nobody_yet"


def toml_of(models, roles):
    models_of_roles = "".join('[models.m_%s]\nurl = "%s"\nmodel = "name-of-%s"\nwindow = 65536\n' % (role, server.url, role)
                              for role, server in models.items() if role in roles)
    return models_of_roles + "[roles]\n" + "".join('%s = "m_%s"\n' % (role, role) for role in roles)


def report(number):
    step = {"number": 1, "tool": "builder", "arguments": "{}", "output": "error: unknown option --fast", "failed": True,
            "ms": 12, "tokens": 30}
    return {"id": "r%s" % number, "session": "s%s" % number, "task": "Build project %s" % number,
            "output": "It does not build.", "outcome": "failure", "outcome_by": "model", "tool_calls": 1,
            "provenance": "own_run", "ended": "2026-03-01T10:00:00Z", "steps": [step]}


class Roles(Scenario):
    roles = ROLES

    @classmethod
    def setUpClass(cls):
        cls.models = {role: ScriptedOpenAI() for role in ROLES}
        cls.model = cls.models["main"]
        cls.server = WeftServer(upstream=cls.model.url, settings=("embedding.provider=none",),
                                toml="[agent]\nmodels = \"%s\"\n" % ROUTES + toml_of(cls.models, cls.roles))

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()
        for model in cls.models.values():
            model.close()

    def calls_of(self, act):
        """The names of the models that each server was asked for while `act` was done and its background work."""
        before = {role: len(model.seen) for role, model in self.models.items()}
        act()
        self.settle()
        return {role: {body["model"] for _, body in model.seen[before[role]:]}
                for role, model in self.models.items() if len(model.seen) > before[role]}

    def run_of(self, task_type, **more):
        def act():
            run = self.call("POST", "/v1/tasks", {"task": "Say hello", "type": task_type, "learn": False, **more})["id"]
            self.until(lambda: self.call("GET", "/v1/tasks/" + run)["status"] in ("ended", "stopped"))
        return act

    def talk_of(self, turns=24):
        said = [{"role": "user" if i % 2 == 0 else "assistant",
                 "content": "Line %d of a long talk about bridges and ferries. " % i * 40} for i in range(turns)]
        self.observe("long", said)

    def played(self):
        quests = [{"id": "bells", "title": "The bells of the mill", "status": "in_progress", "objective": "Ring the bells."},
                  {"id": "ferry", "title": "The ferry of Rook", "status": "in_progress", "objective": "Find the ferry."}]
        self.call("POST", "/v1/quests", raw=json.dumps(quests))
        self.call("POST", "/v1/sessions/game/context",
                  {"planned": True, "system": "You tell the story.", "input": "What should we look for next, and why there?"})

    def acts(self):
        return {
            "main": self.run_of("unknown"),
            "fast": lambda: (self.talk_of(), self.call("POST", "/v1/sessions/long/compact", {"window": 8000})),
            "historian": lambda: (self.observe("end", [{"id": "h1", "role": "user", "content": "I moved to Porto."}]),
                                  self.call("POST", "/v1/sessions/end/end",
                                            {"action_summary": "Helped the user move.", "new_info": "Ann lives in Porto."})),
            "planner": self.played,
            "reflection": lambda: self.call("POST", "/v1/reports", report("a")),
            "user_model": lambda: self.call("POST", "/v1/feedback",
                                            {"report": "ra", "text": "No, I meant the release build."}),
            "coder": self.run_of("code"),
            "artist": self.run_of("artist"),  # a role that only tasks of its name call
        }


class EachHasItsOwn(Roles):
    def test_PF_22_each_role_asks_its_own_model(self):
        for role, act in self.acts().items():
            asked = self.calls_of(act)
            self.assertEqual(asked.get(role), {"name-of-" + role}, (role, asked))
            for other, names in asked.items():
                self.assertEqual(names, {"name-of-" + other}, (role, other))
        # What a task's type names and nobody has is main's, and the log and the doctor say so.
        self.assertEqual(self.calls_of(self.run_of("chat")).get("fast"), {"name-of-fast"})
        self.assertEqual(self.calls_of(self.run_of("review")).get("main"), {"name-of-main"})
        self.assertEqual(self.calls_of(self.run_of("chat", model="artist")).get("artist"), {"name-of-artist"})
        # Weft's own roles are no types of tasks.
        self.assertEqual(self.calls_of(self.run_of("planner")).get("planner"), None)
        found = json.loads(self.weft("--json", "doctor").stdout)["findings"]
        said = [one["what"] for one in found]
        self.assertTrue([text for text in said if "nobody_yet" in text and "main answers" in text], said)
        # Each is counted under its own name.
        rows = self.call("GET", "/v1/usage?by=role,model")["usage"]
        counted = {(row["role"], row["model"]) for row in rows}
        self.assertEqual({(role, "name-of-" + role) for role in ROLES} - counted, set())
        metrics = self.server_text("/metrics")
        for role in ROLES:
            self.assertIn('role="%s",model="name-of-%s"' % (role, role), metrics)

    def server_text(self, path):
        import urllib.request
        with urllib.request.urlopen(self.server.url + path, timeout=60) as answer:
            return answer.read().decode()


class MainAnswersForAll(Roles):
    roles = ("main",)

    def test_PF_22_what_has_no_model_of_its_own_is_mains_and_says_so(self):
        for role, act in self.acts().items():
            asked = self.calls_of(act)
            self.assertEqual(set(asked), {"main"}, role)
        found = json.loads(self.weft("--json", "doctor").stdout)["findings"]
        self.assertTrue([one for one in found if "as main: fast" in one["what"] or "coder" in one["what"]], found)


if __name__ == "__main__":
    unittest.main()
