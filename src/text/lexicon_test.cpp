#include "text/lexicon.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <string>

#include "base/strings.h"
#include "text/plain_words.h"

namespace weft {
namespace {

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The names of the lists of a file.
std::set<std::string> lists_of(std::string_view source) {
  std::set<std::string> names;
  for (const std::string_view line : lines_of(source))
    if (line.starts_with('[')) names.emplace(line.substr(1, line.size() - 2));
  return names;
}

TEST(Lexicon, PF_4_entries_stand_once_in_their_list_and_in_its_form) {
  ASSERT_GT(lexicon_file_count, 0u);
  for (unsigned i = 0; i < lexicon_file_count; ++i) {
    const LexiconFile& file = lexicon_file_list[i];
    for (const std::string& name : lists_of(file.source)) {
      const auto entries = lexicon(file.id, name);
      EXPECT_FALSE(entries.empty()) << file.id << " [" << name << "]";
      std::set<std::string_view> known;
      for (const std::string_view entry : entries) {
        EXPECT_TRUE(known.insert(entry).second) << file.id << " [" << name << "]: twice " << entry;
        const bool capital = std::any_of(entry.begin(), entry.end(), [](char c) { return is_upper(c); });
        EXPECT_FALSE(file.id.starts_with("en/") && capital) << file.id << " [" << name << "]: a capital in " << entry;
        EXPECT_EQ(entry.find("  "), std::string_view::npos) << entry;
      }
    }
  }
}

TEST(Lexicon, PF_4_each_list_that_code_names_is_there) {
  const std::filesystem::path source = std::filesystem::path(WEFT_TEST_DATA) / "../src";
  const std::regex named(
      R"re((?:lexicon|lexicon_words|lexicon_both|lexicon_both_words|phrase_table|add_list|lexicon_pairs|entries|listed|listed_terms)\("([a-z_/]+)", "([a-z ]+)"[,)])re");
  int found = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(source)) {
    if (entry.path().extension() != ".cpp" || entry.path().filename().string().ends_with("_test.cpp")) continue;
    const std::string text = read_file(entry.path());
    for (std::sregex_iterator at(text.begin(), text.end(), named), end; at != end; ++at, ++found) {
      const std::string file = (*at)[1], list = (*at)[2];
      EXPECT_FALSE(lexicon_both(file, list).empty()) << entry.path().filename() << ": " << at->str();
    }
  }
  EXPECT_GT(found, 20);
}

TEST(Lexicon, PF_4_lists_of_both_languages_are_one_table) {
  const auto both = lexicon_both("changes", "change");
  const auto english = lexicon("en/changes", "change"), chinese = lexicon("zh/changes", "change");
  ASSERT_FALSE(english.empty() || chinese.empty());
  EXPECT_EQ(both.size(), english.size() + chinese.size());
  EXPECT_EQ(lexicon_both("zh/changes", "change").size(), chinese.size());
  const PhraseTable table = phrase_table("changes", "change");
  EXPECT_TRUE(table.any_in(plain_words("The desk costs 465 euros now.")));
  EXPECT_TRUE(table.any_in(plain_words("会议改到周四了。")));
  EXPECT_FALSE(phrase_table("zh/changes", "change").any_in(plain_words("The desk costs 465 euros now.")));
  EXPECT_EQ(lexicon_pairs("en/verbs", "third person").at("have"), "has");
}

TEST(Lexicon, PF_4_quotes_hold_commas_and_what_is_not_there_is_empty) {
  const auto fillers = lexicon("zh/cues", "fillers");
  EXPECT_NE(std::find(fillers.begin(), fillers.end(), ","), fillers.end());
  EXPECT_TRUE(lexicon("en/cues", "nothing").empty());
  EXPECT_TRUE(lexicon("xx/cues", "change").empty());
}

}  // namespace
}  // namespace weft
