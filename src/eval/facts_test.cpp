#include "eval/facts.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/hash_embedder.h"
#include "tests/support/temporary_folder.h"

namespace weft {
namespace {

class Facts : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    std::filesystem::create_directories((folder_.path() / name).parent_path());
    std::ofstream(folder_.path() / name) << text;
  }
  Result<FactReport> judge(const std::string& lines, std::vector<std::string> explain = {}) {
    write("facts.jsonl", lines);
    return eval_facts({(folder_.path() / "facts.jsonl").string()}, {folder_.path().string(), std::move(explain)});
  }

  test::TemporaryFolder folder_;
};

TEST_F(Facts, CM_9_what_is_read_is_judged_by_holder_value_and_denial) {
  write("segment/talks.jsonl",
        R"({"id":"t","turns":[{"role":"user","text":"I live in Porto and my sister has two dogs."},)"
        R"({"role":"assistant","text":"Nice."},{"role":"user","text":"I don't drink coffee."},)"
        R"({"role":"user","text":"I bought a red tent last week."}]})"
        "\n");
  const auto report = judge(
      R"({"source":"segment/talks.jsonl","dialogue":"t","turn":0,"facts":[{"holder":"user","value":["Porto"]},{"holder":"sister","value":["two cats","two dogs"]}]}
{"source":"segment/talks.jsonl","dialogue":"t","turn":2,"facts":[{"holder":"user","value":["coffee"],"kind":"negated"},{"holder":"user","value":["tea"]}]}
{"source":"segment/talks.jsonl","dialogue":"t","turn":3,"facts":[]}
)",
      {"talks"});
  ASSERT_TRUE(report.ok()) << report.error().message;
  const FactCounts& counts = report->by_source.at("talks");
  EXPECT_EQ(counts.messages, 3);
  EXPECT_EQ(counts.stated, 4);
  EXPECT_EQ(counts.right, 3) << to_json(*report);
  EXPECT_EQ(counts.wrong, 1) << "what nobody stated: " << to_json(*report);
  EXPECT_EQ(report->misses.size(), 2u);
}

TEST_F(Facts, PF_19_what_is_light_is_neither_missed_nor_wrong) {
  write("segment/talks.jsonl",
        R"({"id":"t","turns":[{"role":"user","text":"I live in Porto. I bought a red tent last week."},)"
        R"({"role":"user","text":"I bought a red tent last week."}]})"
        "\n");
  const auto report = judge(
      R"({"source":"segment/talks.jsonl","dialogue":"t","turn":0,"facts":[{"holder":"user","value":["Porto"]},{"holder":"user","value":["tent"],"kind":"light"},{"holder":"user","value":["a long walk"],"kind":"light"}]}
{"source":"segment/talks.jsonl","dialogue":"t","turn":1,"facts":[]}
)");
  ASSERT_TRUE(report.ok()) << report.error().message;
  const FactCounts& counts = report->by_source.at("talks");
  EXPECT_EQ(counts.stated, 1);
  EXPECT_EQ(counts.right, 1);
  EXPECT_EQ(counts.read, 3);
  EXPECT_EQ(counts.light, 1) << "the tent of the first message";
  EXPECT_EQ(counts.wrong, 1) << "that of the second, where nobody took it for stated";
}

TEST_F(Facts, PF_19_a_reader_is_measured_by_another_one_as_a_program_is) {
  write("segment/talks.jsonl",
        R"({"id":"t","turns":[{"role":"user","text":"My sister has two dogs and I never swim."},)"
        R"({"role":"user","text":"I live in Porto."}]})"
        "\n");
  write(
      "facts.jsonl",
      R"({"source":"segment/talks.jsonl","dialogue":"t","turn":0,"facts":[{"holder":"sister","value":["dogs"]},{"holder":"user","value":["swim"],"kind":"negated"}]}
{"source":"segment/talks.jsonl","dialogue":"t","turn":1,"facts":[{"holder":"user","value":["Porto"]}]}
)");
  write(
      "second.jsonl",
      R"({"source":"segment/talks.jsonl","dialogue":"t","turn":0,"facts":[{"holder":"sister","value":["two dogs"]},{"holder":"user","value":["a pool"]}]}
)");
  FactOptions options;
  options.data = folder_.path().string();
  options.readers = {(folder_.path() / "second.jsonl").string()};
  const auto report = eval_facts({(folder_.path() / "facts.jsonl").string()}, options);
  ASSERT_TRUE(report.ok()) << report.error().message;
  const FactCounts& counts = report->by_source.at("talks");
  EXPECT_EQ(counts.messages, 1) << "what the other one did not judge is left out";
  EXPECT_EQ(counts.stated, 2);
  EXPECT_EQ(counts.right, 1);
  EXPECT_EQ(counts.read, 2);
  EXPECT_EQ(counts.wrong, 1);
}

TEST_F(Facts, CM_9_what_cannot_be_read_is_named) {
  EXPECT_NE(judge("{\"source\":1}\n").error().message.find("facts.jsonl:1"), std::string::npos);
  EXPECT_EQ(judge(R"({"source":"no.jsonl","dialogue":"d","turn":0,"facts":[]})").error().code, ErrorCode::kNotFound);
  EXPECT_FALSE(eval_facts({"/nowhere.jsonl"}, {}).ok());
}

}  // namespace

namespace {

/// Families of conversations in which "keepsake" goes with what lasts and "errand" with what does not, in sentences
/// that no grammar reads.
class FactFit : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) {
    const auto path = folder_.path() / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
    return path.string();
  }

  /// Conversations of a family below the data, and their judgements.
  std::string family(const std::string& name) {
    std::string talks, judged;
    for (int i = 0; i < 30; ++i) {
      const std::string number = std::to_string(i);
      const bool lasts = i % 2 == 0;
      const std::string thing = name + (lasts ? "jewel" : "parcel") + number;
      talks += R"({"id":")" + number + R"(","turns":[{"role":"user","text":"Old )" + (lasts ? "keepsake" : "errand") +
               " by the window, the " + thing + " of mine.\"}]}\n";
      judged += R"({"source":"segment/)" + name + R"(_dev.jsonl","dialogue":")" + number + R"(","turn":0,"facts":[)" +
                (lasts ? R"({"holder":"user","value":[")" + thing + R"("]})" : std::string()) + "]}\n";
    }
    write("data/segment/" + name + "_dev.jsonl", talks);
    return write("en_" + name + "_second.jsonl", judged);
  }

  Result<FittedFacts> fit(std::vector<std::string> files, std::vector<std::string> keep_out = {}) {
    return fit_facts({std::move(files), folder_ / "data", std::move(keep_out)}, embedder_, Similarity::raw());
  }

  test::TemporaryFolder folder_;
  HashEmbedder embedder_{64, "hash-test-q4"};
};

TEST_F(FactFit, PF_19_what_is_fitted_is_judged_with_families_left_out) {
  const auto fitted = fit({family("alpha"), family("beta"), family("gamma")});
  ASSERT_TRUE(fitted.ok()) << fitted.error().message;
  ASSERT_EQ(fitted->rows.size(), 3u);
  for (const auto& [name, row] : fitted->rows) {
    EXPECT_EQ(row.left_out.stated, 15) << name;
    EXPECT_EQ(row.grammar.right, 0) << name << ": no grammar reads them";
    EXPECT_GE(row.left_out.right, 12) << name;
    EXPECT_LE(row.left_out.wrong, 3) << name;
    EXPECT_EQ(row.folds.messages, 30) << name;
  }
  EXPECT_NE(to_json(*fitted).find("left_out"), std::string::npos);
}

TEST_F(FactFit, PF_19_a_family_that_is_kept_out_is_measured_and_leaves_no_trace) {
  const std::string alpha = family("alpha"), beta = family("beta"), gamma = family("gamma");
  const auto without = fit({alpha, beta}), kept_out = fit({alpha, beta, gamma}, {"gamma"});
  ASSERT_TRUE(without.ok() && kept_out.ok());
  EXPECT_EQ(without->source, kept_out->source);
  EXPECT_EQ(kept_out->rows.at("gamma en_gamma_second").all.messages, 30);
  EXPECT_EQ(kept_out->rows.at("gamma en_gamma_second").folds.messages, 0);
}

TEST_F(FactFit, PF_19_the_same_data_gives_the_same_file_which_names_its_embedder) {
  const std::string alpha = family("alpha"), beta = family("beta");
  const auto once = fit({alpha, beta}), again = fit({alpha, beta});
  ASSERT_TRUE(once.ok() && again.ok());
  EXPECT_EQ(once->source, again->source);
  EXPECT_NE(once->source.find("\"hash-test\""), std::string::npos);
}

TEST_F(FactFit, PF_19_labelled_sentences_are_fitted_on_as_well) {
  const std::string alpha = family("alpha");
  const std::string made = write("made.jsonl", R"({"text":"The keepsake of my aunt.","fact":true})"
                                               "\n"
                                               R"({"text":"An errand for today.","fact":false})"
                                               "\n");
  const auto plain = fit({alpha}), more = fit({alpha, made});
  ASSERT_TRUE(plain.ok() && more.ok());
  EXPECT_NE(plain->source, more->source);
}

TEST_F(FactFit, PF_19_what_cannot_be_read_is_named) {
  EXPECT_FALSE(fit({folder_ / "nowhere.jsonl"}).ok());
  EXPECT_FALSE(fit({}).ok());
  EXPECT_NE(fit({write("broken.jsonl", R"({"text":"a","fact":1})")}).error().message.find("broken.jsonl:1"),
            std::string::npos);
}

}  // namespace

}  // namespace weft
