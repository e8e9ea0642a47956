"""What is wrong is refused at once, and the answer says what was wrong and what to do."""

import subprocess
import tempfile
import unittest
import uuid

from scenario import Scenario
from weft_server import binary


class BadRequests(Scenario):
    def refused(self, path, body, *words, method="POST", status=400):
        code, error = self.fails(method, path, body)
        self.assertEqual(code, status, (path, error))
        for word in words:
            self.assertIn(word, error["message"] + " " + (error.get("hint") or ""), path)

    def test_PF_18_unknown_fields_of_our_own_api_are_errors_with_a_hint(self):
        self.refused("/v1/sessions/s/context", {"inputt": "hello"}, "inputt", 'did you mean "input"')
        self.refused("/v1/sessions/s/context", {"input": "x", "task": {"descripton": "y"}}, "descripton", "description")
        self.refused("/v1/sessions/s/context", {"input": "x", "preferences": [{"txt": "y"}]}, "txt", "text")
        self.refused("/v1/search", {"query": "x", "topk": 3}, "topk", "top_k")
        self.refused("/v1/sessions/s/messages", {"messages": [], "sesion": 1}, "sesion")
        self.refused("/v1/sessions/s/end", {"action_sumary": "x"}, "action_sumary", "action_summary")
        self.refused("/v1/sessions/s/save", {"force": True}, "force")
        self.refused("/v1/sessions/s/compact", {"fokus": "x"}, "fokus", "focus")
        self.refused("/v1/erase", {"everthing": True}, "everthing", "everything")
        self.refused("/v1/state/default", {"stat": {}}, "stat", "state", method="PUT")
        self.refused("/v1/state/default", {"operations": [], "expected_versoin": 1}, "expected_versoin",
                     "expected_version")
        self.refused("/v1/tools/cognitive_search_events", {"querry": "x"}, "querry", "query")

    def test_PF_18_the_proxys_body_stays_open(self):
        answer = self.chat([{"role": "user", "content": "hi"}], inputt=1, temperature=0.5,
                           metadata={"conversation_id": "7", "tag": "x", "team": "blue"})
        self.assertEqual(answer["content"], "You said: hi")
        self.assertEqual(self.model.seen[-1][1]["inputt"], 1)

    def test_PF_18_scopes_are_read_in_every_documented_form(self):
        word = "w" + uuid.uuid4().hex[:8]
        for i, form in enumerate(("weft_group", "group_id", "group")):
            self.call("POST", "/v1/chat/completions",
                      {"model": "m", "messages": [{"role": "user", "content": "The word is %s%d." % (word, i)}],
                       "metadata": {form: "g-" + word}}, user="")
            hits = self.call("GET", "/v1/items?kind=message&group=g-" + word, user="")["items"]
            self.assertTrue(any(word + str(i) in hit["text"] for hit in hits), form)

    def test_PF_18_what_looks_like_a_scope_and_is_none_is_refused(self):
        before = len(self.model.seen)
        for name, hint in (("groupId", "group_id"), ("weft_grup", "weft_group"), ("Session-Id", "session_id"),
                           ("weft_usr", "weft_user"), ("sesion_id", "session_id")):
            code, error = self.fails("POST", "/v1/chat/completions",
                                     {"model": "m", "messages": [{"role": "user", "content": "hi"}],
                                      "metadata": {name: "x"}}, user="")
            self.assertEqual(code, 400)
            self.assertIn(name, error["message"])
            self.assertIn(hint, error["message"])
        self.assertEqual(len(self.model.seen), before)

    def test_PF_18_an_upstream_that_is_no_url_is_refused_at_the_start(self):
        for arguments, toml in ((["--upstream", "notaurl"], ""), ([], '[proxy]\nupstream = "localhost:8000"\n'),
                                (["--set", "proxy.upstream=http://"], "")):
            with tempfile.TemporaryDirectory() as folder:
                with open(folder + "/weft.toml", "w") as file:
                    file.write(toml)
                done = subprocess.run([binary(), "serve", "--workspace", folder, "--port", "0", *arguments],
                                      capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("no URL", done.stderr)
            self.assertIn("http://127.0.0.1:8000/v1", done.stderr)


if __name__ == "__main__":
    unittest.main()
