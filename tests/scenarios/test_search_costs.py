"""What a search by the model costs it: ten hits of 1.7 KB of text stand in about 2 KB (PF-10, MS-5), in both languages;
what is not sure enough may be left out."""

import json
import unittest

from scenario import Scenario

FACTS = {
    "ann": ("Shelf number %d of the violin maker's workshop holds spruce for tops, bought in the valley of Fiemme from a "
            "man called Luca, who lets it dry for fifteen years before he sells it on.", "violin maker spruce shelf"),
    "小明": ("第%d个架子上放着小提琴制琴师的云杉木料，是从费耶美山谷一位名叫卢卡的人那里买来的，他要让木料干燥整整十五年才肯出手。",
           "小提琴 云杉 架子")}
REVISION = "2026-07-28"
WHO = {"io.modelcontextprotocol/protocolVersion": REVISION,
       "io.modelcontextprotocol/clientInfo": {"name": "scenario", "version": "1"},
       "io.modelcontextprotocol/clientCapabilities": {}}


def size(value):
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())


class SearchCosts(Scenario):
    settings = ("embedding.provider=none",)

    def search(self, user, query, **more):
        arguments = {"query": query, "top_k": 10, **more}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                "params": {"name": "memory_search", "arguments": arguments, "_meta": WHO}}
        headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": REVISION,
                   "Mcp-Method": "tools/call", "Mcp-Name": "memory_search"}
        return self.call("POST", "/mcp", body, user=user, headers=headers)["result"]

    def test_ten_hits_cost_little_more_than_what_they_say(self):
        for user, (fact, query) in FACTS.items():
            user = user if user.isascii() else "xiao-ming"
            self.observe("s", [{"role": "user", "content": fact % number} for number in range(12)], user=user)
            found = self.search(user, query)
            hits = found["structuredContent"]["hits"]
            self.assertEqual(len(hits), 10)
            said = sum(len(hit["text"].encode()) for hit in hits)
            self.assertGreater(said, 1700)
            text = len(found["content"][0]["text"].encode())
            self.assertLessEqual(text, said + 32 * 10)
            self.assertLessEqual(size(found["structuredContent"]), said + 66 * 10)
            for hit in hits:
                self.assertIn(hit["text"], found["content"][0]["text"])

    def test_PF_10_what_is_not_sure_enough_may_be_left_out(self):
        for user, sure, unsure, query in (
                ("bea", "The tall lighthouse keeper is called Ottilie.", "A lamp is on the desk.", "who is the lighthouse keeper?"),
                ("li", "灯塔看守人叫做欧阳雪。", "桌上有一盏灯。", "灯塔看守人叫什么？")):
            self.observe("s", [{"role": "user", "content": text} for text in (sure, unsure)], user=user)
            whole = self.call("POST", "/v1/search", {"query": query}, user=user)["hits"]
            least = max(hit["relevance"] for hit in whole)
            self.assertTrue([hit for hit in whole if hit["relevance"] < least], whole)
            wanted = [hit["id"] for hit in whole if hit["relevance"] >= least]
            body = {"query": query, "min_relevance": least}
            self.assertEqual([hit["id"] for hit in self.call("POST", "/v1/search", body, user=user)["hits"]], wanted)
            self.assertEqual(len(self.search(user, query, min_relevance=least)["structuredContent"]["hits"]), len(wanted))
            told = self.weft("-u", user, "--json", "search", query, "--min-relevance", repr(least))
            self.assertEqual([hit["id"] for hit in json.loads(told.stdout)["hits"]], wanted, told.stderr)
        self.assertEqual(self.fails("POST", "/v1/search", {"query": "x", "min_relevance": "much"})[0], 400)


if __name__ == "__main__":
    unittest.main()
