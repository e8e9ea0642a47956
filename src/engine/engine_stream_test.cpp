#include <algorithm>
#include <map>
#include <stdexcept>

#include "tests/support/engine_fixture.h"
#include "tests/support/failing_clock.h"
#include "tests/support/few_threads.h"

namespace weft {
namespace {

using namespace weft::test;

class EngineStream : public EngineTest {};

const std::string kCats = "my cat eats cat food in the cat corner";
const std::string kTrains = "which train station sells train tickets for night trains";

TEST_F(EngineStream, ST_8_likeness_adsorbs_and_drift_flushes_and_opens_a_new_topic) {
  open();
  EXPECT_EQ(turn(kCats, "ok").observations[1].decision->verdict, Verdict::kStart);
  const auto same = turn("the cat wants other cat food", "ok");
  EXPECT_EQ(same.observations[1].decision->verdict, Verdict::kAdsorb);
  EXPECT_TRUE(same.flushed.empty());
  const auto other = turn(kTrains, "ok");
  EXPECT_EQ(other.observations[1].decision->verdict, Verdict::kDrift);
  ASSERT_EQ(other.flushed.size(), 1u);
  EXPECT_EQ(other.flushed[0].reason, FlushReason::kDrift);
  EXPECT_EQ(other.flushed[0].blocks, 2u);
  EXPECT_NE(other.observations[1].decision->topic, same.observations[1].decision->topic);
  EXPECT_FALSE(other.observations[1].decision->reasons.empty());
}

TEST_F(EngineStream, ST_6_a_moving_kernel_follows_the_talk_and_a_fixed_one_does_not) {
  // A chain of turns of which neighbours share words, while the last shares none with the first.
  const std::vector<std::string> chain{"apple banana cherry", "banana cherry damson", "cherry damson elder",
                                       "damson elder fig", "elder fig grape"};
  config_.stream.kernel_rate = 0.7;
  const auto cuts = [&](TopicKernel kernel, const std::string& session) {
    config_.stream.kernel = kernel;
    open();
    std::size_t flushed = 0;
    for (const std::string& text : chain) flushed += turn(text, "ok", session).flushed.size();
    return flushed;
  };
  EXPECT_EQ(cuts(TopicKernel::kEma, "a"), 0u);
  EXPECT_GT(cuts(TopicKernel::kFirst, "b"), 0u);
}

TEST_F(EngineStream, ST_7_short_texts_are_forced_or_lent_the_query_before) {
  config_.stream.short_tokens = 5;
  config_.stream.short_text = ShortText::kForce;
  open();
  turn(kCats, "ok");
  EXPECT_EQ(turn("go on", "ok").observations[1].decision->verdict, Verdict::kAdsorb);
  config_.stream.short_text = ShortText::kAugment;
  open();
  turn(kCats, "ok", "augmented");
  EXPECT_EQ(turn("go on", "ok", "augmented").observations[1].decision->verdict, Verdict::kAdsorb);
  config_.stream.short_tokens = 0;
  open();
  turn(kCats, "ok", "plain");
  EXPECT_EQ(turn("go on", "ok", "plain").observations[1].decision->verdict, Verdict::kDrift);
}

TEST_F(EngineStream, ST_7_cues_join_what_goes_on_and_cut_what_plainly_begins) {
  config_.stream.short_tokens = 20;
  config_.stream.short_text = ShortText::kCues;
  for (const auto& [before, on, change] :
       {std::tuple{kCats, "and why is that?", "By the way, new topic: flights"},
        std::tuple{std::string("我家的猫只吃鸡肉味的猫粮"), "那为什么呢？", "换个话题，想订机票"}}) {
    open();
    turn(before, "ok", before);
    EXPECT_EQ(turn(on, "ok", before).observations[1].decision->verdict, Verdict::kAdsorb) << on;
    EXPECT_EQ(turn(change, "ok", before).observations[1].decision->verdict, Verdict::kDrift) << change;
  }
}

TEST_F(EngineStream, ST_7_what_was_spoken_of_before_is_taken_up_again_with_what_was_said_of_it) {
  config_.stream.policy = TopicPolicy::kModel;
  open();
  for (const bool restart : {false, true}) {
    const std::string session = restart ? "later" : "at once";
    const auto trip = turn("We travel to Kyoto in May and look for a quiet hotel near the station.",
                           "The Gion Inn is quiet.", session);
    engine_->session(as("ann"), SessionId(session)).save().value();
    turn("Which cat food is best for the old cat of my sister?", "Wet food.", session);
    if (restart) open();
    const auto back = turn("OK, back to Kyoto: is it booked?", "Not yet.", session);
    const Decision& decision = *back.observations[1].decision;
    EXPECT_EQ(decision.verdict, Verdict::kDrift);
    EXPECT_EQ(decision.reasons.front().name, "goes_back");
    EXPECT_NE(decision.topic, trip.observations[1].decision->topic);
    // What the talk is about already is no return.
    const auto on = turn("Back to Kyoto: what does it cost?", "Much.", session);
    EXPECT_EQ(on.observations[1].decision->topic, decision.topic);
    engine_->session(as("ann"), SessionId(session)).save().value();
    drain();
    const auto events = items(ItemKind::kEvent);
    const bool told = std::any_of(events.begin(), events.end(), [&](const Item& event) {
      return event.session.str() == session && event.text.find("is it booked") != std::string::npos &&
             event.text.find("a quiet hotel") != std::string::npos;
    });
    std::string all;
    for (const Item& event : events) all += event.session.str() + ": " + event.text + "\n---\n";
    EXPECT_TRUE(told) << all;
  }
}

TEST_F(EngineStream, ST_7_what_nobody_spoke_of_is_not_gone_back_to) {
  config_.stream.policy = TopicPolicy::kModel;
  open();
  turn(kCats, "ok");
  const auto on = turn("Back to the opera, shall we? The cat wants cat food.", "ok");
  for (const Reason& reason : on.observations[1].decision->reasons) EXPECT_NE(reason.name, "goes_back");
}

TEST_F(EngineStream, ST_9_an_idle_topic_is_closed_with_no_message_also_after_a_restart) {
  open();
  turn(kCats, "ok");
  clock_.advance_minutes(14);
  engine_->check_idle();
  drain();
  EXPECT_TRUE(items(ItemKind::kNarrative).empty());
  open();
  clock_.advance_minutes(2);
  engine_->check_idle();
  drain();
  EXPECT_EQ(items(ItemKind::kNarrative).size(), 1u);
}

TEST_F(EngineStream, ST_9_idleness_closes_the_topic_and_leaves_an_agent_at_work) {
  open();
  turn(kCats, "ok");
  observe({test::user(kTrains), calls({{"c1", "book"}})});
  clock_.advance_minutes(20);
  engine_->check_idle();
  drain();
  EXPECT_EQ(items(ItemKind::kNarrative).size(), 1u);
  const auto done = observe({output("c1", "booked"), assistant("The tickets are booked.")});
  EXPECT_EQ(done.observations[1].action, "sealed");
  EXPECT_TRUE(engine_->session(as("ann"), SessionId("s")).save().ok());
  drain();
  auto events = items(ItemKind::kEvent);
  std::erase_if(events, [](const Item& event) { return event.event && event.event->is_fact(); });
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[1].sources.size(), 4u);
}

TEST_F(EngineStream, ST_10_save_closes_at_once_and_is_not_remembered) {
  open();
  turn(kCats, "ok");
  const auto saved = observe({test::user("/save")});
  EXPECT_EQ(saved.observations[0].action, "saved");
  ASSERT_EQ(saved.flushed.size(), 1u);
  EXPECT_EQ(saved.flushed[0].reason, FlushReason::kSave);
  drain();
  EXPECT_FALSE(finds("/save", "/save"));
  EXPECT_EQ(engine_->session(as("ann"), SessionId("s")).history(10)->size(), 2u);
  // Nothing is open any more: a second save has nothing to do.
  EXPECT_TRUE(engine_->session(as("ann"), SessionId("s")).save()->flushed.empty());
}

TEST_F(EngineStream, ST_11_the_token_limit_forces_a_cut_and_a_summary_leads_on) {
  config_.stream.max_processing_tokens = 120;
  config_.stream.threshold = 0;  // never drift: only the limit cuts
  open();
  std::string filler;
  for (int i = 0; i < 20; ++i) filler += "The class SnakeGame moves the snake. ";
  turn("Write the class SnakeGame", filler);
  const auto relayed = turn("The SnakeGame ends too early", "I will look at it.");
  EXPECT_EQ(relayed.observations[1].decision->verdict, Verdict::kRelay);
  ASSERT_EQ(relayed.flushed.size(), 1u);
  EXPECT_EQ(relayed.flushed[0].reason, FlushReason::kRelay);
  ASSERT_TRUE(engine_->session(as("ann"), SessionId("s")).save().ok());
  drain();
  const auto events = items(ItemKind::kEvent);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_NE(events[1].text.find("Context"), std::string::npos) << events[1].text;
  EXPECT_NE(events[1].text.find("SnakeGame"), std::string::npos);
}

TEST_F(EngineStream, ST_11_in_balanced_a_new_topic_at_the_limit_inherits_no_summary) {
  config_.stream.max_processing_tokens = 60;
  config_.stream.relay_first = false;
  open();
  turn(kCats, kCats + kCats + kCats + kCats);
  const auto other = turn(kTrains, "ok");
  EXPECT_EQ(other.observations[1].decision->verdict, Verdict::kDrift);
  ASSERT_TRUE(engine_->session(as("ann"), SessionId("s")).save().ok());
  drain();
  for (const Item& event : items(ItemKind::kEvent))
    EXPECT_EQ(event.text.find("Context"), std::string::npos) << event.text;
}

TEST_F(EngineStream, ST_13_a_block_over_the_limit_is_kept_whole_and_alone) {
  config_.stream.max_processing_tokens = 100;
  config_.stream.threshold = 0;
  open();
  std::string huge;
  for (int i = 0; i < 3000; ++i) huge += "word" + std::to_string(i) + " ";
  turn("small one", "ok");
  const auto big = turn("huge " + huge, "ok");
  EXPECT_EQ(big.flushed.size(), 1u);
  const auto after = turn("small again", "ok");
  ASSERT_EQ(after.flushed.size(), 1u);
  EXPECT_EQ(after.flushed[0].blocks, 1u);
  ASSERT_TRUE(engine_->session(as("ann"), SessionId("s")).save().ok());
  drain();
  EXPECT_EQ(items(ItemKind::kEvent).size(), 3u);
  EXPECT_TRUE(finds("word2999", "word2999"));
}

TEST_F(EngineStream, ST_5_messages_sent_again_are_recognised) {
  open();
  const std::vector<Message> messages{test::user(kCats, "u1"), assistant("ok", "a1")};
  observe(messages);
  const auto again = observe(messages);
  EXPECT_EQ(again.observations[0].action, "duplicate");
  EXPECT_EQ(again.observations[1].action, "duplicate");
  EXPECT_EQ(engine_->status().messages, 2u);
  const auto clash = engine_->session(as("ann"), SessionId("s")).observe(std::vector{test::user("other words", "u1")});
  ASSERT_FALSE(clash.ok());
  EXPECT_EQ(clash.error().code, ErrorCode::kConflict);
}

TEST_F(EngineStream, ST_15_a_stream_cut_by_a_restart_after_every_message_is_the_same_stream) {
  const std::vector<Message> messages{test::user(kCats),
                                      calls({{"c1", "feed"}}),
                                      output("c1", "fed"),
                                      assistant("done"),
                                      test::user("the cat food"),
                                      assistant("ok"),
                                      test::user(kTrains),
                                      calls({{"c2", "book"}, {"c3", "pay"}}),
                                      output("c3", "paid"),
                                      output("c2", "booked"),
                                      assistant("ok"),
                                      test::user("train tickets again"),
                                      assistant("ok"),
                                      test::user("and the cat corner"),
                                      assistant("ok")};
  const auto run = [&](const std::string& session, bool restart) {
    std::vector<std::string> told;
    for (const Message& message : messages) {
      // What is known of the conversation outlasts a topic that is closed by hand.
      if (&message == &messages[11]) {
        EXPECT_TRUE(engine_->session(as("ann"), SessionId(session)).save().ok());
      }
      if (restart) open();
      for (const Observation& seen : observe({message}, session).observations) {
        std::string line = seen.action;
        if (seen.decision)
          line += " " + std::string(to_string(seen.decision->verdict)) + " " +
                  std::to_string(seen.decision->similarity) + " " + std::to_string(seen.decision->shift);
        told.push_back(line);
      }
    }
    return told;
  };
  open();
  const auto undisturbed = run("a", false);
  const auto restarted = run("b", true);
  EXPECT_EQ(restarted, undisturbed);
  EXPECT_NE(std::find_if(undisturbed.begin(), undisturbed.end(),
                         [](const std::string& line) { return line.find("drift") != std::string::npos; }),
            undisturbed.end());
}

TEST_F(EngineStream, PF_8_same_input_and_clock_give_the_same_memories) {
  const auto run = [&](const std::string& workspace) {
    config_.workspace = folder_ / workspace;
    open();
    turn(kCats, "Cats like fish.");
    turn(kTrains, "At the main station.");
    EXPECT_TRUE(engine_->session(as("ann"), SessionId("s")).save().ok());
    drain();
    std::string all;
    for (const ItemKind kind : {ItemKind::kMessage, ItemKind::kEvent, ItemKind::kNarrative}) {
      for (const Item& item : items(kind)) all += item.id.str() + "|" + item.text + "|" + format_time(item.time) + "\n";
    }
    return all;
  };
  const std::string first = run("one");
  EXPECT_FALSE(first.empty());
  EXPECT_EQ(run("two"), first);
}

TEST_F(EngineStream, PF_2_without_an_embedder_words_decide_and_say_so) {
  config_.embedding.provider = EmbeddingProvider::kNone;
  config_.stream.policy = TopicPolicy::kModel;
  auto opened = EngineImpl::open(config_);
  ASSERT_TRUE(opened.ok());
  engine_ = std::move(opened).value();
  turn(kCats, "Cats like fish.");
  const auto second = turn("the cat food", "ok");
  EXPECT_EQ(second.observations[1].decision->by, MadeBy::kFloor);
  SearchRequest what;
  what.query = "fish";
  const auto found = engine_->memory(as("ann")).search(what);
  ASSERT_FALSE(found->hits.empty());
  EXPECT_EQ(found->by, MadeBy::kFloor);
}

TEST_F(EngineStream, PF_1_a_workspace_that_cannot_be_written_is_named) {
  config_.workspace = "/proc/weft";
  const auto opened = EngineImpl::open(config_);
  ASSERT_FALSE(opened.ok());
  EXPECT_NE(opened.error().message.find("/proc/weft"), std::string::npos);
}

TEST_F(EngineStream, ST_5_time_going_backwards_and_odd_ids_are_taken) {
  open();
  observe({at(test::user("later", "u2"), "2026-03-02T00:00:00Z"), at(assistant("ok", "a2"), "2026-03-01T00:00:00Z")},
          "../../etc/passwd");
  EXPECT_EQ(engine_->session(as("ann"), SessionId("../../etc/passwd")).history(10)->size(), 2u);
  EXPECT_FALSE(engine_->session(as("ann"), SessionId("")).observe(std::vector{test::user("x")}).ok());
  EXPECT_FALSE(
      engine_->session(as("ann"), SessionId(std::string("a\0b", 3))).observe(std::vector{test::user("x")}).ok());
  observe({test::user("", "empty"), assistant("", "empty2")});
  EXPECT_EQ(engine_->session(as("ann"), SessionId("s")).history(10)->size(), 2u);
}

TEST_F(EngineStream, PF_21_an_engine_that_gets_too_few_threads_says_so_and_opens_when_there_are_more) {
  bool opened = false;
  for (int given = 0; !opened; ++given) {
    FewThreads few(given);
    EngineParts parts;
    parts.embedder = std::make_unique<HashEmbedder>();
    const auto engine = EngineImpl::open(config_, std::move(parts));
    opened = engine.ok();
    if (opened) continue;
    EXPECT_EQ(engine.error().code, ErrorCode::kUnavailable);
    EXPECT_NE(engine.error().message.find("thread"), std::string::npos) << engine.error().message;
    ASSERT_LT(given, 200);
  }
}

TEST_F(EngineStream, PF_9_a_message_whose_keeping_breaks_off_leaves_the_session_as_it_is_on_disk) {
  const auto open_broken = [&] {
    engine_ = nullptr;
    EngineParts parts;
    parts.clock = std::make_unique<FailingClock>();
    parts.embedder = std::make_unique<HashEmbedder>();
    engine_ = EngineImpl::open(config_, std::move(parts)).value();
  };
  open_broken();
  turn("one", "two");
  int rounds = 0;
  for (bool broken = true; broken; ++rounds) {
    const std::string number = std::to_string(rounds);
    FailingClock::fail_at(rounds);
    try {
      (void)engine_->session(as("ann"), SessionId("s")).observe(weft::test::user("question " + number));
    } catch (const std::runtime_error&) {
    }
    broken = FailingClock::has_failed();
    observe({assistant("answer " + number)});
  }
  EXPECT_GT(rounds, 1);
  for (const bool again : {false, true}) {
    if (again) open_broken();
    const auto history = engine_->session(as("ann"), SessionId("s")).history(1000);
    ASSERT_TRUE(history.ok());
    std::map<std::string, int> said;
    for (const StoredMessage& one : *history) ++said[one.message.content];
    for (int round = 0; round < rounds; ++round) {
      EXPECT_EQ(said["answer " + std::to_string(round)], 1) << round;
      EXPECT_LE(said["question " + std::to_string(round)], 1) << round;
    }
    turn("and then?", "that is all");
  }
}

// Each message as it is found: who said it, and what.
std::vector<std::string> found_lines(const std::vector<Item>& items) {
  std::vector<std::string> lines;
  for (const Item& item : items) lines.push_back(item.who + "|" + item.text);
  return lines;
}

TEST_F(EngineStream, CM_10_a_prefix_that_recurs_becomes_the_speaker_and_outlasts_a_restart) {
  open();
  const auto say = [&](const std::string& text, const std::string& session) {
    ASSERT_TRUE(engine_->session(as("ann"), SessionId(session)).observe(Message::user(text)).ok());
  };
  say("张三：帐篷在车里", "a");
  say("李四：炉子在家", "a");
  say("张三：水壶在桌上", "a");
  open();
  say("李四：灯没电了", "a");
  // Known in the scope: a new session knows them from the first message on.
  say("李四：地图也要带", "b");
  say("注意：别忘了地图", "b");
  const auto lines = found_lines(items(ItemKind::kMessage));
  const auto has = [&](const std::string& line) { return std::find(lines.begin(), lines.end(), line) != lines.end(); };
  EXPECT_TRUE(has("user|张三：帐篷在车里"));  // said before anything recurred
  EXPECT_TRUE(has("李四|灯没电了"));
  EXPECT_TRUE(has("李四|地图也要带"));
  EXPECT_TRUE(has("user|注意：别忘了地图"));
}

TEST_F(EngineStream, CM_10_a_name_that_the_message_gives_wins_over_a_prefix) {
  open();
  for (const char* text : {"Ann: one tent", "Bob: two stoves", "Ann: three lamps", "Bob: four mats"})
    ASSERT_TRUE(engine_->session(as("ann"), SessionId("a")).observe(Message::user(text)).ok());
  ASSERT_TRUE(engine_->session(as("ann"), SessionId("a")).observe(Message::user("Bob: five maps", "Carl")).ok());
  // So does an id: whoever is known by one wrote the message, and only speaks to Bob.
  Message known = Message::user("Bob: bring six pegs");
  known.sender_id = UserId("carl");
  ASSERT_TRUE(engine_->session(as("ann"), SessionId("a")).observe(known).ok());
  const auto lines = found_lines(items(ItemKind::kMessage));
  EXPECT_EQ(std::count(lines.begin(), lines.end(), "Carl|Bob: five maps"), 1);
  EXPECT_EQ(std::count(lines.begin(), lines.end(), "Bob|four mats"), 1);
  EXPECT_EQ(std::count(lines.begin(), lines.end(), "Bob|bring six pegs"), 0);
}

}  // namespace
}  // namespace weft
