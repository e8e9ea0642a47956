#include "ports/files/job_cause.h"

#include <gtest/gtest.h>

#include "base/trace_cause.h"
#include "ports/files/file_queue.h"
#include "tests/support/temporary_folder.h"

namespace weft {
namespace {

const std::string kSpan = "00f067aa0ba902b7";
const std::string kCause = "00-4bf92f3577b34da6a3ce929d0e0e4736-" + kSpan + "-01";

TEST(JobCause, PF_10_a_job_knows_the_request_that_led_to_it_also_after_a_restart) {
  const test::TemporaryFolder folder;
  {
    const auto queue = FileQueue::open(folder.path()).value();
    Job first;
    first.id = JobId("first"), first.kind = "topic", first.payload = R"({"scope":"user:ann"})";
    ASSERT_TRUE(queue->enqueue(first).ok());
    const TraceCause because(kCause);
    Job second = first;
    second.id = JobId("second");
    ASSERT_TRUE(queue->enqueue(second).ok());
  }
  const auto queue = FileQueue::open(folder.path()).value();
  for (const auto& [state, job] : queue->list()) {
    EXPECT_EQ(cause_of(job.payload).span, job.id.str() == "second" ? kSpan : "");
    EXPECT_NE(job.payload.find("user:ann"), std::string::npos);
  }
}

TEST(JobCause, PF_10_whatever_the_payload_it_stays_what_it_was) {
  const TraceCause because(kCause);
  EXPECT_EQ(with_cause("none"), "none");
  EXPECT_EQ(with_cause("{}"), R"({"cause":")" + kCause + "\"}");
  EXPECT_EQ(with_cause(R"({"cause":"x"})"), R"({"cause":"x"})");
  EXPECT_TRUE(cause_of("none").trace.empty());
  EXPECT_TRUE(cause_of("").trace.empty());
  EXPECT_TRUE(cause_of(R"({"cause":7})").trace.empty());
}

}  // namespace
}  // namespace weft
