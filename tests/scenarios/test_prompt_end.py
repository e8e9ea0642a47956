"""A server that is told to end does so at once, whatever it is waiting for: a model that loads, an endpoint that does not
answer; and what it had acknowledged is there afterwards (PF-10)."""

import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.request

from scenario import binary

PROMPT = 8  # seconds; an endpoint is waited for 30, and the machine of the tests may be busy


class PromptEnd(unittest.TestCase):
    def setUp(self):
        self.workspace = tempfile.mkdtemp(prefix="weft-end-")
        self.addCleanup(shutil.rmtree, self.workspace, True)

    def serve(self, *settings):
        command = [binary(), "serve", "--workspace", self.workspace, "--port", "0"]
        for setting in settings:
            command += ["--set", setting]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.addCleanup(server.stdout.close)
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        return server, json.loads(server.stdout.readline())["listening"]

    def say(self, url, text):
        body = json.dumps({"role": "user", "content": text}).encode()
        request = urllib.request.Request(url + "/v1/sessions/s/messages", data=body,
                                         headers={"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            self.assertEqual(answer.status, 200)

    def end(self, server):
        begun = time.time()
        server.send_signal(signal.SIGTERM)
        self.assertEqual(server.wait(timeout=60), 0)
        return time.time() - begun

    def kept(self, text):
        done = subprocess.run([binary(), "--workspace", self.workspace, "--set", "embedding.provider=none", "search", text],
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_PF_10_while_an_endpoint_of_embeddings_says_nothing(self):
        endpoint = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(endpoint.close)
        asked, held = threading.Event(), []

        def hold():
            try:
                while True:
                    held.append(endpoint.accept()[0])
                    asked.set()
            except OSError:
                pass

        threading.Thread(target=hold, daemon=True).start()
        server, url = self.serve("embedding.provider=openai", "embedding.model=m", "embedding.timeout_ms=60000",
                                 "embedding.url=http://127.0.0.1:%d/v1" % endpoint.getsockname()[1])
        self.say(url, "The gander is called Ferdinand.")
        self.assertTrue(asked.wait(30), "the endpoint was never asked")
        self.assertLess(self.end(server), PROMPT)
        self.assertIn("Ferdinand", self.kept("gander"))
        endpoint.shutdown(socket.SHUT_RDWR)  # so that who holds ends, too
        for one in held:
            one.close()

    def test_PF_10_while_a_local_model_loads(self):
        model = os.path.join(os.environ.get("WEFT_CACHE", os.path.expanduser("~/.cache/weft")), "models",
                             "multilingual-e5-small-q4.gguf")
        if not os.path.exists(model):
            self.skipTest("the models of set-up are not there")
        for number in range(3):
            server, url = self.serve("embedding.path=" + model)
            self.say(url, "Jar %d holds sage." % number)  # the model is wanted from now on
            self.assertLess(self.end(server), PROMPT)
        self.assertIn("Jar 2", self.kept("sage"))


if __name__ == "__main__":
    unittest.main()
