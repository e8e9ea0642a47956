#include "flow/memory/state_tree.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "tests/support/large_text.h"

namespace weft {
namespace {

constexpr const char* kForest =
    R"({"health":{"value":85,"description":"受伤状态"},"location":"低语森林 - 外部","inventory":{"main_bag":{"_anchor":"bag_main",)"
    R"("items":[{"id":"item_sword_01","name":"Iron Sword","count":1},{"id":"item_potion_02","name":"Healing Potion","count":2}]}}})";

StateTree tree_of(std::string_view json) {
  auto tree = StateTree::parse(json);
  EXPECT_TRUE(tree.ok()) << (tree.ok() ? "" : tree.error().message);
  return tree.ok() ? *std::move(tree) : StateTree();
}

AppliedChange must_apply(StateTree& tree, std::string_view operations) {
  auto applied = tree.apply(operations);
  EXPECT_TRUE(applied.ok()) << operations << ": " << (applied.ok() ? "" : applied.error().message);
  return applied.ok() ? *applied : AppliedChange();
}

// The error as people see it; the tree must be as before.
std::string refusal(StateTree& tree, std::string_view operations) {
  const std::string before = tree.json();
  const std::size_t anchors = tree.anchor_count();
  const auto applied = tree.apply(operations);
  EXPECT_FALSE(applied.ok()) << operations;
  EXPECT_EQ(tree.json(), before) << operations;
  EXPECT_EQ(tree.anchor_count(), anchors) << operations;
  return applied.ok() ? std::string() : applied.error().message + " | " + applied.error().hint;
}

bool says(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(StateTree, HC_6_the_example_of_the_forest_is_taken_as_it_is) {
  const StateTree tree = tree_of(kForest);
  EXPECT_EQ(tree.json(), kForest);
  EXPECT_EQ(tree.anchor_count(), 3U);
  ASSERT_NE(tree.find("item_sword_01"), nullptr);
  EXPECT_EQ(*tree.find("item_sword_01")->find("count"), Value(1));
  EXPECT_NE(tree.find("bag_main"), nullptr);
}

TEST(StateTree, HC_7_the_operations_of_the_example) {
  StateTree tree = tree_of(kForest);
  must_apply(tree, R"(["SET","item_sword_01.count",0])");
  const AppliedChange pushed = must_apply(tree, R"([["PUSH","bag_main",{"name":"Apple"}],["SET","health",80]])");
  EXPECT_EQ(pushed.operations, R"([["PUSH","bag_main",{"id":"apple","name":"Apple"}],["SET","health",80]])");
  EXPECT_EQ(tree.json(),
            R"({"health":{"value":80,"description":"受伤状态"},"location":"低语森林 - 外部","inventory":{"main_bag":)"
            R"({"_anchor":"bag_main","items":[{"id":"item_sword_01","name":"Iron Sword","count":0},)"
            R"({"id":"item_potion_02","name":"Healing Potion","count":2},{"id":"apple","name":"Apple"}]}}})");
}

TEST(StateTree, HC_6_what_has_no_anchor_gets_one_and_keeps_it) {
  StateTree tree = tree_of(
      R"({"hero":{"name":"Aria","weapon":{"damage":3},"tags":["brave"]},"bag":[{"name":"Iron Sword"},{"name":"iron sword!"},)"
      R"({"n":1},{"name":"铁剑"}],"places":{"inn":{"open":true},"mill":{"open":false}}})");
  EXPECT_EQ(tree.json(),
            R"({"hero":{"id":"hero","name":"Aria","weapon":{"id":"hero_weapon","damage":3},"tags":["brave"]},)"
            R"("bag":{"_anchor":"bag","items":[{"id":"iron_sword","name":"Iron Sword"},)"
            R"({"id":"iron_sword_2","name":"iron sword!"},{"id":"bag_item","n":1},{"id":"铁剑","name":"铁剑"}]},)"
            R"("places":{"_anchor":"places","inn":{"id":"inn","open":true},"mill":{"id":"mill","open":false}}})");
  const std::string loaded = tree.json();
  EXPECT_EQ(tree_of(loaded).json(), loaded);
  must_apply(tree, R"([["DELETE","iron_sword"],["SET","hero.name","Bea"],["PUSH","places",{"name":"Mill"}]])");
  EXPECT_NE(tree.find("iron_sword_2"), nullptr);
  EXPECT_NE(tree.find("hero"), nullptr);
  EXPECT_NE(tree.find("mill_2"), nullptr);
}

TEST(StateTree, HC_6_an_anchor_given_twice_is_refused_with_both_places) {
  const auto tree = StateTree::parse(R"({"a":{"id":"x","n":1},"b":{"c":[{"id":"x"}]}})");
  ASSERT_FALSE(tree.ok());
  EXPECT_EQ(tree.error().code, ErrorCode::kConflict);
  EXPECT_TRUE(says(tree.error().message, "/a ")) << tree.error().message;
  EXPECT_TRUE(says(tree.error().message, "/b/c/0")) << tree.error().message;
  for (const char* id : {"null", "\"\"", "1.5", "[]", "{}", "true"}) {
    EXPECT_FALSE(StateTree::parse(std::string(R"({"a":{"id":)") + id + "}}").ok()) << id;
  }
  StateTree numbered = tree_of(R"({"players":[{"id":7,"hp":1}]})");
  must_apply(numbered, R"(["ADD","7.hp",2])");
  EXPECT_EQ(*numbered.find("7")->find("hp"), Value(3));
}

TEST(StateTree, HC_6_no_made_anchor_hides_a_member_of_the_root) {
  StateTree tree = tree_of(R"({"health":85,"bag":[{"name":"Health"}]})");
  EXPECT_NE(tree.find("health_2"), nullptr);
  must_apply(tree, R"(["ADD","health",-5])");
  EXPECT_EQ(*tree.root().find("health"), Value(80));
}

TEST(StateTree, HC_7_a_deep_path_is_refused_and_the_anchor_to_use_named) {
  StateTree tree = tree_of(kForest);
  for (const char* path : {"character.inventory.main_bag.items[0].count", "inventory.main_bag.items.0.count",
                           "state.character.inventory.main_bag[0].count"}) {
    const std::string error = refusal(tree, std::string(R"([["SET",")") + path + R"(",0]])");
    EXPECT_TRUE(says(error, "use \"item_sword_01.count\"")) << error;
  }
  EXPECT_TRUE(says(refusal(tree, R"(["PUSH","inventory.main_bag",{}])"), "use \"bag_main\""));
  EXPECT_TRUE(says(refusal(tree, R"(["SET","a.b.c.d",0])"), "deep path"));
}

TEST(StateTree, HC_7_a_json_pointer_means_the_same_operation) {
  StateTree tree = tree_of(kForest);
  EXPECT_EQ(must_apply(tree, R"(["SET","/inventory/main_bag/items/0/count",0])").operations,
            R"([["SET","item_sword_01.count",0]])");
  EXPECT_EQ(must_apply(tree, R"(["ADD","/inventory/main_bag/1/count",3])").operations,
            R"([["ADD","item_potion_02.count",3]])");
  EXPECT_EQ(must_apply(tree, R"(["PUSH","/inventory/main_bag/items/-",{"name":"Key"}])").operations,
            R"([["PUSH","bag_main",{"id":"key","name":"Key"}]])");
  EXPECT_EQ(must_apply(tree, R"(["DELETE","/inventory/main_bag/items/0"])").operations,
            R"([["DELETE","item_sword_01"]])");
  must_apply(tree, R"(["SET","/gold",5])");
  EXPECT_EQ(*tree.root().find("gold"), Value(5));
  EXPECT_TRUE(says(refusal(tree, R"(["SET","/nowhere/x/y",1])"), "leads nowhere"));
  EXPECT_TRUE(says(refusal(tree, R"(["SET","/inventory/main_bag/items/9/count",1])"), "leads nowhere"));
}

TEST(StateTree, HC_7_errors_say_what_to_do) {
  StateTree tree = tree_of(kForest);
  EXPECT_TRUE(says(refusal(tree, R"(["SET","item_swrd_01.count",1])"), "did you mean \"item_sword_01\"?"));
  EXPECT_TRUE(says(refusal(tree, R"(["PUSH","bag_mian",{}])"), "did you mean \"bag_main\"?"));
  EXPECT_TRUE(says(refusal(tree, R"([["DELETE","item_sword_01"],["SET","item_sword_01.count",1]])"),
                   "operation 2: the anchor \"item_sword_01\" is gone: operation 1"));
  EXPECT_TRUE(says(refusal(tree, R"(["PUSH","item_sword_01",1])"), "an entity"));
  EXPECT_TRUE(says(refusal(tree, R"(["ADD","location",1])"), "a text"));
  EXPECT_TRUE(says(refusal(tree, R"(["ADD","item_sword_01.count","1"])"), "not a number"));
  EXPECT_TRUE(
      says(refusal(tree, R"([["SET","health",1],["ADD","item_sword_01.count",9223372036854775807]])"), "64 bits"));
  EXPECT_TRUE(says(refusal(tree, R"(["SET","item_sword_01.id","x"])"), "never change"));
  EXPECT_TRUE(says(refusal(tree, R"(["SET","item_sword_01",{"id":"x"}])"), "never change"));
  EXPECT_TRUE(says(refusal(tree, R"(["SET","bag_main.items",3])"), "stays one"));
  EXPECT_TRUE(says(refusal(tree, R"(["DELETE","item_sword_01.nothing"])"), "there is no"));
  EXPECT_TRUE(says(refusal(tree, R"(["POP","bag_main",9])"), "there is no 9"));
  EXPECT_TRUE(says(refusal(tree, R"(["MOVE","bag_main"])"), "no operation"));
  EXPECT_TRUE(says(refusal(tree, R"(["SET","health"])"), "its form"));
  for (const char* text :
       {"", "3", "{}", "[[]]", "[3]", "[[\"SET\",1,2]]", "[[\"SET\",\"\",1]]", "[[\"DELETE\",\"\"]]"}) {
    refusal(tree, text);
  }
}

TEST(StateTree, HC_7_nothing_can_stand_within_itself_or_twice) {
  StateTree tree = tree_of(kForest);
  EXPECT_TRUE(says(refusal(tree, R"(["PUSH","bag_main",{"id":"bag_main"}])"), "cycle"));
  EXPECT_TRUE(
      says(refusal(tree, R"(["PUSH","bag_main",{"id":"box","in":{"_anchor":"bag_main","items":[]}}])"), "cycle"));
  EXPECT_TRUE(says(refusal(tree, R"(["PUSH","bag_main",{"id":"item_sword_01"}])"), "taken"));
  EXPECT_TRUE(says(refusal(tree, R"(["PUSH","bag_main",{"id":"n","in":[{"id":"n"}]}])"), "twice"));
  must_apply(tree, R"([["DELETE","item_sword_01"],["PUSH","bag_main",{"id":"item_sword_01","count":9}]])");
  EXPECT_EQ(*tree.find("item_sword_01")->find("count"), Value(9));
}

TEST(StateTree, HC_7_pop_takes_the_last_or_the_one_that_is_named) {
  StateTree tree = tree_of(R"({"bag":[{"id":"a"},{"id":"b"},{"id":"c"}],"hero":{"tags":["x","y","z"]}})");
  must_apply(tree, R"([["POP","bag"],["POP","bag",0],["POP","hero.tags","y"],["POP","hero.tags"]])");
  EXPECT_EQ(tree.json(), R"({"bag":{"_anchor":"bag","items":[{"id":"b"}]},"hero":{"id":"hero","tags":["x"]}})");
  must_apply(tree, R"(["POP","bag","b"])");
  EXPECT_TRUE(says(refusal(tree, R"(["POP","bag"])"), "empty"));
}

TEST(StateTree, HC_7_values_with_descriptions_keep_them) {
  StateTree tree = tree_of(R"({"hero":{"hp":{"value":85,"description":"hurt"}}})");
  must_apply(tree, R"([["ADD","hero.hp",-5.5],["SET","hero.mood","calm"]])");
  EXPECT_EQ(tree.json(), R"({"hero":{"id":"hero","hp":{"value":79.5,"description":"hurt"},"mood":"calm"}})");
  must_apply(tree, R"(["SET","hero.hp",{"value":3,"description":"dying"}])");
  EXPECT_EQ(tree.json(), R"({"hero":{"id":"hero","hp":{"value":3,"description":"dying"},"mood":"calm"}})");
}

TEST(StateTree, HC_7_a_list_becomes_a_container_with_its_first_entity) {
  StateTree tree = tree_of(R"({"hero":{"level":1,"pets":[]},"party":[]})");
  const std::string before = tree.json();
  const AppliedChange change = must_apply(tree, R"([["PUSH","hero.pets",{"name":"Rex"}],["PUSH","party","Bo"]])");
  EXPECT_EQ(tree.json(),
            R"({"hero":{"id":"hero","level":1,"pets":{"_anchor":"hero_pets","items":[{"id":"rex","name":"Rex"}]}},)"
            R"("party":["Bo"]})");
  EXPECT_TRUE(tree.undo(change.undo).ok());
  EXPECT_EQ(tree.json(), before);
}

TEST(StateTree, HC_6_a_group_that_gets_a_field_becomes_an_entity) {
  StateTree tree = tree_of(kForest);
  const AppliedChange change = must_apply(tree, R"(["SET","/inventory/gold",5])");
  EXPECT_EQ(*tree.find("inventory")->find("gold"), Value(5));
  must_apply(tree, R"([["ADD","inventory.gold",1],["SET","item_sword_01.count",4],["DELETE","inventory.gold"]])");
  EXPECT_EQ(tree_of(tree.json()).json(), tree.json());
}

TEST(StateTree, HC_7_a_whole_tree_is_set_and_taken_back) {
  StateTree tree;
  const AppliedChange change = must_apply(tree, std::string(R"(["SET","",)") + kForest + "]");
  EXPECT_EQ(tree.json(), kForest);
  must_apply(tree, R"(["ADD","item_sword_01.count",1])");
  EXPECT_TRUE(says(refusal(tree, R"(["SET","",{"a":{"id":"x"},"b":{"id":"x"}}])"), "twice"));
  EXPECT_NE(tree.find("item_sword_01"), nullptr);
}

TEST(StateTree, HC_7_a_check_refuses_the_whole_change) {
  StateTree tree = tree_of(kForest);
  const std::string before = tree.json();
  const auto refused = tree.apply(R"([["SET","health",-1],["PUSH","bag_main",{"name":"Key"}]])", [](const Value& root) {
    const bool alive = std::get<std::int64_t>(root.find("health")->find("value")->data) > 0;
    return alive ? Status() : Status(invalid_argument("health is at least 0"));
  });
  EXPECT_FALSE(refused.ok());
  EXPECT_EQ(tree.json(), before);
  EXPECT_EQ(tree.find("key"), nullptr);
}

TEST(StateTree, HC_7_limits_are_errors) {
  std::string deep = "1";
  for (int i = 0; i < 60; ++i) deep = R"({"value":)" + deep + R"(,"description":""})";
  EXPECT_FALSE(StateTree::parse(R"({"a":)" + deep + "}").ok());
  StateTree tree = tree_of(kForest);
  EXPECT_TRUE(says(refusal(tree, R"(["SET","item_sword_01.x",)" + deep + "]"), "deeper"));
  const StateLimits tight{.max_bytes = 100, .max_anchors = 2, .change = {.max_operations = 2, .max_bytes = 200}};
  StateTree small = *StateTree::parse(R"({"bag":[{"id":"a"}]})", tight);
  EXPECT_TRUE(says(refusal(small, R"(["PUSH","bag",{"id":"b"}])"), "2 are kept"));
  EXPECT_TRUE(says(refusal(small, R"(["SET","a.t",")" + std::string(150, 'x') + "\"]"), "bytes"));
  EXPECT_TRUE(says(refusal(small, R"([["SET","a.t",1],["SET","a.t",1],["SET","a.t",1]])"), "at most 2"));
  EXPECT_FALSE(small.apply(std::string(300, ' ')).ok());
}

TEST(StateTree, HC_7_ten_thousand_entities_are_ordinary) {
  std::string json = R"({"bag":[)";
  const int all = test::kSanitized ? 2'000 : 10'000, some = all / 10;
  for (int i = 0; i < all; ++i)
    json += (i ? "," : "") + std::string(R"({"name":"Apple","count":)") + std::to_string(i) + "}";
  StateTree tree = tree_of(json + "]}");
  EXPECT_EQ(tree.anchor_count(), static_cast<std::size_t>(all) + 1);
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 2; i < some + 2; ++i) must_apply(tree, R"(["SET","apple_)" + std::to_string(i * 9) + R"(.count",0])");
  const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
  RecordProperty("set_us", std::to_string(took.count() / some));
  std::string batch = "[";
  for (int i = 2; i < some + 2; ++i)
    batch += (i > 2 ? "," : "") + std::string(R"(["DELETE","apple_)") + std::to_string(i) + "\"]";
  const std::string before = tree.json();
  const AppliedChange change = must_apply(tree, batch + "]");
  EXPECT_EQ(tree.anchor_count(), static_cast<std::size_t>(all - some) + 1);
  EXPECT_NE(tree.find("apple_" + std::to_string(all)), nullptr);
  EXPECT_TRUE(tree.undo(change.undo).ok());
  EXPECT_EQ(tree.json(), before);
}

constexpr const char* kSchema = R"({
  "type": "object", "required": ["health"],
  "properties": {
    "health": {"type": "object", "properties": {"value": {"type": "integer", "minimum": 0, "maximum": 100}}},
    "format": {"enum": ["novel", "play"]},
    "bag": {"$ref": "#/definitions/container"}},
  "definitions": {
    "container": {"type": "object", "properties": {"items": {"type": "array", "maxItems": 3,
      "items": {"type": "object", "required": ["name"], "properties": {"count": {"type": "integer", "minimum": 0}}}}}}}})";

constexpr const char* kState = R"({"health": {"value": 85, "description": "hurt"},
  "bag": {"_anchor": "bag", "items": [{"id": "potion", "name": "Potion", "count": 2}]}})";

TEST(StateSchema, HC_7_a_change_against_the_schema_is_refused_whole) {
  const auto schema = StateSchema::compile(kSchema);
  ASSERT_TRUE(schema.ok()) << schema.error().message;
  const StateCheck check = [&](const Value& root) { return schema->check(root); };
  auto parsed = StateTree::parse(kState);
  ASSERT_TRUE(parsed.ok());
  StateTree& state = *parsed;
  ASSERT_TRUE(schema->check(state.root()).ok());
  const std::string before = state.json();
  for (const char* wrong : {R"([["SET","health",50],["SET","health",101]])", R"([["SET","potion.count",-1]])",
                            R"([["SET","potion.count","two"]])", R"([["PUSH","bag",{"count":1}]])",
                            R"([["SET","/format","opera"]])", R"([["DELETE","health"]])"}) {
    const auto refused = state.apply(wrong, check);
    ASSERT_FALSE(refused.ok()) << wrong;
    EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(refused.error().message.find("does not match the schema at <root>"), std::string::npos)
        << refused.error().message;
    EXPECT_EQ(state.json(), before) << wrong;
  }
  EXPECT_TRUE(state.apply(R"([["SET","health",0],["SET","potion.count",5]])", check).ok());
}

TEST(StateSchema, HC_7_what_is_no_schema_or_could_hang_is_refused) {
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += R"({"not":)";
  deep += "{}" + std::string(100, '}');
  const std::string large = R"({"description":")" + std::string(300'000, 'x') + R"("})";
  for (const char* wrong :
       {"[]", "no", R"({"type":7})", R"({"$ref":"#"})", R"({"$ref":"http://example.com/schema"})",
        R"({"$ref":"#/definitions/none"})",
        R"({"$ref":"#/definitions/a","definitions":{"a":{"$ref":"#/definitions/b"},"b":{"$ref":"#/definitions/a"}}})",
        R"({"properties":{"name":{"pattern":"(a+)+$"}}})", R"({"items":[{"allOf":[{"format":"date"}]}]})",
        R"({"patternProperties":{"x":{}}})", R"({"allOf":[{"$ref":"#"}]})", R"({"multipleOf":0})",
        R"({"multipleOf":-1})", R"({"properties":{"in":{"$ref":"#"}}})", R"({"items":{"uniqueItems":true}})",
        deep.c_str(), large.c_str()}) {
    EXPECT_FALSE(StateSchema::compile(wrong).ok()) << std::string(wrong).substr(0, 80);
  }
}

TEST(StateSchema, HC_7_references_that_grow_without_bounds_are_refused) {
  std::string doubling = R"({"$ref":"#/definitions/d0","definitions":{"d40":{}})";
  doubling.pop_back();
  for (int i = 0; i < 40; ++i) {
    const std::string next = "{\"$ref\":\"#/definitions/d" + std::to_string(i + 1) + "\"}";
    doubling += ",\"d" + std::to_string(i) + "\":{\"allOf\":[" + next + "," + next + "]}";
  }
  const auto refused = StateSchema::compile(doubling + "}}");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kTooLarge) << refused.error().message;
  // One part that is used in many places is no such thing.
  const auto shared = StateSchema::compile(
      R"({"definitions":{"n":{"type":"integer"}},"properties":{"a":{"$ref":"#/definitions/n"},"b":{"$ref":"#/definitions/n"}}})");
  ASSERT_TRUE(shared.ok()) << shared.error().message;
  const auto wrong = StateTree::parse(R"({"a": 1, "b": "2"})");
  EXPECT_FALSE(shared->check(wrong->root()).ok());
}

}  // namespace

}  // namespace weft
