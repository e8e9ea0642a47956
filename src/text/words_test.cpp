#include <gtest/gtest.h>
#include <algorithm>
#include <random>
#include <thread>

#include "text/english_verbs.h"
#include "text/words.h"

namespace weft {

namespace {

using namespace std::string_view_literals;
using Words = std::vector<std::string>;

bool finds(std::string_view query, std::string_view stored) {
  const Words there = index_words(stored);
  const Words asked = index_words(query);
  return !asked.empty() && std::all_of(asked.begin(), asked.end(), [&](const std::string& word) {
    return std::find(there.begin(), there.end(), word) != there.end();
  });
}

TEST(Words, english_words_are_folded_and_stemmed) {
  EXPECT_EQ(index_words("The users were Connecting databases"), (Words{"user", "connect", "databas"}));
  EXPECT_TRUE(finds("connection failed", "connections are failing"));
  EXPECT_TRUE(finds("JOHN", "John's bike"));
  EXPECT_TRUE(finds("John’s", "ask john"));
  EXPECT_EQ(index_words("o'Brien don't"), (Words{"obrien"}));
  EXPECT_FALSE(finds("cat", "category"));
}

TEST(Words, chinese_gives_single_characters_and_pairs) {
  EXPECT_EQ(index_words("数据库"), (Words{"数", "数据", "据", "据库", "库"}));
  EXPECT_EQ(index_words("猫"), (Words{"猫"}));
  EXPECT_EQ(index_words("数 据"), (Words{"数", "据"}));
  EXPECT_TRUE(finds("张伟", "昨天张伟来过"));
  EXPECT_TRUE(finds("后天", "电影《后天》"));
  EXPECT_TRUE(finds("你是谁", "用户你是谁加入了群"));
}

TEST(Words, scripts_in_one_run_are_kept_apart) {
  EXPECT_EQ(index_words("iPhone15用户"), (Words{"iphone15", "iphon", "15", "用", "用户", "户"}));
  EXPECT_TRUE(finds("iphone 15", "买了iPhone15"));
  EXPECT_TRUE(finds("用户", "iPhone15用户"));
  EXPECT_EQ(index_words("v2.1 3.14 main.cpp a_b"), (Words{"v2.1", "v", "2.1", "3.14", "main", "cpp", "b"}));
  EXPECT_EQ(index_words("C++ or C#"), (Words{"c++", "c#"}));
  EXPECT_EQ(index_words("192.168.0.1."), (Words{"192.168.0.1"}));
  EXPECT_EQ(index_words("a1b2c3d4e5"), (Words{"a1b2c3d4e5"}));
}

TEST(Words, full_width_half_width_and_case_are_one) {
  EXPECT_EQ(index_words("ＡＢＣ１２３"), index_words("abc123"));
  EXPECT_EQ(index_words("ｶﾀｶﾅ"), index_words("カタカナ"));
  EXPECT_EQ(normalize("Straße ﬁne Ⅻ"), "strasse fine xii");
  EXPECT_EQ(index_words("cafe\xCC\x81"), index_words("CAFÉ"));
}

TEST(Words, traditional_is_simplified) {
  EXPECT_EQ(normalize("我們開發記憶體"), "我们开发记忆体");
  for (const auto& [traditional, simplified] :
       std::vector<std::pair<const char*, const char*>>{{"數據庫連線", "数据库连线"},
                                                        {"計畫", "计划"},
                                                        {"項鍊", "项链"},
                                                        {"看著", "看着"},
                                                        {"明瞭", "明了"},
                                                        {"回覆", "回复"},
                                                        {"藉口", "借口"},
                                                        {"著名", "著名"},
                                                        {"頭髮", "头发"},
                                                        {"畫畫", "画画"},
                                                        {"妳好嗎", "你好吗"},
                                                        {"乾隆", "乾隆"},
                                                        {"沈默", "沉默"},
                                                        {"裡面", "里面"},
                                                        {"甚麼", "什么"}}) {
    EXPECT_EQ(normalize(traditional), normalize(simplified)) << traditional;
    EXPECT_EQ(index_words(traditional), index_words(simplified)) << traditional;
  }
}

TEST(Words, function_words_stay_out_unless_nothing_else_is_there) {
  EXPECT_EQ(index_words("what is the plan for it"), (Words{"plan"}));
  EXPECT_EQ(index_words("who are you"), (Words{"who", "are", "you"}));
  EXPECT_FALSE(index_words("我们").empty());
  EXPECT_FALSE(index_words("是的").empty());
  EXPECT_FALSE(index_words("What is it?").empty());
  for (const char* name : {"may", "will", "mark", "后天", "张"}) EXPECT_FALSE(is_function_word(name)) << name;
  const Words words = index_words("我喜欢的猫");
  EXPECT_EQ(std::count(words.begin(), words.end(), "的"), 0);
  EXPECT_EQ(std::count(words.begin(), words.end(), "的猫"), 1);
}

TEST(Words, emoji_are_words_and_their_colours_are_not_part) {
  EXPECT_TRUE(finds("🎉", "party 🎉!"));
  EXPECT_TRUE(finds("❤", "I ❤️ it"));
  EXPECT_TRUE(finds("👍", "👍🏽"));
}

TEST(Words, nothing_gives_nothing) {
  EXPECT_TRUE(index_words("").empty());
  EXPECT_TRUE(index_words(" ,.;:!?。，！— \n\t").empty());
  EXPECT_TRUE(index_terms("").empty());
}

TEST(Words, nul_and_broken_bytes_separate) {
  EXPECT_EQ(index_words("alpha\0beta"sv), (Words{"alpha", "beta"}));
  EXPECT_EQ(index_words("猫\0狗"sv), (Words{"猫", "狗"}));
  EXPECT_EQ(index_words("alpha\xFF"
                        "beta"),
            (Words{"alpha", "beta"}));
}

TEST(Words, terms_follow_words) {
  const std::string_view text = "The iPhone15用户 said: don't panic, 計畫 🎉";
  std::vector<Term> expected;
  for (const std::string& word : index_words(text)) expected.push_back(term_of(word));
  EXPECT_EQ(index_terms(text), expected);
  EXPECT_NE(term_of("a"), term_of("b"));
}

TEST(Words, ten_megabytes_of_anything) {
  std::string letters(10'000'000, 'x');
  EXPECT_EQ(index_words(letters), (Words{std::string(128, 'x')}));
  std::string han;
  while (han.size() < 10'000'000) han += "永远";
  EXPECT_EQ(index_terms(han).size(), han.size() / 3 * 2 - 1);
  std::string accents = "a";
  while (accents.size() < 1'000'000) accents += "\xCC\x81";
  EXPECT_EQ(index_words(accents).size(), 1U);
}

TEST(Words, threads_do_not_disturb_each_other) {
  const std::string_view text = "Connecting users 龍門客棧 龜鱉 running";
  const auto expected = index_terms(text);
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) ASSERT_EQ(index_terms(text), expected);
    });
  }
}

TEST(Language, is_chinese_from_a_third_on) {
  EXPECT_EQ(language_of("我今天很高兴"), Language::kChinese);
  EXPECT_EQ(language_of("請用 Kubernetes 部署 PostgreSQL"), Language::kChinese);
  EXPECT_EQ(language_of("I am happy"), Language::kEnglish);
  EXPECT_EQ(language_of("What does 你好 mean in this sentence?"), Language::kEnglish);
  EXPECT_EQ(language_of(""), Language::kEnglish);
  EXPECT_EQ(language_of("12345 !?"), Language::kEnglish);
}

}  // namespace

namespace {

constexpr std::string_view kGaps = ".,!?";

TEST(SpacedWords, PF_4_one_blank_stands_between_words_and_around_them) {
  EXPECT_EQ(spaced_words("keep it short", kGaps), " keep it short ");
  EXPECT_EQ(spaced_words("  keep,\tit... short!\n", kGaps), " keep it short ");
  EXPECT_EQ(spaced_words("don’t use c++", kGaps), " don't use c++ ");
  EXPECT_EQ(spaced_words("", kGaps), " ");
  EXPECT_EQ(spaced_words(" ?! ", kGaps), " ");
}

TEST(SpacedWords, PF_4_phrases_are_found_as_whole_words_and_the_longest_at_the_beginning) {
  constexpr std::string_view list[] = {"do", "do not", "by the way"};
  const SpacedPhrases phrases(list);
  EXPECT_TRUE(phrases.any_in(" please do "));
  EXPECT_TRUE(phrases.any_in(" oh by the way "));
  EXPECT_FALSE(phrases.any_in(" redo dots "));
  EXPECT_FALSE(phrases.any_in(" by the ways "));
  EXPECT_FALSE(phrases.any_in(" by the"));
  EXPECT_FALSE(phrases.any_in(" "));
  EXPECT_FALSE(phrases.any_in(""));
  EXPECT_EQ(phrases.begin_of(" do not go "), "do not");
  EXPECT_EQ(phrases.begin_of(" do nothing "), "do");
  EXPECT_EQ(phrases.begin_of(" i do not "), "");
}

// Against the plain search, over random rows of few words.
TEST(SpacedWords, PF_4_finds_what_a_search_for_each_phrase_finds) {
  std::mt19937 chance(7);
  const auto words = [&](int most) {
    std::string text;
    for (int n = 1 + static_cast<int>(chance() % static_cast<unsigned>(most)); n > 0; --n)
      text += std::string(text.empty() ? "" : " ") + static_cast<char>('a' + chance() % 3) + (chance() % 4 ? "" : "b");
    return text;
  };
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::string> kept;
    for (int i = 0; i < 4; ++i) kept.push_back(words(3));
    const std::vector<std::string_view> list(kept.begin(), kept.end());
    const SpacedPhrases phrases(list);
    const std::string row = spaced_words(words(7), kGaps);
    std::string_view longest;
    bool any = false;
    for (const std::string_view phrase : list) {
      const std::string spaced = " " + std::string(phrase) + " ";
      any = any || row.find(spaced) != std::string::npos;
      if (row.starts_with(spaced) && phrase.size() > longest.size()) longest = phrase;
    }
    EXPECT_EQ(phrases.any_in(row), any) << row;
    EXPECT_EQ(phrases.begin_of(row), longest) << row;
  }
}

TEST(SpacedWords, PF_4_a_language_without_blanks_is_searched_as_it_stands) {
  constexpr std::string_view list[] = {"以后", "每次"};
  EXPECT_TRUE(holds_any("请以后用中文", list));
  EXPECT_FALSE(holds_any("以前后来", list));
  EXPECT_FALSE(holds_any("", list));
}

}  // namespace

}  // namespace weft
