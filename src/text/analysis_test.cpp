#include "text/analysis.h"

#include <gtest/gtest.h>

#include "text/numerals.h"
#include "text/protected_spans.h"

namespace weft {
namespace {

std::vector<std::string> pieces(std::string_view text, const std::vector<Span>& spans) {
  std::vector<std::string> out;
  for (const Span& span : spans) out.emplace_back(text.substr(span.begin, span.end - span.begin));
  return out;
}

using Pieces = std::vector<std::string>;

TEST(Identifiers, CM_16_hashes_names_of_files_and_numbers_of_machines) {
  const std::string_view text =
      "ef21a0feb15a9791, see april-report.pdf and today_view.dart: v1.2.3, order #2024, tel 555-0123, todayView, A17 "
      "3f2a9c1e-0b7d-4e1a-9feb-12aa34bb56cc deadbeef 192.168.0.1";
  EXPECT_EQ(pieces(text, identifier_spans(text)),
            (Pieces{"ef21a0feb15a9791", "april-report.pdf", "today_view.dart", "v1.2.3", "#2024", "555-0123",
                    "todayView", "A17", "3f2a9c1e-0b7d-4e1a-9feb-12aa34bb56cc", "deadbeef", "192.168.0.1"}));
}

TEST(Identifiers, CM_16_times_and_amounts_are_none) {
  for (const auto* text : {"5pm", "2nd", "12-Mar-2026", "2026-03-05", "2026-03-05T14:30:00Z", "the 90s", "10:30-11:30",
                           "3kg", "mid-April", "12/25/2026", "7:30am", "2019-2021", "e.g. today", "3.14", "1,000"})
    EXPECT_TRUE(identifier_spans(text).empty()) << text;
}

TEST(Measures, CM_16_numbers_with_units_that_are_no_times) {
  const std::string_view text =
      "12 minutes at 200 degrees, Twelve nights, $40, 5 guests, 15%; 一晚1100块，三个苹果，两个月，3楼";
  EXPECT_EQ(pieces(text, measure_spans(text)),
            (Pieces{"200 degrees", "Twelve nights", "$40", "5 guests", "15%", "1100块", "三个", "3楼"}));
}

TEST(HanBreaks, CM_16_times_stand_between_words) {
  const HanBreaks breaks("行李明天到");
  EXPECT_TRUE(breaks.inside_word(3));
  EXPECT_FALSE(breaks.inside_word(6));
  EXPECT_EQ(breaks.word_at(6), "明天");
  EXPECT_FALSE(HanBreaks("plain").inside_word(2));
  EXPECT_FALSE(HanBreaks("\xff\xe6明").inside_word(0));
}

TEST(TextAnalysis, CM_16_is_made_once_and_leaves_what_is_protected) {
  TextAnalysis analysis("Tom said \"I go tomorrow\" and left yesterday. He is in feb15a9791.",
                        parse_time("2026-03-05T14:30:00Z").value(), {"Tom"});
  ASSERT_EQ(analysis.times().size(), 1U);
  EXPECT_EQ(analysis.times()[0].notes, std::vector<std::string>{"4 March 2026"});
  ASSERT_EQ(analysis.references().size(), 1U);
  EXPECT_EQ(analysis.sentences().size(), 2U);
  EXPECT_EQ(&analysis.times(), &analysis.times());
  EXPECT_TRUE(TextAnalysis("yesterday").times().empty()) << "nobody knows when it was said";
}

TEST(TextAnalysis, PF_4_plain_words_are_made_once) {
  TextAnalysis analysis("Don't forget 3 瓶水.");
  const std::vector<PlainWord>& words = analysis.plain();
  EXPECT_EQ(&words, &analysis.plain());
  ASSERT_GE(words.size(), 5u);
  EXPECT_EQ(words[0].text + " " + words[1].text, "do not");
}

}  // namespace
}  // namespace weft
