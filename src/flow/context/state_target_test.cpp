#include "flow/context/state_target.h"

#include <gtest/gtest.h>

#include "flow/context/planner.h"
#include "flow/memory/state_tree.h"

namespace weft {
namespace {

StateIndex index_of(const std::string& json) { return StateIndex(entities_of(StateTree::parse(json)->root())); }

std::string operations(const StateIndex& index, const std::string& text, const std::vector<std::string>& players = {}) {
  const auto changes = index.resolve(quantity_requests(text), players);
  return changes.ok() ? operations_json(*changes) : changes.error().message;
}

TEST(StateEntities, HC_1_a_value_with_its_bounds_is_a_field_of_what_holds_it) {
  EXPECT_EQ(operations(index_of(R"({"hp":{"value":40,"max":50}})"), "HP -5"), R"([["ADD","hp.value",-5]])");
  // The player's, wherever it stands: what holds only such values has no anchor, and the second hp is numbered.
  EXPECT_EQ(operations(index_of(R"({"player":{"hp":{"value":40,"max":50}},"goblin":{"hp":{"value":7}}})"), "HP -5"),
            R"([["ADD","hp.value",-5]])");
  EXPECT_EQ(operations(index_of(R"({"goblin":{"hp":{"value":7}},"player":{"hp":{"value":40,"max":50}}})"), "HP -5"),
            R"([["ADD","hp_2.value",-5]])");
  EXPECT_EQ(operations(index_of(R"({"health":{"value":85,"description":"hurt"}})"), "HP -5"),
            R"([["ADD","health",-5]])");
  const StateIndex listed = index_of(R"({"player":{"name":"Kai","stats":[{"name":"HP","current":40,"max":50}]}})");
  EXPECT_EQ(operations(listed, "HP -5"), R"([["ADD","hp.current",-5]])");
  EXPECT_NE(operations(listed, "HP +50").find("above its maximum"), std::string::npos);
}

TEST(StateEntities, HC_1_the_player_is_known_by_id_name_role_place_or_setting) {
  for (const char* json : {R"({"all":[{"id":"a","role":"player","hp":40},{"id":"b","hp":7}]})",
                           R"({"all":[{"id":"a","is_player":true,"hp":40},{"id":"b","hp":7}]})",
                           R"({"all":[{"id":"a","name":"主角","hp":40},{"id":"b","hp":7}]})",
                           R"({"all":{"hero":{"id":"a","hp":40},"wolf":{"id":"b","hp":7}}})"})
    EXPECT_EQ(operations(index_of(json), "HP -5"), R"([["ADD","a.hp",-5]])") << json;
  const StateIndex plain = index_of(R"({"all":[{"id":"a","name":"Kai","hp":40},{"id":"b","name":"Mia","hp":7}]})");
  EXPECT_NE(operations(plain, "HP -5").find("may mean 2"), std::string::npos);
  EXPECT_EQ(operations(plain, "HP -5", {"Mia"}), R"([["ADD","b.hp",-5]])");
  EXPECT_EQ(operations(plain, "Kai's HP -5", {"Mia"}), R"([["ADD","a.hp",-5]])");
}

TEST(StateEntities, HC_1_what_is_nearest_to_the_player_goes_first) {
  const StateIndex index = index_of(R"({"player":{"id":"p","hp":40,"horse":{"id":"h","name":"Horse","hp":20}}})");
  EXPECT_EQ(operations(index, "HP -5"), R"([["ADD","p.hp",-5]])");
  EXPECT_EQ(operations(index, "Horse's HP -5"), R"([["ADD","h.hp",-5]])");
}

TEST(StateEntities, HC_1_a_doubt_says_which_numbers_may_be_meant) {
  const StateIndex index = index_of(R"({"all":[{"name":"Goblin","hp":7},{"name":"Wolf","hp":9}]})");
  NumberDoubt doubt;
  EXPECT_FALSE(index.resolve(quantity_requests("HP -5"), {}, &doubt).ok());
  EXPECT_EQ(doubt.why, NumberDoubt::kAmbiguous);
  EXPECT_EQ(notice_text(doubt, Language::kEnglish),
            "\"hp\" may mean Goblin hp (7), Wolf hp (9). Nothing was changed. Whose is meant?");
  EXPECT_NE(notice_text(doubt, Language::kChinese).find("没有做任何改动"), std::string::npos);
}

}  // namespace
}  // namespace weft
