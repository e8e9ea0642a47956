"""An operator looks at a server: it says what is wrong, in words, and what to do; and its log tells nobody's secrets."""

import json
import os
import shutil
import subprocess
import tempfile
import unittest
import urllib.error
import urllib.request
import uuid

from scenario import Scenario, binary


class Healthy(Scenario):
    toml = '[embedding]\nprovider = "none"\n'

    def codes(self):
        return [problem["code"] for problem in self.call("GET", "/healthz")["problems"]]

    def metrics(self):
        with urllib.request.urlopen(self.server.url + "/metrics") as answer:
            return answer.read().decode()

    def test_CM_15_a_server_that_is_well_says_so(self):
        status = self.call("GET", "/healthz")
        self.assertEqual((status["status"], status["problems"]), ("ok", []))
        self.assertEqual(self.call("GET", "/livez"), {"alive": True})
        self.assertEqual(self.call("GET", "/readyz"), {"ready": True, "problems": []})
        self.assertIn("weft_healthy 2", self.metrics())

    def test_CM_15_latencies_are_histograms(self):
        for number in range(3):
            self.observe("s", [{"role": "user", "content": "line %d" % number}])
        self.call("POST", "/v1/search", {"query": "line"})
        lines = self.metrics().splitlines()
        buckets = [line for line in lines if line.startswith('weft_call_seconds_bucket{operation="observe"')]
        counts = [int(line.rsplit(" ", 1)[1]) for line in buckets]
        self.assertEqual(counts, sorted(counts))
        self.assertIn('le="+Inf"', buckets[-1])
        self.assertGreaterEqual(counts[-1], 3)
        self.assertTrue(any(line.startswith('weft_call_seconds_count{operation="search"} ') for line in lines))
        self.assertEqual(lines.count("# TYPE weft_call_seconds histogram"), 1)

    def test_CM_15_failed_jobs_alarm_and_are_tried_again_at_once(self):
        self.queue_nonsense("odd0", "odd1", "odd2")
        self.server.restart()
        self.settle()
        status = self.call("GET", "/healthz")
        self.assertEqual(status["status"], "degraded")
        problems = {problem["code"]: problem for problem in status["problems"]}
        self.assertEqual(set(problems), {"queue_failed"})
        self.assertIn("3 jobs", problems["queue_failed"]["what"])
        self.assertIn("weft queue retry --all", problems["queue_failed"]["advice"])
        self.assertIn('weft_alarm{code="queue_failed"} 1', self.metrics())
        self.assertIn("3 jobs have failed", self.weft("doctor").stdout)
        self.assertEqual(self.call("POST", "/v1/jobs/retry", {})["retried"], 3)
        self.settle()
        self.assertEqual(self.weft("queue", "retry").returncode, 2)
        self.assertEqual(self.weft("queue", "retry", "--all").returncode, 0)
        self.settle()
        self.assertEqual(self.call("GET", "/healthz")["queue"]["failed"], 3)
        self.weft("queue", "purge", "--all")
        self.server.restart()
        self.assertEqual(self.codes(), [])


class Mirrored(Scenario):
    toml = '[embedding]\nprovider = "none"\n[historian]\nmax_attempts = 1\n[queue]\nmirror = true\n'

    def test_CM_3_jobs_are_shown_as_files(self):
        self.queue_nonsense("odd")
        self.server.restart()
        path = os.path.join(self.server.workspace, "queues", "failed", "odd.json")
        self.until(lambda: os.path.exists(path))
        with open(path, encoding="utf-8") as file:
            shown = json.load(file)
        self.assertEqual((shown["job_id"], shown["kind"], shown["attempts"]), ("odd", "nonsense", 1))
        self.assertIn("nonsense", shown["reason"])
        self.assertEqual(self.weft("queue", "purge", "--all").returncode, 0)
        self.until(lambda: not os.path.exists(path))


class Unwell(Scenario):
    toml = ('[embedding]\nprovider = "local"\npath = "/nowhere/model.gguf"\n'
            "[health]\nmin_free_bytes = 4611686018427387904\n")

    def test_CM_15_disk_and_embedder_are_named_and_it_goes_on(self):
        for _ in range(200):
            status = self.call("GET", "/healthz")
            if status["embedder"]["state"].startswith("failed"):
                break
        self.assertEqual(status["status"], "degraded")
        problems = {problem["code"]: problem for problem in status["problems"]}
        self.assertLessEqual({"disk", "embedder"}, set(problems))
        self.assertIn("MB left", problems["disk"]["what"])
        self.assertTrue(all(problem["advice"] for problem in problems.values()))
        self.observe("s", [{"role": "user", "content": "it goes on"}])
        # Less is not nothing: what is said is kept.
        self.assertEqual(self.call("GET", "/readyz"), {"ready": True, "problems": []})


class Silent(unittest.TestCase):
    """What people say stands in no log above debug, whatever goes wrong."""

    def test_CM_15_no_words_of_a_person_in_the_log(self):
        workspace = tempfile.mkdtemp(prefix="weft-log-")
        self.addCleanup(shutil.rmtree, workspace, True)
        secret = "zz" + uuid.uuid4().hex
        with open(os.path.join(workspace, "weft.toml"), "w") as file:
            file.write('[embedding]\nprovider = "none"\n[log]\nlevel = "info"\n[historian]\nmax_attempts = 1\n'
                       '[models.away]\nprovider = "openai"\nurl = "http://127.0.0.1:9/v1"\nmodel = "away"\n'
                       'retries = 0\ntimeout_ms = 500\n[roles]\nhistorian = "away"\nfast = "away"\n')
        os.makedirs(os.path.join(workspace, "queues", "pending"))
        with open(os.path.join(workspace, "queues", "pending", "odd.json"), "w") as file:
            json.dump({"version": 1, "job_id": "odd", "kind": "nonsense", "payload": {"text": secret}}, file)
        with open(os.path.join(workspace, "queues", "pending", "torn.json"), "w") as file:
            file.write('{"payload":"%s' % secret)
        with open(os.path.join(workspace, "log"), "w") as log:
            server = subprocess.Popen([binary(), "serve", "--workspace", workspace, "--port", "0", "--upstream",
                                       "http://127.0.0.1:9/v1"], stdout=subprocess.PIPE, stderr=log, text=True)
            url = json.loads(server.stdout.readline())["listening"]

            def call(path, body):
                request = urllib.request.Request(url + path, data=json.dumps(body).encode(),
                                                 headers={"Content-Type": "application/json", "X-Weft-User": "ann"})
                try:
                    with urllib.request.urlopen(request, timeout=60) as answer:
                        return json.load(answer)
                except urllib.error.HTTPError as error:
                    return json.load(error)

            messages = [{"id": "m1", "role": "user", "content": "My code word is %s, tell nobody" % secret},
                        {"id": "m2", "role": "assistant", "content": "%s it is" % secret}]
            call("/v1/sessions/s/messages", {"messages": messages})
            call("/v1/sessions/s/messages", {"messages": [{"role": "robot", "content": secret}]})
            call("/v1/sessions/s/end", {"new_info": "The code word is %s." % secret, "request_id": "r"})
            call("/v1/sessions/s/save", {})
            call("/v1/search", {"query": secret, "top_k": 0})
            call("/v1/state/default", {"operations": [["SET", "a.b.c", secret], ["NONSENSE", secret]]})
            call("/v1/chat/completions", {"model": "x", "messages": [{"role": "user", "content": secret}]})
            for number in range(12):
                call("/v1/sessions/s/messages", {"messages": [{"role": "user", "content": "%s %d" % (secret, number)},
                                                              {"role": "assistant", "content": secret}]})
            call("/v1/sessions/s/compact", {"focus": secret})
            call("/v1/erase", {"messages": ["m1"]})
            server.terminate()
            server.wait(timeout=30)
            server.stdout.close()
        with open(os.path.join(workspace, "log")) as log:
            told = log.read()
        self.assertIn("queue.broken", told)
        self.assertNotIn(secret, told)


if __name__ == "__main__":
    unittest.main()
