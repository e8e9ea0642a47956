// Each file of weights/ is read by its reader: a broken one shows here, not with a user.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "flow/context/tool_index.h"
#include "flow/memory/fact_meaning.h"
#include "flow/recall/fusion.h"
#include "flow/stream/topic_shift.h"
#include "text/weight_file.h"

namespace weft {
namespace {

/// As the file has it: in four decimals.
double shown(float number) { return std::round(static_cast<double>(number) * 1e4) / 1e4; }

TEST(Weights, PF_19_topics_are_read_as_they_are_written) {
  const WeightFile file = shipped_weights("topics");
  ValueList names;
  for (const std::string_view name : shift_signal_names()) names.emplace_back(std::string(name));
  EXPECT_EQ(file.list("signals"), names) << "trees ask for signals by their place";
  for (const bool vectors : {true, false}) {
    const ValueList& trees = file.list(vectors ? "vectors.trees" : "words.trees");
    ASSERT_EQ(shift_weights(vectors).trees.size(), trees.size());
    for (std::size_t i = 0; i < trees.size(); ++i) {
      ValueList nodes;
      for (const ShiftTree::Node& node : shift_weights(vectors).trees[i].nodes)
        nodes.emplace_back(node.signal < 0
                               ? ValueList{shown(node.value)}
                               : ValueList{int{node.signal}, int{node.left}, shown(node.threshold), shown(node.value)});
      EXPECT_EQ(to_json(Value(nodes)), to_json(trees[i]));
    }
  }
  EXPECT_EQ(shift_weights(true).cut, file.number("vectors.cut"));
  EXPECT_EQ(shift_weights(false).cut, file.number("words.cut"));
}

TEST(Weights, PF_19_ranking_relevance_and_tools_are_those_of_their_files) {
  const auto recipe = find_recipe("balanced", RecallSettings());
  ASSERT_TRUE(recipe.ok());
  EXPECT_EQ(recipe->words, shipped_weights("recall").number("words"));
  EXPECT_EQ(recipe->relative_day, shipped_weights("recall").number("relative_day"));
  const WeightFile known = shipped_weights("known");
  std::set<std::string_view> names;
  for (const RelevanceWeight& one : relevance_curves().weights) {
    EXPECT_TRUE(names.insert(one.name).second) << one.name;
    EXPECT_EQ(one.vectors, known.number("vectors." + std::string(one.name)));
    if (one.sign == RelevanceWeight::Sign::kFor) {
      EXPECT_GE(one.words, 0) << one.name;
    }
  }
  EXPECT_EQ(tool_weights().clause, shipped_weights("tools").number("clause"));
}

TEST(Weights, PF_19_wishes_are_told_by_a_vector_of_their_embedder) {
  const WishWeights* weights = wish_weights("multilingual-e5-small-q8");
  ASSERT_NE(weights, nullptr);
  EXPECT_EQ(weights->vector.size(), shipped_weights("wishes").list("vector").size());
  EXPECT_EQ(weights->bias, shipped_weights("wishes").number("bias"));
  EXPECT_EQ(wish_weights("another"), nullptr);
}

}  // namespace
}  // namespace weft
