// Whatever people write is read to its end: texts joined by chance from the word lists, cut anywhere between two
// characters. WEFT_TEXTS names a file with a text a line that are read as well, each as a whole and each of its
// beginnings.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "base/strings.h"
#include "flow/historian/absolutise.h"
#include "flow/memory/said_facts.h"
#include "tests/support/large_text.h"
#include "text/cues.h"
#include "text/lexicon.h"
#include "text/time_expressions.h"
#include "text/utf8.h"

namespace weft::test {
namespace {

// Entries of all lists: the texts that reach furthest into the grammars.
std::vector<std::string> pieces() {
  std::vector<std::string> all = {"，", "。", " ",  "\n",  "? ", "！", "😀", "“", "”",
                                  "的", "了", "I ", "my ", "我", "他", "1",  "三"};
  for (unsigned i = 0; i < lexicon_file_count; ++i)
    for (const std::string_view line : lines_of(lexicon_file_list[i].source))
      if (!line.empty() && line.front() != '#' && line.front() != '[') all.emplace_back(line.substr(0, line.find('=')));
  return all;
}

std::string joined(const std::vector<std::string>& pieces, std::mt19937& random) {
  std::string text;
  for (auto left = 1 + random() % 8; left > 0; --left) {
    text += pieces[random() % pieces.size()];
    if (random() % 2 == 0) text += ' ';
  }
  std::size_t end = 0;
  for (auto characters = 1 + random() % text.size(); characters > 0 && end < text.size(); --characters)
    next_code_point(text, end);
  return text.substr(0, end);
}

void read_all_of(const std::string& text, const std::string& before) {
  Speech speech;
  speech.sender = {"1", "张三"};
  speech.addressee = Person{"2", "Ann"};
  speech.time = Time{1'772'400'000'000, 60};
  speech.earlier = {{"Ann", before}};
  for (const Style style : {Style::kAnnotate, Style::kReplace}) {
    speech.style = style;
    const auto told = absolutise(text, speech);
    for (const Change& change : told.changes) ASSERT_LE(change.end, text.size()) << text;
  }
  for (const SaidFact& fact : read_said(text, "").facts) EXPECT_FALSE(fact.text.empty()) << text;
  (void)find_cues(text);
  for (const TimeExpression& time : find_time_expressions(text, speech.time)) EXPECT_LE(time.end, text.size()) << text;
}

TEST(AnyText, CM_5_whatever_is_written_is_read_to_its_end) {
  const std::vector<std::string> words = pieces();
  std::mt19937 random(20);
  std::string before = "hello";
  for (int i = 0; i < (test::kSanitized ? 300 : 3000); ++i) {
    std::string text = joined(words, random);
    SCOPED_TRACE(text);
    ASSERT_NO_THROW(read_all_of(text, before)) << text;
    before = std::move(text);
  }
}

TEST(AnyText, CM_5_texts_of_a_file_and_their_beginnings) {
  const char* file = std::getenv("WEFT_TEXTS");
  if (file == nullptr) GTEST_SKIP() << "WEFT_TEXTS names no file";
  std::ifstream in(file);
  std::string before;
  for (std::string text; std::getline(in, text); before = text)
    for (std::size_t end = 0; end < text.size();) {
      next_code_point(text, end);
      ASSERT_NO_THROW(read_all_of(text.substr(0, end), before)) << text.substr(0, end);
    }
}

}  // namespace
}  // namespace weft::test
