#include "eval/segment.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "eval/seen_dialogues.h"
#include "tests/support/hash_embedder.h"
#include "tests/support/temporary_folder.h"

namespace weft {
namespace {

std::string temporary(const std::string& name) { return testing::TempDir() + "/" + name; }

std::string write_file(const std::string& name, const std::string& text) {
  const std::string path = temporary(name);
  std::ofstream(path) << text;
  return path;
}

constexpr const char* kTwo =
    "{\"id\":\"a\",\"lang\":\"en\",\"turns\":[{\"role\":\"user\",\"text\":\"Which bus goes to the harbour?\"},"
    "{\"role\":\"assistant\",\"text\":\"Bus 12 goes to the harbour.\"},{\"role\":\"user\",\"text\":\"Thanks. By the "
    "way, can you recommend a soup recipe?\"},"
    "{\"role\":\"assistant\",\"text\":\"Try lentil soup.\"}],\"starts\":[0,2]}\n";

TEST(Segment, PF_11_perfect_borders_score_one_and_zero) {
  const auto score = score_segments(8, {0, 3, 5}, {0, 3, 5});
  EXPECT_DOUBLE_EQ(score.f1, 1);
  EXPECT_DOUBLE_EQ(score.pk, 0);
  EXPECT_DOUBLE_EQ(score.wd, 0);
}

TEST(Segment, PF_11_windows_by_hand) {
  // 6 turns, 2 segments: k = round(1.5) = 2, five windows of two flags. The flag of the border at 3 is turn 2, of that
  // at 4 turn 3. Windows over flags (0,1)…(4,5): gold has one in the second and third, the other in the third and
  // fourth.
  const auto score = score_segments(6, {0, 3}, {0, 4});
  EXPECT_DOUBLE_EQ(score.pk, 2.0 / 5);
  EXPECT_DOUBLE_EQ(score.wd, 2.0 / 5);
  EXPECT_DOUBLE_EQ(score.f1, 0);
}

TEST(Segment, PF_11_counts_of_borders_matter_to_window_difference_alone) {
  // Borders at 3 and 4 against one at 3: the window over turns 2 and 3 holds two against one.
  const auto score = score_segments(6, {0, 3}, {0, 3, 4});
  EXPECT_DOUBLE_EQ(score.pk, 1.0 / 5);
  EXPECT_DOUBLE_EQ(score.wd, 2.0 / 5);
  EXPECT_DOUBLE_EQ(score.f1, 2.0 / 3);
}

TEST(Segment, PF_11_nothing_to_find_gives_no_f1) { EXPECT_DOUBLE_EQ(score_segments(5, {0}, {0}).f1, 0); }

TEST(Segment, PF_11_a_dialogue_shorter_than_the_window) {
  const auto score = score_segments(1, {0}, {0});
  EXPECT_DOUBLE_EQ(score.pk, 0);
  EXPECT_DOUBLE_EQ(score.wd, 0);
}

TEST(Segment, PF_11_the_report_holds_every_figure_and_predictions_are_written) {
  SegmentOptions options;
  options.predictions = temporary("weft_segment_out.jsonl");
  const auto report = eval_segments({write_file("weft_segment_in.jsonl", kTwo)}, options, nullptr, Similarity::raw());
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->dialogues, 1);
  EXPECT_EQ(report->gold, 1);
  const std::string json = to_json(*report);
  for (const auto* name : {"\"dialogues\":1", "\"pk\":", "\"wd\":", "\"f1\":", "\"boundaries\":{\"gold\":1",
                           "\"ms_per_turn\":{\"p50\":"}) {
    EXPECT_NE(json.find(name), std::string::npos) << json;
  }
  std::ifstream predictions(options.predictions);
  std::stringstream text;
  text << predictions.rdbuf();
  EXPECT_EQ(text.str().find("{\"id\":\"a\",\"starts\":[0"), 0U) << text.str();
}

TEST(Segment, ST_8_borders_are_found_without_vectors_by_turns_and_blocks) {
  const auto path = write_file("weft_segment_units.jsonl", kTwo);
  for (const auto unit : {SegmentUnit::kTurn, SegmentUnit::kBlock}) {
    SegmentOptions options;
    options.unit = unit;
    const auto report = eval_segments({path}, options, nullptr, Similarity::raw());
    ASSERT_TRUE(report.ok());
    EXPECT_DOUBLE_EQ(report->f1, 1);
  }
}

TEST(Segment, PF_11_broken_input_names_file_and_line) {
  const auto missing = eval_segments({temporary("weft_no_such_file")}, {}, nullptr, Similarity::raw());
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  for (const auto* text : {"{\"id\":\"x\"}\n", "not json\n",
                           "{\"id\":\"x\",\"turns\":[{\"role\":\"user\",\"text\":\"a\"}],\"starts\":[0,7]}\n"}) {
    const auto broken = read_labelled_dialogues(write_file("weft_segment_broken.jsonl", text));
    ASSERT_FALSE(broken.ok()) << text;
    EXPECT_NE(broken.error().message.find(":1"), std::string::npos) << broken.error().message;
  }
}

}  // namespace

namespace {

class Talks : public testing::Test {
 protected:
  /// A turn about a subject: words that belong to it, and some that belong to nothing.
  std::string said(const std::string& subject) {
    std::string text;
    for (int i = 0; i < 6; ++i) text += subject + "word" + std::to_string(random_() % 6) + " ";
    return text + "and so on";
  }

  std::string path(const std::string& name) const { return folder_ / name; }

  /// Runs of one subject each.
  std::string runs(const std::string& name) {
    const std::string file = path(name + ".jsonl");
    std::ofstream out(file);
    for (int d = 0; d < 12; ++d) {
      std::string messages = R"({"role":"system","content":"rules"})";
      for (int i = 0; i < 8; ++i)
        messages += std::string(R"(,{"role":")") + (i % 2 == 0 ? "user" : "assistant") + R"(","content":")" +
                    said(name + std::to_string(d)) + "\"}";
      out << R"({"id":")" << d << R"(","messages":[)" << messages << "]}\n";
    }
    return file;
  }

  std::mt19937 random_{3};
  test::TemporaryFolder folder_;
};

TEST_F(Talks, PF_19_joined_talks_are_whole_exchanges_of_different_talks) {
  const auto source = read_talks(runs("chats"));
  ASSERT_TRUE(source.ok()) << source.error().message;
  EXPECT_TRUE(source->assisted);
  EXPECT_FALSE(source->chinese);
  EXPECT_EQ(source->talks.size(), 12u);
  Draw draw;
  for (int i = 0; i < 50; ++i) {
    const auto joined = join_talks({&*source}, JoinShape{}, draw);
    ASSERT_GE(joined.starts.size(), 3u);
    ASSERT_LE(joined.starts.size(), 6u);
    for (const std::size_t start : joined.starts) EXPECT_EQ(joined.turns[start].role, "user");
    const auto subject = [](const LabelledTurn& turn) { return turn.text.substr(0, turn.text.find("word")); };
    for (std::size_t at = 1; at < joined.turns.size(); ++at) {
      const bool border = std::binary_search(joined.starts.begin(), joined.starts.end(), at);
      EXPECT_EQ(subject(joined.turns[at]) != subject(joined.turns[at - 1]), border) << at;
    }
  }
}

TEST_F(Talks, PF_19_of_turns_with_their_context_the_longest_are_the_talk) {
  std::ofstream(path("turns.jsonl")) << R"({"id":"a0","context":[],"text":"one"})"
                                        "\n"
                                     << R"({"id":"a1","context":["one","two"],"text":"three"})"
                                        "\n"
                                     << R"({"id":"a2","context":["one","two","three","four"],"text":"five"})"
                                        "\n"
                                     << R"({"id":"b0","context":["six","seven","eight"],"text":"nine"})"
                                        "\n";
  const auto source = read_talks(path("turns.jsonl"));
  ASSERT_TRUE(source.ok()) << source.error().message;
  ASSERT_EQ(source->talks.size(), 2u);
  EXPECT_EQ(source->talks[0].turns.size(), 5u);
  EXPECT_EQ(source->talks[1].turns.back().text, "nine");
  EXPECT_FALSE(source->assisted);
}

}  // namespace

}  // namespace weft
