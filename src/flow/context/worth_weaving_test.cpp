#include "flow/context/worth_weaving.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace weft {
namespace {

class WorthWeavingTest : public testing::Test {
 protected:
  WorthWeavingTest() { found_.known = true; }
  void said(const std::string& text, const std::string& day, const std::string& who = "user", double relevance = 0.9) {
    Hit hit;
    hit.item.id = ItemId("m" + std::to_string(found_.hits.size()));
    hit.item.session = SessionId("s" + std::to_string(found_.hits.size()));
    hit.item.text = text;
    hit.item.who = who;
    hit.item.time = parse_time(day + "T10:00:00Z").value();
    hit.item.position = static_cast<std::int64_t>(found_.hits.size());
    hit.item.sources = {MessageId("src" + std::to_string(found_.hits.size()))};
    hit.score = 10.0 - static_cast<double>(found_.hits.size());
    hit.relevance = relevance;
    found_.hits.push_back(hit);
  }
  /// What is woven where there is room for all.
  std::vector<std::string> woven(const std::string& query) {
    WorthWeaving worth(settings_, query, found_);
    std::vector<std::string> texts;
    for (const Hit* hit : worth.order()) {
      if (!worth.why_not(*hit).empty()) continue;
      worth.weave(*hit);
      texts.push_back(hit->item.text);
    }
    return texts;
  }
  using Texts = std::vector<std::string>;

  RecallSettings settings_;
  SearchResult found_;
};

TEST_F(WorthWeavingTest, PF_14_where_nothing_is_known_nothing_is_woven) {
  said("Ann paints boats.", "2026-05-03", "user", 0.3);
  said("Boats are painted in spring.", "2026-05-03", "user", 0.1);
  found_.known = false;
  EXPECT_EQ(woven("What is 17 times 23?"), Texts());
  found_.known = true;
  EXPECT_EQ(woven("What does Ann paint?"), Texts{"Ann paints boats."});
  settings_.known_threshold = 0;  // takes everything
  EXPECT_EQ(woven("What does Ann paint?").size(), 2U);
}

TEST_F(WorthWeavingTest, AC_5_talk_that_says_nothing_is_not_woven) {
  for (const char* text : {"Noted.", "I will.", "ok", "Thanks!", "好的", "收到", "Got it, I'll remember that."})
    said(text, "2026-05-03", "assistant");
  said("The kiln opens at nine.", "2026-05-03");
  EXPECT_EQ(woven("When does the kiln open?"), Texts{"The kiln opens at nine."});
}

TEST_F(WorthWeavingTest, AC_5_events_of_empty_talk_are_not_woven) {
  said("[2026-05-03]\nUser said: Thanks!\nAssistant answered: You're welcome!", "2026-05-03");
  found_.hits[0].item.kind = ItemKind::kEvent;
  EXPECT_EQ(woven("thanks"), Texts());
}

TEST_F(WorthWeavingTest, AC_5_earlier_askings_of_the_question_are_not_woven_but_statements_in_its_words_are) {
  said("When does the kiln open?", "2026-05-02");
  said("Tell me when the kiln opens", "2026-05-02");
  said("The kiln opens at nine.", "2026-05-01");
  EXPECT_EQ(woven("When does the kiln open?"), Texts{"The kiln opens at nine."});
  said("The kiln opens.", "2026-05-03");
  EXPECT_EQ(woven("Does the kiln open?"), (Texts{"The kiln opens at nine."}));
}

TEST_F(WorthWeavingTest, AC_5_what_only_asks_comes_last) {
  said("Which clay would you use for the kiln?", "2026-05-02");
  said("The kiln takes stoneware clay.", "2026-05-01");
  EXPECT_EQ(woven("What clay does the kiln take?"),
            (Texts{"The kiln takes stoneware clay.", "Which clay would you use for the kiln?"}));
}

TEST_F(WorthWeavingTest, AC_5_an_asking_that_tells_of_the_asker_is_no_mere_asking) {
  said("Can you recommend a glaze for my gas kiln from Rohde?", "2026-05-02");
  said("A gas kiln needs a flue.", "2026-05-01");
  EXPECT_EQ(woven("Who made my gas kiln?").front(), "Can you recommend a glaze for my gas kiln from Rohde?");
}

TEST_F(WorthWeavingTest, AC_5_where_a_sum_is_asked_for_the_older_statement_counts_too) {
  said("The walnut desk costs 420 euros.", "2026-05-01");
  said("The walnut desk costs 465 euros now.", "2026-05-09");
  EXPECT_EQ(woven("What did the walnut desk cost in total?").size(), 2U);
  EXPECT_EQ(woven("What does the walnut desk cost?").size(), 1U);
}

TEST_F(WorthWeavingTest, AC_5_what_was_said_comes_before_what_was_made_of_it) {
  said("[2026-05-01]\nUser said: The kiln takes stoneware clay, and I like blue.", "2026-05-01");
  found_.hits[0].item.kind = ItemKind::kEvent;
  said("The kiln takes stoneware clay.", "2026-05-01");
  EXPECT_EQ(woven("What clay does the kiln take?").front(), "The kiln takes stoneware clay.");
}

TEST_F(WorthWeavingTest, AC_5_an_echo_of_a_woven_statement_is_not_woven) {
  said("The kiln takes stoneware clay.", "2026-05-01");
  said("You said: The kiln takes stoneware clay.", "2026-05-01", "assistant");
  EXPECT_EQ(woven("What clay does the kiln take?"), Texts{"The kiln takes stoneware clay."});
}

TEST_F(WorthWeavingTest, AC_5_where_the_newer_statement_is_woven_the_older_one_is_not) {
  said("The walnut desk costs 420 euros.", "2026-05-01");
  said("The walnut desk costs 465 euros now.", "2026-05-09");
  EXPECT_EQ(woven("What does the walnut desk cost?"), Texts{"The walnut desk costs 465 euros now."});
  EXPECT_EQ(woven("What did the walnut desk cost before?").size(), 2U);
}

TEST_F(WorthWeavingTest, AC_5_a_change_in_chinese_is_marked_at_least) {
  said("周会在周三下午三点。", "2026-05-01");
  said("周会改到周四下午四点了。", "2026-05-09");
  WorthWeaving worth(settings_, "周会在周几？", found_);
  for (const Hit* hit : worth.order())
    if (worth.why_not(*hit).empty()) worth.weave(*hit);
  EXPECT_EQ(worth.order().front(), &found_.hits[1]);
  EXPECT_EQ(worth.newer_than(found_.hits[0].item), &found_.hits[1].item);
}

TEST_F(WorthWeavingTest, AC_5_statements_about_different_things_both_stand) {
  said("My brother's desk costs 420 euros.", "2026-05-01");
  said("My sister's desk costs 465 euros now.", "2026-05-09");
  EXPECT_EQ(woven("What does my brother's desk cost?").size(), 2U);
  said("I also bought another desk for 90 euros now.", "2026-05-10");
  EXPECT_EQ(woven("What does my brother's desk cost?").size(), 3U);
}

TEST_F(WorthWeavingTest, AC_5_values_that_differ_without_a_word_of_change_are_marked) {
  said("The build server is 10.0.0.5.", "2026-05-01");
  said("The build server is 10.0.0.9.", "2026-05-09");
  WorthWeaving worth(settings_, "Which is the build server?", found_);
  for (const Hit* hit : worth.order()) worth.weave(*hit);
  EXPECT_EQ(worth.newer_than(found_.hits[0].item), &found_.hits[1].item);
  EXPECT_EQ(worth.newer_than(found_.hits[1].item), nullptr);
  EXPECT_EQ(worth.order().front(), &found_.hits[1]);
}

TEST_F(WorthWeavingTest, AC_5_superseded_events_stand_behind_their_successors_and_leave) {
  said("The kiln takes stoneware clay.", "2026-05-01");
  said("It takes porcelain for the new owner.", "2026-05-09");
  for (Hit& hit : found_.hits) {
    hit.item.kind = ItemKind::kEvent;
    hit.item.event.emplace();
  }
  found_.hits[0].item.event->superseded_by = found_.hits[1].item.id;
  found_.hits[1].item.event->supersedes = found_.hits[0].item.id;
  EXPECT_EQ(woven("What clay does the kiln take?"), Texts{"It takes porcelain for the new owner."});
}

TEST_F(WorthWeavingTest, CM_17_what_is_told_anew_in_other_words_stands_after_what_was_told_before) {
  said("The car is a Skoda, full of crumbs.", "2026-05-01");
  said("Drove home in something Swedish, with that showroom smell.", "2026-05-09");
  said("My sister paints boats.", "2026-05-10");
  found_.hits[0].vector = {1, 0, 0};
  found_.hits[1].vector = {0.6F, 0.8F, 0};
  found_.hits[2].vector = {0, 0, 1};
  const auto after_first = [this] {
    WorthWeaving worth(settings_, "What do I drive?", found_);
    for (const Hit* hit : worth.order()) worth.weave(*hit);
    return worth.newer_than(found_.hits[0].item);
  };
  EXPECT_EQ(after_first(), &found_.hits[1].item);
  EXPECT_EQ(woven("What do I drive?").size(), 3U) << "likeness alone leaves nothing out";

  found_.hits[1].relevance = 0.1;
  EXPECT_EQ(after_first(), nullptr) << "it does not answer the question";
  found_.hits[1].relevance = 0.9;
  found_.hits[1].item.who = "assistant";
  EXPECT_EQ(after_first(), nullptr) << "a model tells nothing anew";
  found_.hits[1].item.who = "user";
  found_.hits[1].vector = {0.3F, 0.95F, 0};
  EXPECT_EQ(after_first(), nullptr) << "another matter";
  found_.hits[1].vector = {};
  EXPECT_EQ(after_first(), nullptr) << "not embedded yet";
}

TEST_F(WorthWeavingTest, CM_17_of_several_that_are_told_anew_the_newest_that_is_as_alike_is_named) {
  for (const char* day : {"2026-05-01", "2026-05-03", "2026-05-05", "2026-05-07"}) said("Rent is what it is.", day);
  found_.hits[1].item.text = "Rent went up again.";
  found_.hits[2].item.text = "Rent went up, and up.";
  found_.hits[3].item.text = "The landlord came by for tea.";
  found_.hits[0].vector = {1, 0};
  found_.hits[1].vector = {0.9F, 0.43F};
  found_.hits[2].vector = {0.85F, 0.52F};
  found_.hits[3].vector = {0.5F, 0.86F};
  WorthWeaving worth(settings_, "What do I pay?", found_);
  for (const Hit* hit : worth.order()) worth.weave(*hit);
  EXPECT_EQ(worth.newer_than(found_.hits[0].item), &found_.hits[2].item);
}

TEST_F(WorthWeavingTest, CM_17_what_is_newer_than_the_profile_says_so) {
  said("The user lives in Leeds.", "2026-05-01");
  said("Unpacked the last box in Cardiff.", "2026-05-09");
  found_.hits[0].item.kind = ItemKind::kEvent;
  found_.hits[0].item.event.emplace().quote = "I live in Leeds";
  found_.hits[0].item.event->end_seq = 1;
  found_.hits[0].vector = {1, 0};
  found_.hits[1].vector = {0.6F, 0.8F};
  const auto newer = [this] {
    WorthWeaving worth(settings_, "Where do I live?", found_);
    worth.tell_elsewhere(found_.hits[0]);
    return worth.is_newer_than_told(found_.hits[1].item);
  };
  EXPECT_TRUE(newer());
  found_.hits[1].item.sources = found_.hits[0].item.sources;
  EXPECT_FALSE(newer()) << "the message that the fact is from";
  found_.hits[1].item.sources = {MessageId("other")};
  found_.hits[0].item.time = parse_time("2026-05-10T10:00:00Z").value();
  EXPECT_FALSE(newer()) << "the profile is newer";
}

}  // namespace
}  // namespace weft
