#include "eval/features.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "flow/memory/fact_meaning.h"
#include "tests/support/hash_embedder.h"
#include "tests/support/temporary_folder.h"

namespace weft {
namespace {

using Json = nlohmann::json;

class Features : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) {
    const auto path = folder_.path() / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
    return path.string();
  }

  std::string text_of(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  /// The lines behind the header, which names subject and embedder.
  std::vector<Json> examples(const std::string& subject, FeatureOptions options, bool by_words = false) {
    options.joins = 8;
    options.joined_talks = 10;
    Embedder* embedder = by_words ? nullptr : &embedder_;
    const std::string path = folder_ / (subject + ".features");
    const Status done = write_features(subject, config_, options, embedder, Similarity::raw(), path);
    EXPECT_TRUE(done.ok()) << done.error().message;
    if (!done.ok()) return {};
    const std::string once = text_of(path);
    EXPECT_TRUE(write_features(subject, config_, options, embedder, Similarity::raw(), path).ok());
    EXPECT_EQ(once, text_of(path)) << "the same data give the same bytes";
    std::vector<Json> lines;
    std::istringstream all(once);
    for (std::string line; std::getline(all, line);) lines.push_back(Json::parse(line));
    EXPECT_EQ(lines.front().at("subject"), subject);
    EXPECT_EQ(lines.front().at("embedder"), by_words ? "" : embedder_.name());
    header_ = lines.front();
    lines.erase(lines.begin());
    for (const Json& line : lines) EXPECT_TRUE(line.at("family").is_string()) << line;
    return lines;
  }

  Error error_of(const std::string& subject, const FeatureOptions& options) {
    return write_features(subject, config_, options, &embedder_, Similarity::raw(), folder_ / "out").error();
  }

  /// A memory of so many messages, each with a question that two of its words answer.
  std::string memory(const std::string& set, const std::string& name) {
    std::string messages, asked;
    for (int i = 0; i < 6; ++i) {
      const std::string key = set + name + std::to_string(i);
      messages += R"({"id":"m)" + std::to_string(i) + R"(","session":"s","time":"2025-01-01T00:00:00Z","role":")" +
                  (i % 2 == 0 ? "user" : "assistant") + R"(","name":"ann","text":"We put the key)" + key +
                  " below the stone" + key + "\"}\n";
      asked += R"({"id":"q)" + std::to_string(i) + R"(","query":"Where is the key)" + key + " and the stone" + key +
               R"(?","gold":["m)" + std::to_string(i) + "\"]}\n";
    }
    write(set + "/" + name + ".messages.jsonl", messages);
    write(set + "/" + name + ".queries.jsonl", asked);
    return folder_ / set;
  }

  test::TemporaryFolder folder_;
  HashEmbedder embedder_{16, "hash-test-q4"};
  Config config_;
  Json header_;
};

TEST_F(Features, PF_19_wishes_are_examples_by_sentence_and_messages_to_be_measured) {
  FeatureOptions options;
  options.files = {
      write("wishes_en.jsonl", R"({"text":"Always answer in short sentences from now on.","wish":true}
{"text":"The train was late.","wish":false}
)"),
      write("talk.jsonl", R"({"messages":[{"role":"user","content":"From now on keep your answers short, please."},)"
                          R"({"role":"assistant","content":"Please always be brief."}]})")};
  options.check = {write("exam.jsonl", R"({"text":"Please always use metric units for me.","wish":true})")};
  std::size_t messages = 0;
  std::set<std::string> fitted;
  for (const Json& line : examples("wishes", options)) {
    if (!line.contains("features")) {
      ++messages;
      EXPECT_TRUE(line.at("found").is_boolean());
      EXPECT_EQ(line.at("kept_out"), line.at("family") == "exam");
      continue;
    }
    EXPECT_EQ(line.at("features").at("vector").size(), 16u);
    EXPECT_TRUE(line.at("features").at("clause").is_number());
    if (line.at("fits")) fitted.insert(line.at("family").get<std::string>());
    EXPECT_EQ(line.at("label"), line.at("family") == "exam" || line.at("message") == 0);
  }
  EXPECT_EQ(messages, 4u) << "what the assistant says is none";
  EXPECT_EQ(fitted, (std::set<std::string>{"talk", "wishes_en"}));
}

TEST_F(Features, PF_19_facts_tell_what_is_read_where_a_sentence_is_likely) {
  write("segment/talks_dev.jsonl",
        R"({"id":"t","turns":[{"role":"user","text":"I live in Porto. The old lamp by the window was my aunt's."}]})");
  FeatureOptions options;
  options.data = folder_.path().string();
  options.keep_out = {"talks"};
  options.files = {
      write(
          "en_1.jsonl",
          R"({"source":"segment/talks_dev.jsonl","dialogue":"t","turn":0,"facts":[{"holder":"user","value":["Porto"]},{"holder":"aunt","value":["lamp"],"kind":"light"}]})"),
      write("made.jsonl", R"({"text":"My brother keeps bees.","fact":true})")};
  const auto lines = examples("facts", options);
  ASSERT_EQ(lines.size(), 4u);
  const Json& message = lines[0];
  EXPECT_EQ(message.at("stated"), 1);
  EXPECT_EQ(message.at("graded"), true);
  EXPECT_EQ(message.at("kept_out"), true);
  EXPECT_EQ(message.at("language"), "english");
  ASSERT_EQ(message.at("sentences").size(), 2u);
  ASSERT_EQ(message.at("grammar").size(), 1u) << "the grammar knows where one lives";
  EXPECT_EQ(message.at("facts").at(message.at("grammar").at(0).get<std::size_t>()).at("right"), Json({0}));
  const Json& come = message.at("sentences").at(1).at("likely").at("come");
  ASSERT_EQ(come.size(), 1u) << "a likely sentence is kept whole";
  const Json& lamp = message.at("facts").at(come.at(0).get<std::size_t>());
  EXPECT_EQ(lamp.at("light"), true);
  EXPECT_TRUE(lamp.at("right").empty());
  EXPECT_TRUE(message.at("sentences").at(1).at("unlikely").at("come").empty());
  EXPECT_EQ(lines[1].at("label"), true);
  EXPECT_TRUE(lines[2].at("label").is_null()) << "a light fact is no example of either";
  EXPECT_EQ(lines[2].at("acts"), true);
  EXPECT_EQ(lines[3].at("family"), "made");
  EXPECT_EQ(lines[3].at("features").at("signs").size(), kFactSigns);
}

TEST_F(Features, PF_19_topics_are_the_signals_of_each_turn_but_the_first) {
  const auto dialogues = [this](const std::string& name) {
    std::string lines;
    for (int d = 0; d < 4; ++d) {
      std::string turns;
      for (int i = 0; i < 8; ++i) {
        const std::string word = name + std::to_string(d) + (i < 4 ? "fish" : "wood");
        turns += std::string(i == 0 ? "" : ",") + R"({"role":")" + (i % 2 == 0 ? "user" : "assistant") +
                 R"(","text":")" + word + " and " + word + "\"}";
      }
      lines += R"({"id":")" + std::to_string(d) + R"(","turns":[)" + turns + "],\"starts\":[0,4]}\n";
    }
    return write(name + "_dev.jsonl", lines);
  };
  FeatureOptions options;
  options.files = {dialogues("alpha"), dialogues("beta")};
  std::string runs;
  for (const char* id : {"a", "b", "c", "d"})
    runs += std::string(R"({"id":")") + id + R"(","messages":[{"role":"user","content":"One two"},)" +
            R"({"role":"assistant","content":"three four"},{"role":"user","content":"five six"},)" +
            R"({"role":"assistant","content":"seven"}]})" + "\n";
  options.talks = {write("chats.jsonl", runs), write("others.jsonl", runs)};
  options.keep_out = {"others"};
  const auto lines = examples("topics", options);
  const std::size_t signals = header_.at("signals").size();
  std::set<std::string> kinds;
  std::size_t borders = 0;
  for (const Json& line : lines) {
    const std::string kind = line.at("kind");
    kinds.insert(kind);
    if (line.at("family") == "alpha" && kind == "labelled") borders += line.at("label").get<bool>() ? 1 : 0;
    EXPECT_EQ(line.at("fits"), kind != "measured" && kind != "uncut");
    EXPECT_LE(line.at("features").size(), signals);
    EXPECT_GE(line.at("turn"), 1);
  }
  EXPECT_EQ(borders, 4u);
  EXPECT_EQ(kinds, (std::set<std::string>{"joined", "joined across", "joined chats", "labelled", "measured", "uncut"}))
      << "nothing of what is kept out is joined to fit on";
}

TEST_F(Features, PF_14_known_has_each_question_where_it_is_answered_and_elsewhere) {
  FeatureOptions options;
  memory("brass", "one");
  options.files = {memory("brass", "two"), memory("copper", "one")};
  options.keep_out = {"copper"};
  std::map<std::string, int> asked;
  for (const Json& line : examples("known", options)) {
    asked[line.at("by").get<std::string>() + (line.at("label") ? " own" : line.at("far") ? " far" : " near")]++;
    EXPECT_EQ(line.at("kept_out"), line.at("family") == "copper");
    std::set<std::size_t> hits;
    for (const Json& weight : header_.at("weights"))
      hits.insert(line.at("features").at(weight.at("name").get<std::string>()).size());
    EXPECT_EQ(hits.size(), 1u) << "of each hit all features";
  }
  for (const std::string by : {"words", "vectors"}) {
    EXPECT_EQ(asked[by + " own"], 18);
    EXPECT_EQ(asked[by + " near"], 12);
    EXPECT_EQ(asked[by + " far"], 18);
  }
}

TEST_F(Features, MS_5_recall_has_of_each_question_its_hits_and_which_of_them_answer) {
  FeatureOptions options;
  options.files = {memory("brass", "one"), memory("copper", "one")};
  const auto lines = examples("recall", options, true);
  ASSERT_EQ(lines.size(), 12u);
  for (const Json& line : lines) {
    EXPECT_EQ(line.at("pieces"), 1);
    ASSERT_EQ(line.at("label").size(), 1u);
    EXPECT_EQ(line.at("row").size(), line.at("message").size());
    EXPECT_GT(line.at("features").at("words").at(line.at("label").at(0).at(0).get<std::size_t>()), 0);
    for (const auto& [name, values] : line.at("features").items())
      EXPECT_EQ(values.size(), line.at("row").size()) << name;
  }
}

TEST_F(Features, PF_19_tools_have_their_words_and_requests_their_parts) {
  write("kit.tools.jsonl", R"({"name":"send_mail","description":"Sends a mail to somebody","parameters":{}}
{"name":"book_train","description":"Books a seat in a train","parameters":{}}
)");
  write(
      "kit.queries.jsonl",
      R"({"id":"q","query":"Please book a train to Porto, and send a mail to Ann.","gold":["book_train"],"category":"two"})");
  FeatureOptions options;
  options.files = {folder_ / "kit"};
  const auto lines = examples("tools", options);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0].at("name").size(), 2u);
  const Json& request = lines[2];
  EXPECT_EQ(request.at("label"), Json({1}));
  ASSERT_EQ(request.at("features").at("parts").size(), 3u) << "the whole, and the two things that it asks for";
  for (const Json& part : request.at("features").at("parts")) EXPECT_EQ(part.at("vector").size(), 2u);
  EXPECT_FALSE(examples("tools", options, true)[2].at("features").at("parts").at(0).contains("vector"));
}

TEST_F(Features, MS_4_skills_have_their_phrases_and_tasks_what_they_share) {
  FeatureOptions options;
  options.files = {write(
      "tasks.jsonl",
      R"({"skill":"a","lang":"en","name":"Release","description":"Ships it","when":["a release is due"],"tuning":["release the program"],"held":["ship it now"]}
{"skill":"b","lang":"zh","name":"写周报","description":"写一份周报","when":["要写周报"],"tuning":["帮我写周报"],"held":[]}
{"unrelated":"what time is it","lang":"en","held":false}
)")};
  const auto lines = examples("skills", options);
  ASSERT_EQ(lines.size(), 5u) << "two skills and three tasks: what is held is not fitted on";
  EXPECT_EQ(lines[1].at("language"), "chinese");
  EXPECT_EQ(lines[0].at("phrases").at(0).size(), 16u);
  EXPECT_EQ(lines[2].at("label"), 0);
  EXPECT_EQ(lines[2].at("features").at("words").size(), 2u);
  EXPECT_TRUE(lines[4].at("label").is_null());
}

TEST_F(Features, ST_8_similarity_has_texts_with_their_topics) {
  FeatureOptions options;
  options.files = {write(
      "talks.jsonl",
      R"({"id":"a","turns":[{"role":"user","text":"The fish is fresh"},{"role":"user","text":"..."},{"role":"user","text":"Now to the wood"}],"starts":[0,2]})")};
  const auto lines = examples("similarity", options);
  ASSERT_EQ(lines.size(), 2u) << "what has no word has no vector";
  EXPECT_EQ(lines[0].at("family"), "english");
  EXPECT_NE(lines[0].at("label"), lines[1].at("label"));
  EXPECT_EQ(lines[0].at("dialogue"), lines[1].at("dialogue"));
}

TEST_F(Features, PF_19_what_cannot_be_read_or_written_is_named) {
  FeatureOptions options;
  options.files = {folder_ / "nowhere.jsonl"};
  options.data = folder_.path().string();
  for (const std::string& subject : feature_subjects())
    EXPECT_NE(error_of(subject, options).message.find("nowhere"), std::string::npos) << subject;
  EXPECT_EQ(error_of("weather", options).code, ErrorCode::kInvalidArgument);
  EXPECT_FALSE(write_features("wishes", config_, options, nullptr, Similarity::raw(), folder_ / "out").ok());
  EXPECT_EQ(write_features("tools", config_, options, nullptr, Similarity::raw(), folder_ / "no/out").error().code,
            ErrorCode::kPermission);
}

}  // namespace
}  // namespace weft
