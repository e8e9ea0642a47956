#include "flow/recall/askings.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

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
