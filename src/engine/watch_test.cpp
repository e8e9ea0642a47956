#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <thread>

#include "engine/watch.h"
#include "flow/stream/observe.h"
#include "tests/support/fake_clock.h"
#include "tests/support/messages.h"

namespace weft::test {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLong{20'000};
const ScopeKey kAnn("user:ann"), kBob("user:bob");

class FeedTest : public testing::Test {
 protected:
  ~FeedTest() override {
    feed_.close();
    thread_.stop();
  }

  void keep(const ScopeKey& scope, int count = 1, std::size_t bytes = 4) {
    WriteBatch batch;
    batch.now_ms = 1000;
    for (int i = 0; i < count; ++i) {
      MessageRow row;
      row.seq = ++last_;
      row.scope = scope;
      row.session = SessionId("s");
      row.message = weft::test::user(bytes == 4 ? "text" : std::string(bytes, 'x'), "m" + std::to_string(row.seq));
      row.message.time = Time{1000, 0};
      batch.messages.push_back(std::move(row));
    }
    ASSERT_TRUE(store_->write(batch).ok());
  }
  void append(LogKind kind, std::string body) {
    WriteBatch batch;
    batch.log.push_back({kAnn, 0, kind, SessionId("s"), std::move(body), 0});
    ASSERT_TRUE(store_->write(batch).ok());
  }
  std::vector<std::uint64_t> after(const ScopeKey& scope, std::uint64_t since, milliseconds wait = {},
                                   const std::stop_token& stop = {}) {
    std::vector<std::uint64_t> ids;
    const auto events = feed_.after(scope, since, wait, stop).value();
    for (const Happening& one : events) ids.push_back(one.id);
    return ids;
  }
  void send(const ScopeKey& scope, HappeningKind kind = HappeningKind::kJob) {
    feed_.send(scope, Time{1000}, kind, {}, [&] { return ++made_, std::string("{}"); });
  }

  std::atomic<int> last_ = 0;
  int made_ = 0;  // payloads of live events
  std::unique_ptr<Store> store_ =
      open_store("memory:", [this](const WriteBatch& batch) { feed_.appended(batch); }).value();
  FakeClock clock_;
  Feed feed_{*store_, clock_};
  Background thread_{"feed", feed_.waker(), [this](std::stop_token stop) { return feed_.work(stop); }};
};

// Collects what a follower gets, and waits for it.
class Heard {
 public:
  Feed::Tell tell() {
    return [this](const Happening& one) {
      const std::lock_guard lock(mutex_);
      ids_.push_back(one.id);
      kinds_.push_back(one.kind);
      more_.notify_all();
    };
  }
  std::vector<std::uint64_t> ids(std::size_t count) {
    std::unique_lock lock(mutex_);
    more_.wait_for(lock, kLong, [&] { return ids_.size() >= count; });
    return ids_;
  }
  std::vector<HappeningKind> kinds(std::size_t count) {
    (void)ids(count);
    return kinds_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable more_;
  std::vector<std::uint64_t> ids_;
  std::vector<HappeningKind> kinds_;
};

using Ids = std::vector<std::uint64_t>;

TEST_F(FeedTest, PF_10_each_scope_gets_its_own_events_by_the_numbers_of_its_log) {
  keep(kAnn, 2);
  keep(kBob);
  EXPECT_EQ(after(kAnn, 0), (Ids{1, 2}));
  EXPECT_EQ(after(kAnn, 1), (Ids{2}));
  EXPECT_EQ(after(kBob, 0), (Ids{1}));
  EXPECT_EQ(feed_.newest(kAnn).value(), 2U);
  EXPECT_EQ(feed_.newest(ScopeKey("user:nobody")).value(), 0U);
}

TEST_F(FeedTest, PF_10_a_client_that_waits_is_woken_by_its_own_scope) {
  thread_.start();
  std::jthread other([&] {
    keep(kBob);
    send(kAnn);
    keep(kAnn);
  });
  EXPECT_EQ(after(kAnn, 0, kLong), (Ids{1}));
}

TEST_F(FeedTest, PF_10_waiting_ends_with_the_time_a_stop_and_the_feed) {
  thread_.start();
  EXPECT_TRUE(after(kAnn, 0, milliseconds(1)).empty());
  std::stop_source gone;
  std::jthread leaving([&] { gone.request_stop(); });
  EXPECT_TRUE(after(kAnn, 0, kLong, gone.get_token()).empty());
  std::jthread closing([&] { feed_.close(); });
  EXPECT_TRUE(after(kAnn, 0, kLong).empty());
}

TEST_F(FeedTest, PF_10_a_follower_gets_each_event_once_and_in_order) {
  thread_.start();
  keep(kAnn, 2);
  Heard ann, bob;
  const auto number = feed_.follow(kAnn, 1, ann.tell());
  feed_.follow(kBob, 0, bob.tell());
  {
    std::vector<std::jthread> many;
    for (int thread = 0; thread < 4; ++thread)
      many.emplace_back([&, first = 1000 * (thread + 1)] {
        for (int i = 0; i < 100; ++i) {
          WriteBatch batch;
          batch.log.push_back({kAnn, 0, LogKind::kEnded, SessionId("s"), std::to_string(first + i), 0});
          EXPECT_TRUE(store_->write(batch).ok());
        }
      });
  }
  const Ids heard = ann.ids(401);
  ASSERT_EQ(heard.size(), 401U);
  for (std::size_t i = 0; i < heard.size(); ++i) EXPECT_EQ(heard[i], i + 2);
  feed_.unfollow(number);
  keep(kAnn);
  keep(kBob);
  EXPECT_EQ(bob.ids(1), (Ids{1}));
  EXPECT_EQ(ann.ids(0).size(), 401U);
  feed_.close();
  keep(kBob);
  EXPECT_EQ(feed_.work({}), std::nullopt);
  EXPECT_EQ(bob.ids(0).size(), 1U);
}

TEST_F(FeedTest, PF_10_live_events_have_no_number_and_are_made_for_followers_only) {
  Heard ann, bob;
  send(kAnn);
  send({});
  EXPECT_EQ(made_, 0) << "nobody follows";
  feed_.follow(kAnn, 0, ann.tell());
  feed_.follow(kBob, 0, bob.tell());
  send(kAnn, HappeningKind::kRun);
  send({});
  EXPECT_EQ(ann.kinds(2), (std::vector{HappeningKind::kRun, HappeningKind::kJob}));
  EXPECT_EQ(bob.kinds(1), (std::vector{HappeningKind::kJob}));
  EXPECT_EQ(ann.ids(2), (Ids{0, 0}));
  EXPECT_EQ(made_, 2) << "one payload serves all who follow";
}

TEST_F(FeedTest, PF_23_every_kind_of_entry_is_an_event) {
  keep(kAnn);
  WriteBatch placed;
  Decision decision;
  decision.block = BlockId("b1");
  keep_decision(kAnn, SessionId("s"), decision, Time{1000, 0}, placed);
  TopicRow topic;
  topic.id = TopicId("t1");
  topic.scope = kAnn;
  topic.session = SessionId("s");
  topic.tokens = 12;
  placed.topics = {topic};
  ASSERT_TRUE(store_->write(placed).ok());
  append(LogKind::kTurn, "b1");
  append(LogKind::kTopicClosed, "t1");
  append(LogKind::kEnded, "");
  append(LogKind::kAnswered, "q1");
  append(LogKind::kTaskClosed, "r1");
  append(LogKind::kDocument, "profile/user:ann");
  append(LogKind::kTurn, "erased");
  std::vector<std::string> told;
  const auto events = feed_.after(kAnn, 0, {}, {}).value();
  for (const Happening& one : events) told.push_back(std::string(to_string(one.kind)) + " " + one.payload);
  ASSERT_EQ(told.size(), 7U) << "a turn whose decision was erased gives no event";
  EXPECT_NE(told[0].find(R"("content":"text")"), std::string::npos) << told[0];
  EXPECT_NE(told[1].find(R"("block":"b1")"), std::string::npos) << told[1];
  EXPECT_NE(told[2].find(R"("topic":"t1")"), std::string::npos) << told[2];
  EXPECT_NE(told[2].find(R"("job":"topic-t1")"), std::string::npos) << told[2];
  EXPECT_EQ(told[3], "end {}");
  EXPECT_EQ(told[4], R"(answer {"question":"q1"})");
  EXPECT_EQ(told[5], R"(task {"report":"r1"})");
  EXPECT_EQ(told[6], R"(document {"kind":"profile","id":"user:ann"})");
}

TEST_F(FeedTest, PF_21_a_client_learns_up_to_where_events_are_not_kept_any_more) {
  keep(kAnn, 10);
  ASSERT_EQ(store_->log().trim({}, 3, 100).value(), 7U);
  const auto late = feed_.after(kAnn, 2, {}, {}).value();
  ASSERT_EQ(late.size(), 4U);
  EXPECT_EQ(late.front().id, 7U);
  EXPECT_TRUE(late.front().payload.empty());
  EXPECT_EQ(late[1].id, 8U);
  EXPECT_EQ(after(kAnn, 7), (Ids{8, 9, 10})) << "none of these is missing";
}

TEST_F(FeedTest, PF_5_an_erasure_leaves_no_event_and_is_none) {
  thread_.start();
  keep(kAnn, 4);
  WriteBatch erased;
  erased.erased_messages = {2, 3};
  ASSERT_TRUE(store_->write(erased).ok());
  EXPECT_EQ(after(kAnn, 1), (Ids{4}));
  Heard ann;
  feed_.follow(kAnn, 4, ann.tell());
  erased = {};
  erased.erased_messages = {1, 4};
  erased.erased_sessions = {{kAnn, SessionId("s")}};
  ASSERT_TRUE(store_->write(erased).ok());
  keep(kAnn, 6);
  EXPECT_EQ(ann.ids(6), (Ids{5, 6, 7, 8, 9, 10})) << "the new log begins behind the numbers of the former one";
  EXPECT_EQ(after(kAnn, 5), (Ids{6, 7, 8, 9, 10}));
}

TEST_F(FeedTest, PF_21_a_number_that_no_log_has_given_is_answered_with_the_newest) {
  keep(kAnn, 3);
  const auto unknown = feed_.after(kAnn, 1'796'000'000'000'000, {}, {}).value();
  ASSERT_EQ(unknown.size(), 1U);
  EXPECT_EQ(unknown.front().id, 3U);
  EXPECT_TRUE(unknown.front().payload.empty());
  EXPECT_TRUE(after(kBob, 7).empty()) << "nothing was said there";
}

TEST_F(FeedTest, PF_21_a_page_of_large_messages_is_bounded_in_bytes) {
  for (int i = 0; i < 5; ++i) keep(kAnn, 1, 50'000);
  EXPECT_EQ(after(kAnn, 0), (Ids{1, 2}));
  EXPECT_EQ(after(kAnn, 2), (Ids{3, 4}));
  thread_.start();
  Heard ann;
  feed_.follow(kAnn, 0, ann.tell());
  EXPECT_EQ(ann.ids(5), (Ids{1, 2, 3, 4, 5}));
}

TEST_F(FeedTest, PF_10_the_newest_prompts_are_kept_and_dropped_with_their_scope) {
  const PastContext prompt{0, Time{1000}, SessionId("s"), {}, "?", {}};
  for (int i = 0; i < 300; ++i) feed_.add(kAnn, prompt);
  const auto contexts = feed_.contexts(kAnn, SessionId("s"), 1000);
  EXPECT_EQ(contexts.size(), 200U);
  EXPECT_EQ(contexts.front().id, 300U) << "newest first";
  feed_.add(kBob, prompt);
  feed_.forget(kAnn);
  EXPECT_TRUE(feed_.contexts(kAnn, {}, 10).empty());
  EXPECT_EQ(feed_.contexts(kBob, {}, 10).size(), 1U);
}

}  // namespace
}  // namespace weft::test
