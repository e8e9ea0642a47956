#include <random>
#include <thread>

#include "tests/support/engine_fixture.h"

namespace weft {
namespace {

using namespace weft::test;

class EngineMemory : public EngineTest {};

TEST_F(EngineMemory, PF_16_what_was_just_said_is_found_at_once) {
  open();
  observe({test::user("my passport number is X4711 and lies in the blue drawer")});
  EXPECT_TRUE(finds("passport drawer", "X4711"));
  observe({test::user("小明的生日是五月三号")}, "zh");
  EXPECT_TRUE(finds("小明生日", "五月三号"));
}

TEST_F(EngineMemory, PF_5_events_and_narratives_name_their_sources) {
  open();
  observe({test::user("where do we hike", "u1"), assistant("In the hills", "a1")});
  ASSERT_TRUE(engine_->session(as("ann"), SessionId("s")).save().ok());
  drain();
  const auto events = items(ItemKind::kEvent);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].sources, (std::vector<MessageId>{MessageId("u1"), MessageId("a1")}));
  EXPECT_EQ(events[0].by, MadeBy::kFloor);
  EXPECT_NE(events[0].text.find("In the hills"), std::string::npos);
  const auto originals = engine_->memory(as("ann")).originals(events[0].sources);
  ASSERT_EQ(originals->size(), 2u);
  EXPECT_EQ((*originals)[0].message.content, "where do we hike");
  EXPECT_TRUE(engine_->memory(as("bob")).originals(events[0].sources)->empty());
  EXPECT_EQ(items(ItemKind::kNarrative).size(), 1u);
}

TEST_F(EngineMemory, CM_3_a_topic_closed_before_a_crash_is_worked_off_after_it) {
  open();
  turn("where do we hike", "In the hills");
  ASSERT_TRUE(engine_->session(as("ann"), SessionId("s")).save().ok());
  open();
  drain();
  EXPECT_EQ(items(ItemKind::kEvent).size(), 1u);
  // The queue's own files may be lost; the store knows that the topic is not done.
  turn("where do we swim", "In the lake", "t");
  ASSERT_TRUE(engine_->session(as("ann"), SessionId("t")).save().ok());
  engine_ = nullptr;
  std::filesystem::remove_all(folder_.path() / "ws/queues");
  open();
  drain();
  EXPECT_EQ(items(ItemKind::kEvent).size(), 2u);
}

// Many users and groups at once, on every path that reads: nobody sees a word of anybody else.
TEST_F(EngineMemory, PF_3_no_path_leads_across_scopes) {
  open();
  constexpr int kScopes = 12;
  const auto request = [](int i) {
    return i % 3 == 0 ? in("g" + std::to_string(i), "u" + std::to_string(i + 1)) : as("u" + std::to_string(i));
  };
  const auto secret = [](int i) { return "secret" + std::string(1, static_cast<char>('a' + i)) + "word"; };
  std::vector<std::jthread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937 random(static_cast<unsigned>(t));
      for (int n = 0; n < 120; ++n) {
        const int i = static_cast<int>(random() % kScopes);
        const SessionId session("shared-name" + std::to_string(random() % 2));
        const RequestContext mine = request(i);
        if (random() % 2 == 0) {
          const Message pair[] = {test::user("the common key is " + secret(i)), assistant("noted " + secret(i))};
          EXPECT_TRUE(engine_->session(mine, session).observe(pair).ok());
          if (random() % 4 == 0) {
            EXPECT_TRUE(engine_->session(mine, session).save().ok());
          }
          continue;
        }
        std::string seen;
        SearchRequest what;
        what.query = "the common key is " + secret(static_cast<int>(random() % kScopes));
        what.top_k = 50;
        if (const auto found = engine_->memory(mine).search(what); found.ok()) {
          for (const Hit& hit : found->hits) seen += hit.item.text;
        }
        ContextRequest ask;
        ask.input = "what is the common key";
        if (const auto woven = engine_->session(mine, session).context(ask); woven.ok()) seen += to_json(*woven);
        for (const ItemKind kind : {ItemKind::kMessage, ItemKind::kEvent, ItemKind::kNarrative}) {
          if (const auto list = engine_->memory(mine).items(kind, 1000); list.ok()) {
            for (const Item& item : *list) seen += item.text;
          }
        }
        if (const auto list = engine_->session(mine, session).history(100); list.ok()) {
          for (const StoredMessage& message : *list) seen += message.message.content;
        }
        for (int other = 0; other < kScopes; ++other) {
          if (other == i) continue;
          EXPECT_EQ(seen.find(secret(other)), std::string::npos) << "scope " << i << " saw " << other;
        }
      }
    });
  }
}

TEST_F(EngineMemory, PF_3_a_user_in_a_group_and_in_private_has_two_memories) {
  open();
  const Message said[] = {test::user("the hiding place is under the oak"), assistant("ok")};
  ASSERT_TRUE(engine_->session(as("ann"), SessionId("s")).observe(said).ok());
  SearchRequest what;
  what.query = "hiding place";
  EXPECT_TRUE(engine_->memory(in("club", "ann")).search(what)->hits.empty());
  EXPECT_FALSE(engine_->memory(as("ann")).search(what)->hits.empty());
  // An id cannot be made to look like another kind's key.
  EXPECT_TRUE(engine_->memory(in("ann", "bob")).search(what)->hits.empty());
}

TEST_F(EngineMemory, PF_12_a_regenerated_answer_replaces_the_old_one) {
  open();
  const std::vector<Message> first{test::user("name a fruit"), assistant("a quince"), test::user("and a colour"),
                                   assistant("vermilion")};
  ASSERT_TRUE(engine_->session(as("ann"), SessionId("s")).sync(first).ok());
  EXPECT_TRUE(finds("colour vermilion", "vermilion"));
  const std::vector<Message> again{first[0], first[1], first[2]};
  const auto back = engine_->session(as("ann"), SessionId("s")).sync(again);
  EXPECT_EQ(back->abandoned, 1u);
  EXPECT_FALSE(finds("colour vermilion", "vermilion"));
  const std::vector<Message> other{first[0], first[1], first[2], assistant("turquoise")};
  EXPECT_EQ(engine_->session(as("ann"), SessionId("s")).sync(other)->added, 1u);
  EXPECT_TRUE(finds("colour turquoise", "turquoise"));
  EXPECT_FALSE(finds("colour vermilion", "vermilion"));
  // Going back to the first branch brings its answer back.
  const auto returned = engine_->session(as("ann"), SessionId("s")).sync(first);
  EXPECT_EQ(returned->abandoned, 1u);
  EXPECT_TRUE(finds("colour vermilion", "vermilion"));
  EXPECT_FALSE(finds("colour turquoise", "turquoise"));
  EXPECT_EQ(engine_->session(as("ann"), SessionId("s")).history(10)->size(), 4u);
}

TEST_F(EngineMemory, PF_12_what_an_abandoned_branch_left_behind_is_not_recalled) {
  open();
  std::vector<Message> history{test::user("we talk about gardens"), assistant("gladly"),
                               test::user("my rose is called Florentina"), assistant("a fine name")};
  ASSERT_TRUE(engine_->session(as("ann"), SessionId("s")).sync(history).ok());
  ASSERT_TRUE(engine_->session(as("ann"), SessionId("s")).save().ok());
  drain();
  EXPECT_TRUE(finds("Florentina rose", "Florentina"));
  history[2] = test::user("my tulip is called Kleopatra");
  history.pop_back();
  ASSERT_TRUE(engine_->session(as("ann"), SessionId("s")).sync(history).ok());
  drain();
  for (const ItemKind kind : {ItemKind::kMessage, ItemKind::kEvent, ItemKind::kNarrative}) {
    for (const Item& item : items(kind)) EXPECT_EQ(item.text.find("Florentina"), std::string::npos) << item.text;
  }
  EXPECT_TRUE(finds("Kleopatra tulip", "Kleopatra"));
  open();
  EXPECT_FALSE(finds("Florentina rose", "Florentina"));
  EXPECT_TRUE(finds("Kleopatra tulip", "Kleopatra"));
}

TEST_F(EngineMemory, ST_5_a_resent_history_adds_only_what_is_new_also_when_its_beginning_was_dropped) {
  open();
  std::vector<Message> history;
  for (int i = 0; i < 10; ++i) {
    history.push_back(test::user("question number " + std::to_string(i)));
    ASSERT_TRUE(engine_->session(as("ann"), SessionId("s")).sync(history).ok());
    history.push_back(assistant("answer number " + std::to_string(i)));
  }
  EXPECT_EQ(engine_->status().messages, 19u);
  // The oldest turns fall out of the client's window.
  std::vector<Message> window(history.begin() + 8, history.end());
  window.push_back(test::user("one more"));
  const auto report = engine_->session(as("ann"), SessionId("s")).sync(window);
  EXPECT_EQ(report->known, 11u);
  EXPECT_EQ(report->added, 2u);
  EXPECT_EQ(report->abandoned, 0u);
  EXPECT_EQ(engine_->status().messages, 21u);
}

TEST_F(EngineMemory, PF_9_the_index_comes_back_from_the_rows_with_the_same_results) {
  open();
  for (int i = 0; i < 30; ++i) turn("note " + std::to_string(i) + " about thing" + std::to_string(i % 7), "kept");
  drain();
  const auto before = search("thing3");
  open();
  const auto after = search("thing3");
  ASSERT_EQ(after.size(), before.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(after[i].item.id, before[i].item.id);
    EXPECT_NEAR(after[i].score, before[i].score, 1e-4);
  }
}

TEST_F(EngineMemory, ST_1_a_message_of_ten_megabytes_is_kept_and_found) {
  open();
  std::string large = "needle-at-the-start ";
  while (large.size() < 10u * 1024 * 1024) large += "lorem ipsum dolor sit amet consectetur. ";
  config_.limits.max_indexed_parts = 4;
  observe({test::user(large)});
  EXPECT_TRUE(finds("needle-at-the-start", "needle-at-the-start"));
  EXPECT_EQ(engine_->session(as("ann"), SessionId("s")).history(1)->front().message.content.size(), large.size());
}

TEST_F(EngineMemory, MS_5_search_refuses_what_makes_no_sense) {
  open();
  SearchRequest what;
  what.query = "x";
  what.top_k = 0;
  EXPECT_EQ(engine_->memory(as("ann")).search(what).error().code, ErrorCode::kInvalidArgument);
  what.top_k = 5;
  what.recipe = "no such recipe";
  EXPECT_FALSE(engine_->memory(as("ann")).search(what).ok());
}

}  // namespace
}  // namespace weft
