"""Follows the pages of the plug-ins word for word, with the real hosts, in a home of the reader's own (PF-18).

Such a reader has the host already, with a model that answers."""

import json
import os
import unittest

import hermes_host
import openclaw_host
from agent_host import HostHandler, users_text
from doc_reader import ROOT, Reader
from scenario import whole


class PluginQuickstarts(Reader):
    patience = 560
    host = None

    def setUp(self):
        super().setUp()
        self.model.server.RequestHandlerClass = HostHandler

    def environment(self):
        path = os.path.join(self.folder, "build")
        hosts = self.host.environment(self.folder)
        return {**super().environment(), **hosts, "WEFT_SOURCES": ROOT, "PATH": path + ":" + hosts["PATH"],
                "WEFT_PLUGIN_RECALL_MS": "20000", "WEFT_PLUGIN_OBSERVE_MS": "20000"}  # other tests may run meanwhile

    def what_the_model_was_told(self):
        """With the last question: all of it. Calls that offer no tools are the host's own, for titles."""
        asked = [body["messages"] for _, body in self.model.seen
                 if body.get("tools") and "What could I give my sister Mei?" in users_text(body["messages"])]
        self.assertTrue(asked, "the host never asked its model")
        return whole(asked[-1])

    @unittest.skipUnless(openclaw_host.there(), "OpenClaw is not there (make setup-tests)")
    def test_PF_18_openclaw(self):
        self.host = openclaw_host
        os.makedirs(os.path.join(self.folder, ".openclaw"))
        os.makedirs(os.path.join(self.folder, "tmp"))
        with open(os.path.join(self.folder, ".openclaw/openclaw.json"), "w") as file:
            json.dump(openclaw_host.model_settings(self.model.url), file)
        printed = self.run_page("packaging/openclaw/README.md")
        self.assertIn("old maps of Utrecht", self.what_the_model_was_told())
        self.assertIn("old maps of Utrecht", printed.split("All right.", 2)[2])
        with open(os.path.join(self.folder, ".openclaw/openclaw.json")) as file:
            self.assertIn("${WEFT_KEY}", file.read(), "the key itself is not written down")

    @unittest.skipUnless(hermes_host.there(), "Hermes Agent is not there (make setup-tests)")
    def test_PF_18_hermes(self):
        self.host = hermes_host
        os.makedirs(os.path.join(self.folder, ".hermes"))
        with open(os.path.join(self.folder, ".hermes/config.yaml"), "w") as file:
            file.write("model:\n  default: scripted\n  provider: custom\n  base_url: %s\n  api_key: none\n" % self.model.url)
        printed = self.run_page("packaging/hermes/README.md")
        self.assertIn("old maps of Utrecht", self.what_the_model_was_told())
        self.assertIn("old maps of Utrecht", printed.split("All right.", 2)[2])


if __name__ == "__main__":
    unittest.main()
