#include "flow/context/shorten.h"

#include <gtest/gtest.h>

#include "flow/memory/state_operation.h"
#include "flow/memory/state_tree.h"
#include "text/token_counter.h"

namespace weft {
namespace {

// g++ 12 takes the text of an error that is never made for memory that nobody allocated.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wfree-nonheap-object"
StateTree town(int people) {
  std::string json = R"({"player":{"name":"Kai","hp":4,"bag":[{"name":"Brass Key","count":1}]},"people":[)";
  for (int i = 0; i < people; ++i) {
    const std::string number = std::to_string(i);
    json += R"({"id":"p)" + number + R"(","name":"Person )" + number + R"(","mood":"calm"},)";
  }
  json += R"({"id":"oda","name":"Oda","aliases":["奥达"],"mood":"grim"}],"fog":true})";
  return StateTree::parse(json).value();
}
#pragma GCC diagnostic pop

TEST(ShortenState, HC_16_focus_player_and_what_changed_stand_and_the_rest_is_counted) {
  const StateTree tree = town(500);
  for (const char* words : {"I ask Oda", "我去找奥达"}) {
    const std::string text = to_json(shorten_state(tree.root(), {words, {}, {"p77"}}, 1000));
    for (const char* part : {"Kai", "Brass Key", "grim", "Person 77", "\"fog\":true", " more\""})
      EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
    EXPECT_LT(text.size(), 2500U);
    EXPECT_EQ(text, to_json(shorten_state(tree.root(), {words, {}, {"p77"}}, 1000)));
  }
}

TEST(ShortenState, HC_16_what_fits_is_left_as_it_is_and_little_room_still_says_how_much_there_is) {
  const StateTree tree = town(5);
  EXPECT_EQ(to_json(shorten_state(tree.root(), {}, 100'000)), tree.json());
  EXPECT_NE(to_json(shorten_state(tree.root(), {}, 0)).find("more"), std::string::npos);
}

TEST(ShortenState, HC_16_operations_name_their_anchors) {
  EXPECT_EQ(anchors_in(R"([["SET","a.hp",1],["PUSH","bag",{"id":"b"}],["SET","",{}]])"),
            (std::vector<std::string>{"a", "bag", "b"}));
  EXPECT_TRUE(anchors_in("nonsense").empty());
}

TEST(ShortenProfile, HC_16_lines_that_share_words_stay_in_their_order_under_their_headings) {
  std::string text = "# Ann\n\n## Likes\n\n";
  for (int i = 0; i < 300; ++i) text += "- Likes place number " + std::to_string(i) + " by the sea.\n";
  text += "\n## Health\n\n- Is allergic to penicillin.\n";
  const std::string shorter = shorten_profile(text, "Am I allergic to penicillin?", 200);
  EXPECT_NE(shorter.find("## Health\n- Is allergic to penicillin."), std::string::npos) << shorter;
  EXPECT_NE(shorter.find(" more)"), std::string::npos);
  EXPECT_LE(estimate_tokens(shorter, TokenMode::kScript), 200);
  EXPECT_EQ(shorten_profile("- short", "", 100), "- short");
  EXPECT_FALSE(shorten_profile(std::string(5000, 'a') + " b", "", 50).empty());
}

TEST(StoryTime, HC_4_the_state_says_what_time_it_is) {
  const auto time_of = [](const char* json) {
    const Value root = parse_value(json, {}, "state").value();
    const Value* time = story_time(root);
    return time == nullptr ? std::string() : to_json(*time);
  };
  EXPECT_EQ(time_of(R"({"time":"dusk"})"), "\"dusk\"");
  EXPECT_EQ(time_of(R"({"世界":{"时间":"黄昏"}})"), "\"黄昏\"");
  EXPECT_EQ(time_of(R"({"world":{"day":3}})"), "3");
  EXPECT_EQ(time_of(R"({"hero":{"time":3}})"), "");
}

}  // namespace
}  // namespace weft
