#include "flow/context/curate.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <latch>
#include <stdexcept>
#include <thread>

#include "tests/support/few_threads.h"
#include "tests/support/scripted_chat.h"

namespace weft {
namespace {

using std::chrono::milliseconds;

/// A memory with two entries, whose texts stand behind their ids.
CurateRequest request(ScopeKey scope = ScopeKey("user:ann"), std::vector<std::string> keywords = {"temple", "key"},
                      std::string input = "where is the key of the temple?") {
  CurateRequest request;
  request.key = {std::move(scope), SessionId("s1")};
  request.what.plan.search_intent.focus_keywords = std::move(keywords);
  request.what.input = std::move(input);
  request.head = "m1";
  request.ports.recall = [](const SearchRequest& what, const Deadline&) -> Result<SearchResult> {
    SearchResult found;
    if (what.kinds.front() != ItemKind::kNarrative) return found;
    for (const char* id : {"n1", "n2"}) {
      Hit hit;
      hit.item.id = ItemId(id);
      hit.item.text = std::string("the temple key, as told in ") + id;
      hit.score = id[1] == '1' ? 2 : 1;
      found.hits.push_back(hit);
    }
    return found;
  };
  request.fetch = [](const CurationCandidate& one) -> Result<CuratedEntry> {
    CuratedEntry entry;
    entry.text = "whole text of " + one.ref;
    return entry;
  };
  return request;
}

/// A model that answers when it is let go, or when it is cancelled.
class SleepingChat final : public ChatModel {
 public:
  explicit SleepingChat(std::string answer) : answer_(std::move(answer)) {}
  std::string name() const override { return "sleeper"; }
  std::int64_t window() const override { return 0; }
  std::int64_t count_tokens(std::string_view) const override { return -1; }
  Result<ChatReply> complete(const ChatRequest&, const Deadline& deadline,
                             const std::function<bool(std::string_view)>&) override {
    ++asked;
    std::unique_lock lock(mutex_);
    woken_.wait(lock, deadline.cancel(), [this] { return awake_; });
    if (!awake_) return cancelled("given up");
    return ScriptedChat::reply(answer_);
  }
  void wake() {
    const std::lock_guard lock(mutex_);
    awake_ = true;
    woken_.notify_all();
  }
  void sleep() {
    const std::lock_guard lock(mutex_);
    awake_ = false;
  }
  std::atomic<int> asked = 0;

 private:
  std::string answer_;
  std::mutex mutex_;
  std::condition_variable_any woken_;
  bool awake_ = false;
};

CurateOptions impatient(milliseconds timeout = milliseconds(40)) {
  CurateOptions options;
  options.timeout = timeout;
  return options;
}

CurateOptions patient() { return impatient(std::chrono::minutes(5)); }

void wait_for(const std::function<bool()>& condition) {
  for (int i = 0; i < 10'000 && !condition(); ++i) std::this_thread::sleep_for(milliseconds(2));
  ASSERT_TRUE(condition());
}

TEST(Curate, HC_11_result_in_time_is_the_models) {
  ScriptedChat model("flash");
  model.say(R"(["n2"])");
  Curator curator(patient(), &model);
  const Curation curation = curator.start(request()).wait();
  EXPECT_EQ(curation.status, CurationStatus::kDone);
  EXPECT_EQ(curation.by, MadeBy::kModel);
  EXPECT_EQ(curation.labels.model, "flash");
  ASSERT_EQ(curation.entries.size(), 1U);
  EXPECT_EQ(curation.entries[0].text, "whole text of n2");
  EXPECT_EQ(curation.pool.size(), 2U);
  EXPECT_EQ(curator.prefetched(), 0U);
}

TEST(Curate, HC_11_without_a_model_the_floor_chooses) {
  Curator curator(patient(), nullptr);
  const Curation curation = curator.start(request()).wait();
  EXPECT_EQ(curation.status, CurationStatus::kDone);
  EXPECT_EQ(curation.by, MadeBy::kFloor);
  EXPECT_EQ(curation.entries.size(), 2U);
}

TEST(Curate, HC_11_start_does_not_wait_so_that_both_streams_run_at_once) {
  std::latch begun(1), other_stream_done(1);
  CurateRequest wish = request();
  wish.ports.recall = [&](const SearchRequest&, const Deadline&) -> Result<SearchResult> {
    begun.count_down();
    other_stream_done.wait();
    return SearchResult();
  };
  wish.what.plan.search_intent.domain_weight.lore = 0;
  Curator curator(patient(), nullptr);
  PendingCuration pending = curator.start(std::move(wish));
  begun.wait();  // it runs while this thread goes on
  other_stream_done.count_down();
  EXPECT_EQ(pending.wait().status, CurationStatus::kDone);
}

TEST(Curate, HC_11_late_result_serves_the_next_turn) {
  SleepingChat model(R"(["n2"])");
  Curator curator(impatient(), &model);
  const Curation first = curator.start(request()).wait();
  EXPECT_EQ(first.status, CurationStatus::kLate);
  EXPECT_EQ(first.by, MadeBy::kFloor);
  model.wake();
  wait_for([&] { return curator.prefetched() == 1; });
  // The next turn is late as well: its memory is slow.
  std::latch slow(1);
  CurateRequest next = request(ScopeKey("user:ann"), {"key"}, "so who has the key?");
  next.ports.recall = [&](const SearchRequest&, const Deadline&) -> Result<SearchResult> {
    slow.wait();
    return SearchResult();
  };
  const Curation second = curator.start(std::move(next)).wait();
  EXPECT_EQ(second.status, CurationStatus::kPrefetched);
  EXPECT_EQ(second.by, MadeBy::kModel);
  ASSERT_EQ(second.entries.size(), 1U);
  EXPECT_EQ(second.entries[0].id, "n2");
  EXPECT_EQ(curator.prefetched(), 0U);
  slow.count_down();
}

TEST(Curate, HC_11_prefetched_result_may_be_used_at_once) {
  SleepingChat model(R"(["n1"])");
  CurateOptions options = impatient();
  options.prefetched_at_once = true;
  Curator curator(options, &model);
  EXPECT_EQ(curator.start(request()).wait().status, CurationStatus::kLate);
  model.wake();
  wait_for([&] { return curator.prefetched() == 1; });
  model.sleep();
  EXPECT_EQ(curator.start(request()).wait().status, CurationStatus::kPrefetched);
  model.wake();
  wait_for([&] { return curator.prefetched() == 1; });  // and the new one is made for the turn after
}

TEST(Curate, HC_11_literally_a_late_stream_gives_nothing) {
  SleepingChat model("[]");
  CurateOptions options = impatient();
  options.floor_when_late = false;
  Curator curator(options, &model);
  const Curation curation = curator.start(request()).wait();
  EXPECT_EQ(curation.status, CurationStatus::kLate);
  EXPECT_TRUE(curation.entries.empty());
}

TEST(Curate, HC_11_plan_that_does_not_search_starts_nothing) {
  SleepingChat model("[]");
  Curator curator(patient(), &model);
  CurateRequest wish = request();
  wish.what.plan.search_intent.enabled = false;
  wish.ports.recall = [](const SearchRequest&, const Deadline&) -> Result<SearchResult> {
    ADD_FAILURE() << "searched";
    return SearchResult();
  };
  EXPECT_EQ(curator.start(std::move(wish)).wait().status, CurationStatus::kSkipped);
  EXPECT_EQ(model.asked, 0);
}

TEST(Curate, HC_11_full_queue_skips_with_that_reason) {
  SleepingChat model("[]");
  CurateOptions options = impatient();
  options.workers = 1;
  options.queue = 1;
  Curator curator(options, &model);
  PendingCuration running = curator.start(request(ScopeKey("user:a")));
  wait_for([&] { return model.asked == 1; });
  PendingCuration waiting = curator.start(request(ScopeKey("user:b")));
  const Curation third = curator.start(request(ScopeKey("user:c"))).wait();
  EXPECT_EQ(third.status, CurationStatus::kSkipped);
  EXPECT_EQ(third.why, "too many others are waiting");
  EXPECT_EQ(waiting.wait().status, CurationStatus::kLate);
  const Curation newer = curator.start(request(ScopeKey("user:b"))).wait();  // takes the place of what nobody waits for
  EXPECT_EQ(newer.status, CurationStatus::kLate);
  EXPECT_EQ(running.wait().status, CurationStatus::kLate);
}

TEST(Curate, HC_11_many_turns_with_a_sleeping_selector_each_return_before_it) {
  SleepingChat model(R"(["n1"])");
  {
    Curator curator(impatient(milliseconds(2)), &model);
    std::vector<std::thread> sessions;
    std::atomic<int> late = 0;
    for (int user = 0; user < 4; ++user)
      sessions.emplace_back([&, user] {
        for (int turn = 0; turn < 50; ++turn)
          late +=
              curator.start(request(ScopeKey("user:" + std::to_string(user)))).wait().status == CurationStatus::kLate
                  ? 1
                  : 0;
      });
    for (std::thread& one : sessions) one.join();
    EXPECT_EQ(late, 200);  // the selector sleeps still
  }
  EXPECT_LE(model.asked, 2);  // the workers', and all have ended with the curator
}

TEST(Curate, HC_11_erasing_a_scope_forgets_what_is_kept_and_what_is_made) {
  SleepingChat model(R"(["n1"])");
  Curator curator(impatient(), &model);
  EXPECT_EQ(curator.start(request()).wait().status, CurationStatus::kLate);
  curator.forget(ScopeKey("user:ann"));
  model.wake();
  std::this_thread::sleep_for(milliseconds(50));
  EXPECT_EQ(curator.prefetched(), 0U);
  std::latch erased(1);
  CurateRequest wish = request();
  wish.ports.recall = [&](const SearchRequest&, const Deadline&) -> Result<SearchResult> {
    erased.wait();
    return SearchResult();
  };
  PendingCuration pending = curator.start(std::move(wish));
  curator.forget(ScopeKey("user:ann"));
  const Curation forgotten = pending.wait();
  erased.count_down();
  EXPECT_EQ(forgotten.status, CurationStatus::kSkipped);
  EXPECT_TRUE(forgotten.entries.empty());
}

TEST(Curate, HC_11_callback_that_throws_costs_one_prompt) {
  Curator curator(patient(), nullptr);
  CurateRequest wish = request();
  wish.fetch = [](const CurationCandidate&) -> Result<CuratedEntry> { throw std::runtime_error("broken"); };
  const Curation curation = curator.start(std::move(wish)).wait();
  EXPECT_EQ(curation.status, CurationStatus::kSkipped);
  EXPECT_EQ(curation.why, "failed: broken");
  EXPECT_EQ(curator.start(request()).wait().status, CurationStatus::kDone);
}

TEST(Curate, HC_11_handle_outlives_its_curator) {
  SleepingChat model("[]");
  auto curator = std::make_unique<Curator>(patient(), &model);
  PendingCuration pending = curator->start(request());
  curator.reset();
  const Curation curation = pending.wait();
  EXPECT_NE(curation.status, CurationStatus::kPrefetched);
}

Prefetched result(std::string id, std::vector<std::string> keywords, std::string head = "m1") {
  Prefetched one;
  one.entries.resize(1);
  one.entries[0].id = std::move(id);
  one.origin.plan.search_intent.focus_keywords = std::move(keywords);
  one.origin.head = std::move(head);
  return one;
}

PlanContext plan(std::vector<std::string> keywords, std::optional<std::string> quest = {}) {
  PlanContext plan;
  plan.search_intent.focus_keywords = std::move(keywords);
  plan.active_quest_id = std::move(quest);
  return plan;
}

TEST(Curate, HC_11_prefetch_serves_only_its_scope_session_branch_and_focus) {
  const PrefetchKey key{ScopeKey("user:ann"), SessionId("s1")};
  const auto fill = [&](Prefetch& cache) { cache.put(key, result("r", {"神庙", "钥匙"}), cache.ticket()); };
  const auto taken = [&](const PrefetchKey& of, const PlanContext& now, std::string_view input,
                         const Prefetch::Living& living = {}) {
    Prefetch cache;
    fill(cache);
    return cache.take_if_relevant(of, now, input, living).has_value();
  };
  EXPECT_TRUE(taken(key, plan({"钥匙"}), "那把钥匙呢？"));
  EXPECT_TRUE(taken(key, plan({}), "神庙的钥匙在谁手里？"));
  EXPECT_FALSE(taken(key, plan({"铁匠"}), "铁匠在哪里？"));
  EXPECT_FALSE(taken({ScopeKey("user:bob"), SessionId("s1")}, plan({"钥匙"}), ""));
  EXPECT_FALSE(taken({ScopeKey("user:ann"), SessionId("s2")}, plan({"钥匙"}), ""));
  EXPECT_FALSE(taken(key, plan({"钥匙"}), "", [](std::string_view head) { return head != "m1"; }));
  EXPECT_TRUE(taken(key, plan({"钥匙"}), "", [](std::string_view head) { return head == "m1"; }));
}

TEST(Curate, HC_11_focus_is_compared_by_quest_and_words) {
  EXPECT_EQ(focus_overlap(plan({"key"}, "q1"), "", plan({"key"}, "q2"), ""), 0);
  EXPECT_EQ(focus_overlap(plan({"key"}, "q1"), "", plan({"sword"}, "q1"), ""), 0);
  EXPECT_EQ(focus_overlap(plan({}, "q1"), "go on", plan({}, "q1"), "what now"), 0.5);
  EXPECT_EQ(focus_overlap(plan({"key", "temple"}), "", plan({"temple"}), ""), 1);
  EXPECT_EQ(focus_overlap(plan({}), "", plan({}), ""), 0);
}

TEST(Curate, HC_11_prefetch_is_bounded_ages_and_is_cleared) {
  auto now = std::make_shared<Prefetch::Time>();
  PrefetchOptions options;
  options.entries = 3;
  options.entries_of_session = 2;
  Prefetch cache(options, [now] { return *now; });
  const PrefetchKey ann{ScopeKey("user:ann"), SessionId("s")}, bob{ScopeKey("user:bob"), SessionId("s")};
  for (const char* word : {"one", "two", "two", "three"}) cache.put(ann, result(word, {word}), cache.ticket());
  EXPECT_EQ(cache.size(), 2U);
  EXPECT_EQ(cache.take_if_relevant(ann, plan({"two"}), "")->entries[0].id, "two");
  EXPECT_EQ(cache.size(), 0U);  // what did not fit is gone as well
  for (int i = 0; i < 9; ++i)
    cache.put({ScopeKey("user:" + std::to_string(i)), SessionId("s")}, result("r", {"x"}), cache.ticket());
  EXPECT_EQ(cache.size(), 3U);
  cache.put(bob, result("r", {"x"}), cache.ticket());
  *now += std::chrono::minutes(11);
  EXPECT_FALSE(cache.take_if_relevant(bob, plan({"x"}), "").has_value());
  const std::uint64_t before = cache.ticket();
  cache.put(ann, result("r", {"x"}), before);
  cache.clear(ScopeKey("user:ann"));
  EXPECT_FALSE(cache.take_if_relevant(ann, plan({"x"}), "").has_value());
  cache.put(ann, result("r", {"x"}), before);  // was made before the erasure
  EXPECT_FALSE(cache.take_if_relevant(ann, plan({"x"}), "").has_value());
}

TEST(Curate, PF_21_without_a_thread_a_prompt_goes_without_curation_at_once) {
  FewThreads none(0);
  CurateOptions options;
  options.timeout = std::chrono::hours(1);
  Curator curator(options, nullptr);
  const Curation curation = curator.start(request()).wait();
  EXPECT_EQ(curation.status, CurationStatus::kSkipped);
}

TEST(Curate, PF_21_with_fewer_threads_than_wanted_those_that_are_there_choose) {
  FewThreads one(1);
  CurateOptions options;
  options.workers = 4;
  options.timeout = std::chrono::hours(1);
  Curator curator(options, nullptr);
  EXPECT_EQ(curator.start(request()).wait().status, CurationStatus::kDone);
}

}  // namespace
}  // namespace weft
