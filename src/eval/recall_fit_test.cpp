#include "eval/recall_fit.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/temporary_folder.h"

namespace weft {
namespace {

class RecallFit : public testing::Test {
 protected:
  /// A family in which assistants repeat what users said: their weight is what there is to learn.
  std::string family(const std::string& name, int questions) {
    const std::filesystem::path folder(folder_ / name);
    std::filesystem::create_directories(folder);
    std::ofstream messages(folder / "one.messages.jsonl"), asked(folder / "one.queries.jsonl");
    for (int i = 0; i < questions; ++i) {
      const std::string word = name + "word" + std::to_string(i);
      for (int copy = 0; copy < 8; ++copy)
        messages << R"({"id": "a)" << i << "x" << copy << R"(", "session": "r)" << i << "x" << copy
                 << R"(", "time": "2025-01-01T00:00:00Z", "role": "assistant", "text": "You told me of )" << word << ' '
                 << word << " \"}\n";
      messages << R"({"id": "u)" << i << R"(", "session": "s)" << i
               << R"(", "time": "2025-01-01T00:00:00Z", "role": "user", "text": "I have a )" << word
               << R"( at home with a garden and a dog."})" << "\n";
      asked << R"({"id": "q)" << i << R"(", "query": "What about )" << word << R"(?", "gold": ["u)" << i << R"("]})"
            << "\n";
    }
    return folder.string();
  }

  Result<FittedRecall> fit(const std::vector<std::string>& sets, const std::vector<std::string>& keep_out = {}) {
    return fit_recall(config_, {sets, keep_out, 1}, nullptr, {});
  }

  test::TemporaryFolder folder_;
  Config config_;
};

TEST_F(RecallFit, MS_5_learns_what_helps_on_families_it_has_not_seen) {
  const std::vector<std::string> sets{family("one", 6), family("two", 7), family("three", 8)};
  const auto fitted = fit(sets);
  ASSERT_TRUE(fitted.ok()) << fitted.error().message;
  ASSERT_EQ(fitted->families.size(), 3u);
  EXPECT_GT(fitted->recipe.assistant, 0);
  for (const auto& [name, family] : fitted->families) {
    EXPECT_LT(family.words.recall[0], 0.5) << name;
    EXPECT_DOUBLE_EQ(family.left_out.recall[0], 1) << name;
    EXPECT_DOUBLE_EQ(family.fitted.recall[0], 1) << name;
  }
  ASSERT_EQ(fitted->shared.size(), 3u);
  for (const auto& [name, scores] : fitted->shared) {
    EXPECT_DOUBLE_EQ(scores.alone.recall[0], 1) << name;
    EXPECT_DOUBLE_EQ(scores.together.recall[0], 1) << name;
  }
  const auto again = fit(sets);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(fitted->source, again->source);
  EXPECT_EQ(to_json(*fitted), to_json(*again));
}

TEST_F(RecallFit, MS_5_what_is_kept_out_changes_nothing_that_ships) {
  const std::vector<std::string> sets{family("one", 6), family("two", 7)};
  const auto without = fit(sets);
  std::vector<std::string> more(sets);
  more.push_back(family("three", 8));
  const auto with = fit(more, {"three"});
  ASSERT_TRUE(without.ok() && with.ok());
  EXPECT_EQ(without->source, with->source);
  EXPECT_TRUE(with->families.at("three").kept_out);
}

TEST_F(RecallFit, MS_5_one_family_is_too_few) {
  const auto fitted = fit({family("one", 3)});
  ASSERT_FALSE(fitted.ok());
  EXPECT_NE(fitted.error().message.find("fewer than two families"), std::string::npos);
  EXPECT_FALSE(fit({folder_ / "nowhere"}).ok());
}

}  // namespace
}  // namespace weft
