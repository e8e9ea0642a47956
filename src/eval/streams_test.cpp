#include "eval/streams.h"

#include <gtest/gtest.h>

#include <set>

namespace weft {
namespace {

TEST(Streams, AC_12_what_is_learnt_helps_where_tasks_build_on_each_other) {
  auto config = load_config("");
  ASSERT_TRUE(config.ok()) << config.error().message;
  config->embedding.provider = EmbeddingProvider::kNone;
  const auto report = play_streams(*config, {1, 30, 1});
  ASSERT_TRUE(report.ok()) << report.error().message;
  for (const char* language : {"en", "zh"}) {
    const StreamTally& building = report->kinds.at(std::string("building ") + language);
    EXPECT_EQ(building.tasks, 30) << language;
    EXPECT_GE(building.gain(), 10) << language;
    const StreamTally& apart = report->kinds.at(std::string("apart ") + language);
    EXPECT_EQ(apart.told, 0) << language;
    EXPECT_GE(apart.gain(), -4) << language;  // one task of thirty is 3.3 points
  }
}

TEST(Streams, tasks_of_a_building_stream_share_one_tool_and_the_others_none) {
  for (const Language language : {Language::kEnglish, Language::kChinese}) {
    Draw draw(7);
    std::set<std::string> building, apart;
    for (const StreamTask& task : stream_tasks(StreamKind::kBuilding, language, 30, draw))
      building.insert(task.trap.tool);
    for (const StreamTask& task : stream_tasks(StreamKind::kApart, language, 30, draw)) apart.insert(task.trap.tool);
    EXPECT_EQ(building.size(), 1u);
    EXPECT_EQ(apart.size(), 30u);
  }
}

}  // namespace
}  // namespace weft
