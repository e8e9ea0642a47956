#include "flow/context/tool_index.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "flow/context/offered_tools.h"
#include "tests/support/hash_embedder.h"

namespace weft {
namespace {

std::vector<ToolInfo> desk_tools() {
  return {
      {"calendarAddEvent", "Puts an appointment into the calendar.",
       R"({"type":"object","properties":{"title":{"type":"string"},"start_time":{"type":"string","description":"when it begins"}},"required":["title","start_time"]})"},
      {"mail_send", "Sends a letter to somebody.",
       R"({"type":"object","properties":{"recipient":{"type":"string"},"attachments":{"type":"array","items":{"type":"string"}}}})"},
      {"convertCurrency", "Turns an amount of money into another currency.",
       R"({"type":"object","properties":{"amount":{"type":"number"},"target":{"type":"string","enum":["euro","yuan","dollar"]}}})"},
      {"greenhouse.water", "Waters the plants in the greenhouse.", ""},
      {"天气查询", "查询某个城市未来几天的天气预报。",
       R"({"type":"object","properties":{"城市":{"type":"string","description":"城市名称"}},"required":["城市"]})"},
      {"订餐", "在附近的餐厅预订座位。", ""},
  };
}

std::vector<std::string> names(const ToolIndex& index, const ToolChoices& choices) {
  std::vector<std::string> all;
  for (const ToolChoice& one : choices.ranked) all.push_back(index.tools()[one.index].name);
  return all;
}

std::vector<std::string> by_words(const ToolIndex& index, std::string_view request, std::size_t most = 3) {
  return names(index, index.choose(request, most, {}, {}, {}));
}

/// Knows a few words of both languages as the same thing, as a multilingual model does.
class BilingualEmbedder final : public Embedder {
 public:
  std::string name() const override { return "bilingual-test"; }
  std::size_t dimensions() const override { return inner_.dimensions(); }
  Result<Vector> embed(std::string_view text, EmbedUse use, const Deadline& deadline) override {
    static const std::map<std::string, std::string> kSame{
        {"温室", " greenhouse "}, {"浇水", " water "}, {"植物", " plants "}, {"邮件", " mail letter "}};
    std::string meant(text);
    for (const auto& [chinese, english] : kSame)
      for (auto at = meant.find(chinese); at != std::string::npos; at = meant.find(chinese))
        meant.replace(at, chinese.size(), english);
    return inner_.embed(meant, use, deadline);
  }
  std::int64_t count_tokens(std::string_view) const override { return -1; }
  HashEmbedder& inner() { return inner_; }

 private:
  HashEmbedder inner_;
};

TEST(ToolIndex, AC_8_words_of_name_description_and_parameters_find_a_tool) {
  const ToolIndex index(desk_tools());
  EXPECT_EQ(by_words(index, "please add an event to my calendar").front(), "calendarAddEvent");
  EXPECT_EQ(by_words(index, "what are 20 dollars worth in yuan?").front(), "convertCurrency");
  EXPECT_EQ(by_words(index, "明天上海天气怎么样").front(), "天气查询");
  EXPECT_EQ(by_words(index, "帮我预订一家餐厅").front(), "订餐");
}

TEST(ToolIndex, AC_8_at_most_as_many_as_asked_for_and_none_that_nothing_speaks_for) {
  const ToolIndex index(desk_tools());
  EXPECT_LE(by_words(index, "water the plants", 1).size(), 1u);
  EXPECT_TRUE(by_words(index, "xylophone").empty());
  EXPECT_TRUE(by_words(index, "", 5).empty());
  EXPECT_TRUE(index.choose("water", 0, {}, {}, {}).ranked.empty());
  EXPECT_TRUE(ToolIndex({}).choose("water", 3, {}, {}, {}).ranked.empty());
}

TEST(ToolIndex, AC_8_candidates_limit_what_may_be_chosen) {
  const ToolIndex index(desk_tools());
  const std::vector<std::size_t> only{1, 3, 3, 99};
  const auto choices = index.choose("send a letter about the calendar", 5, only, {}, {});
  for (const ToolChoice& one : choices.ranked) EXPECT_TRUE(one.index == 1 || one.index == 3);
  ASSERT_FALSE(choices.ranked.empty());
  EXPECT_EQ(choices.ranked.front().index, 1u);
}

TEST(ToolIndex, AC_8_a_request_for_several_things_finds_a_tool_for_each) {
  std::vector<ToolInfo> tools = desk_tools();
  for (int i = 0; i < 30; ++i)
    tools.push_back({"mailArchive" + std::to_string(i), "Keeps a letter that somebody sends for the recipient.", ""});
  const ToolIndex index(tools);
  const auto found = by_words(
      index, "Send a long letter to somebody who keeps letters for the recipient. Then water the greenhouse.", 3);
  EXPECT_NE(std::find(found.begin(), found.end(), "greenhouse.water"), found.end());
  const auto chinese = by_words(index, "查询北京未来几天的天气预报，然后在附近的餐厅预订座位。", 2);
  EXPECT_EQ(std::set<std::string>(chinese.begin(), chinese.end()), (std::set<std::string>{"天气查询", "订餐"}));
}

TEST(ToolIndex, AC_8_vectors_bring_a_chinese_request_to_english_descriptions) {
  ToolIndex index(desk_tools());
  BilingualEmbedder embedder;
  const Similarity similarity = Similarity::raw();
  ASSERT_TRUE(index.embed(embedder, similarity, {}).ok());
  const ToolIndex::Models models{&embedder, &similarity, true};
  const auto choices = index.choose("给温室里的植物浇水", 3, {}, models, {});
  EXPECT_EQ(names(index, choices).front(), "greenhouse.water");
  EXPECT_NE(choices.by.find("vectors"), std::string::npos);
}

TEST(ToolIndex, AC_8_words_answer_until_every_tool_has_its_vector) {
  ToolIndex index(desk_tools());
  HashEmbedder embedder;
  const Similarity similarity = Similarity::raw();
  const ToolIndex::Models models{&embedder, &similarity, true};
  EXPECT_EQ(index.choose("send a letter", 1, {}, models, {}).by, "words");
  const Status late = index.embed(embedder, similarity, Deadline::after(std::chrono::milliseconds(0)));
  ASSERT_FALSE(late.ok());
  EXPECT_FALSE(index.embedded(embedder.name()));
  ASSERT_TRUE(index.embed(embedder, similarity, {}).ok());
  EXPECT_TRUE(index.embedded(embedder.name()));
  const auto calls = embedder.calls();
  ASSERT_TRUE(index.embed(embedder, similarity, {}).ok());
  EXPECT_EQ(embedder.calls(), calls) << "each vector is computed once";
  EXPECT_EQ(index.choose("send a letter", 1, {}, models, {}).by, "words+vectors");
  embedder.fail_with(unavailable("the model is gone"));
  const auto without = index.choose("send a letter", 1, {}, models, {});
  EXPECT_EQ(without.by, "words");
  EXPECT_EQ(names(index, without).front(), "mail_send");
}

TEST(ToolIndex, AC_8_a_long_schema_does_not_drown_what_a_name_says) {
  std::string schema = R"({"type":"object","properties":{)";
  for (int i = 0; i < 40; ++i)
    schema += (i > 0 ? "," : "") + std::string(R"("option)") + std::to_string(i) +
              R"(":{"type":"string","description":"how it is done this time"})";
  schema += "}}";
  std::vector<ToolInfo> tools{{"waterPlants", "", schema}};
  for (int i = 0; i < 20; ++i) tools.push_back({"archive" + std::to_string(i), "Keeps letters.", schema});
  ToolIndex index(tools);
  HashEmbedder embedder;
  const Similarity similarity = Similarity::raw();
  ASSERT_TRUE(index.embed(embedder, similarity, {}).ok());
  const auto found = index.choose("water the plants", 1, {}, {&embedder, &similarity, false}, {});
  EXPECT_EQ(names(index, found).front(), "waterPlants");
}

TEST(ToolIndex, AC_8_vectors_of_another_model_are_not_used) {
  ToolIndex index(desk_tools());
  HashEmbedder first(64, "first"), second(32, "second");
  const Similarity similarity = Similarity::raw();
  ASSERT_TRUE(index.embed(first, similarity, {}).ok());
  EXPECT_EQ(index.choose("send a letter", 1, {}, {&second, &similarity, true}, {}).by, "words");
  ASSERT_TRUE(index.embed(second, similarity, {}).ok());
  EXPECT_EQ(index.choose("send a letter", 1, {}, {&second, &similarity, true}, {}).by, "words+vectors");
}

TEST(ToolIndex, AC_8_the_same_request_gives_the_same_answer) {
  std::vector<ToolInfo> tools;
  for (int i = 0; i < 2000; ++i)
    tools.push_back({"tool" + std::to_string(i), "Does thing " + std::to_string(i % 7) + " with a lamp.", ""});
  const ToolIndex one(tools), two(tools);
  const auto first = one.choose("lamp thing", 7, {}, {}, {}), second = two.choose("lamp thing", 7, {}, {}, {});
  ASSERT_EQ(first.ranked.size(), 7u);
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_EQ(first.ranked[i].index, second.ranked[i].index);
    EXPECT_EQ(first.ranked[i].score, second.ranked[i].score);
    if (i == 0 || first.ranked[i].score != first.ranked[i - 1].score) continue;
    EXPECT_LT(first.ranked[i - 1].index, first.ranked[i].index);
  }
}

TEST(ToolIndex, AC_8_a_score_is_the_sum_of_its_signals) {
  const ToolIndex index(desk_tools());
  for (const ToolChoice& one : index.choose("Water the plants. Send a letter.", 6, {}, {}, {}).ranked) {
    double sum = 0;
    for (const Signal& signal : one.signals) sum += signal.share;
    EXPECT_NEAR(one.score, sum, 1e-6);
  }
}

TEST(ToolIndex, AC_8_broken_tools_and_requests_do_no_harm) {
  const std::string nested = std::string(5000, '[') + std::string(5000, ']');
  const std::string large(1024 * 1024, 'a');
  const ToolIndex index({{"", "", ""},
                         {"\xff\xfe", "\xc3(", "{not json"},
                         {"lamp", "Switches the lamp.", nested},
                         {"large", large, large},
                         {"odd", "An odd schema.", R"({"properties":[1],"required":{"a":1},"items":null})"}});
  EXPECT_EQ(by_words(index, "lamp").front(), "lamp");
  by_words(index, "\xff\xff lamp");
  by_words(index, large);
  by_words(index, std::string(200000, '.'));
  EXPECT_EQ(tool_parameters(nested).size(), 0u);
}

TEST(ToolIndex, AC_8_lists_are_indexed_once_and_the_oldest_is_let_go) {
  ToolIndexes indexes(2);
  const auto desk = desk_tools();
  std::vector<ToolInfo> turned(desk.rbegin(), desk.rend());
  const auto first = indexes.of(desk);
  EXPECT_EQ(indexes.of(desk), first);
  EXPECT_NE(indexes.of(turned), first) << "another order is another list";
  EXPECT_EQ(indexes.of(desk), first);
  indexes.of({});
  EXPECT_EQ(indexes.of(desk), first) << "it was used after the turned one";
  EXPECT_NE(digest_of(std::vector<ToolInfo>{{"ab", "c", ""}}), digest_of(std::vector<ToolInfo>{{"a", "bc", ""}}));
}

TEST(ToolIndex, AC_8_lists_of_prompts_are_ranked_by_the_weights_that_ship) {
  const auto desk = desk_tools();
  const std::string request = "Please send a mail to Anna, and then find the weather in Lyon for tomorrow.";
  const auto found = ToolIndexes().of(desk)->choose(request, 5, {}, {}, {});
  const auto shipped = ToolIndex(desk, tool_weights()).choose(request, 5, {}, {}, {});
  ASSERT_FALSE(found.ranked.empty());
  ASSERT_EQ(found.ranked.size(), shipped.ranked.size());
  for (std::size_t i = 0; i < found.ranked.size(); ++i) {
    EXPECT_EQ(found.ranked[i].index, shipped.ranked[i].index);
    EXPECT_DOUBLE_EQ(found.ranked[i].score, shipped.ranked[i].score);
  }
}

TEST(ToolIndex, AC_8_requests_are_cut_into_what_they_ask_for) {
  using Clauses = std::vector<std::string_view>;
  EXPECT_EQ(request_clauses("Book a table, and then send me the address.", 8),
            (Clauses{"Book a table", "then send me the address."}));
  EXPECT_EQ(request_clauses("user: Find a good doctor.\nsystem: In which city?\nuser: In Lyon, of course.", 8).size(),
            3u);
  EXPECT_EQ(request_clauses("查一下明天的天气，然后给我订一张票。", 8),
            (Clauses{"查一下明天的天气", "给我订一张票。"}));
  EXPECT_TRUE(request_clauses("Find bread and butter.", 8).empty()) << "a bare and joins things";
  EXPECT_TRUE(request_clauses("", 8).empty());
  std::string many;
  for (int i = 0; i < 5000; ++i) many += "Do the thing number " + std::to_string(i) + ". ";
  const auto bounded = request_clauses(many, 6);
  ASSERT_EQ(bounded.size(), 6u);
  EXPECT_EQ(bounded.back(), "Do the thing number 4999.");
}

TEST(ToolIndex, AC_8_parameters_are_read_from_schemas) {
  const auto all = tool_parameters(
      R"({"type":"object","required":["a"],"properties":{"a":{"type":["string","null"],"enum":["x","y",3]},
          "b":{"type":"array","items":{"type":"object","properties":{"inner":{"type":"number"}}}}}})");
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].type, "string or null");
  EXPECT_TRUE(all[0].required);
  EXPECT_EQ(all[0].values, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(all[1].type, "array of object");
  EXPECT_EQ(all[2].name, "inner");
  EXPECT_GT(all[2].depth, 0);
  EXPECT_TRUE(tool_parameters("[]").empty());
}

}  // namespace
}  // namespace weft
