#include "ports/files/end_summaries.h"

#include <gtest/gtest.h>

#include "ports/files/file_system.h"
#include "tests/support/temporary_folder.h"

namespace weft {
namespace {

TEST(EndSummaries, CM_14_reads_arrays_objects_and_lines) {
  const auto list = read_summaries(R"(["plain", {"summary":"with time","timestamp":"2026-01-05 10:00"},
    {"action_summary":"in a group","time":1767607200,"location":{"type":"group","name":"cooks","id":42}}])");
  ASSERT_EQ(list.entries.size(), 3u);
  EXPECT_EQ(list.entries[0].second.summary, "plain");
  EXPECT_FALSE(list.entries[0].second.has_time);
  EXPECT_EQ(format_time(list.entries[1].second.time), "2026-01-05T10:00:00Z");
  EXPECT_EQ(list.entries[2].second.group_id, "42");
  EXPECT_EQ(list.entries[2].second.place, "cooks");
  EXPECT_EQ(read_summaries(R"({"summaries":["a","b"]})").entries.size(), 2u);
  EXPECT_EQ(read_summaries("\"a\"\n{\"summary\":\"b\"},\n\n\"c\"\n").entries.size(), 3u);
}

TEST(EndSummaries, CM_14_broken_entries_are_skipped_with_the_reason_and_the_rest_is_read) {
  const auto list = read_summaries(
      "{\"summary\":\"good\"}\n{\"summary\":\n\"\"\n{\"summary\":\"late\",\"timestamp\":\"once\"}\n7\n{\"summary\":"
      "\"last\"}\n");
  ASSERT_EQ(list.entries.size(), 2u);
  EXPECT_EQ(list.entries[1].first, 6u);
  ASSERT_EQ(list.skipped.size(), 4u);
  EXPECT_EQ(list.skipped[0].place, 2u);
  EXPECT_EQ(list.skipped[0].why, "not JSON");
  EXPECT_NE(list.skipped[1].why.find("empty"), std::string::npos);
}

TEST(EndSummaries, CM_13_keeps_scopes_apart_and_never_overwrites_what_it_cannot_read) {
  const test::TemporaryFolder folder;
  EndSummaries file(folder / "end_summaries.json");
  EndSummary one;
  one.summary = "for ann";
  one.user_id = "ann";
  ASSERT_TRUE(file.add(one).ok());
  one.summary = "for the group";
  one.group_id = "ann";
  ASSERT_TRUE(file.add(one).ok());
  ASSERT_EQ(file.recent("ann", "", 10)->size(), 1u);
  EXPECT_EQ(file.recent("ann", "", 10)->front().summary, "for ann");
  EXPECT_EQ(file.recent("bob", "ann", 10)->front().summary, "for the group");
  ASSERT_TRUE(write_file(file.path(), "half a fi", false).ok());
  EXPECT_EQ(file.add(one).error().code, ErrorCode::kCorrupt);
  EXPECT_EQ(read_file(file.path()).value(), "half a fi");
}

}  // namespace
}  // namespace weft
