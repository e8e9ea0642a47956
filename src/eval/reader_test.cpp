#include "eval/reader.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "eval/answers.h"
#include "tests/support/scripted_chat.h"
#include "tests/support/temporary_folder.h"

namespace weft {
namespace {

using Json = nlohmann::json;

constexpr const char* kMessages =
    R"({"id":"m1","session":"s1","time":"2026-03-02T09:00:00Z","role":"user","name":"Ann","text":"My kiln is called Vesta, and it is red."}
{"id":"m2","session":"s1","time":"2026-03-02T09:01:00Z","role":"assistant","text":"A fine name for something that hot."}
{"id":"m3","session":"s1","time":"2026-03-02T09:02:00Z","role":"user","name":"Ann","text":"We fire it with dry birch from Olsen."}
{"id":"m4","session":"s2","time":"2026-03-09T09:00:00Z","role":"user","name":"Ann","text":"The pottery market is on 4 July in Bergen."}
{"id":"m5","session":"s2","time":"2026-03-09T09:01:00Z","role":"assistant","text":"I noted the day of the market."}
)";
constexpr const char* kQuestions =
    R"({"id":"q1","query":"What is Ann's kiln called?","answer":"Vesta","category":"single-hop","gold":["m1"]}
{"id":"q2","query":"On which day is the pottery market in Bergen?","answer":"4 July","category":"temporal","gold":["m4"]}
{"id":"q3","query":"What is Ben's kiln called?","adversarial_answer":"Vesta","category":"adversarial","gold":["m1"]}
{"id":"q4","query":"How could Ann fire the kiln?","category":"associative","gold":["m3"]}
{"id":"q5","query":"Which wood does Ann burn?","answer":"B","options":{"A":"oak","B":"birch"},"category":"single-hop","gold":["m3"]}
)";

std::string user_text(const ChatRequest& request) { return request.messages.back().content; }
bool asks(const ChatRequest& request, const std::string& part) {
  return user_text(request).find(part) != std::string::npos;
}

class EvalReader : public testing::Test {
 protected:
  EvalReader() {
    write("talk.messages.jsonl", kMessages);
    write("talk.queries.jsonl", kQuestions);
    config_.embedding.provider = EmbeddingProvider::kNone;
    options_.reader = &reader_;
    options_.details = folder_ / "details.jsonl";
    // It finds the answer where the line with it is quoted.
    reader_.always([](const ChatRequest& request) -> Result<ChatReply> {
      if (asks(request, "Ben's")) return ScriptedChat::reply("I do not know.");
      const bool kiln = asks(request, "called?"), found = asks(request, kiln ? "Vesta" : "4 July");
      ChatReply reply = ScriptedChat::reply(!found ? "Something else." : kiln ? "Vesta." : "on 4 July, in Bergen");
      reply.prompt_tokens = 100;
      return reply;
    });
  }

  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }

  Json run() const {
    const auto json = run_eval_answers(config_, {folder_ / "talk"}, options_);
    EXPECT_TRUE(json.ok()) << json.error().message;
    if (!json.ok()) return Json::object();
    const Json by_set = Json::parse(*json).at("by_set");
    return by_set.begin().value().at("reader");
  }
  std::map<std::string, Json> details() const {
    std::map<std::string, Json> lines;
    std::ifstream file(options_.details);
    for (std::string line; std::getline(file, line);) {
      const Json json = Json::parse(line);
      lines[json.at("id")] = json;
    }
    return lines;
  }

  test::TemporaryFolder folder_;
  Config config_;
  ScriptedChat reader_{"reader"}, judge_{"judge"};
  AnswersOptions options_;
};

TEST_F(EvalReader, PF_24_the_woven_prompt_reaches_the_reader_beside_three_others) {
  run();
  const auto lines = details();
  const std::vector<ChatRequest> asked = reader_.requests();
  ASSERT_EQ(asked.size(), 12U) << "three questions in four ways";
  std::string woven;
  for (const Message& message : asked[0].messages) woven += message.content + "\n";
  EXPECT_TRUE(woven.ends_with(lines.at("q1").at("prompt").get<std::string>())) << woven;
  EXPECT_EQ(asked[0].messages.front().role, Role::kSystem);
  EXPECT_NE(asked[0].messages.front().content.find("Monday, 9 March 2026"), std::string::npos) << "the last day";

  const std::string oracle = user_text(asked[1]), words = user_text(asked[2]), whole = user_text(asked[3]);
  EXPECT_NE(oracle.find("Monday, 2 March 2026\n- Ann: My kiln is called Vesta"), std::string::npos) << oracle;
  EXPECT_EQ(oracle.find("birch"), std::string::npos);
  EXPECT_TRUE(oracle.ends_with("What is Ann's kiln called?"));
  EXPECT_NE(words.find("Vesta"), std::string::npos);
  EXPECT_EQ(words.find("I noted the day"), std::string::npos) << "no word of the question";
  for (const char* text : {"Vesta", "fine name", "birch", "4 July", "I noted"})
    EXPECT_NE(whole.find(text), std::string::npos) << text;
}

TEST_F(EvalReader, PF_24_scores_stand_by_way_and_category) {
  const Json report = run();
  EXPECT_EQ(report.at("reader"), "reader");
  EXPECT_EQ(report.at("left_out").at("no_answer"), 2) << "no answer, and one that only names an option";
  const Json& oracle = report.at("answerable").at("oracle");
  EXPECT_EQ(oracle.at("questions"), 2);
  EXPECT_DOUBLE_EQ(oracle.at("contains"), 1);
  EXPECT_NEAR(oracle.at("f1"), (1 + 2.0 * 2 / 7) / 2, 1e-9);
  EXPECT_DOUBLE_EQ(oracle.at("tokens"), 100);
  EXPECT_FALSE(oracle.contains("right")) << "nobody judged";
  EXPECT_DOUBLE_EQ(report.at("by_category").at("temporal").at("oracle").at("contains"), 1);
  EXPECT_DOUBLE_EQ(report.at("by_category").at("single-hop").at("oracle").at("f1"), 1);
  const Json& share = report.at("answerable").at("woven_of_oracle");
  EXPECT_DOUBLE_EQ(share.at("f1"),
                   report.at("answerable").at("woven").at("f1").get<double>() / oracle.at("f1").get<double>());
}

TEST_F(EvalReader, PF_24_declining_is_right_where_nothing_was_said_and_wrong_elsewhere) {
  options_.judge = &judge_;
  judge_.always([](const ChatRequest&) { return ScriptedChat::reply(R"({"reason":"","verdict":"WRONG"})"); });
  Json report = run();
  EXPECT_EQ(report.at("unanswerable").at("woven").at("questions"), 1);
  EXPECT_DOUBLE_EQ(report.at("unanswerable").at("woven").at("declined"), 1);
  EXPECT_DOUBLE_EQ(report.at("unanswerable").at("woven").at("right"), 1);
  EXPECT_FALSE(report.at("unanswerable").at("woven").contains("f1")) << "there is nothing to compare with";
  EXPECT_EQ(judge_.requests().size(), 8U) << "a declined one needs no judge";

  reader_.always([](const ChatRequest&) { return ScriptedChat::reply("I do not know."); });
  report = run();
  EXPECT_DOUBLE_EQ(report.at("answerable").at("woven").at("declined"), 1);
  EXPECT_DOUBLE_EQ(report.at("answerable").at("woven").at("right"), 0);
  EXPECT_DOUBLE_EQ(report.at("answerable").at("woven").at("f1"), 0);
}

TEST_F(EvalReader, PF_24_the_judge_reads_question_expected_and_given_answer) {
  options_.judge = &judge_;
  judge_.always([](const ChatRequest& request) {
    return ScriptedChat::reply(asks(request, "4 July, in Bergen") ? R"({"reason":"Same day.","verdict":"CORRECT"})"
                                                                  : R"({"reason":"No.","verdict":"WRONG"})");
  });
  const Json report = run();
  const Json data = Json::parse(user_text(judge_.requests().front()));
  EXPECT_EQ(data, (Json{{"question", "What is Ann's kiln called?"}, {"expected", "Vesta"}, {"given", "Vesta."}}));
  EXPECT_DOUBLE_EQ(report.at("answerable").at("oracle").at("right"), 0.5);
  EXPECT_DOUBLE_EQ(report.at("by_category").at("temporal").at("oracle").at("right"), 1);
  const Json read = details().at("q2").at("reader");
  EXPECT_EQ(read.at("expected"), "4 July");
  EXPECT_EQ(read.at("oracle").at("answer"), "on 4 July, in Bergen");
  EXPECT_EQ(read.at("oracle").at("verdict"), "CORRECT");
  EXPECT_EQ(read.at("oracle").at("reason"), "Same day.");
}

TEST_F(EvalReader, PF_24_a_judge_that_talks_nonsense_or_fails_makes_nothing_right) {
  options_.judge = &judge_;
  for (const char* nonsense : {"CORRECT", "{\"verdict\":\"maybe\"}", "{\"verdict\":true}", "[\"CORRECT\"]", ""}) {
    judge_.always([&](const ChatRequest&) { return ScriptedChat::reply(nonsense); });
    const Json oracle = run().at("answerable").at("oracle");
    EXPECT_DOUBLE_EQ(oracle.at("right"), 0) << nonsense;
    EXPECT_EQ(oracle.at("unjudged"), 2) << nonsense;
  }
  ScriptedChat broken("broken");  // each of its calls fails
  options_.judge = &broken;
  const Json oracle = run().at("answerable").at("oracle");
  EXPECT_DOUBLE_EQ(oracle.at("right"), 0);
  EXPECT_EQ(oracle.at("unjudged"), 2);
  EXPECT_FALSE(details().at("q1").at("reader").at("oracle").contains("verdict"));
}

TEST_F(EvalReader, PF_24_failed_calls_are_counted_and_a_wrong_key_ends_the_run) {
  reader_.fail(unavailable("too busy")).say("").say("Vesta");
  const Json answerable = run().at("answerable");
  EXPECT_EQ(answerable.at("woven").at("failed"), 1);
  EXPECT_EQ(answerable.at("woven").at("questions"), 1);
  EXPECT_EQ(answerable.at("oracle").at("failed"), 1) << "no text is no answer";
  EXPECT_EQ(answerable.at("woven_of_oracle").at("questions"), 1) << "only questions answered from both";
  reader_.fail(permission("no such key"));
  const auto json = run_eval_answers(config_, {folder_ / "talk"}, options_);
  ASSERT_FALSE(json.ok());
  EXPECT_EQ(json.error().code, ErrorCode::kPermission);
}

TEST_F(EvalReader, PF_24_a_conversation_beyond_the_window_is_left_out_and_counted) {
  std::string many = kMessages;
  for (int i = 0; i < 300; ++i)
    many += R"({"id":"x)" + std::to_string(i) +
            R"(","session":"s3","time":"2026-04-01T09:00:00Z","role":"user","text":")"
            "Plate number " +
            std::to_string(i) + R"( is glazed and dried for another day."})" + "\n";
  write("talk.messages.jsonl", many);
  ScriptedChat narrow("narrow", 4096);
  narrow.always([](const ChatRequest&) { return ScriptedChat::reply("Vesta"); });
  options_.reader = &narrow;
  const Json report = run();
  EXPECT_EQ(report.at("left_out").at("whole"), 3);
  EXPECT_EQ(report.at("answerable").at("whole").at("questions"), 0);
  EXPECT_EQ(report.at("answerable").at("oracle").at("questions"), 2);
}

TEST_F(EvalReader, PF_24_a_sample_is_spread_evenly_and_the_same_each_time) {
  std::string questions;
  for (int i = 0; i < 10; ++i)
    questions += R"({"id":"q)" + std::to_string(i) +
                 R"(","query":"What is Ann's kiln called?","answer":"Vesta","category":"c","gold":["m1"]})" + "\n";
  write("talk.queries.jsonl", questions);
  options_.questions = 3;
  const auto ids = [&] {
    run();
    std::vector<std::string> asked;
    for (const auto& [id, line] : details()) asked.push_back(id);
    return asked;
  };
  EXPECT_EQ(ids(), (std::vector<std::string>{"q0", "q3", "q6"}));
  EXPECT_EQ(ids(), (std::vector<std::string>{"q0", "q3", "q6"}));
}

TEST_F(EvalReader, PF_24_questions_in_chinese_are_asked_and_judged_in_chinese) {
  write("talk.messages.jsonl",
        R"({"id":"m1","session":"s1","time":"2026-03-02T09:00:00Z","role":"user","text":"我妹妹住在厦门。"})");
  write("talk.queries.jsonl",
        R"({"id":"q1","query":"我妹妹住在哪里？","answer":["厦门","鼓浪屿"],"category":"changed","gold":["m1"]})");
  options_.judge = &judge_;
  reader_.always([](const ChatRequest&) { return ScriptedChat::reply("<think>嗯</think>住在厦门。"); });
  judge_.always([](const ChatRequest&) { return ScriptedChat::reply(R"({"reason":"对","verdict":"CORRECT"})"); });
  const Json report = run();
  EXPECT_NE(reader_.requests().front().messages.front().content.find("今天是2026年3月2日 星期一"), std::string::npos);
  EXPECT_NE(judge_.requests().front().messages.front().content.find("标准答案"), std::string::npos);
  EXPECT_EQ(Json::parse(user_text(judge_.requests().front())).at("expected"), "厦门 / 鼓浪屿");
  EXPECT_EQ(details().at("q1").at("reader").at("oracle").at("answer"), "住在厦门。") << "thoughts are no answer";
  EXPECT_NEAR(report.at("answerable").at("oracle").at("f1"), 2.0 * 2 / 6, 1e-9) << "of either answer the better";
  EXPECT_DOUBLE_EQ(report.at("answerable").at("oracle").at("contains"), 1);
}

TEST(AnswerWords, PF_24_f1_counts_words_and_of_chinese_characters) {
  EXPECT_DOUBLE_EQ(token_f1("The Blue Kiln.", "blue kiln"), 1);
  EXPECT_DOUBLE_EQ(token_f1("in July", "4 July"), 0.5);
  EXPECT_DOUBLE_EQ(token_f1("yes yes", "yes"), 2.0 / 3) << "each word as often as it occurs";
  EXPECT_DOUBLE_EQ(token_f1("4,200 dollars", "4200 dollars"), 1);
  EXPECT_DOUBLE_EQ(token_f1("住在厦门。", "厦门"), 2.0 * 2 / 6);
  EXPECT_DOUBLE_EQ(token_f1("廈門", "厦门"), 1) << "traditional characters";
  EXPECT_DOUBLE_EQ(token_f1("用iPhone 15拍的", "iphone 15"), 2.0 * 2 / 7) << "both scripts in one text";
  EXPECT_DOUBLE_EQ(token_f1("", "Vesta"), 0);
  EXPECT_DOUBLE_EQ(token_f1("...", "Vesta"), 0);
}

TEST(AnswerWords, PF_24_an_answer_is_contained_as_whole_words_in_a_row) {
  EXPECT_TRUE(contains_answer("It is on the 4 July, in Bergen", "4 July"));
  EXPECT_FALSE(contains_answer("on 14 July", "4 July"));
  EXPECT_FALSE(contains_answer("4 days in July", "4 July"));
  EXPECT_TRUE(contains_answer("她住在厦门岛上", "厦门"));
  EXPECT_FALSE(contains_answer("Vesta", ""));
}

}  // namespace
}  // namespace weft
