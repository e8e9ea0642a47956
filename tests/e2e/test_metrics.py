"""What /metrics tells is what the dashboard asks for, and what model calls cost is counted by role (CM-15)."""

import json
import os
import re
import time
import unittest
import urllib.request

from scripted_openai import ScriptedOpenAI
from weft_server import WeftServer

DASHBOARD = os.path.join(os.path.dirname(__file__), "../../packaging/grafana/weft.json")


class Metrics(unittest.TestCase):
    def setUp(self):
        self.model = ScriptedOpenAI()
        self.addCleanup(self.model.close)
        self.server = WeftServer(self.model.url, toml="""
[models.here]
provider = "openai"
url = "%s"
model = "scripted"
[roles]
main = "here"
""" % self.model.url)
        self.addCleanup(self.server.__exit__)

    def metrics(self):
        with urllib.request.urlopen(self.server.url + "/metrics", timeout=30) as answer:
            return answer.read().decode()

    def test_every_query_of_the_dashboard_has_its_metric(self):
        told = set(re.findall(r"^# TYPE (\S+)", self.metrics(), re.M))
        with open(DASHBOARD) as file:
            dashboard = json.load(file)
        asked = set()
        for panel in dashboard["panels"]:
            for target in panel["targets"]:
                asked |= {re.sub("_(bucket|count|sum)$", "", name) for name in re.findall(r"(?:weft|process)_\w+", target["expr"])}
        self.assertGreater(len(asked), 12)
        self.assertEqual(asked - told, set())

    def test_calls_of_models_are_counted_by_role(self):
        text = self.metrics()
        for role in ("main", "fast", "historian", "planner"):
            self.assertIn('weft_model_calls_total{role="%s",model="scripted",outcome="answered"} 0' % role, text)
            self.assertIn('weft_model_tokens_total{role="%s",model="scripted",kind="prompt"} 0' % role, text)
        request = urllib.request.Request(self.server.url + "/v1/tasks", data=json.dumps({"task": "Say hello."}).encode(),
                                         headers={"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            run = json.load(answer)["id"]
        for _ in range(200):
            with urllib.request.urlopen(self.server.url + "/v1/tasks/" + run, timeout=60) as answer:
                if json.load(answer)["status"] == "ended":
                    break
            time.sleep(0.05)
        self.assertRegex(self.metrics(), r'weft_model_calls_total\{role="main",model="scripted",outcome="answered"\} [1-9]')


if __name__ == "__main__":
    unittest.main()
