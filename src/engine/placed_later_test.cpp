// Messages are acknowledged before the topics of their blocks are decided.
#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <random>
#include <set>

#include "tests/support/engine_fixture.h"

namespace weft::test {
namespace {

// Comparisons of topics wait until the gate is open; vectors of passages and queries do not.
class Gate {
 public:
  void open(bool is_open) {
    {
      const std::lock_guard lock(mutex_);
      open_ = is_open;
    }
    changed_.notify_all();
  }
  Status pass(const Deadline& deadline) {
    std::unique_lock lock(mutex_);
    ++arrived_;
    changed_.notify_all();
    while (!open_) {
      if (deadline.passed()) return deadline_error(deadline, "the gate");
      changed_.wait_for(lock, std::chrono::milliseconds(5));
    }
    return {};
  }
  int arrived() {
    const std::lock_guard lock(mutex_);
    return arrived_;
  }
  void wait_for_somebody() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return arrived_ > 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = true;
  int arrived_ = 0;
};

class GatedComparisons final : public Embedder {
 public:
  explicit GatedComparisons(std::shared_ptr<Gate> gate) : gate_(std::move(gate)) {}
  std::string name() const override { return inner_.name(); }
  std::size_t dimensions() const override { return inner_.dimensions(); }
  std::int64_t count_tokens(std::string_view text) const override { return inner_.count_tokens(text); }
  Result<Vector> embed(std::string_view text, EmbedUse use, const Deadline& deadline) override {
    if (use == EmbedUse::kCompare) WEFT_CHECK(gate_->pass(deadline));
    return inner_.embed(text, use, deadline);
  }

 private:
  HashEmbedder inner_;
  std::shared_ptr<Gate> gate_;
};

class PlacedLater : public EngineTest {
 protected:
  void open_gated() {
    engine_ = nullptr;
    EngineParts parts;
    parts.clock = std::make_unique<FakeClock>(clock_);
    parts.embedder = std::make_unique<GatedComparisons>(gate_);
    auto opened = EngineImpl::open(config_, std::move(parts));
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    engine_ = std::move(opened).value();
  }

  Session session(const std::string& id = "s") { return engine_->session(as("ann"), SessionId(id)); }

  ObserveReport say(const std::vector<Message>& messages, const std::string& id = "s") {
    auto report = session(id).observe(messages);
    EXPECT_TRUE(report.ok()) << report.error().message;
    return report.value_or({});
  }

  WatchedTurns turns(const std::string& id = "s") {
    return engine_->watch(as("ann")).turns(SessionId(id), 1000, 0).value();
  }

  // The beginnings of the questions of each topic, in order.
  std::vector<std::vector<std::string>> topics(const std::string& id = "s") {
    std::vector<std::vector<std::string>> all;
    TopicId last;
    for (const WatchedTurn& turn : turns(id).turns) {
      if (all.empty() || turn.topic != last) all.emplace_back();
      last = turn.topic;
      all.back().push_back(turn.asked);
    }
    return all;
  }

  std::shared_ptr<Gate> gate_ = std::make_shared<Gate>();
};

const std::string kCats = "my cat eats cat food in the cat corner";
const std::string kMoreCats = "the cat wants other cat food";
const std::string kTrains = "which train station sells train tickets for night trains";

TEST_F(PlacedLater, PF_23_a_turn_is_kept_and_found_by_words_while_the_encoder_is_held_up) {
  gate_->open(false);
  open_gated();
  const auto report = say({user(kCats), assistant("it likes chicken")});
  EXPECT_EQ(report.observations[1].action, "sealed");
  EXPECT_FALSE(report.observations[1].block.empty());
  EXPECT_FALSE(report.observations[1].decision);
  EXPECT_TRUE(finds("chicken", "chicken"));
  EXPECT_EQ(engine_->status().waiting_blocks, 1u);
  ASSERT_EQ(turns().turns.size(), 1u);
  EXPECT_TRUE(turns().turns[0].topic.empty());
  // The encoder works while nobody holds the session: the next turn does not wait for it either.
  gate_->wait_for_somebody();
  say({user(kTrains), assistant("the central one")});
  gate_->open(true);
  drain();
  EXPECT_EQ(engine_->status().waiting_blocks, 0u);
  EXPECT_EQ(topics(), (std::vector<std::vector<std::string>>{{kCats}, {kTrains}}));
  for (const WatchedTurn& turn : turns().turns) EXPECT_FALSE(turn.decision.empty());
}

TEST_F(PlacedLater, PF_23_a_caller_who_waits_is_told_the_decisions_of_the_messages_that_closed_blocks) {
  open_gated();
  say({user(kCats), assistant("ok")});
  // A question that was not answered is closed by the next one, whose answer closes the second block.
  const std::vector<Message> said{user(kMoreCats), user(kTrains), assistant("ok")};
  const auto report = engine_->session(Caller(as("ann")).awaiting_decisions(), "s").observe(said);
  ASSERT_TRUE(report.ok());
  const auto& seen = report->observations;
  EXPECT_FALSE(seen[0].decision);
  ASSERT_TRUE(seen[1].decision && seen[2].decision);
  EXPECT_EQ(seen[1].decision->verdict, Verdict::kAdsorb);
  EXPECT_EQ(seen[1].decision->block, seen[0].block);
  EXPECT_EQ(seen[2].decision->verdict, Verdict::kDrift);
  EXPECT_EQ(seen[2].decision->block, seen[1].block);
  ASSERT_EQ(report->flushed.size(), 1u);
  EXPECT_EQ(report->flushed[0].blocks, 2u);
}

TEST_F(PlacedLater, PF_23_whoever_waits_or_not_the_topics_are_the_same) {
  const std::vector<std::string> texts{kCats, kMoreCats, kTrains, "night trains sell train tickets", "the cat corner"};
  std::mt19937 random(7);
  for (int round = 0; round < 6; ++round) {
    open_gated();
    const std::string later = "later" + std::to_string(round), awaited = "awaited" + std::to_string(round);
    for (int i = 0; i < 12; ++i) {
      const std::vector<Message> pair{user(texts[random() % texts.size()] + " " + std::to_string(i)), assistant("ok")};
      if (random() % 4 == 0) drain();
      say(pair, later);
      observe(pair, awaited);
    }
    drain();
    EXPECT_EQ(topics(later), topics(awaited)) << round;
  }
}

TEST_F(PlacedLater, PF_9_turns_that_waited_for_their_topic_when_the_program_ended_get_it_after_a_restart) {
  gate_->open(false);
  open_gated();
  say({user(kCats), assistant("ok"), user(kMoreCats), assistant("ok"), user("not answered yet")});
  open_gated();
  say({assistant("now it is")});
  EXPECT_EQ(engine_->status().waiting_blocks, 3u);
  gate_->open(true);
  drain();
  EXPECT_EQ(engine_->status().waiting_blocks, 0u);
  std::vector<std::string> asked;
  for (const auto& topic : topics()) asked.insert(asked.end(), topic.begin(), topic.end());
  EXPECT_EQ(asked, (std::vector<std::string>{kCats, kMoreCats, "not answered yet"}));
  ASSERT_FALSE(topics().empty());
  EXPECT_GE(topics()[0].size(), 2u);
}

TEST_F(PlacedLater, PF_12_a_branch_that_is_left_before_its_topic_was_decided_gets_none) {
  gate_->open(false);
  open_gated();
  const std::vector<Message> first{user(kCats), assistant("ok")};
  std::vector<Message> history = first;
  history.insert(history.end(), {user(kTrains), assistant("the central one")});
  ASSERT_TRUE(session().sync(history).ok());
  std::vector<Message> other = first;
  other.insert(other.end(), {user("the cat food is empty"), assistant("buy some")});
  ASSERT_TRUE(session().sync(other).ok());
  EXPECT_EQ(engine_->status().waiting_blocks, 2u);
  gate_->open(true);
  drain();
  EXPECT_EQ(topics(), (std::vector<std::vector<std::string>>{{kCats, "the cat food is empty"}}));
  EXPECT_FALSE(finds("train station", "train"));
}

TEST_F(PlacedLater, PF_23_an_encoder_that_hangs_holds_up_one_conversation_and_words_decide_about_the_others) {
  gate_->open(false);
  open_gated();
  for (const char* id : {"a", "b", "c", "d"}) say({user(kCats), assistant("ok")}, id);
  drain();
  // Only one is waited for, and another one where the run took longer than the pause.
  EXPECT_LT(gate_->arrived(), 3);
  for (const char* id : {"a", "b", "c", "d"}) {
    ASSERT_EQ(turns(id).turns.size(), 1u);
    EXPECT_NE(turns(id).turns[0].decision.find("\"by\":\"floor\""), std::string::npos) << turns(id).turns[0].decision;
  }
  const auto told = [&] {
    const auto problems = engine_->status().problems;
    return std::any_of(problems.begin(), problems.end(), [](const auto& one) { return one.code == "topics_by_words"; });
  };
  EXPECT_TRUE(told());
}

TEST_F(PlacedLater, ST_8_a_long_backlog_that_is_saved_is_decided_by_the_model_all_the_same) {
  open_gated();
  for (int i = 0; i < 50; ++i) say({user(kCats + " " + std::to_string(i)), assistant("ok")});
  ASSERT_TRUE(session().save().ok());
  EXPECT_EQ(engine_->status().waiting_blocks, 0u);
  std::size_t by_model = 0;
  for (const WatchedTurn& turn : turns().turns) by_model += turn.decision.find("\"by\":\"model\"") != std::string::npos;
  EXPECT_EQ(by_model, 50u);
}

TEST_F(PlacedLater, PF_9_a_block_of_which_no_message_is_left_does_not_wait_for_ever) {
  gate_->open(false);
  open_gated();
  const auto report = say({user(kCats), assistant("ok"), user(kTrains), assistant("ok")});
  engine_ = nullptr;
  {
    auto store = open_store("sqlite:" + config_.workspace + "/weft.db").value();
    const auto branch = store->messages().branch(as("ann").scope.key(), SessionId("s"), true).value();
    WriteBatch batch;
    for (const MessageRow& row : branch)
      if (row.block == report.observations[2].block) batch.message_active.emplace_back(row.seq, false);
    ASSERT_EQ(batch.message_active.size(), 2u);
    ASSERT_TRUE(store->write(batch).ok());
  }
  gate_->open(true);
  open_gated();
  drain();
  EXPECT_EQ(engine_->status().waiting_blocks, 0u);
  EXPECT_EQ(topics(), (std::vector<std::vector<std::string>>{{kCats}}));
}

TEST_F(PlacedLater, ST_10_a_save_places_all_that_waits_before_it_closes_the_topic) {
  open_gated();
  gate_->open(false);
  say({user(kCats), assistant("ok"), user(kMoreCats), assistant("ok")});
  gate_->open(true);
  const auto saved = session().save();
  ASSERT_TRUE(saved.ok());
  ASSERT_EQ(saved->flushed.size(), 1u);
  EXPECT_EQ(saved->flushed[0].blocks, 2u);
  drain();
  EXPECT_EQ(items(ItemKind::kNarrative).size(), 1u);
}

TEST_F(PlacedLater, PF_5_an_erased_turn_that_waited_for_its_topic_leaves_nothing) {
  open_gated();
  gate_->open(false);
  const auto report = say({user(kCats), assistant("ok"), user(kTrains), assistant("ok")});
  gate_->open(true);
  EraseRequest what;
  what.messages = {report.observations[2].id, report.observations[3].id};
  const auto erased = engine_->memory(as("ann")).erase(what);
  ASSERT_TRUE(erased.ok()) << erased.error().message;
  drain();
  EXPECT_EQ(topics(), (std::vector<std::vector<std::string>>{{kCats}}));
  EXPECT_EQ(engine_->status().waiting_blocks, 0u);
}

}  // namespace
}  // namespace weft::test
