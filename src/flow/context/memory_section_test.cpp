#include <gtest/gtest.h>

#include <array>

#include "flow/context/memory_section.h"

namespace weft {
namespace {

class MemoryCandidatesTest : public testing::Test {
 protected:
  MemoryCandidatesTest() { found_.by = MadeBy::kModel; }

  static Item message(const std::string& id, const std::string& text, const std::string& who = "user") {
    Item item;
    item.id = ItemId(id);
    item.session = SessionId("s");
    item.text = text;
    item.who = who;
    item.sources = {MessageId(id)};
    return item;
  }
  Hit& hit(const Item& item) {
    Hit made;
    made.item = item;
    made.relevance = 0.9;
    found_.hits.push_back(made);
    return found_.hits.back();
  }
  static Item fact(const std::string& id, const std::string& text, const std::string& source,
                   const std::string& quote) {
    Item item = message(id, text);
    item.kind = ItemKind::kEvent;
    item.sources = {MessageId(source)};
    item.event.emplace();
    item.event->end_seq = 1;
    item.event->quote = quote;
    return item;
  }
  std::vector<std::string> candidates(const std::string& query) {
    const MemoryCandidates all(config_, query, found_);
    std::vector<std::string> ids;
    for (const MemoryCandidate& one : all.ordered()) ids.push_back(one.item->id.str());
    return ids;
  }
  using Ids = std::vector<std::string>;

  Config config_;
  SearchResult found_;
};

TEST_F(MemoryCandidatesTest, PF_14_where_nothing_is_known_there_is_no_candidate) {
  hit(message("a", "Ann paints boats.")).relevance = 0.2;
  EXPECT_EQ(candidates("What is 17 times 23?"), Ids());
  config_.recall.known_threshold = 0;
  EXPECT_EQ(candidates("What is 17 times 23?"), Ids{"a"});
}

TEST_F(MemoryCandidatesTest, PF_14_where_it_is_not_sure_the_few_best_that_may_answer_are_candidates) {
  const auto all = [this](double relevance) {
    for (Hit& one : found_.hits) one.relevance = relevance;
  };
  for (int i = 0; i < 12; ++i) hit(message(std::to_string(i), "Words on boats, part " + std::to_string(i)));
  found_.hits[0].after = {message("x", "They are blue.")};
  all(0.4);
  EXPECT_EQ(candidates("Which of my boats has Ann?").size(), 8U);
  all(0.26);
  EXPECT_EQ(candidates("What is 17 times 23?"), Ids());
  EXPECT_EQ(candidates("Shorter."), Ids());
  // The best must have to do with it; those behind it need less.
  all(0.16);
  EXPECT_EQ(candidates("Which of my boats has Ann?"), Ids());
  found_.hits[1].relevance = 0.3;
  EXPECT_EQ(candidates("Which of my boats has Ann?"), Ids()) << "all talk of a person is near to a question about them";
  EXPECT_EQ(candidates("Which boats has Ann?").size(), 8U);
  found_.hits[1].relevance = 0.42;
  EXPECT_EQ(candidates("Which of my boats has Ann?").size(), 8U);
  // A question about the asker needs more relevance to be sure than one about anything else.
  all(0.55);
  EXPECT_EQ(candidates("Which boats has Ann?").size(), 13U);
  EXPECT_EQ(candidates("Which of my boats has Ann?").size(), 8U);
  all(0.8);
  EXPECT_EQ(candidates("Which of my boats has Ann?").size(), 13U);
}

TEST_F(MemoryCandidatesTest, PF_24_a_question_in_another_language_is_less_sure_and_gets_what_is_nearest) {
  for (int i = 0; i < 16; ++i) hit(message(std::to_string(i), "Ann paints boat number " + std::to_string(i)));
  for (Hit& one : found_.hits) one.relevance = 0.26;
  EXPECT_EQ(candidates("安画了哪几条船？").size(), 12U);
  EXPECT_EQ(candidates("Which boats does Ann paint?"), Ids());
  EXPECT_EQ(candidates("安画了船。"), Ids());
  for (Hit& one : found_.hits) one.relevance = 0.12;
  EXPECT_EQ(candidates("安画了哪几条船？"), Ids());
  found_.hits[1].relevance = 0.3;
  EXPECT_EQ(candidates("安画了哪几条船？").size(), 12U);
}

TEST_F(MemoryCandidatesTest, PF_24_what_is_not_likely_to_answer_is_left_out) {
  for (int i = 0; i < 60; ++i) hit(message(std::to_string(i), "Ann paints boat number " + std::to_string(i)));
  EXPECT_GT(candidates("Which boats does Ann paint?").size(), 40U);
  for (std::size_t i = 3; i < found_.hits.size(); ++i) found_.hits[i].relevance = 0.02;
  const std::size_t few = candidates("Which boats does Ann paint?").size();
  EXPECT_GE(few, 3U);
  EXPECT_LT(few, 10U);
  // Without a budget of tokens the number of memories bounds them.
  config_.context.memory_tokens = 0;
  EXPECT_EQ(candidates("Which boats does Ann paint?").size(), 60U);
}

TEST_F(MemoryCandidatesTest, PF_24_a_hit_lends_weight_to_the_messages_around_it) {
  Hit& first = hit(message("a", "The base is at Karasuma Oike."));
  first.before = {message("b", "The old town is far from the trains.", "assistant")};
  first.after = {message("c", "Booked for five nights.")};
  hit(message("d", "Kyoto is full of temples."));
  EXPECT_EQ(candidates("Where do we stay in Kyoto?"), (Ids{"a", "d", "c", "b"}));
  // A neighbour of two hits is worth more than one of one hit.
  Hit& third = hit(message("e", "Paid at the desk."));
  third.before = {message("c", "Booked for five nights.")};
  const Ids ids = candidates("Where do we stay in Kyoto?");
  EXPECT_LT(std::find(ids.begin(), ids.end(), "c"), std::find(ids.begin(), ids.end(), "b"));
}

TEST_F(MemoryCandidatesTest, PF_24_what_costs_much_waits_for_what_is_about_as_likely_and_costs_little) {
  std::string essay;
  for (int i = 0; i < 60; ++i) essay += "Kyoto has temples, gardens and tea houses of many kinds. ";
  hit(message("essay", essay, "assistant"));
  hit(message("base", "The base is at Karasuma Oike."));
  EXPECT_EQ(candidates("Where do we stay in Kyoto?"), (Ids{"base", "essay"}));
  config_.context.memory_tokens = 0;  // nothing is counted: the ranking decides
  EXPECT_EQ(candidates("Where do we stay in Kyoto?"), (Ids{"essay", "base"}));
}

TEST_F(MemoryCandidatesTest, PF_24_which_message_follows_which_is_known) {
  Hit& one = hit(message("b", "It is oak."));
  one.before = {message("a", "What wood is the desk?")};
  one.after = {message("c", "And 420 euros.")};
  const MemoryCandidates all(config_, "Which desk did we choose?", found_);
  EXPECT_TRUE(all.follows(one.before[0], one.item));
  EXPECT_TRUE(all.follows(one.item, one.after[0]));
  EXPECT_FALSE(all.follows(one.before[0], one.after[0]));
}

TEST_F(MemoryCandidatesTest, PF_15_empty_talk_is_no_candidate_and_beside_a_hit_it_is_marked) {
  for (const char* text : {"Noted.", "ok", "Thanks!", "好的", "收到"}) hit(message(text, text, "assistant"));
  Hit& question = hit(message("q", "I think the kiln opens at nine."));
  question.after = {message("yes", "Thanks!")};
  const MemoryCandidates all(config_, "When does the kiln open?", found_);
  ASSERT_EQ(all.ordered().size(), 2U);
  EXPECT_TRUE(all.ordered()[1].empty_talk);
  EXPECT_EQ(all.refused().size(), 5U);
}

TEST_F(MemoryCandidatesTest, AC_5_an_earlier_asking_is_no_candidate_but_what_followed_it_is) {
  Hit& asked = hit(message("q", "When does the kiln open?"));
  asked.after = {message("a", "At nine, except on Mondays.", "assistant")};
  EXPECT_EQ(candidates("When does the kiln open?"), Ids{"a"});
}

TEST_F(MemoryCandidatesTest, AC_5_an_answer_that_only_repeats_the_user_is_no_candidate) {
  hit(message("a", "My walnut desk is 420 euros."));
  hit(message("b", "Walnut desk 420 euros.", "assistant"));
  EXPECT_EQ(candidates("What was the desk?"), Ids{"a"});
}

TEST_F(MemoryCandidatesTest, PF_24_messages_stand_for_what_was_made_of_them) {
  Item event = message("e", "Ann: The desk is 420 euros.");
  event.kind = ItemKind::kEvent;
  event.event.emplace();
  hit(event);
  hit(fact("f", "The user's desk is 420 euros.", "m", "The desk is 420 euros"));
  hit(message("m", "We went shopping. The desk is 420 euros, they said."));
  EXPECT_EQ(candidates("What is the price of the desk?"), Ids{"m"});
  // A fact whose message was not found stands for itself.
  found_.hits.pop_back();
  EXPECT_EQ(candidates("What is the price of the desk?"), Ids{"f"});
  // With single memories, as specified, each is one of its own.
  config_.context.memory_around = 0;
  EXPECT_EQ(candidates("What is the price of the desk?"), (Ids{"e", "f"}));
}

TEST_F(MemoryCandidatesTest, PF_25_what_replaced_a_statement_comes_with_it) {
  Hit& old = hit(message("old", "Sesame gets 15 g a day."));
  old.item.over = {{"Sesame gets 15 g a day.", Time{1000, 0}, ItemId("new fact")}};
  old.newer = {fact("new fact", "Sesame gets 13 g a day.", "new", "Sesame gets 13 g now")};
  {
    const MemoryCandidates all(config_, "How much food does Sesame get?", found_);
    ASSERT_EQ(all.ordered().size(), 1U);
    ASSERT_EQ(all.ordered()[0].newer.size(), 1U);
    EXPECT_EQ(all.ordered()[0].newer[0]->id.str(), "new fact");
  }
  // Its own message is better where that was found.
  hit(message("new", "The vet says that Sesame gets 13 g now."));
  const MemoryCandidates all(config_, "How much food does Sesame get?", found_);
  EXPECT_EQ(all.ordered()[0].newer[0]->id.str(), "new");
}

TEST_F(MemoryCandidatesTest, PF_25_a_correction_outdates_what_was_said_of_the_same_matter) {
  const std::vector<std::array<std::string, 2>> corrections{
      {"The greenhouse door opens with the code 4711.", "The code of the greenhouse door was changed to 5812."},
      {"温室的门锁密码是4711。", "温室的门锁密码换成5812了。"}};
  for (const auto& [then, now] : corrections) {
    found_.hits.clear();
    hit(message("old", then)).item.time = Time{1'000, 0};
    hit(message("new", now)).item.time = Time{2'000, 0};
    const MemoryCandidates all(config_, "What is the code of the greenhouse door?", found_);
    ASSERT_EQ(all.ordered().size(), 2U);
    EXPECT_EQ(all.ordered()[0].outdated, (Time{2'000, 0})) << then;
    EXPECT_EQ(all.ordered()[0].newer[0]->id.str(), "new");
    EXPECT_FALSE(all.ordered()[1].outdated);
  }
}

TEST_F(MemoryCandidatesTest, PF_25_what_seems_to_replace_a_statement_comes_with_it_unmarked) {
  hit(message("old", "The gardener comes on Mondays.")).item.time = Time{1'000, 0};
  hit(message("other", "The plumber likes tea.")).item.time = Time{2'000, 0};
  Item later = message("new", "The gardener comes on Thursdays.");
  later.time = Time{3'000, 0};
  found_.hits[1].after = {later};
  const MemoryCandidates all(config_, "When does the gardener come?", found_);
  ASSERT_EQ(all.ordered().size(), 3U);
  const MemoryCandidate& old = all.ordered()[0];
  EXPECT_EQ(old.item->id.str(), "old");
  ASSERT_EQ(old.newer.size(), 1U);
  EXPECT_EQ(old.newer[0]->id.str(), "new");
  EXPECT_FALSE(old.outdated);
  EXPECT_TRUE(all.ordered()[1].newer.empty());
}

TEST_F(MemoryCandidatesTest, PF_25_what_is_of_another_matter_or_only_added_outdates_nothing) {
  const std::vector<std::array<std::string, 2>> pairs{
      {"The greenhouse door opens with the code 4711.", "The garage has a new lock now, with 5812."},
      {"My sister plays the cello in Porto.", "My sister also plays the flute."},
      {"Does the kiln open at 9?", "The kiln opens at 10 now."},
      {"The kiln opens at 9 in the morning.", "The kiln opens in the evening now."},
      {"The greenhouse behind the old barn near the mill has a door with the code 4711.",
       "The code of the garage door is 5812 now."},
      {"The kiln opens at 9.", "Is it true that the kiln opens at 10 now?"}};
  for (const auto& [then, now] : pairs) {
    found_.hits.clear();
    hit(message("old", then)).item.time = Time{1'000, 0};
    hit(message("new", now)).item.time = Time{2'000, 0};
    const MemoryCandidates all(config_, "So?", found_);
    for (const MemoryCandidate& one : all.ordered()) EXPECT_FALSE(one.outdated) << then;
  }
}

TEST_F(MemoryCandidatesTest, PF_25_an_outdated_message_stands_beside_no_hit) {
  Item old = message("old", "We stay at the Grand.");
  old.over = {{"We stay at the Grand.", Time{1000, 0}, ItemId("new")}};
  Hit& one = hit(message("a", "The train leaves at nine."));
  one.before = {old};
  EXPECT_EQ(candidates("When does the train leave?"), Ids{"a"});
}

}  // namespace
}  // namespace weft
