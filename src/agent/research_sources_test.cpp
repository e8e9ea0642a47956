#include "agent/research_sources.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

constexpr const char* kArticle =
    "The Marlow tidal barrier was commissioned after the flood of 1953. It has nine gates, each of them ninety metres "
    "wide, and closes within forty minutes when a surge is forecast. Engineers inspect the hinges twice a year.";

FoundSource source_at(std::string origin, std::string_view text, SourceKind kind = SourceKind::kOther) {
  FoundSource source;
  source.origin = std::move(origin);
  source.kind = kind;
  source.sketch = text_sketch(text);
  source.parts.push_back({1, 1, false, std::string(text)});
  return source;
}

std::vector<std::int64_t> copies_of(const std::vector<FoundSource>& found) {
  std::vector<ResearchSource> sources;
  for (const FoundSource& one : found) {
    ResearchSource source;
    source.number = static_cast<std::int64_t>(sources.size()) + 1;
    source.origin = one.origin;
    source.kind = one.kind;
    sources.push_back(source);
  }
  mark_copies(found, sources);
  std::vector<std::int64_t> copies;
  for (const ResearchSource& one : sources) copies.push_back(one.copy_of);
  return copies;
}

TEST(ResearchSources, RS_1_kinds_are_told_by_hosts_folders_and_words) {
  EXPECT_EQ(kind_of_origin("https://www.transport.gov.uk/a"), SourceKind::kOfficial);
  EXPECT_EQ(kind_of_origin("https://zh.wikipedia.org/wiki/%E6%A1%A5"), SourceKind::kEncyclopaedia);
  EXPECT_EQ(kind_of_origin("https://baike.baidu.com/item/x"), SourceKind::kEncyclopaedia);
  EXPECT_EQ(kind_of_origin("https://arxiv.org/abs/1"), SourceKind::kPaper);
  EXPECT_EQ(kind_of_origin("https://blog.example.com/post"), SourceKind::kOfficialBlog);
  EXPECT_EQ(kind_of_origin("https://docs.example.com/post"), SourceKind::kOfficial);
  EXPECT_EQ(kind_of_origin("https://notgov.example.com/paper/1"), SourceKind::kOther);
  EXPECT_EQ(kind_of_origin("news/flood.md"), SourceKind::kNews);
  EXPECT_EQ(kind_of_origin("新闻/洪水.md"), SourceKind::kNews);
  EXPECT_EQ(kind_of_origin("newsletter-ideas.md"), SourceKind::kOther);
  EXPECT_EQ(kind_of_word("Report"), SourceKind::kReport);
  EXPECT_EQ(kind_of_word("论文"), SourceKind::kPaper);
  EXPECT_EQ(kind_of_word("memory"), SourceKind::kOther);
}

TEST(ResearchSources, RS_1_ranks_follow_the_kind_of_research) {
  const auto fact = [](SourceKind kind) { return source_rank(kind, ResearchKind::kFact); };
  const auto topic = [](SourceKind kind) { return source_rank(kind, ResearchKind::kTopic); };
  EXPECT_LT(fact(SourceKind::kOfficial), fact(SourceKind::kEncyclopaedia));
  EXPECT_LT(fact(SourceKind::kEncyclopaedia), fact(SourceKind::kNews));
  EXPECT_LT(topic(SourceKind::kPaper), topic(SourceKind::kOfficialBlog));
  EXPECT_LT(topic(SourceKind::kOfficialBlog), topic(SourceKind::kReport));
  EXPECT_LT(topic(SourceKind::kReport), topic(SourceKind::kNews));
}

TEST(ResearchSources, RS_1_publishers_are_who_registered_the_name) {
  EXPECT_EQ(publisher_of("https://a.b.example.com/x"), "example.com");
  EXPECT_EQ(publisher_of("http://user@www.example.co.uk:8080?q"), "example.co.uk");
  EXPECT_EQ(publisher_of("folder/file.md"), "");
}

TEST(ResearchSources, RS_1_copies_are_one_witness) {
  const std::string reprinted = "Reprinted from the county paper.\n" + std::string(kArticle) + " All rights reserved.";
  const std::string other =
      "Nine gates make up the Marlow barrier; a visitor centre opened beside it, and school classes come on weekdays "
      "to "
      "watch how the hydraulic arms are greased before the winter season begins.";
  EXPECT_EQ(copies_of({source_at("a.md", kArticle), source_at("b.md", reprinted), source_at("c.md", other)}),
            (std::vector<std::int64_t>{0, 1, 0}));
  EXPECT_EQ(copies_of({source_at("https://x.example.com/1", kArticle), source_at("https://y.example.com/2", other)}),
            (std::vector<std::int64_t>{0, 1}));
  // What an earlier research left is no witness at all.
  EXPECT_EQ(copies_of({source_at("memory:research-1/m", kArticle, SourceKind::kMemory),
                       source_at("memory:talk/m", other, SourceKind::kMemory)}),
            (std::vector<std::int64_t>{1, 0}));
}

TEST(ResearchSources, RS_1_chinese_copies_are_found_too) {
  const std::string text =
      "青石大桥于一九九八年建成通车，全长一千二百米，双向六车道，由省交通设计院设计，总投资约八亿元。";
  EXPECT_GE(shared_sketch(text_sketch(text), text_sketch("转载：" + text + "（完）")), 0.5);
  EXPECT_LT(shared_sketch(text_sketch(text),
                          text_sketch("青石大桥的夜景灯光去年重新设计，市民可以在北岸公园观看，每晚七点亮灯。")),
            0.2);
  EXPECT_TRUE(is_copied_sentence(text, "据报道，" + text));
  EXPECT_FALSE(is_copied_sentence("青石大桥全长一千二百米", "青石大桥全长一千二百米"));  // short: two may write it
}

}  // namespace
}  // namespace weft
