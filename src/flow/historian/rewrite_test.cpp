#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <random>
#include <regex>

#include "flow/historian/rewrite.h"
#include "tests/support/scripted_chat.h"

namespace weft {
namespace {

RewriteInput input_of(const std::string& did, const std::string& info) {
  RewriteInput input;
  input.did_what = did;
  input.new_info = info;
  input.language = language_of(did + info);
  input.action.sender = {"", "Weft"};
  input.action.addressee = Person{"7", "Ann"};
  input.action.time = input.info.time = parse_time("2026-03-05T14:30:00+08:00").value();
  input.info.sender = {"7", "Ann"};
  input.info.addressee = Person{"", "Weft"};
  input.head = "On 5 March 2026 at 14:30:";
  input.names = {"Ann", "Weft"};
  return input;
}

std::string answer(const std::string& did, const std::string& info, const std::string& canonical) {
  return nlohmann::json{{"did_what", did}, {"new_info", info}, {"canonical_text", canonical}}.dump();
}

const char* const kGood = "On 5 March 2026 at 14:30 Weft booked 4 seats for Ann. Ann is allergic to nuts.";

TEST(Rewrite, CM_4_without_a_model_the_draft_stands) {
  const Rewritten text = rewrite(input_of("I booked 4 seats for you.", "I am allergic to nuts."), {}, {});
  EXPECT_EQ(text.canonical_text,
            "On 5 March 2026 at 14:30: I [Weft] booked 4 seats for you [Ann]. I [Ann] am allergic to nuts.");
  EXPECT_EQ(text.by, MadeBy::kFloor);
  EXPECT_TRUE(text.left.empty());
  EXPECT_EQ(without(text.canonical_text, text.writing.annotations),
            "On 5 March 2026 at 14:30: I booked 4 seats for you. I am allergic to nuts.");
  EXPECT_TRUE(text.writing.model.empty());
}

TEST(Rewrite, CM_4_literal_replaces) {
  RewriteTerms terms;
  terms.gate = GateMode::kLiteral;
  const Rewritten text = rewrite(input_of("I booked 4 seats for you.", "I am allergic to nuts."), terms, {});
  EXPECT_EQ(text.canonical_text, "On 5 March 2026 at 14:30: Weft booked 4 seats for Ann. Ann is allergic to nuts.");
}

TEST(Rewrite, CM_4_a_part_that_is_left_out_moves_the_places_of_annotations) {
  const RewriteInput input = input_of("I booked 4 seats for you.", "I am allergic to nuts.");
  Rewritten text = rewrite(input, {}, {});
  leave_out(input, &Rewritten::did_what, text);
  EXPECT_EQ(text.canonical_text, "On 5 March 2026 at 14:30: I [Ann] am allergic to nuts.");
  EXPECT_EQ(without(text.canonical_text, text.writing.annotations), "On 5 March 2026 at 14:30: I am allergic to nuts.");
}

TEST(Rewrite, CM_4_what_nobody_said_is_refused_with_the_reason) {
  const RewriteInput input = input_of("I booked 4 seats for you.", "I am allergic to nuts.");
  const std::string booked = "On 5 March 2026 at 14:30 Weft booked 4 seats for Ann.";
  for (const auto& [info, added] :
       {std::pair<std::string, std::string>{"Ann is allergic to nuts and 7 kinds of fish.", "7"},
        {"Ann is allergic to nuts, says Doctor Miller.", "Miller"},
        {"Ann is allergic to nuts since 2019.", "2019"}}) {
    ScriptedChat model;
    for (int i = 0; i < 3; ++i)
      model.say(answer("Weft booked 4 seats for Ann.", info, booked + " Ann is allergic to nuts."));
    const Rewritten text = rewrite(input, {&model}, {});
    EXPECT_EQ(text.by, MadeBy::kFloor) << info;
    EXPECT_EQ(model.requests().size(), 3U);
    EXPECT_NE(text.why_floor.find(added), std::string::npos) << text.why_floor;
  }
}

TEST(Rewrite, CM_4_the_models_wording_is_taken_when_it_keeps_everything) {
  ScriptedChat model;
  model.say(answer("Weft booked 4 seats for Ann.", "Ann is allergic to nuts.", kGood));
  const Rewritten text = rewrite(input_of("I booked 4 seats for you.", "I am allergic to nuts."), {&model}, {});
  EXPECT_EQ(text.by, MadeBy::kModel);
  EXPECT_EQ(text.canonical_text, kGood);
  EXPECT_EQ(text.writing.model, model.name());
  EXPECT_EQ(text.writing.prompt, "rewrite/en 2");
  EXPECT_TRUE(text.writing.annotations.empty());
  ASSERT_EQ(model.requests().size(), 1u);
  EXPECT_FALSE(model.requests()[0].json_schema.empty());
}

TEST(Rewrite, CM_4_an_answer_that_loses_a_fact_goes_back_with_the_reason) {
  ScriptedChat model;
  model.say(answer("Weft booked seats.", "Ann is allergic.", "On 5 March 2026 at 14:30 Weft booked seats for Ann."));
  model.say(answer("Weft booked 4 seats for Ann.", "Ann is allergic to nuts.", kGood));
  const Rewritten text = rewrite(input_of("I booked 4 seats for you.", "I am allergic to nuts."), {&model}, {});
  EXPECT_EQ(text.by, MadeBy::kModel);
  EXPECT_EQ(text.rejected, 1);
  const auto requests = model.requests();
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_NE(requests[1].messages.back().content.find("\"4\""), std::string::npos);
}

TEST(Rewrite, CM_5_a_word_that_the_gate_refuses_goes_back_twice_then_the_draft_is_written) {
  ScriptedChat model;
  for (int i = 0; i < 5; ++i)
    model.say(
        answer("Weft booked 4 seats for Ann.", "Ann is allergic to nuts.",
               "On 5 March 2026 at 14:30 Weft booked 4 seats for Ann. She is allergic to nuts, she said yesterday."));
  const Rewritten text = rewrite(input_of("I booked 4 seats for you.", "I am allergic to nuts."), {&model}, {});
  EXPECT_EQ(model.requests().size(), 3u);
  EXPECT_EQ(text.by, MadeBy::kFloor);
  EXPECT_TRUE(text.left.empty());
  EXPECT_NE(text.why_floor.find("She"), std::string::npos);
}

TEST(Rewrite, PF_2_whatever_the_model_does_the_draft_is_there) {
  const RewriteInput input = input_of("I booked 4 seats for you.", "");
  for (const char* nonsense :
       {"", "no", "{}", "[]", "{\"did_what\":1}", "{\"did_what\":\"a\",\"new_info\":\"\",\"canonical_text\":\"\"}"}) {
    ScriptedChat model;
    for (int i = 0; i < 3; ++i) model.say(nonsense);
    EXPECT_EQ(rewrite(input, {&model}, {}).canonical_text,
              "On 5 March 2026 at 14:30: I [Weft] booked 4 seats for you [Ann].")
        << nonsense;
  }
  ScriptedChat broken;
  broken.fail(unavailable("down"));
  EXPECT_EQ(rewrite(input, {&broken}, {}).by, MadeBy::kFloor);
  ScriptedChat hanging;
  hanging.hang();
  EXPECT_EQ(rewrite(input, {&hanging}, Deadline::after(std::chrono::milliseconds(20))).by, MadeBy::kFloor);
}

TEST(Rewrite, PF_17_another_events_text_is_not_taken) {
  ScriptedChat model;
  for (int i = 0; i < 3; ++i)
    model.say(answer("Weft fed the cat.", "", "On 9 May 2025 at 08:00 Weft fed the cat of Bob."));
  EXPECT_EQ(rewrite(input_of("I booked 4 seats for you.", ""), {&model}, {}).by, MadeBy::kFloor);
}

TEST(KeptFacts, CM_4_numbers_ids_addresses_and_names_must_stay) {
  const auto facts = facts_to_keep("Ann paid 1,250 for A-17 on 2026-03-05 via https://pay.example/x?id=9 to 小明.",
                                   {"Ann", "小明", "Bob"});
  for (const char* fact : {"1", "250", "A-17", "2026", "3", "5", "https://pay.example/x?id=9", "Ann", "小明"})
    EXPECT_NE(std::find(facts.begin(), facts.end(), fact), facts.end()) << fact;
  EXPECT_EQ(std::find(facts.begin(), facts.end(), "Bob"), facts.end());
  EXPECT_EQ(missing_facts({"5", "12"}, "On 05 March, 123 people"), (std::vector<std::string>{"12"}));
}

std::string name_of(GateKind kind) {
  return kind == GateKind::kPronoun ? "pronoun" : kind == GateKind::kTime ? "time" : "place";
}

std::vector<std::string> words(std::string_view text, GateMode mode, const std::vector<std::string>& names = {}) {
  std::vector<std::string> out;
  for (const GateHit& hit : check(text, mode, names)) {
    EXPECT_EQ(text.substr(hit.offset, hit.word.size()), hit.word);
    out.push_back(name_of(hit.kind) + " " + hit.word);
  }
  return out;
}

using Words = std::vector<std::string>;

TEST(Gate, CM_5_literal_is_the_three_lists_by_character) {
  EXPECT_EQ(words("其他人昨天到了本地化部门", GateMode::kLiteral), (Words{"pronoun 他", "time 昨天", "place 本地"}));
  EXPECT_EQ(words("他们刚刚在那边", GateMode::kLiteral), (Words{"pronoun 他们", "time 刚刚", "place 那边"}));
  EXPECT_TRUE(words("I was here yesterday 您好 咱们", GateMode::kLiteral).empty());
}

TEST(Gate, CM_5_literal_agrees_with_the_expressions_of_the_specification) {
  const std::regex lists(
      "我|你|他|她|它|他们|她们|它们|这位|那位|今天|昨天|明天|刚才|刚刚|稍后|上周|下周|最近|这里|那边|本地|当地|这儿|"
      "那儿");
  const Words pieces = {"我", "们", "你", "好", "他", "其", "今", "天", "昨", "明", "刚", "才", "这",
                        "里", "那", "边", "儿", "本", "地", "当", "最", "近", "上", "周", "a"};
  std::mt19937 random(11);
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (int i = 0; i < 6; ++i) text += pieces[random() % pieces.size()];
    EXPECT_EQ(std::regex_search(text, lists), !check(text, GateMode::kLiteral).empty()) << text;
  }
}

TEST(Gate, CM_5_balanced_reads_words) {
  EXPECT_EQ(words("我昨天在这里见到了她", GateMode::kBalanced),
            (Words{"pronoun 我", "time 昨天", "place 这里", "pronoun 她"}));
  for (const auto* text :
       {"其他自我介绍", "他乡的本地化工作", "离酒店最近的地铁站", "最近邻算法", "弹吉他", "你好，张三"}) {
    EXPECT_TRUE(words(text, GateMode::kBalanced).empty()) << text;
  }
}

TEST(Gate, CM_5_balanced_has_english_lists_of_equal_strength) {
  EXPECT_EQ(words("I saw him there yesterday", GateMode::kBalanced),
            (Words{"pronoun I", "pronoun him", "place there", "time yesterday"}));
  EXPECT_EQ(words("Last week she recently moved here", GateMode::kBalanced),
            (Words{"time Last week", "pronoun she", "time recently", "place here"}));
  EXPECT_EQ(words("See the report later, just now it failed", GateMode::kBalanced),
            (Words{"time later", "time just now", "pronoun it"}));
  for (const auto* text : {"There is a plan", "It is raining", "two days later the US team won", "Ann taught herself",
                           "the last week of May"}) {
    EXPECT_TRUE(words(text, GateMode::kBalanced).empty()) << text;
  }
}

TEST(Gate, CM_5_balanced_passes_over_what_is_protected) {
  EXPECT_TRUE(words("张三说“我明天去”", GateMode::kBalanced).empty());
  EXPECT_TRUE(words("Ann said \"I was here yesterday\"", GateMode::kBalanced).empty());
  EXPECT_TRUE(words("你是谁在看《后天》", GateMode::kBalanced, {"你是谁"}).empty());
  EXPECT_FALSE(words("你是谁在看《后天》", GateMode::kBalanced).empty());
}

TEST(Gate, CM_5_a_word_with_its_meaning_is_resolved_a_vague_substitute_is_not) {
  for (const auto* text :
       {"I [Ann] saw him [Tom] yesterday [4 March 2026]", "他[李雷]昨天下午[2026年3月4日下午]来了",
        "She's [Kate] ill, and she sleeps", "I [Ann] think I know", "tomorrow at five [6 March 2026] we"})
    EXPECT_EQ(words(text, GateMode::kBalanced), std::string(text).ends_with(" we") ? Words{"pronoun we"} : Words{})
        << text;
  EXPECT_EQ(words("she [Kate] left. She came back", GateMode::kBalanced), Words{"pronoun She"});
  EXPECT_EQ(words("he [someone] left", GateMode::kBalanced), Words{"pronoun he"});
  EXPECT_EQ(words("他[某人]走了", GateMode::kBalanced), Words{"pronoun 他"});
  EXPECT_EQ(words("The one concerned left", GateMode::kBalanced), Words{"pronoun The one concerned"});
  EXPECT_EQ(words("tomorrow, he said [sic]", GateMode::kBalanced).size(), 2U);
}

TEST(Gate, CM_5_any_bytes_and_a_long_text) {
  EXPECT_TRUE(check("", GateMode::kBalanced).empty());
  EXPECT_EQ(check("\xff\xfe我\xe6", GateMode::kBalanced).size(), 1U);
  std::string text;
  while (text.size() < 1U << 20) text += "我昨天在这里, I was there. ";
  EXPECT_FALSE(check(text, GateMode::kBalanced).empty());
  EXPECT_FALSE(check(std::string(1U << 20, '"'), GateMode::kLiteral).size());
}

}  // namespace
}  // namespace weft
