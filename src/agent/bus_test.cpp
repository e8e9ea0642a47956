#include "agent/bus.h"

#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <thread>

#include "tests/support/fake_clock.h"
#include "tests/support/temporary_folder.h"

namespace weft {
namespace {

using test::FakeClock;
using test::TemporaryFolder;

TEST(Bus, AL_1_events_are_numbered_durable_and_read_since_any) {
  const TemporaryFolder folder;
  FakeClock clock;
  const auto path = folder.path() / "agents" / "r.jsonl";
  std::vector<BusEvent> emitted;
  std::mt19937 random(7);
  for (int restart = 0; restart < 4; ++restart) {
    auto bus = Bus::open(disk(), path, clock);
    ASSERT_TRUE(bus.ok()) << bus.error().message;
    ASSERT_EQ((*bus)->last(), emitted.size());
    for (int i = 0; i < 25; ++i) {
      const auto type = static_cast<BusEventType>(random() % 15);
      auto event = (*bus)->emit(type, "{\"text\":\"第" + std::to_string(random()) + "号\\n\"}");
      ASSERT_TRUE(event.ok()) << event.error().message;
      emitted.push_back(*event);
    }
    const auto behind = (*bus)->since(emitted.size() - 3);
    ASSERT_EQ(behind.size(), 3u);
    EXPECT_EQ(behind.front().id, emitted.size() - 2);
    EXPECT_TRUE((*bus)->since(emitted.size() + 9).empty());
  }
  const auto bus = Bus::open(disk(), path, clock);
  const auto all = (*bus)->since(0);
  ASSERT_EQ(all.size(), emitted.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].id, i + 1);
    EXPECT_EQ(all[i].type, emitted[i].type);
    EXPECT_EQ(all[i].payload, emitted[i].payload);
  }
}

TEST(Bus, AL_1_a_broken_line_is_named_and_left_alone) {
  const TemporaryFolder folder;
  FakeClock clock;
  const auto path = folder.path() / "r.jsonl";
  {
    ASSERT_TRUE((*Bus::open(disk(), path, clock))->emit(BusEventType::kUserMessage, "{}").ok());
  }
  std::ofstream(path, std::ios::app) << "no event\n";
  const auto bus = Bus::open(disk(), path, clock);
  ASSERT_FALSE(bus.ok());
  EXPECT_EQ(bus.error().code, ErrorCode::kCorrupt);
  EXPECT_NE(bus.error().message.find("line 2"), std::string::npos) << bus.error().message;
}

TEST(Bus, AL_3_who_waits_is_woken_by_what_comes_and_times_never_go_back) {
  const TemporaryFolder folder;
  FakeClock clock;
  auto bus = Bus::open(disk(), folder.path() / "r.jsonl", clock);
  ASSERT_TRUE(bus.ok());
  const auto first = (*bus)->emit(BusEventType::kRunStarted, "{}");
  clock.advance_minutes(-120);
  std::thread other([&] { EXPECT_TRUE((*bus)->emit(BusEventType::kUserMessage, "{}").ok()); });
  EXPECT_TRUE((*bus)->wait_for_more(1, Deadline::after(std::chrono::seconds(20))));
  other.join();
  EXPECT_FALSE((*bus)->wait_for_more(2, Deadline::after(std::chrono::milliseconds(1))));
  EXPECT_GE((*bus)->since(1).front().time, first->time);
}

}  // namespace
}  // namespace weft
