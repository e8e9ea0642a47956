"""The document of the REST interface, judged by others (PF-10): a public validator, a client that a public generator
makes of it, and a tester that sends what it allows and what it forbids and compares every answer with it."""

import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
import urllib.request

from scripted_openai import ScriptedOpenAI
from weft_server import WeftServer, skip

for package in ("openapi_spec_validator", "schemathesis", "openapi_python_client"):
    if importlib.util.find_spec(package) is None:
        skip("the Python package " + package + " is not there; tools/setup/clients.sh installs it")

from openapi_spec_validator import validate  # noqa: E402

# The words of the index are enough here; a model answers agents, so that a run can be begun.
TOML = """
[embedding]
provider = "none"

[models.m]
url = "%s"
model = "scripted"

[roles]
main = "m"
"""

# All checks of the tester are used. Only of these operations it cannot know by their description what is accepted, since
# their bodies have a grammar of their own; what is forbidden, and every answer, is checked of them, too.
OWN_GRAMMAR = {
    "observe": "messages in the forms of OpenAI and of Anthropic, with parts of many kinds",
    "context": "the same",
    "compact": "a window has to hold what is kept free in it, as it is configured",
    "import_quests": "YAML or JSON with quests",
    "import_lore": "a file of lore",
    "teach_skill": "a text with a list of steps",
    "search": "names of sessions among its lists must not be empty",
    "put_lore": "an entry in Weft's own form or in that of World Info",
    "plan_learning": "hours between which there is no time",
    "put_quest": "fields that only their names tell",
    "put_task": "something has to be said of it, in whichever field",
    "put_skill": "a procedure with steps, or a body",
    "import_skill": "a folder with a SKILL.md",
    "apply_state": "operations on anchors that have to be there",
    "put_state_schema": "a JSON schema without regular expressions and recursion",
    "feedback": "what it says has to be about the result",
    "add_knowledge": "whose memory is meant is a text, where its name stands beside the fields",
    "ask_question": "the same",
    "propose_mutations": "a skill that has been used for a while",
    "start_research": "a repository needs its folder",
    "end": "time zones have names",
    "start_task": "tools are programs and servers that have to be there",
}
# What these take beyond their description, since models and clients write so: ids of digits as whole numbers, an empty
# text for nothing, numbers where texts are compared, messages without a role among those that are known or with fields
# that are not read in their role.
LOOSE = {"end", "apply_state", "report", "count_task", "items", "search", "context", "observe"}


def config_of(name):
    off = [check for check, names in (("positive_data_acceptance", OWN_GRAMMAR), ("negative_data_rejection", LOOSE))
           if name in names]
    return '[[operations]]\ninclude-operation-id = "%s"\n' % name + "".join(
        "checks.%s.enabled = false\n" % check for check in off)


# A cursor is one that a page before has given, and a key for calls that are sent again is refused where it came with
# another request: neither can a description say.
CONFIG = '[parameters]\n"query.cursor" = ""\n"header.Idempotency-Key" = ""\n' + "\n".join(config_of(name) for name in sorted(LOOSE | set(OWN_GRAMMAR)))

# Operations that the generator has no way to make: bodies of plain text.
NOT_GENERATED = {"import_quests", "import_lore"}

ROUND_TRIP = """
import sys
from weft_client import Client
from weft_client.api.default import observe, search
from weft_client.models import Error, MessageIn, SearchRequest

client = Client(base_url=sys.argv[1])
message = MessageIn.from_dict({"id": "m1", "role": "user", "content": "My sister Mei lives in Utrecht."})
report = observe.sync("monday", client=client, body=message, x_weft_user="ann")
assert not isinstance(report, Error), report
assert report.observations, report

found = search.sync(client=client, body=SearchRequest(query="Where does Mei live?"), x_weft_user="ann")
assert any("Utrecht" in hit.text for hit in found.hits), found
others = search.sync(client=client, body=SearchRequest(query="Where does Mei live?"), x_weft_user="bob")
assert not others.hits, others

refused = search.sync(client=client, body=SearchRequest(query=""), x_weft_user="ann")
assert isinstance(refused, Error) and refused.error.code == "invalid_argument", refused
print("done")
"""


def program(name):
    """A program of the packages, which stands beside the interpreter."""
    return os.path.join(os.path.dirname(sys.executable), name)


class OpenApi(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.model = ScriptedOpenAI()
        cls.server = WeftServer(upstream=cls.model.url, toml=TOML % cls.model.url)
        with urllib.request.urlopen(cls.server.url + "/openapi.json", timeout=60) as answer:
            cls.document = json.load(answer)

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()
        cls.model.close()

    def test_PF_10_the_document_is_valid(self):
        validate(self.document)
        self.assertTrue(self.document["openapi"].startswith("3.1."))

    def test_PF_10_the_doors_of_other_protocols_are_named(self):
        paths = self.document["paths"]
        for path, method, tag in (("/v1/chat/completions", "post", "proxy"), ("/v1/responses", "post", "proxy"),
                                  ("/v1/messages", "post", "proxy"), ("/v1/models", "get", "proxy"), ("/mcp", "post", "mcp"),
                                  ("/mcp", "get", "mcp"), ("/mcp", "delete", "mcp"), ("/ui", "get", "page")):
            self.assertEqual(paths[path][method]["tags"], [tag], path)
        # What the document says of them is what they do.
        for path, method, body in (("/v1/chat/completions", "POST", {"model": "m", "messages": [{"role": "user", "content": "hi"}]}),
                                   ("/v1/models", "GET", None), ("/ui", "GET", None), ("/openapi.json", "GET", None),
                                   ("/mcp", "POST", {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
                                       "protocolVersion": "2025-06-18", "capabilities": {},
                                       "clientInfo": {"name": "test", "version": "1"}}})):
            request = urllib.request.Request(self.server.url + path, method=method,
                                             data=None if body is None else json.dumps(body).encode(),
                                             headers={"Content-Type": "application/json",
                                                      "Accept": "application/json, text/event-stream, text/html"})
            with urllib.request.urlopen(request, timeout=60) as answer:
                told = paths[path][method.lower()]["responses"][str(answer.status)]["content"]
                self.assertIn(answer.headers["Content-Type"].partition(";")[0], told, path)

    def test_PF_10_a_generated_client_makes_a_round_trip(self):
        with tempfile.TemporaryDirectory(prefix="weft-client-") as folder:
            with open(os.path.join(folder, "openapi.json"), "w") as file:
                json.dump(self.document, file)
            with open(os.path.join(folder, "settings.yaml"), "w") as file:
                file.write("post_hooks: []\n")  # its layout does not matter
            done = subprocess.run([program("openapi-python-client"), "generate", "--path", "openapi.json", "--config",
                                   "settings.yaml", "--meta", "none", "--output-path", "weft_client"],
                                  cwd=folder, capture_output=True, text=True, timeout=300)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            made = {name[:-3] for name in os.listdir(os.path.join(folder, "weft_client/api/default"))}
            # What stands under a tag has a form that is described by those whose it is.
            told = {one["operationId"] for path in self.document["paths"].values() for one in path.values()
                    if "tags" not in one}
            self.assertEqual(told - made, NOT_GENERATED, done.stdout)
            done = subprocess.run([sys.executable, "-c", ROUND_TRIP, self.server.url], cwd=folder, capture_output=True,
                                  text=True, timeout=120)
            self.assertEqual(done.stdout, "done\n", done.stderr)

    def test_PF_10_no_answer_is_outside_the_document(self):
        with tempfile.TemporaryDirectory(prefix="weft-schemathesis-") as folder:
            with open(os.path.join(folder, "schemathesis.toml"), "w") as file:
                file.write(CONFIG)
            done = subprocess.run([program("schemathesis"), "run", self.server.url + "/openapi.json", "--seed", "20", "--phases",
                                   "coverage,fuzzing", "--exclude-tag", "proxy", "--exclude-tag", "mcp", "--exclude-tag", "page", "--max-examples", "2", "--max-time", "80", "--workers", "1", "--continue-on-failure",
                                   "--no-shrink", "--generation-database", "none", "--request-timeout", "30"],
                                  cwd=folder, capture_output=True, text=True, timeout=400)
        self.assertEqual(done.returncode, 0, done.stdout[-20000:] + done.stderr)
        # Where its time was over before it began it ends well, too.
        asked = re.search(r"(\d+) generated", done.stdout)
        if asked is None or int(asked.group(1)) < 100:
            self.skipTest("the machine was too busy for the tester: " + (asked.group(0) if asked else "nothing generated"))
        with urllib.request.urlopen(self.server.url + "/healthz", timeout=60) as answer:
            self.assertEqual(answer.status, 200)


if __name__ == "__main__":
    unittest.main()
