#include "ports/net/sse.h"

#include <gtest/gtest.h>

#include <vector>

namespace weft {
namespace {

std::vector<SseEvent> read_in_chunks(std::string_view stream, std::size_t chunk) {
  std::vector<SseEvent> events;
  SseReader reader;
  for (std::size_t at = 0; at < stream.size(); at += chunk) {
    EXPECT_TRUE(reader.feed(stream.substr(at, chunk), [&](const SseEvent& event) { events.push_back(event); }));
  }
  return events;
}

TEST(Sse, any_line_end_and_any_cut_give_the_same_events) {
  for (const std::string end : {"\n", "\r", "\r\n"}) {
    const std::string stream =
        "\xEF\xBB\xBF"
        ": hello" +
        end + "data: 蛇" + end + "data:b" + end + end + "event: done" + end + "id: 7" + end + "data" + end + end +
        "event: lost" + end + end + "data: x" + end + end + "data: cut";
    for (std::size_t chunk = 1; chunk <= stream.size(); ++chunk) {
      const std::vector<SseEvent> events = read_in_chunks(stream, chunk);
      ASSERT_EQ(events.size(), 3U) << "chunk " << chunk;
      EXPECT_EQ(events[0].type, "message");
      EXPECT_EQ(events[0].data, "蛇\nb");
      EXPECT_EQ(events[1].type, "done");
      EXPECT_EQ(events[1].data, "");
      EXPECT_EQ(events[1].id, "7");
      EXPECT_EQ(events[2].type, "message") << "a type without data must not leak into the next event";
      EXPECT_EQ(events[2].id, "7");
    }
  }
}

TEST(Sse, an_event_past_the_limit_ends_the_stream) {
  SseReader reader(100);
  const auto ignore = [](const SseEvent&) {};
  EXPECT_TRUE(reader.feed("data: " + std::string(80, 'a') + "\n", ignore));
  EXPECT_FALSE(reader.feed("data: " + std::string(80, 'b') + "\n", ignore));
  EXPECT_FALSE(reader.feed("\n\n", ignore));
}

TEST(Sse, many_events_smaller_than_the_limit_pass) {
  SseReader reader(100);
  int count = 0;
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(reader.feed("data: " + std::string(60, 'a') + "\n\n", [&](const SseEvent&) { ++count; }));
  }
  EXPECT_EQ(count, 1000);
}

}  // namespace
}  // namespace weft
