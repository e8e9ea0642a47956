// What is kept is what was said: taken away, the annotations leave every byte.
#include <gtest/gtest.h>

#include <random>

#include "flow/historian/absolutise.h"
#include "tests/support/large_text.h"

namespace weft {
namespace {

class Texts {
 public:
  explicit Texts(unsigned seed) : random_(seed) {}

  std::string sentence(bool chinese) {
    static const std::vector<std::string> kEnglish = {"he",
                                                      "she",
                                                      "I",
                                                      "you",
                                                      "they",
                                                      "his",
                                                      "it",
                                                      "here",
                                                      "there",
                                                      "Tom",
                                                      "my sister Kate",
                                                      "yesterday",
                                                      "next Friday",
                                                      "on 5 May",
                                                      "at 7pm",
                                                      "in two weeks",
                                                      "Ann's",
                                                      "said",
                                                      "paid",
                                                      "moved to",
                                                      "met",
                                                      "for",
                                                      "and",
                                                      "we",
                                                      "let's",
                                                      "[sic]",
                                                      "(now)",
                                                      "\"I go tomorrow\"",
                                                      "June Carter",
                                                      "last month",
                                                      "the flat",
                                                      "don't",
                                                      "he's",
                                                      "today's",
                                                      "12 minutes at"};
    static const std::vector<std::string> kChinese = {
        "他",       "她",         "我",       "你们",     "他妈妈", "这里",   "那边", "李雷", "王芳", "我同事",
        "昨天",     "下周三",     "三个月前", "晚上八点", "说",     "去了",   "花了", "和",   "，",   "。",
        "《后天》", "“我明天去”", "今日头条", "王五月",   "一晚",   "上个月", "最近", "[注]", "的"};
    std::string text;
    for (unsigned i = 0; i < 6 + pick(8); ++i) {
      if (pick(3) == 0) text += " " + thing() + " ";
      const auto& words = chinese ? kChinese : kEnglish;
      text += words[pick(static_cast<unsigned>(words.size()))];
      if (!chinese) text += pick(6) == 0 ? ". " : " ";
    }
    return text;
  }

  std::string thing() {
    switch (pick(8)) {
      case 0: return hexadecimal(16);
      case 1: return hexadecimal(8) + "-" + hexadecimal(4) + "-" + hexadecimal(4) + "-" + hexadecimal(12);
      case 2: return std::to_string(pick(9999)) + "块";
      case 3: return "$" + std::to_string(pick(9999)) + "." + std::to_string(10 + pick(90));
      case 4: return month() + "-" + hexadecimal(3) + ".pdf";
      case 5: return month() + "_" + hexadecimal(2) + ".dart";
      case 6: return "v" + std::to_string(pick(20)) + "." + std::to_string(pick(20)) + "." + std::to_string(pick(20));
      default: return std::to_string(pick(400)) + (pick(2) == 0 ? " degrees" : " kg");
    }
  }

  unsigned pick(unsigned most) { return static_cast<unsigned>(random_() % most); }

 private:
  std::string hexadecimal(unsigned length) {
    std::string text;
    while (text.size() < length) text += "0123456789abcdef"[pick(16)];
    // The months that hashes have in them more often than one would think.
    if (pick(4) == 0 && length > 6) text.replace(pick(length - 3), 3, pick(2) == 0 ? "feb" : "dec");
    return text;
  }
  std::string month() {
    static const std::vector<std::string> kMonths = {"april", "may", "june", "today", "friday", "sunday", "now"};
    return kMonths[pick(static_cast<unsigned>(kMonths.size()))];
  }

  std::mt19937 random_;
};

TEST(TrueToSource, CM_16_without_its_annotations_every_byte_stands) {
  constexpr std::size_t kRounds = test::kSanitized ? 300 : 3000;
  Texts texts(5);
  std::size_t annotated = 0;
  for (std::size_t round = 0; round < kRounds; ++round) {
    const std::string text = texts.sentence(round % 2 == 0);
    Speech speech;
    speech.sender = {"1", "Ann"};
    speech.addressee = Person{"2", "李四"};
    speech.time = parse_time("2026-11-22T10:00:00Z").value();
    speech.place = round % 3 == 0 ? "Berlin" : "";
    speech.name_speakers = round % 5 == 0;
    speech.earlier = {{"Ann", texts.sentence(round % 4 == 0)}};
    const Absolute plain = absolutise(text, speech);
    EXPECT_EQ(without(plain.text, plain.annotations), text);
    annotated += plain.annotations.empty() ? 0 : 1;
    for (const TextSpan& span : plain.annotations) {
      const std::string mark = plain.text.substr(span.begin, span.end - span.begin);
      EXPECT_TRUE(mark.starts_with("[") || mark.starts_with(" [")) << mark;
      EXPECT_TRUE(mark.ends_with("]")) << mark;
    }
  }
  EXPECT_GT(annotated, kRounds * 2 / 3);
}

TEST(TrueToSource, CM_16_identifiers_and_amounts_get_no_annotation) {
  Texts texts(6);
  Speech speech;
  speech.time = parse_time("2026-11-22T10:00:00Z").value();
  for (int round = 0; round < (test::kSanitized ? 400 : 4000); ++round) {
    const std::string text = (round % 2 == 0 ? "see " : "看") + texts.thing() + (round % 2 == 0 ? " please" : "吧");
    EXPECT_EQ(absolutise(text, speech).text, text);
    speech.style = round % 3 == 0 ? Style::kReplace : Style::kAnnotate;
  }
}

}  // namespace
}  // namespace weft
