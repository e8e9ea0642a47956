#include "surface/api/compact_hits.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace weft {
namespace {

TEST(CompactHits, MS_5_a_model_gets_texts_with_days_and_short_ids) {
  SearchResult result;
  result.known = true;
  for (int i = 0; i < 10; ++i) {
    Hit hit;
    hit.item.id = ItemId("event:00000000-aaaa-bbbb-cccc-00000000000" + std::to_string(i));
    hit.item.kind = ItemKind::kEvent;
    hit.item.text = "[2026-05-03]\n" + std::string(170, 'x');
    hit.item.time = parse_time("2026-05-03T10:00:00Z").value();
    hit.signals = {{"words", 1, 2}, {"vector", 1, 2}};
    hit.item.event.emplace();
    result.hits.push_back(hit);
  }
  const std::string text = to_json(compact_result(result));
  EXPECT_LE(text.size(), 2300U) << text;
  const auto json = nlohmann::json::parse(text);
  ASSERT_EQ(json["hits"].size(), 10U);
  EXPECT_EQ(json["hits"][3]["date"], "2026-05-03");
  EXPECT_EQ(json["hits"][3]["id"], short_id(result.hits[3].item.id));
  EXPECT_EQ(json["hits"][3]["text"], std::string(170, 'x'));
  EXPECT_FALSE(json["hits"][3].contains("who"));
}

}  // namespace
}  // namespace weft
