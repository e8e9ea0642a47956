#include "engine/feed.h"

#include <thread>

#include <gtest/gtest.h>

namespace weft {
namespace {

using std::chrono::milliseconds;

std::vector<std::uint64_t> ids(const std::vector<Happening>& all) {
  std::vector<std::uint64_t> out;
  for (const Happening& one : all) out.push_back(one.id);
  return out;
}

Feed::Payload payload(std::string json) {
  return {json.size(), [json] { return json; }};
}

void add(Feed& feed, const ScopeKey& scope) {
  feed.add(scope, Time{1000}, HappeningKind::kMessage, "s", payload(R"({"n":1})"));
}

TEST(Feed, PF_10_each_scope_is_told_its_own_and_what_is_nobodys) {
  Feed feed;
  add(feed, ScopeKey("user:ann"));
  add(feed, ScopeKey("user:bob"));
  feed.add({}, Time{1000}, HappeningKind::kJob, {}, payload("{}"));
  EXPECT_EQ(ids(feed.after(ScopeKey("user:ann"), 0, {}, {})), (std::vector<std::uint64_t>{1, 3}));
  EXPECT_EQ(ids(feed.after(ScopeKey("user:bob"), 2, {}, {})), (std::vector<std::uint64_t>{3}));
  EXPECT_EQ(feed.newest(), 3U);
}

TEST(Feed, PF_10_whoever_waits_is_woken_by_their_own) {
  Feed feed;
  std::jthread other([&] {
    std::this_thread::sleep_for(milliseconds(20));
    add(feed, ScopeKey("user:bob"));
    add(feed, ScopeKey("user:ann"));
  });
  EXPECT_EQ(ids(feed.after(ScopeKey("user:ann"), 0, milliseconds(20'000), {})), (std::vector<std::uint64_t>{2}));
}

TEST(Feed, PF_10_waiting_ends_with_the_time_a_stop_and_the_feed) {
  Feed feed;
  EXPECT_TRUE(feed.after(ScopeKey("user:ann"), 0, milliseconds(1), {}).empty());
  std::stop_source gone;
  std::jthread leaving([&] { gone.request_stop(); });
  EXPECT_TRUE(feed.after(ScopeKey("user:ann"), 0, milliseconds(20'000), gone.get_token()).empty());
  std::jthread closing([&] { feed.close(); });
  EXPECT_TRUE(feed.after(ScopeKey("user:ann"), 0, milliseconds(20'000), {}).empty());
}

TEST(Feed, PF_10_who_follows_is_told_all_of_their_own_once_and_in_order) {
  Feed feed;
  add(feed, ScopeKey("user:ann"));
  add(feed, ScopeKey("user:ann"));
  std::vector<std::uint64_t> told;
  const auto number = feed.follow(ScopeKey("user:ann"), 1, [&](const Happening& one) { told.push_back(one.id); });
  std::vector<std::uint64_t> other;
  feed.follow(ScopeKey("user:bob"), feed.newest(), [&](const Happening& one) { other.push_back(one.id); });
  {
    std::vector<std::jthread> many;
    for (int thread = 0; thread < 4; ++thread)
      many.emplace_back([&] {
        for (int i = 0; i < 100; ++i) add(feed, ScopeKey("user:ann"));
      });
  }
  feed.add({}, Time{1000}, HappeningKind::kJob, {}, payload("{}"));
  ASSERT_EQ(told.size(), 402U);
  for (std::size_t i = 0; i < told.size(); ++i) EXPECT_EQ(told[i], i + 2);
  EXPECT_EQ(other, std::vector<std::uint64_t>{403});
  feed.unfollow(number);
  add(feed, ScopeKey("user:ann"));
  EXPECT_EQ(told.size(), 402U);
  feed.close();
  add(feed, ScopeKey("user:bob"));
  EXPECT_EQ(other.size(), 1U);
}

TEST(Feed, PF_10_the_newest_are_held) {
  Feed feed;
  for (int i = 0; i < 5000; ++i) add(feed, ScopeKey("user:ann"));
  const auto held = feed.after(ScopeKey("user:ann"), 5000 - 4096, {}, {});
  EXPECT_EQ(held.size(), 4096U);
  EXPECT_EQ(held.back().id, 5000U);
  for (int i = 0; i < 300; ++i) feed.add(ScopeKey("user:ann"), PastContext{0, Time{1000}, SessionId("s"), {}, "?", {}});
  const auto contexts = feed.contexts(ScopeKey("user:ann"), SessionId("s"), 1000);
  EXPECT_EQ(contexts.size(), 200U);
  EXPECT_EQ(contexts.front().id, 300U) << "newest first";
}

TEST(Feed, PF_21_large_messages_are_held_up_to_a_number_of_bytes) {
  Feed feed;
  const std::string large(Feed::kLargest - 4096, 'x');
  for (int i = 0; i < 100; ++i)
    feed.add(ScopeKey("user:ann"), Time{1000}, HappeningKind::kMessage, "s", payload(large));
  const auto held = feed.after(ScopeKey("user:ann"), 0, {}, {});
  std::size_t bytes = 0;
  for (const Happening& one : held) bytes += one.payload.size();
  EXPECT_LE(bytes, Feed::kMostBytes);
  EXPECT_GT(held.size(), 10U);
  EXPECT_EQ(held.back().id, 100U) << "the newest are held";
}

TEST(Feed, PF_21_whoever_asks_for_what_was_dropped_is_told_so) {
  Feed feed;
  for (int i = 0; i < 5000; ++i) add(feed, ScopeKey("user:ann"));
  const auto held = feed.after(ScopeKey("user:ann"), 10, {}, {});
  ASSERT_EQ(held.size(), 4097U);
  EXPECT_EQ(held.front().payload, "");
  EXPECT_EQ(held.front().id, 5000U - 4096U) << "from here on all are there";
  std::vector<std::string> told;
  feed.follow(ScopeKey("user:ann"), 5000 - 4097, [&](const Happening& one) { told.push_back(one.payload); });
  EXPECT_EQ(told.front(), "");
  told.clear();
  feed.follow(ScopeKey("user:ann"), 5000 - 4096, [&](const Happening& one) { told.push_back(one.payload); });
  EXPECT_EQ(told.front(), R"({"n":1})") << "nothing of it was dropped";
}

TEST(Feed, PF_10_numbers_grow_over_restarts_and_what_an_earlier_run_held_is_dropped) {
  const ScopeKey ann("user:ann");
  const Time begun{1'796'000'000'000, 0};
  Feed before(Feed::start_at(begun));
  for (int i = 0; i < 3; ++i) add(before, ann);
  Feed feed(Feed::start_at({begun.ms + 1000, 0}));
  EXPECT_GT(feed.newest(), before.newest());
  EXPECT_LT(feed.newest(), std::uint64_t{1} << 53);
  const std::uint64_t start = feed.newest();
  const auto missed = feed.after(ann, before.newest(), {}, {});
  ASSERT_EQ(ids(missed), std::vector<std::uint64_t>{start});
  EXPECT_TRUE(missed.front().payload.empty());
  add(feed, ann);
  EXPECT_EQ(ids(feed.after(ann, before.newest(), {}, {})), (std::vector<std::uint64_t>{start, start + 1}));
  EXPECT_EQ(ids(feed.after(ann, start, {}, {})), std::vector<std::uint64_t>{start + 1});
  EXPECT_EQ(ids(feed.after(ann, 0, {}, {})), std::vector<std::uint64_t>{start + 1});
}

TEST(Feed, PF_21_a_message_larger_than_all_the_room_is_told_to_followers_and_pushes_nothing_out) {
  Feed feed;
  std::vector<std::uint64_t> told;
  feed.follow(ScopeKey("user:ann"), 0, [&](const Happening& one) { told.push_back(one.id); });
  add(feed, ScopeKey("user:ann"));
  feed.add(ScopeKey("user:ann"), Time{1000}, HappeningKind::kMessage, "s", payload(std::string(Feed::kMostBytes, 'x')));
  add(feed, ScopeKey("user:ann"));
  EXPECT_EQ(told, (std::vector<std::uint64_t>{1, 2, 3}));
  const auto held = feed.after(ScopeKey("user:ann"), 0, {}, {});
  EXPECT_EQ(ids(held), (std::vector<std::uint64_t>{1, 2, 3}));
  EXPECT_EQ(held[1].payload, "");
}

TEST(Feed, PF_21_without_anybody_who_looks_on_no_payload_is_made) {
  Feed feed;
  int made = 0;
  const auto counted = [&] { return Feed::Payload{10, [&made] { return ++made, std::string("{}"); }}; };
  feed.follow(ScopeKey("user:bob"), 0, [](const Happening&) {});
  for (int i = 0; i < 5; ++i) feed.add(ScopeKey("user:ann"), Time{1000}, HappeningKind::kMessage, "s", counted());
  EXPECT_EQ(made, 0);
  (void)feed.after(ScopeKey("user:ann"), 3, {}, {});
  EXPECT_EQ(made, 2);
  (void)feed.after(ScopeKey("user:ann"), 3, {}, {});
  EXPECT_EQ(made, 2) << "each is made once";
}

TEST(Feed, PF_10_what_is_forgotten_is_told_to_nobody) {
  Feed feed;
  add(feed, ScopeKey("user:ann"));
  add(feed, ScopeKey("user:bob"));
  feed.add(ScopeKey("user:ann"), PastContext{0, Time{1000}, SessionId("s"), {}, "?", {}});
  feed.forget(ScopeKey("user:ann"));
  EXPECT_TRUE(feed.after(ScopeKey("user:ann"), 0, {}, {}).empty());
  EXPECT_TRUE(feed.contexts(ScopeKey("user:ann"), {}, 10).empty());
  EXPECT_EQ(feed.after(ScopeKey("user:bob"), 0, {}, {}).size(), 1U);
}

}  // namespace
}  // namespace weft
