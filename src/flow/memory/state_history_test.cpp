#include "flow/memory/state_tree.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>
#include <vector>

namespace weft {
namespace {

// As many random lives as show every shape; fewer where a sanitizer slows everything.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::uint32_t kSeeds = 150;
#else
constexpr std::uint32_t kSeeds = 1000;
#endif

// A tree of every shape, and changes at random: some fit, some do not.
class RandomChanges {
 public:
  explicit RandomChanges(std::uint32_t seed) : random_(seed) {}

  std::string tree() { return to_json(Value(members(4))); }

  std::string batch(const StateTree& tree) {
    anchors_.assign(1, "gone");
    pointers_.assign(1, "/gone");
    StatePath path;
    collect(tree.root(), tree.root(), path);
    ValueList operations;
    for (std::size_t i = 1 + below(3); i > 0; --i) operations.push_back(operation());
    return to_json(Value(std::move(operations)));
  }

 private:
  std::size_t below(std::size_t n) { return random_() % n; }
  template <class List>
  const auto& one_of(const List& list) {
    return *(std::begin(list) + static_cast<std::ptrdiff_t>(below(std::size(list))));
  }

  void collect(const Value& root, const Value& value, StatePath& path) {
    for (const std::string& anchor : anchors_of(value)) anchors_.push_back(anchor);
    pointers_.push_back(pointer_to(root, path));
    for (std::size_t i = 0; i < child_count(value); ++i) {
      path.push_back(static_cast<std::uint32_t>(i));
      collect(root, child_at(value, i), path);
      path.pop_back();
    }
  }

  ValueObject members(std::size_t depth) {
    ValueObject out;
    std::set<std::string> used;
    for (std::size_t i = below(4); i > 0; --i) {
      const std::string name = one_of(kNames);
      if (used.insert(name).second) out.emplace_back(name, value(depth));
    }
    return out;
  }

  Value value(std::size_t depth) {
    switch (below(depth == 0 ? 3 : 8)) {
      case 0: return std::int64_t{static_cast<int>(below(9))};
      case 1: return one_of(kNames);
      case 2: return ValueObject{{"value", Value(1.5)}, {"description", Value("d")}};
      case 3:
      case 4: {
        ValueList list;
        for (std::size_t i = below(4); i > 0; --i) list.push_back(value(depth - 1));
        return list;
      }
      case 5: return ValueObject{{"items", Value(ValueList{value(depth - 1)})}};
      default: {
        ValueObject out = members(depth - 1);
        if (below(6) == 0) out.emplace_back("name", Value("x"));
        if (below(12) == 0) out.emplace_back("id", Value(one_of(kNames)));
        std::set<std::string> used;
        std::erase_if(out, [&](const auto& member) { return !used.insert(member.first).second; });
        return out;
      }
    }
  }

  std::string path() {
    switch (below(6)) {
      case 0:
      case 1: return one_of(anchors_);
      case 2: return one_of(kNames);
      case 3: return one_of(pointers_);
      case 4: return one_of(pointers_) + "/" + (below(2) == 0 ? one_of(kNames) : std::to_string(below(3)));
      default: return one_of(anchors_) + "." + one_of(kNames);
    }
  }

  Value operation() {
    switch (below(6)) {
      case 0: return ValueList{Value("PUSH"), Value(path()), value(3)};
      case 1: return ValueList{Value("ADD"), Value(path()), Value(1)};
      case 2:
        return below(2) == 0 ? ValueList{Value("POP"), Value(path())}
                             : ValueList{Value("POP"), Value(path()), Value(0)};
      case 3: return ValueList{Value("DELETE"), Value(path())};
      default: return ValueList{Value("SET"), Value(path()), value(3)};
    }
  }

  inline static const std::vector<std::string> kNames{"a", "b", "c.d", "items", "value", "description", "剑"};
  std::mt19937 random_;
  std::vector<std::string> anchors_, pointers_;
};

// Unique, each found where it stands, and what was loaded again is the same: nothing lacks an anchor.
void expect_sound(const StateTree& tree) {
  const std::string json = tree.json();
  const auto again = StateTree::parse(json);
  ASSERT_TRUE(again.ok()) << json << again.error().message;
  ASSERT_EQ(again->json(), json);
  ASSERT_EQ(again->anchor_count(), tree.anchor_count());
  std::vector<const Value*> open{&tree.root()};
  std::set<std::string> seen;
  while (!open.empty()) {
    const Value* value = open.back();
    open.pop_back();
    for (const std::string& anchor : anchors_of(*value)) {
      ASSERT_TRUE(seen.insert(anchor).second) << anchor;
      ASSERT_EQ(tree.find(anchor), value) << anchor << " in " << json;
    }
    for (std::size_t i = 0; i < child_count(*value); ++i) open.push_back(&child_at(*value, i));
  }
  ASSERT_EQ(seen.size(), tree.anchor_count());
}

TEST(StateTree, HC_7_any_change_takes_effect_whole_or_not_at_all_and_is_taken_back_exactly) {
  std::size_t accepted = 0, refused = 0;
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
    RandomChanges random(seed);
    auto tree = StateTree::parse(random.tree());
    if (!tree.ok()) continue;
    const StateSnapshot snapshot{.version = 0, .json = tree->json()};
    std::vector<std::string> stages{tree->json()};
    std::vector<StateRecord> records;
    for (int i = 0; i < 25; ++i) {
      const std::string batch = random.batch(*tree);
      SCOPED_TRACE(stages.back() + " " + batch);
      const auto change = tree->apply(batch);
      ASSERT_NO_FATAL_FAILURE(expect_sound(*tree));
      (change.ok() ? accepted : refused) += 1;
      if (!change.ok()) {
        ASSERT_EQ(tree->json(), stages.back());
        continue;
      }
      records.push_back({{.version = static_cast<std::int64_t>(records.size()) + 1,
                          .time = {},
                          .author = "model",
                          .operations = change->operations},
                         change->undo});
      stages.push_back(tree->json());
    }
    const auto replayed = replay(snapshot, records);
    ASSERT_TRUE(replayed.ok()) << seed << replayed.error().message;
    ASSERT_EQ(replayed->json(), tree->json()) << seed;
    for (std::size_t i = records.size(); i-- > 0;) {
      const auto again = tree->undo(records[i].undo);
      ASSERT_TRUE(again.ok()) << again.error().message;
      ASSERT_EQ(tree->json(), stages[i]);
      ASSERT_NO_FATAL_FAILURE(expect_sound(*tree));
    }
  }
  EXPECT_GT(accepted, kSeeds);
  EXPECT_GT(refused, kSeeds);
}

TEST(StateTree, HC_7_a_version_is_rolled_back_and_the_rollback_too) {
  StateTree tree;
  std::vector<StateRecord> records;
  std::vector<std::string> stages{tree.json()};
  const auto keep = [&](const Result<AppliedChange>& change) {
    ASSERT_TRUE(change.ok()) << change.error().message;
    records.push_back({{.version = static_cast<std::int64_t>(records.size()) + 1,
                        .time = {},
                        .author = "user",
                        .operations = change->operations},
                       change->undo});
    stages.push_back(tree.json());
  };
  keep(tree.apply(R"(["SET","",{"bag":[{"name":"Sword"}],"gold":1}])"));
  keep(tree.apply(R"([["PUSH","bag",{"name":"Sword"}],["ADD","gold",4]])"));
  keep(tree.apply(R"([["DELETE","sword"],["DELETE","gold"]])"));
  keep(roll_back(tree, records, 1));
  EXPECT_EQ(stages[4], stages[1]);
  keep(tree.apply(R"(["SET","gold",9])"));
  keep(roll_back(tree, records, 3));
  EXPECT_EQ(stages[6], stages[3]);
  keep(roll_back(tree, records, 0));
  EXPECT_EQ(tree.json(), "{}");
  for (std::size_t i = 0; i <= records.size(); ++i) {
    const auto replayed = replay({}, std::span(records).first(i));
    ASSERT_TRUE(replayed.ok()) << replayed.error().message;
    EXPECT_EQ(replayed->json(), stages[i]);
  }
  EXPECT_FALSE(roll_back(tree, records, 99).ok());
  EXPECT_FALSE(roll_back(tree, std::span(records).subspan(3), 1).ok());
  EXPECT_FALSE(replay({}, std::span(records).subspan(1)).ok());
  EXPECT_EQ(tree.json(), "{}");
}

TEST(StateTree, HC_7_a_broken_record_changes_nothing) {
  StateTree tree = *StateTree::parse(R"({"bag":[{"id":"a"},{"id":"b"}],"n":1})");
  const std::string before = tree.json();
  for (const char* record :
       {"", "{}", "[1]", "[[\"replace\",[9],1]]", "[[\"replace\",[],1]]", "[[\"remove\",[]]]", "[[\"remove\",[0,1,7]]]",
        "[[\"remove\",[-1]]]", "[[\"insert\",[0],\"n\",1]]", "[[\"insert\",[9],\"m\",1]]", "[[\"insert\",[0],1]]",
        "[[\"replace\",[1],2],[\"insert\",[0,1,0],\"\",{\"id\":\"b\"}]]", "[[\"replace\",[1],{\"id\":\"a\"}]]",
        "[[\"remove\",[1,0]]]", "[[\"replace\",[],{\"a\":{\"id\":\"x\"},\"b\":{\"id\":\"x\"}}]]"}) {
    const auto undone = tree.undo(record);
    ASSERT_FALSE(undone.ok()) << record;
    EXPECT_EQ(undone.error().code, ErrorCode::kCorrupt);
    EXPECT_EQ(tree.json(), before);
    EXPECT_EQ(tree.anchor_count(), 3U);
  }
}

}  // namespace
}  // namespace weft
