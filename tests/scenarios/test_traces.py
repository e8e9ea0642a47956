"""Traces for an operator's collector (PF-10): what a request did, as one tree from the caller to the model's server, in
OpenTelemetry's names; nothing of what people said, no keys; and a collector that is away harms nobody."""

import json
import os
import threading
import time
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from scenario import AGENT_TOML, Scenario, WeftServer

TRACE, CALLER = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
PARENT = "00-%s-%s-01" % (TRACE, CALLER)
SECRET = "collector-secret-1234"
FACTS = ("My violin teacher is called Marguerite.", "我的小提琴老师叫林秋月。")


class Collector:
    """Takes traces as OTLP over HTTP; with `hangs` it takes calls and answers none."""

    def __init__(self, hangs=False):
        collector = self
        self.bodies, self.headers, self.paths = [], [], []

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if hangs:
                    time.sleep(30)
                    return
                collector.paths.append(self.path)
                collector.headers.append({name.lower(): value for name, value in self.headers.items()})
                collector.bodies.append(body.decode())
                self.send_response(200)
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"{}")

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self):
        return "http://127.0.0.1:%d" % self.server.server_port

    def spans(self, trace=None):
        found = []
        for body in self.bodies:
            for resource in json.loads(body)["resourceSpans"]:
                for scope in resource["scopeSpans"]:
                    found += scope["spans"]
        return [span for span in found if trace in (None, span["traceId"])]


def attributes(span):
    values = {}
    for one in span["attributes"]:
        kind, value = next(iter(one["value"].items()))
        values[one["key"]] = int(value) if kind == "intValue" else value
    return values


class Traces(Scenario):
    @classmethod
    def setUpClass(cls):
        cls.collector = Collector()
        cls.settings = ("otel.endpoint=" + cls.collector.url, "otel.interval_ms=50")
        os.environ["OTEL_EXPORTER_OTLP_HEADERS"] = "authorization=Bearer%20" + SECRET
        super().setUpClass()

    @classmethod
    def tearDownClass(cls):
        del os.environ["OTEL_EXPORTER_OTLP_HEADERS"]
        super().tearDownClass()
        cls.collector.server.shutdown()

    def trace_of(self, number, call):
        """The spans of a call, by name, once its first one is there."""
        trace = TRACE[:-2] + "%02x" % number
        call({"traceparent": "00-%s-%s-01" % (trace, CALLER)})

        def whole():
            spans = self.collector.spans(trace)
            return spans if any(span.get("parentSpanId") == CALLER for span in spans) else None

        return trace, self.until(whole)

    def check_tree(self, spans):
        ids = {span["spanId"] for span in spans}
        self.assertEqual(len(ids), len(spans))
        by_id = {span["spanId"]: span for span in spans}
        roots = [span for span in spans if span["parentSpanId"] not in ids]
        self.assertEqual([span["parentSpanId"] for span in roots], [CALLER])
        for span in spans:
            self.assertLessEqual(int(span["startTimeUnixNano"]), int(span["endTimeUnixNano"]))
            parent = by_id.get(span["parentSpanId"])
            if parent:
                self.assertLessEqual(int(parent["startTimeUnixNano"]), int(span["startTimeUnixNano"]))
                self.assertGreaterEqual(int(parent["endTimeUnixNano"]), int(span["endTimeUnixNano"]))
        return roots[0]

    def test_a_chat_is_one_tree_from_the_caller_to_the_model(self):
        for number, fact in enumerate(FACTS):
            self.observe("before", [{"role": "user", "content": fact}])
            self.settle()
            history = [{"role": "user", "content": "What of the violin 小提琴?"}]
            trace, spans = self.trace_of(number, lambda headers: self.chat(
                history, headers={**headers, "Authorization": "Bearer client-key"}, max_tokens=99))
            root = self.check_tree(spans)
            self.assertEqual((root["name"], root["kind"]), ("POST /v1/chat/completions", 2))
            self.assertEqual(attributes(root)["http.response.status_code"], 200)
            names = {span["name"]: span for span in spans}
            for name in ("weft.observe", "weft.context", "weft.search", "chat scripted"):
                self.assertIn(name, names)
            self.assertEqual(names["weft.search"]["parentSpanId"], names["weft.context"]["spanId"])
            if self.call("GET", "/healthz")["embedder"]["state"] == "ready":
                self.assertTrue([name for name in names if name.startswith("embeddings ")], names.keys())
            call = names["chat scripted"]
            told = attributes(call)
            self.assertEqual(call["kind"], 3)
            self.assertEqual(
                (told["gen_ai.operation.name"], told["gen_ai.request.model"], told["gen_ai.request.max_tokens"],
                 told["gen_ai.usage.input_tokens"], told["gen_ai.usage.output_tokens"], told["server.address"]),
                ("chat", "scripted", 99, 1, 1, "127.0.0.1"))
            sent = {name.lower(): value for name, value in self.model.seen[-1][0].items()}
            self.assertEqual(sent["traceparent"], "00-%s-%s-01" % (trace, call["spanId"]))

    def test_other_surfaces_have_spans_too(self):
        _, spans = self.trace_of(10, lambda headers: self.call(
            "POST", "/v1/responses", {"model": "scripted", "input": "hello"}, headers=headers))
        self.assertEqual(self.check_tree(spans)["name"], "POST /v1/responses")
        _, spans = self.trace_of(11, lambda headers: self.call(
            "POST", "/v1/search", {"query": "violin"}, headers=headers))
        self.check_tree(spans)
        self.assertIn("weft.search", [span["name"] for span in spans])
        _, spans = self.trace_of(12, lambda headers: self.call(
            "GET", "/v1/sessions/secret-session/messages", headers=headers))
        self.assertEqual(self.check_tree(spans)["name"], "GET /v1/sessions/{id}/messages")

    def test_PF_10_what_is_done_later_is_linked_to_its_request(self):
        """The historian's job has a trace of its own, linked to the request that led to it, also where the server was
        killed in between."""
        session = "later-session"

        def linked(trace, name):
            return [span for span in self.collector.spans() if span["name"] == name
                    and trace in [link["traceId"] for link in span.get("links", [])]]

        for number in (40, 41):
            trace, spans = self.trace_of(number, lambda headers: self.call(
                "POST", "/v1/sessions/%s/messages" % session,
                {"messages": [{"role": "user", "content": "My %d. boat is called Kittiwake." % number},
                              {"role": "assistant", "content": "A fine name."}]}, headers=headers))
            trace, spans = self.trace_of(number + 10, lambda headers: self.call(
                "POST", "/v1/sessions/%s/save" % session, {}, headers=headers))
            job = self.until(lambda: linked(trace, "weft.job topic"))[0]
            self.assertNotEqual(job["traceId"], trace)
            self.assertNotIn("parentSpanId", job)
            self.assertIn(job["links"][0]["spanId"], [span["spanId"] for span in spans])
            self.assertEqual(attributes(job)["weft.job.attempt"], 1)
        # Through the proxy what is said is taken in behind the client's back.
        trace, _ = self.trace_of(60, lambda headers: self.chat(
            [{"role": "user", "content": "I am allergic to walnuts."}], session="by-proxy", headers=headers))
        self.until(lambda: [span for span in self.collector.spans() if span["name"].startswith("weft.job")
                            and trace in [link["traceId"] for link in span.get("links", [])]])

    def test_PF_10_what_threads_do_by_themselves_is_told_too(self):
        self.observe("by-itself", [{"role": "user", "content": "My canoe is called Oriole. 我的独木舟叫黄鹂。"}])
        self.settle()  # also until the model for vectors is loaded
        if self.call("GET", "/healthz")["embedder"]["state"] != "ready":
            self.skipTest("there is no model for vectors")

        def whole():
            spans = self.collector.spans()
            roots = {span["spanId"]: span for span in spans if span["name"] == "weft.background embed"}
            return [(roots[span["parentSpanId"]], span) for span in spans if span.get("parentSpanId") in roots]

        root, step = self.until(whole)[-1]
        self.assertTrue(step["name"].startswith("embeddings "), step)
        self.assertEqual(root["traceId"], step["traceId"])
        self.assertNotIn("parentSpanId", root)

    def test_a_refusal_of_the_model_is_an_error_of_its_span(self):
        _, spans = self.trace_of(13, lambda headers: self.fails(
            "POST", "/v1/chat/completions",
            {"model": "scripted", "messages": [{"role": "user", "content": "fail with 429"}]}, headers=headers))
        call = [span for span in spans if span["name"] == "chat scripted"][0]
        self.assertEqual((call["status"]["code"], attributes(call)["error.type"]), (2, "429"))

    def test_the_caller_decides_whether_it_is_traced(self):
        trace = TRACE[:-2] + "20"
        self.chat([{"role": "user", "content": "unseen"}], headers={"traceparent": "00-%s-%s-00" % (trace, CALLER)})
        self.trace_of(21, lambda headers: self.chat([{"role": "user", "content": "seen"}], headers=headers))
        self.assertEqual(self.collector.spans(trace), [])
        # The caller's word goes on to the model's server all the same.
        sent = [{name.lower(): value for name, value in headers.items()} for headers, _ in self.model.seen]
        self.assertIn("00-%s-%s-00" % (trace, CALLER), [headers.get("traceparent") for headers in sent])

    def test_nothing_that_was_said_and_no_secret_is_told(self):
        for number, fact in enumerate(FACTS):
            self.trace_of(30 + number, lambda headers: self.chat(
                [{"role": "user", "content": fact}], user="ann-the-user", session="secret-session",
                headers={**headers, "Authorization": "Bearer client-key"}))
        self.call("POST", "/v1/search", {"query": FACTS[0]}, user="ann-the-user")
        self.assertEqual(self.fails("POST", "/v1/search?user=ann-the-user", {"query": FACTS[0]})[0], 400)
        told = "\n".join(self.collector.bodies)
        told += json.dumps([json.loads(body) for body in self.collector.bodies], ensure_ascii=False)
        for hidden in (*FACTS, "Marguerite", "林秋月", "client-key", SECRET, "secret-session", "ann-the-user",
                       self.server.workspace):
            self.assertNotIn(hidden, told)
        self.assertEqual(set(self.collector.paths), {"/v1/traces"})
        self.assertEqual(self.collector.headers[-1]["authorization"], "Bearer " + SECRET)

    def test_what_was_said_is_told_where_the_operator_wants_it(self):
        collector = Collector()
        server = WeftServer(self.model.url, settings=("otel.endpoint=" + collector.url, "otel.content=true",
                                                      "otel.service=our-memory", "otel.interval_ms=50"))
        before, type(self).server = self.server, server
        try:
            self.chat([{"role": "user", "content": FACTS[1]}])
            calls = self.until(lambda: [span for span in collector.spans() if span["name"] == "chat scripted"])
            told = attributes(calls[0])
            self.assertIn("林秋月", json.dumps(json.loads(told["gen_ai.input.messages"]), ensure_ascii=False))
            self.assertEqual(json.loads(told["gen_ai.output.messages"])[0]["parts"][0]["content"], "You said: " + FACTS[1])
            self.assertIn('"our-memory"', collector.bodies[0])
        finally:
            type(self).server = before
            server.__exit__()
            collector.server.shutdown()

    def test_a_collector_that_is_away_or_hangs_harms_nobody(self):
        hanging = Collector(hangs=True)
        for endpoint in ("http://127.0.0.1:9", hanging.url):
            server = WeftServer(self.model.url, settings=("otel.endpoint=" + endpoint, "otel.interval_ms=20",
                                                          "otel.queue=16", "otel.timeout_ms=500"))
            before, type(self).server = self.server, server
            try:
                begin = time.time()
                for number in range(20):
                    self.chat([{"role": "user", "content": "hello %d" % number}], session="s%d" % number)
                self.assertLess(time.time() - begin, 20)
                self.assertEqual(self.call("GET", "/healthz")["status"], "ok")
            finally:
                type(self).server = before
                begin = time.time()
                server.__exit__()
            self.assertEqual(server.exit_code, 0)
            self.assertLess(time.time() - begin, 15)
        hanging.server.shutdown()

    def test_without_a_collector_nothing_is_made(self):
        server = WeftServer(self.model.url)
        before, type(self).server = self.server, server
        try:
            self.chat([{"role": "user", "content": "hello"}], headers={"traceparent": PARENT})
            sent = {name.lower(): value for name, value in self.model.seen[-1][0].items()}
            self.assertEqual(sent["traceparent"], PARENT)
        finally:
            type(self).server = before
            server.__exit__()


class TracesOfAgents(Scenario):
    toml = AGENT_TOML

    @classmethod
    def setUpClass(cls):
        cls.collector = Collector()
        cls.settings = ("otel.endpoint=" + cls.collector.url, "otel.interval_ms=50", "otel.sample=0")
        super().setUpClass()

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        cls.collector.server.shutdown()

    def test_PF_10_a_run_is_linked_to_the_request_that_started_it(self):
        self.call("POST", "/v1/tasks", {"task": "Water the ferns."})  # nobody asked for a trace of it
        self.call("POST", "/v1/tasks", {"task": "给蕨类植物浇水。"}, headers={"traceparent": PARENT})

        def ended():
            return [span for span in self.collector.spans() if span["name"] == "weft.agent"]

        runs = self.until(ended)
        self.assertEqual(len(runs), 1)
        self.assertEqual([link["traceId"] for link in runs[0]["links"]], [TRACE])
        steps = [span["name"] for span in self.collector.spans(runs[0]["traceId"])]
        self.assertIn("chat scripted", steps)
        self.assertIn("weft.context", steps)


if __name__ == "__main__":
    unittest.main()
