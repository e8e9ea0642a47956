#include <gtest/gtest.h>

#include "model/rows.h"

namespace weft {
namespace {

TEST(EventDetails, CM_16_what_was_set_beside_the_words_is_kept_with_an_event) {
  Item item;
  item.event.emplace();
  item.event->request_id = "r1";
  item.writing.annotations = {{4, 12}, {20, 31}};
  Item read;
  take_details(kept_details(item), read);
  ASSERT_TRUE(read.event.has_value());
  EXPECT_EQ(read.event->request_id, "r1");
  EXPECT_EQ(read.writing, item.writing);
}

TEST(EventDetails, CM_4_an_event_of_a_topic_records_its_model_and_prompt) {
  Item item;
  item.writing.model = "m";
  item.writing.prompt = "rewrite/en 2";
  Item read;
  take_details(kept_details(item), read);
  EXPECT_FALSE(read.event.has_value());
  EXPECT_EQ(read.writing, item.writing);
}

TEST(EventDetails, PF_2_what_cannot_be_read_is_nothing) {
  EXPECT_EQ(kept_details(Item()), "");
  for (const auto* text :
       {"", "x", "[]", "{\"writing\":[1]}", "{\"writing\":{\"annotations\":[[1],[\"a\",2],[-1,3]]}}"}) {
    Item read;
    take_details(text, read);
    EXPECT_FALSE(read.event.has_value()) << text;
    EXPECT_TRUE(read.writing.annotations.empty()) << text;
  }
}

}  // namespace
}  // namespace weft
