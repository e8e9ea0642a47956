#include <gtest/gtest.h>

#include "model/records.h"

namespace weft {
namespace {

TEST(SessionTask, AC_3_what_is_written_is_read_again) {
  SessionTask task;
  task.state = {"整理档案", "coding", {"one", "two"}, "three", {"four"}, {"careful"}, {"never delete"}};
  task.preferences = {{"tabs", 0.9, {"coding"}}};
  task.since = "2026-03-01T10:00:00Z";
  const auto read = parse_session_task(to_json(task), "task");
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(to_json(*read), to_json(task));
  EXPECT_EQ(parse_session_task("\"mend it\"", "task")->state.description, "mend it");
}

TEST(SessionTask, AC_3_what_cannot_be_read_names_its_field) {
  for (const auto& [json, part] :
       {std::pair{R"({"descripton":"x"})", "descripton"}, std::pair{R"({"done":"x"})", "done"},
        std::pair{R"({"preferences":[{"text":"x","confidence":2}]})", "confidence"}, std::pair{"[]", "task"}}) {
    const auto read = parse_session_task(json, "task");
    ASSERT_FALSE(read.ok()) << json;
    EXPECT_NE(read.error().message.find(part), std::string::npos) << read.error().message;
  }
}

TEST(SessionTask, AC_3_what_is_given_later_goes_on_from_what_is_known) {
  TaskState known;
  known.description = "a";
  known.constraints = {"rule"};
  known.remaining = {"x"};
  TaskState step;
  step.current = "x";
  EXPECT_EQ(merged(known, step).constraints, known.constraints);
  EXPECT_EQ(merged(known, step).current, "x");
  TaskState other;
  other.description = "b";
  EXPECT_TRUE(merged(known, other).constraints.empty());
}

}  // namespace
}  // namespace weft
