"""A server that several people and programs share: keys with rights, for some users only; HTTPS; pages of other sites;
a flood of requests; and what was done by whom is found again (PF-10)."""

import json
import os
import shutil
import ssl
import subprocess
import tempfile
import time
import unittest
import urllib.error
import urllib.request

from scenario import Scenario, ScriptedOpenAI, WeftServer, binary


class Keys(Scenario):
    def key(self, name, *options):
        made = self.weft("key", "add", name, *options)
        self.assertEqual(made.returncode, 0, made.stderr)
        return made.stdout.strip()

    def ask(self, key, method, path, body=None, user=None, **headers):
        """Status and answer of a call with this key."""
        headers = {"Content-Type": "application/json", **headers}
        if key:
            headers.setdefault("Authorization", "Bearer " + key)
        if user:
            headers["X-Weft-User"] = user
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.server.url + path, data=data, method=method, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, json.loads(answer.read() or b"null"), answer.headers
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read()), error.headers

    def test_a_shared_server(self):
        # Before there is a key whoever is on the machine may ask.
        self.assertEqual(self.ask(None, "GET", "/v1/items")[0], 200)
        ann = self.key("ann's laptop", "--for-user", "ann")
        dashboard = self.key("dashboard", "--right", "read")
        caretaker = self.key("caretaker", "--right", "admin")
        team = self.key("team bot", "--for-group", "望京组")
        time.sleep(1.2)  # the server looks at the file every second

        # From then on nobody gets in without, and no error says more than needed.
        status, answer, headers = self.ask(None, "GET", "/v1/items")
        self.assertEqual((status, headers["WWW-Authenticate"]), (401, "Bearer"))
        self.assertIn("key", answer["error"]["message"])
        self.assertEqual(self.ask(ann[:-1] + ("a" if ann[-1] != "a" else "b"), "GET", "/v1/items")[0], 401)
        self.assertEqual(self.ask(None, "GET", "/healthz")[0], 200)

        # Ann's key opens Ann's memory, also where she is not named, and nobody else's.
        said = {"role": "user", "content": "I keep my passport in the blue drawer."}
        self.assertEqual(self.ask(ann, "POST", "/v1/sessions/s/messages", said)[0], 200)
        self.assertEqual(self.ask(ann, "POST", "/v1/sessions/s/save")[0], 200)
        for user, wanted in (("ann", 200), ("bob", 403)):
            self.assertEqual(self.ask(ann, "GET", "/v1/items", user=user)[0], wanted, user)
        self.assertEqual(self.ask(ann, "GET", "/v1/items?user=bob")[0], 403)
        self.assertEqual(self.ask(ann, "POST", "/v1/search", {"query": "passport", "user": "bob"})[0], 403)
        self.assertEqual(self.ask(ann, "GET", "/v1/items?group=g")[0], 403)
        found = self.ask(ann, "POST", "/v1/search", {"query": "passport"})
        self.assertIn("blue drawer", json.dumps(found[1]))
        # A tool call and the proxy go through the same door.
        self.assertEqual(self.ask(ann, "POST", "/v1/tools/memory_search", {"query": "x"}, user="bob")[0], 403)
        chat = {"model": "scripted", "messages": [{"role": "user", "content": "hello"}]}
        before = len(self.model.seen)
        self.assertEqual(self.ask(ann, "POST", "/v1/chat/completions", chat, user="bob")[0], 403)
        self.assertEqual(len(self.model.seen), before, "nothing may reach the model")
        self.assertEqual(self.ask(ann, "POST", "/v1/chat/completions", chat)[0], 200)
        self.assertNotIn(ann, json.dumps([str(one) for one in self.model.seen]), "the key is not the upstream's business")

        # A group's key opens the group for all who speak there.
        self.assertEqual(self.ask(team, "POST", "/v1/sessions/t/messages",
                                  {**said, "metadata": {"group_id": "望京组", "user_id": "bob"}})[0], 200)
        self.assertEqual(self.ask(team, "GET", "/v1/items?user=bob")[0], 403)

        # To look is not to change, and to change is not to look after the whole.
        self.assertEqual(self.ask(dashboard, "GET", "/v1/items?user=ann")[0], 200)
        self.assertEqual(self.ask(dashboard, "POST", "/v1/search", {"query": "passport", "user": "ann"})[0], 200)
        status, answer, _ = self.ask(dashboard, "POST", "/v1/sessions/s/messages", said)
        self.assertEqual(status, 403)
        self.assertIn("--right write", answer["error"]["hint"])
        self.assertEqual(self.ask(dashboard, "POST", "/v1/chat/completions", chat)[0], 403)
        self.assertEqual(self.ask(ann, "POST", "/v1/jobs/retry")[0], 403)
        self.assertEqual(self.ask(ann, "GET", "/v1/jobs")[0], 403)
        self.assertEqual(self.ask(dashboard, "GET", "/v1/jobs")[0], 200)
        self.assertEqual(self.ask(caretaker, "POST", "/v1/jobs/retry")[0], 200)
        taught = {"text": "# Deploy\n1. Build.\n2. Ship.", "owner": "workspace"}
        self.assertEqual(self.ask(ann, "POST", "/v1/skills", taught)[0], 403)

        # Who may read of everybody is not told who everybody is.
        self.assertEqual(self.ask(dashboard, "GET", "/v1/scopes")[0], 403)
        self.assertEqual(self.ask(ann, "GET", "/v1/scopes")[0], 403)
        self.assertIn("ann", self.ask(caretaker, "GET", "/v1/scopes")[1]["users"])

        # What belongs to everybody is used and not changed by a key of some users; their own is theirs.
        status, shared, _ = self.ask(caretaker, "POST", "/v1/skills", taught)
        self.assertEqual(status, 200, shared)
        path = "/v1/skills/" + shared["skill_id"]
        self.assertEqual(self.ask(ann, "GET", path)[0], 200)
        for change in ("retire", "disable", "remove", "pin"):
            status, answer, _ = self.ask(ann, "POST", path, {"action": change})
            self.assertEqual(status, 403, (change, answer))
        self.assertEqual(self.ask(ann, "PUT", path, {**shared, "owner": "user:ann"})[0], 403)
        self.assertEqual(self.ask(ann, "POST", "/v1/mutations", {"skill": shared["skill_id"]})[0], 403)
        self.assertEqual(self.ask(caretaker, "GET", path)[1]["stage"], shared["stage"])
        own = self.ask(ann, "POST", "/v1/skills", {"text": "# Tidy\n1. Sort the drawer.\n2. Close it."})[1]
        self.assertEqual(self.ask(ann, "POST", "/v1/skills/" + own["skill_id"], {"action": "disable"})[0], 200)
        self.assertEqual(self.ask(caretaker, "POST", path, {"action": "disable"})[0], 200)

        # What was done is found again, without content and without keys.
        self.assertEqual(self.ask(ann, "POST", "/v1/erase", {"everything": True})[0], 200)
        with open(os.path.join(self.server.workspace, "audit.jsonl")) as file:
            text = file.read()
        lines = [json.loads(line) for line in text.splitlines()]
        acts = {(line.get("who"), line["act"], line.get("whose")) for line in lines}
        self.assertIn(("ann's laptop", "erase", "user:ann"), acts)
        self.assertIn(("caretaker", "retry_failed", None), acts)
        self.assertIn("weft key add", {act for _, act, _ in acts})
        self.assertIn("refused", {act for _, act, _ in acts})
        for secret in (ann, dashboard, caretaker, team, "passport"):
            self.assertNotIn(secret, text)

        # A key that was taken away opens nothing, also not after a restart.
        self.assertEqual(self.weft("key", "revoke", "ann's laptop").returncode, 0)
        time.sleep(1.2)
        self.assertEqual(self.ask(ann, "GET", "/v1/items")[0], 401)
        self.server.restart()
        self.assertEqual(self.ask(ann, "GET", "/v1/items")[0], 401)
        self.assertEqual(self.ask(dashboard, "GET", "/v1/items?user=ann")[0], 200)
        listed = self.weft("key", "list", "--json").stdout
        self.assertEqual([json.loads(line)["name"] for line in listed.splitlines()],
                         ["dashboard", "caretaker", "team bot"])
        self.assertNotIn("digest", listed)


class Audit(Scenario):
    """Whoever looks after a workspace finds every administrative act again: who, what, and how it ended."""

    settings = ("embedding.provider=none", "recall.auto_top=4")

    def lines(self):
        with open(os.path.join(self.server.workspace, "audit.jsonl")) as file:
            return [json.loads(line) for line in file]

    def acts(self, act):
        return [line for line in self.lines() if line["act"] == act]

    def test_PF_10_every_administrative_act_says_what_it_acted_on(self):
        secret = "My passport lies in the blue drawer."
        self.assertIn("setting recall.auto_top", self.acts("serve")[0]["what"])

        made = json.loads(self.weft("key", "add", "desk", "--json").stdout)
        self.assertNotIn("digest", made)
        headers = {"Authorization": "Bearer " + made["key"]}
        caretaker = json.loads(self.weft("key", "add", "care", "--right", "admin", "--json").stdout)
        time.sleep(1.2)
        admin = {"Authorization": "Bearer " + caretaker["key"]}
        self.assertEqual(self.acts("weft key add")[0]["what"], ["key desk", "key " + made["id"]])

        self.observe("s1", [{"role": "user", "content": secret}], headers=headers)
        receipt = self.call("POST", "/v1/erase", {"everything": True}, headers=headers)
        done = self.acts("erase")[-1]
        self.assertEqual((done["who"], done["what"], done["whose"], done["outcome"]),
                         ("desk", ["receipt " + receipt["id"]], "user:ann", "done"))

        # Skills, with the id that the server gave, and what was done to them.
        skill = self.call("POST", "/v1/skills", {"text": "# Deploy\n1. Build.\n2. Ship it."}, headers=headers)["skill_id"]
        self.call("POST", "/v1/skills/" + skill, {"action": "disable", "why": secret}, headers=headers)
        self.assertEqual(self.acts("teach_skill")[-1]["what"], ["skill " + skill])
        self.assertEqual(self.acts("change_skill")[-1]["what"], ["skill " + skill, "action disable"])
        self.assertEqual(self.weft("-u", "ann", "skill", "enable", skill, "--why", secret).returncode, 0)
        self.assertEqual(self.acts("weft skill enable")[-1]["what"], ["skill " + skill])
        status, _ = self.fails("POST", "/v1/rules/r77", {"action": "approve"}, headers=headers)
        refused = self.acts("change_rule")[-1]
        self.assertEqual((refused["what"], refused["outcome"]), (["rule r77"], "refused with %d" % status))

        # Profiles.
        self.call("PUT", "/v1/profiles/user/ann", {"body": "- Ann rows."}, headers=headers)
        self.call("PUT", "/v1/profiles/user/ann", {"body": "- Ann rows and sails."}, headers=headers)
        self.call("POST", "/v1/profiles/user/ann/rollback/1", headers=headers)
        self.assertEqual(self.acts("roll_back_profile")[-1]["what"], ["profile user:ann", "version 1"])

        # What may be learnt, backups, imports.
        self.call("PUT", "/v1/learning", {"scopes": "user:*"}, headers=admin)
        self.assertEqual(self.acts("plan_learning")[-1]["who"], "care")
        self.assertEqual(self.weft("reflect", "plan", "--day-tokens", "1000").returncode, 0)
        self.assertEqual(self.acts("weft reflect plan")[-1]["what"], ["setting day-tokens"])
        self.call("POST", "/v1/backups/monday", headers=admin)
        self.assertEqual(self.acts("backup")[-1]["what"], ["backup monday"])
        export = os.path.join(self.server.workspace, "chat.jsonl")
        with open(export, "w") as file:
            for name, is_user, text in (("Ann", True, secret), ("Bot", False, "Noted.")):
                file.write(json.dumps({"name": name, "is_user": is_user, "mes": text, "send_date": "2026-05-03 10:00"}) + "\n")
        staged = self.weft("-u", "ann", "import", "stage", export, "--json")
        self.assertEqual(staged.returncode, 0, staged.stderr)
        staged = json.loads(staged.stdout)["id"]
        self.assertEqual(self.weft("-u", "ann", "import", "accept", staged).returncode, 0)
        self.assertEqual(self.acts("weft import accept")[-1]["what"], ["import " + staged])

        # One who may not is found, too, whatever they tried.
        self.assertEqual(self.fails("POST", "/v1/backups/tuesday", headers=headers)[0], 403)
        self.assertEqual((self.acts("backup")[-1]["what"], self.acts("backup")[-1]["outcome"]),
                         (["backup tuesday"], "refused with 403"))
        revoked = json.loads(self.weft("key", "revoke", made["id"], "--json").stdout)
        self.assertEqual((revoked["name"], "digest" in revoked), ("desk", False))
        self.assertEqual(self.acts("weft key revoke")[-1]["what"], ["key " + made["id"]])

        text = json.dumps(self.lines())
        for hidden in (made["key"], caretaker["key"], "passport", "Deploy", "sails"):
            self.assertNotIn(hidden, text)


class Doors(unittest.TestCase):
    def serve(self, *more, **known):
        model = ScriptedOpenAI()
        server = WeftServer(upstream=model.url, **known)
        self.addCleanup(model.close)
        self.addCleanup(server.__exit__)
        return server

    def test_no_open_door_to_the_world(self):
        with tempfile.TemporaryDirectory() as workspace:
            run = subprocess.run([binary(), "serve", "--host", "0.0.0.0", "--port", "0", "--workspace", workspace],
                                 capture_output=True, text=True, timeout=60)
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("weft key add", run.stderr)

    def test_a_flood_is_slowed_and_told_how_long(self):
        server = self.serve(settings=("server.requests_per_minute=20",))
        codes = []
        for _ in range(25):
            try:
                with urllib.request.urlopen(server.url + "/healthz", timeout=10) as answer:
                    codes.append(answer.status)
            except urllib.error.HTTPError as error:
                codes.append(error.code)
                self.assertGreater(int(error.headers["Retry-After"]), 0)
        self.assertEqual(codes[:20], [200] * 20)
        self.assertIn(429, codes)

    def test_pages_of_a_named_site_may_ask(self):
        server = self.serve(settings=("server.origins=https://app.example",))

        def ask(origin, method="GET", **headers):
            request = urllib.request.Request(server.url + "/v1/items", method=method,
                                             headers={"Origin": origin, **headers})
            try:
                with urllib.request.urlopen(request, timeout=10) as answer:
                    return answer.status, answer.headers
            except urllib.error.HTTPError as error:
                return error.code, error.headers

        self.assertEqual(ask("https://evil.example")[0], 403)
        status, headers = ask("https://app.example")
        self.assertEqual((status, headers["Access-Control-Allow-Origin"]), (200, "https://app.example"))
        self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
        status, headers = ask("https://app.example", "OPTIONS",
                              **{"Access-Control-Request-Method": "POST",
                                 "Access-Control-Request-Headers": "authorization"})
        self.assertEqual((status, headers["Access-Control-Allow-Headers"]), (204, "authorization"))

    def test_https_by_certificate_files(self):
        if shutil.which("openssl") is None:
            self.skipTest("openssl is not there to make a certificate")
        server = self.serve(files={"note.txt": ""})
        folder = server.workspace
        certificate, key = os.path.join(folder, "cert.pem"), os.path.join(folder, "key.pem")

        def renew():
            subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
                            "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", key,
                            "-out", certificate], check=True, capture_output=True)

        renew()
        server.command += ["--set", "server.tls_certificate=" + certificate, "--set", "server.tls_key=" + key]
        server.restart()
        self.assertTrue(server.url.startswith("https://"))
        trusted = ssl.create_default_context(cafile=certificate)
        long_text = "我把护照放在蓝色抽屉里。" * 20000
        for body in ("hello", long_text):
            request = urllib.request.Request(server.url + "/v1/sessions/s/messages", method="POST",
                                             data=json.dumps({"role": "user", "content": body}).encode(),
                                             headers={"Content-Type": "application/json"})
            with urllib.request.urlopen(request, timeout=60, context=trusted) as answer:
                self.assertEqual(answer.status, 200)
        with urllib.request.urlopen(server.url + "/v1/export", timeout=60, context=trusted) as answer:
            self.assertIn("蓝色抽屉", answer.read().decode())
        # Who speaks no TLS, or does not trust the certificate, gets nothing; the server goes on.
        with self.assertRaises(OSError):
            urllib.request.urlopen(server.url.replace("https", "http") + "/healthz", timeout=10)
        with self.assertRaises(urllib.error.URLError):
            urllib.request.urlopen(server.url + "/healthz", timeout=10, context=ssl.create_default_context())
        with urllib.request.urlopen(server.url + "/healthz", timeout=10, context=trusted) as answer:
            self.assertEqual(answer.status, 200)
        # The proxy streams through it, too.
        chat = {"model": "m", "stream": True, "messages": [{"role": "user", "content": "hi"}]}
        request = urllib.request.Request(server.url + "/v1/chat/completions", data=json.dumps(chat).encode(),
                                         headers={"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60, context=trusted) as answer:
            self.assertIn(b"[DONE]", answer.read())

    def test_a_certificate_that_cannot_be_used_is_told(self):
        server = self.serve(files={"cert.pem": "no certificate"})
        path = os.path.join(server.workspace, "cert.pem")
        run = subprocess.run([binary(), "serve", "--port", "0", "--workspace", server.workspace + "-2", "--set",
                              "server.tls_certificate=" + path, "--set", "server.tls_key=" + path],
                             capture_output=True, text=True, timeout=60)
        self.addCleanup(shutil.rmtree, server.workspace + "-2", True)
        self.assertNotEqual(run.returncode, 0)
        self.assertIn(path, run.stderr)


if __name__ == "__main__":
    unittest.main()
