#include "text/front_matter.h"

#include <gtest/gtest.h>

#include <random>

namespace weft {
namespace {

TEST(FrontMatter, CM_7_what_is_not_understood_comes_back_byte_for_byte) {
  const std::string file =
      "---\n# by hand\nname: \"Null\"   # nick\n\nmood: {a: [1, 2], b: c}\ntext: |\n  one\n\n  ---\n  two\nlist:\n  - "
      "x\n  - y z\n"
      "empty:\n---\n# Title\n\n---\nbody\n";
  const auto document = parse_front_matter(file);
  ASSERT_TRUE(document.ok()) << document.error().message;
  EXPECT_EQ(write_front_matter(*document), file);
  ASSERT_EQ(document->entries.size(), 5u);
  EXPECT_EQ(document->find("name")->values, (std::vector<std::string>{"Null"}));
  EXPECT_EQ(document->find("mood")->kind, FrontMatterEntry::Kind::kOther);
  EXPECT_EQ(document->find("text")->values[0], "one\n\n---\ntwo\n");
  EXPECT_EQ(document->find("list")->values, (std::vector<std::string>{"x", "y z"}));
  EXPECT_TRUE(document->find("empty")->values.empty());
  EXPECT_EQ(document->body, "# Title\n\n---\nbody\n");
}

TEST(FrontMatter, CM_7_a_document_without_front_matter_is_all_body) {
  for (const std::string file : {"", "# only text\n", "----\n", "--- x\n---\n"}) {
    const auto document = parse_front_matter(file);
    ASSERT_TRUE(document.ok()) << file;
    EXPECT_EQ(document->body, file);
    EXPECT_TRUE(document->entries.empty());
  }
}

TEST(FrontMatter, CM_7_windows_line_ends_and_byte_order_mark) {
  const auto document = parse_front_matter("\xEF\xBB\xBF---\r\nname: Ann\r\n---\r\nbody\r\n");
  ASSERT_TRUE(document.ok()) << document.error().message;
  EXPECT_EQ(document->find("name")->values[0], "Ann");
  EXPECT_EQ(document->body, "body\r\n");
}

TEST(FrontMatter, CM_7_broken_front_matter_is_an_error_with_its_line) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"---\nname: Ann\n", "line 1:"},
      {"---\nname: Ann\nfoo: [1, 2\n---\n", "line "},
      {"---\nname: Ann\nname: Bob\n---\n", "line 3:"},
      {"---\na: 1\nb: &x 2\nc: *x\n---\n", "line 3:"},
      {"---\nname: \"Ann\n---\n", "line "},
      {"---\njust words\n---\n", "line 2:"},
      {"---\n- a\n- b\n---\n", "line 2:"},
      {"---\n{a: 1, b: 2}\n---\n", "line 2:"},
      {"---\na: 1\n\tb: 2\n---\n", "line 3:"},
      {"---\n  a: 1\n---\n", "line 2:"},
      {"---\n? a\n: 1\n---\n", "line 2:"},
      {"---\n[a]: 1\n---\n", "line 2:"},
      {"---\na: 1\n...\nb: 2\n---\n", "line "},
      {"---\na: 1\nb: \x04 2\n---\n", "line 3:"},
      {std::string("---\na: \0\n---\n", 12), "line 2:"},
      {"---\nname: \xB0\xB2\n---\n", "line 2:"},
      {"---\na: " + std::string(70'000, 'x') + "\n---\n", "line 1:"},
      {"---\na: " + std::string(5'000, '[') + std::string(5'000, ']') + "\n---\n", "line 2:"},
      {"---\na: " + std::string(20'000, '{') + "\n---\n", "line 2:"},
  };
  for (const auto& [file, line] : cases) {
    const auto document = parse_front_matter(file);
    ASSERT_FALSE(document.ok()) << file.substr(0, 100);
    EXPECT_EQ(document.error().code, ErrorCode::kCorrupt);
    EXPECT_NE(document.error().message.find(line), std::string::npos) << document.error().message;
  }
}

TEST(FrontMatter, CM_7_any_text_comes_back_from_its_quotes) {
  std::mt19937 random(7);
  const std::vector<std::string> parts{"\"",
                                       "\\",
                                       "\n",
                                       "\r",
                                       "\t",
                                       "#",
                                       ":",
                                       "- ",
                                       "'",
                                       "{",
                                       "}",
                                       "[",
                                       ",",
                                       "&",
                                       "*",
                                       "!",
                                       "---",
                                       " ",
                                       "é",
                                       "人",
                                       "\xF0\x9F\x98\x80",
                                       "\xC2\x85",
                                       "\xE2\x80\xA8",
                                       "\xEF\xBB\xBF",
                                       "\x01",
                                       "\x7F",
                                       "a",
                                       "null",
                                       "~",
                                       "\xEF\xBF\xBD",
                                       "%",
                                       "\x1B"};
  for (int round = 0; round < 500; ++round) {
    FrontMatter document;
    std::vector<std::string> values(random() % 4);
    for (auto& value : values) {
      for (auto left = random() % 8; left > 0; --left) value += parts[random() % parts.size()];
    }
    const std::string text = values.empty() ? "" : values.front();
    document.entries = {yaml_text("one", text), yaml_list("all", values), yaml_word("kind", "user")};
    for (auto left = random() % 8; left > 0; --left) document.body += parts[random() % parts.size()];
    const auto back = parse_front_matter(write_front_matter(document));
    ASSERT_TRUE(back.ok()) << back.error().message << "\n" << write_front_matter(document);
    EXPECT_EQ(back->find("one")->values[0], text);
    EXPECT_EQ(back->find("all")->values, values);
    EXPECT_EQ(back->body, document.body);
  }
}

TEST(FrontMatter, CM_7_random_bytes_give_a_document_or_an_error) {
  std::mt19937 random(8);
  const std::string letters = "-:#[]{}\"'|>&*!%@`?, \n\n\n\tab1";
  for (int round = 0; round < 5000; ++round) {
    std::string file = "---\n";
    for (auto left = random() % 60; left > 0; --left) file += letters[random() % letters.size()];
    file += "\n---\nbody";
    const auto document = parse_front_matter(file);
    if (!document.ok()) continue;
    EXPECT_TRUE(parse_front_matter(write_front_matter(*document)).ok()) << file;
  }
}

}  // namespace
}  // namespace weft
