#include <gtest/gtest.h>

#include <array>
#include <string>

#include "flow/recall/corrections.h"

namespace weft {
namespace {

Hit hit(const std::string& id, const std::string& text, std::int64_t ms, double score) {
  Hit made;
  made.item.id = ItemId(id);
  made.item.session = SessionId("s");
  made.item.sources = {MessageId(id)};
  made.item.text = text;
  made.item.who = "user";
  made.item.time = Time{ms, 0};
  made.score = score;
  made.relevance = 0.9;
  return made;
}

std::string order(std::vector<Hit> hits, const std::string& question) {
  RecallQuery query;
  query.text = question;
  put_current_first(hits, read_query(query));
  std::string ids;
  for (const Hit& one : hits) ids += one.item.id.str();
  return ids;
}

TEST(Corrections, MS_5_the_newer_of_two_values_ranks_first) {
  const std::vector<std::array<std::string, 3>> corrections{
      {"We meet at 3.", "We meet at 4 instead now.", "When do we meet?"},
      {"The plan is to paint the hall green.", "We decided to paint the hall yellow.", "What colour is the hall?"},
      {"The rent is 900 a month.", "They put the rent up to 960 a month.", "What is the rent?"},
      {"我们三点见面。", "现在改成四点见面了。", "我们几点见面？"},
      {"老张开车送我们去机场。", "老张来不了，小周开车送我们去机场。", "谁送我们去机场？"},
      {"妈妈每天吃5毫克氨氯地平。", "医生把妈妈的氨氯地平加到10毫克了。", "妈妈吃多少氨氯地平？"}};
  for (const auto& [older, newer, question] : corrections) {
    EXPECT_EQ(order({hit("a", older, 1, 3), hit("b", newer, 2, 2)}, question), "ba") << older;
    EXPECT_EQ(order({hit("a", newer, 2, 3), hit("b", older, 1, 2)}, question), "ab") << older;
  }
}

TEST(Corrections, MS_5_the_older_value_ranks_right_behind_the_newer_one) {
  const std::vector<Hit> hits{hit("a", "The rent is 900 a month.", 1, 4), hit("b", "The rent is due on Fridays.", 0, 3),
                              hit("c", "The rent is 960 a month now.", 2, 2)};
  EXPECT_EQ(order(hits, "What is the rent?"), "cab");
}

TEST(Corrections, MS_5_what_says_that_it_changed_ranks_first_though_it_proves_nothing) {
  for (const auto& [older, newer, question] : std::vector<std::array<std::string, 3>>{
           {"My gym costs 29 euros a month.", "Gym went up, it costs 35 euros a month from now on.",
            "What does the gym cost?"},
           {"The cleaner comes on Friday.", "The cleaner comes on Tuesday now.", "When does the cleaner come?"},
           {"保洁周五来。", "保洁现在周二来。", "保洁周几来？"}})
    EXPECT_EQ(order({hit("a", older, 1, 4), hit("b", "The pool is closed today.", 1, 3),
                     hit("c", "We had soup.", 1, 2.5), hit("d", newer, 2, 2)},
                    question),
              "dabc")
        << older;
}

TEST(Corrections, MS_5_of_another_matter_the_order_stays) {
  const std::vector<Hit> hits{hit("a", "My sister plays the cello in Porto.", 1, 4),
                              hit("b", "The rent is 960 a month now.", 2, 3)};
  EXPECT_EQ(order(hits, "What does my sister play?"), "ab");
}

TEST(Corrections, PF_25_likeness_alone_proves_nothing) {
  const std::vector<Hit> said{hit("a", "The gardener comes on Mondays.", 1, 1),
                              hit("b", "The gardener comes on Thursdays.", 2, 1),
                              hit("c", "The gardener comes on Fridays now.", 3, 1)};
  const auto newer_than_first = [&](std::size_t count) {
    Statements statements;
    for (std::size_t i = 0; i < count; ++i) statements.add(said[i].item);
    EXPECT_FALSE(statements.newer_than(count - 1));
    return statements.newer_than(0);
  };
  const auto like = newer_than_first(2), corrected = newer_than_first(3);
  ASSERT_TRUE(like && corrected);
  EXPECT_EQ(like->place, 1U);
  EXPECT_EQ(like->certainty, Statements::Certainty::kSeems);
  EXPECT_EQ(corrected->place, 2U);
  EXPECT_EQ(corrected->certainty, Statements::Certainty::kProven);
}

TEST(Corrections, PF_25_only_a_sentence_that_says_another_value_of_the_same_matter_corrects) {
  const auto corrects = [](const std::string& older, const std::string& newer) {
    const std::vector<Hit> said{hit("a", older, 1, 1), hit("b", newer, 2, 1)};
    Statements statements;
    statements.add(said[0].item);
    statements.add(said[1].item);
    const auto found = statements.newer_than(0);
    return found && found->certainty == Statements::Certainty::kProven;
  };
  EXPECT_TRUE(corrects("The desk costs 420 euros.", "The desk costs 390 euros now."));
  EXPECT_TRUE(corrects("The desk costs 420 euros.", "Good news from the shop! The desk costs 390 euros now."));
  EXPECT_TRUE(corrects("瑜伽课在周三晚上。", "瑜伽课改到周五晚上了。"));
  // An event of the past stays true.
  EXPECT_FALSE(corrects("I went to the choir of the harbour.", "The choir of the harbour has a new hall."));
  EXPECT_FALSE(corrects("Bart and his dad swam in the lake.", "Bart and his new friends swim in the lake."));
  EXPECT_FALSE(corrects("我昨天去了合唱团。", "合唱团现在换了地方。"));
  EXPECT_FALSE(corrects("The kids put on a play about pirates.", "The kids now put on a play about ghosts."));
  EXPECT_FALSE(corrects("小米以前周一游泳。", "小米现在周五游泳。"));
  // Somebody else's, or another one of the kind.
  EXPECT_FALSE(corrects("Dad takes 25 mg of metoprolol.", "Mum takes 50 mg of metoprolol now."));
  EXPECT_FALSE(corrects("爸爸每天吃5毫克降压药。", "妈妈现在每天吃10毫克降压药。"));
  EXPECT_FALSE(corrects("红色垃圾桶周一收。", "绿色垃圾桶现在周四收。"));
  // The sentence of the change is about another matter, or says much else.
  EXPECT_FALSE(corrects("The choir of the harbour sings on Fridays.",
                        "I have a new bike. The choir of the harbour sings well."));
  EXPECT_FALSE(corrects("The choir gives us joy.",
                        "The choir and the joy that we share there now make me believe that "
                        "a whole town can learn to listen."));
}

TEST(Corrections, MS_5_notes_of_ours_are_no_words_of_an_item_whatever_was_read_before) {
  Item plain, noted;
  plain.text = noted.text = "We meet tomorrow [28 November 2026] at noon.";
  noted.kind = ItemKind::kEvent;
  noted.writing.annotations = {{16, 35}};
  const std::size_t all = words_of(plain)->matter().size();
  EXPECT_LT(words_of(noted)->matter().size(), all);
  EXPECT_EQ(words_of(plain)->matter().size(), all);
  forget_item_words();
  EXPECT_LT(words_of(noted)->matter().size(), all);
}

TEST(Corrections, MS_5_the_day_that_heads_an_event_is_no_word_of_it) {
  Hit event = hit("a", "[2026-03-02]\nUser said: We meet at 3.", 1, 1);
  event.item.kind = ItemKind::kEvent;
  const TermSet of_event = words_of(event.item)->matter();
  const TermSet said = words_of(hit("b", "We meet at 3.", 1, 1).item)->matter();
  EXPECT_TRUE(std::equal(of_event.begin(), of_event.end(), said.begin(), said.end()));
}

bool same(const char* text, const char* question) {
  Item item;
  item.text = text;
  return is_same_asking(item, *words_of(item), asking_of(question, index_words(question)));
}

QueryText read(const char* question) {
  RecallQuery query;
  query.text = question;
  return read_query(query);
}

TEST(Askings, MS_5_an_asking_is_told_from_a_statement_in_its_words) {
  EXPECT_TRUE(same("When does the kiln open?", "when does the kiln open"));
  EXPECT_TRUE(same("窑炉什么时候开门？", "窑炉什么时候开门"));
  EXPECT_FALSE(same("My dog's name is Rex.", "Is my dog's name Rex?"));
  EXPECT_FALSE(same("When does the bakery open?", "When does the kiln open?"));
}

TEST(Askings, MS_5_earlier_askings_rank_below_what_answers) {
  std::vector<Hit> hits(3);
  hits[0].item.text = "When does the kiln open?";
  hits[0].score = 9;
  hits[1].item.text = "It opens at nine.";
  hits[1].score = 5;
  hits[2].item.text = "The kiln is hot.";
  hits[2].score = 4;
  put_empty_last(hits, read("When does the kiln open?"));
  EXPECT_EQ(hits[0].item.text, "It opens at nine.");
  EXPECT_EQ(hits[2].item.text, "When does the kiln open?");
  EXPECT_LE(hits[2].score, hits[1].score);
}

TEST(Askings, MS_5_what_says_nothing_ranks_below_what_says_something) {
  std::vector<Hit> hits(3);
  hits[0].item.text = "Will do.";
  hits[0].score = 9;
  hits[1].item.text = "好的";
  hits[1].score = 8;
  hits[2].item.text = "Sesame weighs four kilos.";
  hits[2].score = 4;
  put_empty_last(hits, read("How much does Sesame weigh?"));
  EXPECT_EQ(hits[0].item.text, "Sesame weighs four kilos.");
  EXPECT_LE(hits[1].score, hits[0].score);
}

TEST(Askings, MS_5_a_statement_that_is_looked_for_by_its_very_words_stays_first) {
  for (const char* said : {"The spare key hangs in the shed.", "备用钥匙挂在棚子里。"}) {
    std::vector<Hit> hits(2);
    hits[0].item.text = said;
    hits[0].score = 9;
    hits[1].item.text = "It is red.";
    hits[1].score = 5;
    put_empty_last(hits, read(said));
    EXPECT_EQ(hits[0].item.text, said);
    EXPECT_TRUE(same(said, said));  // in a prompt it would add nothing to the same words
  }
}

}  // namespace
}  // namespace weft
