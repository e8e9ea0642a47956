#include "base/call_context.h"

#include <gtest/gtest.h>

#include <mutex>
#include <thread>

namespace weft {
namespace {

class Kept final : public SpanSink {
 public:
  void take(SpanData span) override {
    const std::lock_guard lock(mutex_);
    spans.push_back(std::move(span));
  }
  std::vector<SpanData> spans;

 private:
  std::mutex mutex_;
};

constexpr std::string_view kCaller = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

TEST(Trace, PF_10_spans_of_a_request_form_a_tree) {
  Kept kept;
  {
    const TraceSpan root(&kept, "request", parse_traceparent(kCaller), 0);
    {
      TraceSpan child("step", SpanKind::kClient);
      child.set("tokens", std::int64_t{3});
      const TraceSpan grandchild("inner");
      std::thread([] { EXPECT_EQ(TraceSpan::open(), nullptr); }).join();
    }
    const TraceSpan second("next");
  }
  ASSERT_EQ(kept.spans.size(), 4u);
  const SpanData &inner = kept.spans[0], &step = kept.spans[1], &next = kept.spans[2], &request = kept.spans[3];
  EXPECT_EQ(request.parent, "00f067aa0ba902b7");
  EXPECT_EQ(step.parent, request.id);
  EXPECT_EQ(next.parent, request.id);
  EXPECT_EQ(inner.parent, step.id);
  for (const SpanData& span : kept.spans) {
    EXPECT_EQ(span.trace, "4bf92f3577b34da6a3ce929d0e0e4736");
    EXPECT_LE(span.begin_ns, span.end_ns);
  }
}

TEST(Trace, PF_10_without_a_first_span_there_are_none) {
  TraceSpan alone("step");
  EXPECT_FALSE(alone.on());
  EXPECT_EQ(alone.traceparent(), "");
  EXPECT_EQ(TraceSpan::open(), nullptr);
}

TEST(Trace, PF_10_the_caller_decides_whether_a_request_is_recorded) {
  Kept kept;
  const std::string unsampled = std::string(kCaller.substr(0, kCaller.size() - 1)) + "0";
  {
    const TraceSpan no(&kept, "request", parse_traceparent(unsampled), 1);
  }
  {
    const TraceSpan no(&kept, "request", {}, 0);
  }
  EXPECT_TRUE(kept.spans.empty());
  {
    const TraceSpan yes(&kept, "request", {}, 1);
  }
  ASSERT_EQ(kept.spans.size(), 1u);
  EXPECT_EQ(kept.spans[0].trace.size(), 32u);
  EXPECT_EQ(kept.spans[0].parent, "");
}

TEST(Trace, PF_10_headers_that_are_none_are_not_believed) {
  for (const char* header : {"", "00", "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                             "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
                             "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
                             "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
                             "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
                             "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0z"})
    EXPECT_EQ(parse_traceparent(header).trace, "") << header;
  EXPECT_TRUE(parse_traceparent("01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-03-later").sampled);
}

TEST(Trace, PF_10_what_a_thread_does_by_itself_is_recorded_where_it_did_something) {
  Kept kept;
  {
    const TraceSpan idle(&kept, "idle", 1.0);
  }
  {
    const TraceSpan none(nullptr, "nowhere", 1.0);
  }
  {
    const TraceSpan left_out(&kept, "left out", 0.0);
    const TraceSpan step("step");
  }
  EXPECT_TRUE(kept.spans.empty());
  {
    const TraceSpan root(&kept, "work", 1.0);
    const TraceSpan step("outer");
    const TraceSpan inner("inner");
  }
  ASSERT_EQ(kept.spans.size(), 3u);
  EXPECT_EQ(kept.spans[2].name, "work");
  EXPECT_EQ(kept.spans[2].parent, "");
  EXPECT_EQ(kept.spans[1].parent, kept.spans[2].id);
  std::string link;
  {
    const TraceSpan root(&kept, "hands on", 1.0);
    link = root.traceparent();
  }
  EXPECT_EQ(kept.spans.back().id, parse_traceparent(link).span) << "what is linked to is there";
}

TEST(Trace, PF_10_what_follows_from_a_request_is_no_step_of_the_thread_that_does_it) {
  Kept kept;
  const TraceParent cause = parse_traceparent(kCaller);
  {
    const TraceSpan thread(&kept, "queue", 1.0);
    const TraceSpan job(&kept, "job", std::span(&cause, 1));
  }
  ASSERT_EQ(kept.spans.size(), 1u);
  EXPECT_EQ(kept.spans.front().name, "job");
}

}  // namespace
}  // namespace weft
