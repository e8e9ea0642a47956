#include "eval/judged.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/temporary_folder.h"

namespace weft {
namespace {

class Judged : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    std::filesystem::create_directories((folder() / name).parent_path());
    std::ofstream(folder() / name) << text;
  }
  std::filesystem::path folder() const { return folder_.path(); }
  Result<JudgedReport> judge(const std::string& lines, std::vector<std::string> explain = {}) {
    write("judged.jsonl", lines);
    return eval_judged({(folder() / "judged.jsonl").string()}, {folder().string(), std::move(explain)});
  }

  test::TemporaryFolder folder_;
};

TEST_F(Judged, CM_17_words_are_judged_by_what_was_set_beside_them) {
  write(
      "recall/talks/ann.messages.jsonl",
      R"({"id":"1","session":"s","time":"2026-03-02T10:00:00Z","role":"user","name":"Ann","text":"My brother Tom is here."}
{"id":"2","session":"s","time":"2026-03-02T10:01:00Z","role":"assistant","text":"How nice."}
{"id":"3","session":"s","time":"2026-03-02T10:02:00Z","role":"user","name":"Ann","text":"He leaves tomorrow, they say."}
)");
  const std::string judged =
      R"({"source":"recall/talks/ann.messages.jsonl","dialogue":"s","turn":2,"spoken":"2026-03-02T10:02:00+00:00","judged":[)"
      R"({"word":"He","means":["Tom"]},{"word":"tomorrow","means":["2026-03-03"]},{"word":"they","means":["people"]}]})";
  const auto report = judge(judged + "\n", {"talks"});
  ASSERT_TRUE(report.ok()) << report.error().message;
  const auto& counts = report->by_source.at("talks");
  EXPECT_EQ(counts[0].right, 1);
  EXPECT_EQ(counts[1].right, 1);
  EXPECT_EQ(counts[1].open, 1);
  EXPECT_EQ(counts[0].wrong + counts[1].wrong, 0);
  EXPECT_EQ(report->misses.size(), 1u);
  const std::string other =
      R"({"source":"recall/talks/ann.messages.jsonl","dialogue":"s","turn":2,"spoken":"2026-03-02T10:02:00+00:00","judged":[)"
      R"({"word":"He","means":["Ben"]},{"word":"tomorrow","means":["2026-03-09"]}]})";
  const auto wrong = judge(other + "\n");
  ASSERT_TRUE(wrong.ok());
  EXPECT_EQ(wrong->by_source.at("talks")[0].wrong, 1);
  EXPECT_EQ(wrong->by_source.at("talks")[1].wrong, 1);
}

TEST_F(Judged, CM_17_a_season_may_be_judged_by_its_months_or_by_the_sun) {
  write(
      "recall/talks/ann.messages.jsonl",
      R"({"id":"1","session":"s","time":"2023-05-23T10:00:00Z","role":"user","name":"Ann","text":"I was in Spain last summer."}
)");
  const auto wrong_for = [&](const std::string& meaning) {
    const auto report = judge(
        R"({"source":"recall/talks/ann.messages.jsonl","dialogue":"s","turn":0,"spoken":"2023-05-23T10:00:00+00:00","judged":[)"
        R"({"word":"last summer","means":[")" +
        meaning + "\"]}]}\n");
    EXPECT_TRUE(report.ok());
    const auto& times = report->by_source.at("talks")[0];
    EXPECT_EQ(times.right + times.wrong, 1) << meaning;
    return times.wrong;
  };
  for (const char* same : {"2022-SU", "2022-06-01/2022-08-31", "2022-06/2022-08", "2022-06-21/2022-09-22"})
    EXPECT_EQ(wrong_for(same), 0) << same;
  for (const char* other : {"2022-07", "2022-07-01/2022-08-31", "2021-SU", "2022-06-01/2022-09-30", "2022-Q3"})
    EXPECT_EQ(wrong_for(other), 1) << other;
}

TEST_F(Judged, CM_17_what_cannot_be_read_is_named) {
  EXPECT_NE(judge("{\"source\":1}\n").error().message.find("judged.jsonl:1"), std::string::npos);
  const auto gone =
      judge(R"({"source":"no.jsonl","dialogue":"d","turn":0,"spoken":"2026-03-02T10:02:00Z","judged":[]})");
  EXPECT_EQ(gone.error().code, ErrorCode::kNotFound);
  EXPECT_FALSE(eval_judged({"/nowhere.jsonl"}, {}).ok());
}

}  // namespace
}  // namespace weft
