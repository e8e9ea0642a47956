#include "model/job.h"

#include <gtest/gtest.h>

#include "base/call_context.h"

namespace weft {
namespace {

const std::string kSpan = "00f067aa0ba902b7";
const std::string kCause = "00-4bf92f3577b34da6a3ce929d0e0e4736-" + kSpan + "-01";

std::string payload_of_new(const std::string& payload) {
  return new_job(JobId("a"), ScopeKey("user:ann"), "topic", payload, 0).payload;
}

TEST(Job, PF_10_a_job_knows_the_request_that_led_to_it) {
  EXPECT_EQ(cause_of(payload_of_new(R"({"scope":"user:ann"})")).span, "");
  const CallScope scope(CallContext{.cause = kCause});
  const std::string payload = payload_of_new(R"({"scope":"user:ann"})");
  EXPECT_EQ(cause_of(payload).span, kSpan);
  EXPECT_NE(payload.find("user:ann"), std::string::npos);
}

TEST(Job, PF_10_whatever_the_payload_it_stays_what_it_was) {
  const CallScope scope(CallContext{.cause = kCause});
  EXPECT_EQ(payload_of_new("none"), "none");
  EXPECT_EQ(payload_of_new("{}"), R"({"cause":")" + kCause + "\"}");
  EXPECT_EQ(payload_of_new(R"({"cause":"x"})"), R"({"cause":"x"})");
  EXPECT_TRUE(cause_of("none").trace.empty());
  EXPECT_TRUE(cause_of("").trace.empty());
  EXPECT_TRUE(cause_of(R"({"cause":7})").trace.empty());
}

TEST(Job, CM_3_the_form_in_files_is_read_back) {
  Job job = new_job(JobId("end-r:1"), ScopeKey("user:ann"), "end", R"({"scope":"user:ann","n":1})", 7);
  job.attempts = 2;
  job.reason = "model away";
  job.not_before_ms = 900;
  const auto read = parse_job(to_json(job));
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->id, job.id);
  EXPECT_EQ(read->scope, job.scope);
  EXPECT_EQ(read->kind, "end");
  EXPECT_EQ(read->payload, job.payload);
  EXPECT_EQ(read->attempts, 2);
  EXPECT_EQ(read->reason, "model away");
  EXPECT_EQ(read->created_ms, 7);
  EXPECT_EQ(read->not_before_ms, 900);
}

TEST(Job, CM_3_a_job_of_a_newer_version_is_refused_with_words) {
  const auto parsed = parse_job(R"({"version": 99, "job_id": "a", "kind": "topic", "payload": {}})");
  ASSERT_FALSE(parsed.ok());
  EXPECT_NE(parsed.error().message.find("newer"), std::string::npos);
}

}  // namespace
}  // namespace weft
