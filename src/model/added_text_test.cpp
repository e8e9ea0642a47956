#include "model/added_text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

namespace weft {
namespace {

TEST(AddedText, AC_13_string_content_grows_and_nothing_else_changes) {
  const std::string raw = R"({ "name":"ann", "content" : "caf\u00e9 \"x\"" ,"x_own":{"content":"no"}, "role":"user"})";
  EXPECT_EQ(with_text_before(raw, "a \"b\"\n\n"),
            R"({ "name":"ann", "content" : "a \"b\"\n\ncaf\u00e9 \"x\"" ,"x_own":{"content":"no"}, "role":"user"})");
  EXPECT_EQ(with_text_after(raw, "\n后\\"),
            R"({ "name":"ann", "content" : "caf\u00e9 \"x\"\n后\\" ,"x_own":{"content":"no"}, "role":"user"})");
}

TEST(AddedText, AC_13_in_parts_the_text_stands_with_the_text) {
  const std::string raw =
      R"({"role":"user","content":[{"type":"image_url","image_url":{"url":"data:x"}},)"
      R"( {"type":"text","text":"one","cache_control":{"type":"ephemeral"}},{"type":"text","text":"two"}]})";
  EXPECT_EQ(with_text_before(raw, "<m>"),
            R"({"role":"user","content":[{"type":"image_url","image_url":{"url":"data:x"}},)"
            R"( {"type":"text","text":"<m>one","cache_control":{"type":"ephemeral"}},{"type":"text","text":"two"}]})");
  EXPECT_EQ(with_text_after(raw, "<m>"),
            R"({"role":"user","content":[{"type":"image_url","image_url":{"url":"data:x"}},)"
            R"( {"type":"text","text":"one","cache_control":{"type":"ephemeral"}},{"type":"text","text":"two<m>"}]})");
}

TEST(AddedText, AC_13_where_there_is_no_text_a_part_is_added) {
  const std::string image = R"({"type":"image_url","image_url":{"url":"data:x","text":"none"}})";
  const std::string raw = R"({"role":"user","content":[)" + image + "]}";
  EXPECT_EQ(with_text_before(raw, "m"), R"({"role":"user","content":[{"type":"text","text":"m"},)" + image + "]}");
  EXPECT_EQ(with_text_after(raw, "m"), R"({"role":"user","content":[)" + image + R"(,{"type":"text","text":"m"}]})");
  EXPECT_EQ(with_text_before(R"({"role":"user","content":[ ]})", "m"),
            R"({"role":"user","content":[{"type":"text","text":"m"}]})");
  EXPECT_EQ(with_text_after(R"({"role":"user","content":null})", "m"), R"({"role":"user","content":"m"})");
  EXPECT_EQ(with_text_before(R"({"role":"user"})", "m"), R"({"role":"user","content":"m"})");
  EXPECT_EQ(with_text_before("{}", "m"), R"({"content":"m"})");
}

TEST(AddedText, AC_13_what_is_no_message_or_no_text_stays) {
  for (const auto* raw : {"[1]", "", "null", "\"text\""}) EXPECT_EQ(with_text_before(raw, "m"), raw);
  EXPECT_EQ(with_text_before(R"({"content":"a"})", ""), R"({"content":"a"})");
}

TEST(AddedText, AC_13_a_message_reads_as_its_json_says) {
  std::mt19937 random(7);
  const std::vector<std::string> pieces = {"a", "\"", "\\", "\n", "剑", "😀", "{", "]", ":", " "};
  const auto text = [&] {
    std::string out;
    for (int i = 0; i < 8; ++i) out += pieces[random() % pieces.size()];
    return out;
  };
  for (int round = 0; round < 200; ++round) {
    nlohmann::ordered_json json = {{"x", text()}, {"content", text()}, {"role", "user"}};
    const bool in_parts = round % 2 == 0;
    if (in_parts) json["content"] = {{{"type", "text"}, {"text", text()}}};
    const auto parsed = parse_message(json.dump());
    ASSERT_TRUE(parsed.ok());
    const auto added = text();
    for (const bool before : {true, false}) {
      const auto made = before ? with_text_before(parsed->front(), added) : with_text_after(parsed->front(), added);
      const auto again = parse_message(made.raw);
      ASSERT_TRUE(again.ok()) << made.raw;
      EXPECT_EQ(again->front().content, made.content);
      EXPECT_EQ(made.content, before ? added + parsed->front().content : parsed->front().content + added);
    }
  }
}

TEST(AddedText, AC_13_a_message_made_in_code_needs_no_json) {
  Message message;
  message.content = "b";
  EXPECT_EQ(with_text_before(message, "a").content, "ab");
  EXPECT_EQ(with_text_after(message, "a").content, "ba");
  EXPECT_TRUE(with_text_before(message, "a").raw.empty());
}

}  // namespace
}  // namespace weft
