#include "flow/memory/memory_file.h"

#include <gtest/gtest.h>

#include <random>

namespace weft {
namespace {

KnowledgeEntry entry(std::string section, std::string text, std::string date = "2026-11-24") {
  return {std::move(section), std::move(text), std::move(date), "test", {}};
}

TEST(MemoryFile, MS_3_what_people_wrote_stays_byte_for_byte) {
  const std::string text =
      "# Memory\n\nSome prose - with a dash.\n\n## 用户相关\n* Michael 关注 AI 教育\n- 偏好中文\n\n```\n- no "
      "entry\n```\n## Rest\n";
  auto file = MemoryFile::parse(text);
  EXPECT_EQ(file.text(), text);
  ASSERT_EQ(file.entries().size(), 2u);
  EXPECT_EQ(file.entries()[0].section, "用户相关");
  EXPECT_EQ(file.add(entry("用户相关", "住在波尔图"), WordLikeness()), KnowledgeAdded::kNew);
  const std::string after = file.text();
  EXPECT_NE(after.find("- 偏好中文\n- 住在波尔图 <!-- 2026-11-24 test -->\n"), std::string::npos) << after;
  EXPECT_EQ(after.size(), text.size() + std::string("- 住在波尔图 <!-- 2026-11-24 test -->\n").size());
}

TEST(MemoryFile, MS_3_entries_are_added_once_with_date_and_source) {
  MemoryFile file;
  EXPECT_EQ(file.add(entry("Strategy", "Search official sources first."), WordLikeness()), KnowledgeAdded::kNew);
  EXPECT_EQ(file.add(entry("Strategy", "search official sources first"), WordLikeness()), KnowledgeAdded::kKnown);
  EXPECT_EQ(file.add(entry("Domain", "Gateways run on the host"), WordLikeness()), KnowledgeAdded::kNew);
  const auto again = MemoryFile::parse(file.text());
  ASSERT_EQ(again.entries().size(), 2u);
  EXPECT_EQ(again.entries()[0].date, "2026-11-24");
  EXPECT_EQ(again.entries()[0].source, "test");
  EXPECT_EQ(again.entries()[1].section, "Domain");
}

TEST(MemoryFile, MS_3_contradictions_are_marked_in_place_until_a_person_says_which_holds) {
  for (const auto& [old, now] : std::vector<std::pair<std::string, std::string>>{
           {"The search takes the top 5 results", "The search takes the top 3 results"},
           {"Deploys run on Fridays in this team", "Deploys never run on Fridays in this team"},
           {"搜索结果取前五条", "搜索结果取前三条"},
           {"报告需要附上原始数据", "报告不需要附上原始数据"}}) {
    for (const bool newer : {true, false}) {
      MemoryFile file;
      file.add(entry("S", old, "2026-01-01"), WordLikeness());
      ASSERT_EQ(file.add(entry("S", now), WordLikeness()), KnowledgeAdded::kContradicts) << now;
      file = MemoryFile::parse(file.text());
      ASSERT_EQ(file.entries().size(), 2u);
      EXPECT_EQ(file.entries()[1].against, old);
      const auto gone = file.confirm(newer ? now : old);
      ASSERT_TRUE(gone.ok()) << gone.error().message;
      EXPECT_EQ(gone->text, newer ? old : now);
      ASSERT_EQ(file.entries().size(), 1u);
      EXPECT_EQ(file.entries()[0].text, newer ? now : old);
      EXPECT_FALSE(file.confirm(now).ok());
    }
  }
}

TEST(MemoryFile, MS_3_what_can_hold_together_is_no_contradiction) {
  EXPECT_FALSE(contradict("Ann has 2 sisters", "The report has 40 pages"));
  EXPECT_FALSE(contradict("The meeting is at 9", "Do not call before the meeting of the board in Rome"));
  EXPECT_FALSE(contradict("用户有两个妹妹", "报告有四十页"));
}

TEST(MemoryFile, MS_3_too_large_a_file_merges_first_and_moves_the_least_used) {
  MemoryFile file;
  std::vector<std::string> least_used;
  for (int i = 0; i < 40; ++i) {
    const std::string name(1, static_cast<char>('a' + i % 26)), kind(1, static_cast<char>('a' + i / 26));
    const std::string text = "Fact about qu" + name + kind + "x in the zo" + kind + name + "m";
    file.add(entry("Facts", text, "2026-01-" + std::to_string(10 + i % 20)), WordLikeness());
    if (i >= 20) least_used.push_back(text);
  }
  file = MemoryFile::parse(file.text() + "- In the zoadm a fact about qudax\n");
  const auto gone = file.shrink(file.text().size() / 3, WordLikeness(), least_used);
  ASSERT_EQ(gone.size(), 10u) << "a quarter of 41 at most";
  EXPECT_EQ(gone[0].text, "Fact about qudax in the zoadm");
  EXPECT_EQ(gone[1].text, least_used[0]);
  EXPECT_EQ(file.entries().size(), 31u);
  const auto small = file.text().size();
  EXPECT_TRUE(file.shrink(small, WordLikeness(), {}).empty());
}

TEST(MemoryFile, MS_3_another_fact_in_the_same_words_is_not_known) {
  class AllAlike final : public Likeness {
   public:
    std::vector<double> to_all(std::string_view, std::span<const std::string> others) const override {
      return std::vector<double>(others.size(), 0.99);
    }
    bool by_meaning() const override { return true; }
  };
  MemoryFile file;
  const auto add = [&](const char* text) { return file.add(entry("Family", text), AllAlike()); };
  EXPECT_EQ(add("The mother of Ann is a nurse"), KnowledgeAdded::kNew);
  EXPECT_EQ(add("The brother of Ann is a nurse"), KnowledgeAdded::kNew);
  EXPECT_EQ(add("Ann's mother really is a nurse"), KnowledgeAdded::kKnown);
  EXPECT_EQ(add("安的妈妈是护士"), KnowledgeAdded::kNew);
  EXPECT_EQ(add("安的哥哥是护士"), KnowledgeAdded::kNew);
  EXPECT_EQ(file.entries().size(), 4U);
}

TEST(MemoryFile, PF_5_an_erased_entry_leaves_what_contradicted_it) {
  MemoryFile file = MemoryFile::parse(
      "- port 7443 <!-- 2026-11-24 s/m1 -->\n  - contradicted: port 7555 <!-- 2026-11-25 s/m2 -->\n"
      "  - contradicted: port 7666 <!-- 2026-11-26 s/m3 -->\n- the roof is red <!-- 2026-11-26 s/m4 -->\n");
  MemoryFile other = file;
  EXPECT_EQ(other.remove_sources({"s/m2"}), 1U);
  EXPECT_EQ(other.entries().at(1).text, "port 7666");
  EXPECT_EQ(file.remove_sources({"s/m1", "s/m4"}), 2U);
  EXPECT_EQ(file.text(),
            "- port 7555 <!-- 2026-11-25 s/m2 -->\n  - contradicted: port 7666 <!-- 2026-11-26 s/m3 -->\n");
  EXPECT_EQ(file.entries().at(1).against, "port 7555");
  EXPECT_EQ(file.remove_sources({"s/m3"}), 1U);
  EXPECT_EQ(file.text(), "- port 7555 <!-- 2026-11-25 s/m2 -->\n");
}

TEST(MemoryFile, MS_3_a_rewrite_loses_at_most_a_quarter) {
  MemoryFile before;
  for (int i = 0; i < 8; ++i)
    before.add(entry("S", "item" + std::to_string(i) + " x" + std::to_string(i)), WordLikeness());
  std::string text = before.text();
  for (const int keep : {6, 5}) {
    MemoryFile after;
    for (int i = 0; i < keep; ++i)
      after.add(entry("S", "item" + std::to_string(i) + " x" + std::to_string(i)), WordLikeness());
    EXPECT_EQ(MemoryFile::check_rewrite(before, after).ok(), keep == 6);
  }
}

TEST(MemoryFile, MS_3_any_text_keeps_its_bytes_and_added_lines_are_read_as_they_were_given) {
  std::mt19937 random(5);
  const std::vector<std::string> parts{
      "- ", "## ", "```", "\n", "<!--", "-->", "- a <!-- 2026-01-01 b -->", "文", " ", "  - contradicted: ", "x"};
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    for (int i = 0; i < 20; ++i) text += parts[random() % parts.size()];
    text += "\n";
    auto file = MemoryFile::parse(text);
    ASSERT_EQ(file.text(), text);
    std::string added;
    for (int i = 0; i < 4; ++i) added += parts[random() % parts.size()];
    added = "n" + std::to_string(round) + added;
    if (file.add({"S", added, "2026-02-02", "s", {}}, WordLikeness()) != KnowledgeAdded::kNew) continue;
    const auto again = MemoryFile::parse(file.text());
    std::size_t found = 0;
    for (const auto& one : again.entries()) found += one.date == "2026-02-02" && one.source == "s";
    // Behind an unclosed fence everything is code, for other readers, too.
    if (text.find("```") == std::string::npos) {
      EXPECT_EQ(found, 1u) << file.text();
    }
  }
}

}  // namespace
}  // namespace weft
