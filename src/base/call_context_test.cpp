#include "base/call_context.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace weft {
namespace {

class Kept final : public SpanSink {
 public:
  void take(SpanData span) override { spans.push_back(std::move(span)); }
  std::vector<SpanData> spans;
};

const std::string kTrace = "4bf92f3577b34da6a3ce929d0e0e4736", kSpan = "00f067aa0ba902b7";
const std::string kRecorded = "00-" + kTrace + "-" + kSpan + "-01", kUnrecorded = "00-" + kTrace + "-" + kSpan + "-00";

TEST(CallContext, PF_10_what_is_done_later_is_a_trace_of_its_own_that_is_linked) {
  Kept sink;
  const std::vector<TraceParent> causes = {parse_traceparent(kRecorded), parse_traceparent("none")};
  {
    const TraceSpan job(&sink, "job", causes);
    const TraceSpan step("step");
  }
  ASSERT_EQ(sink.spans.size(), 2U);
  const SpanData &step = sink.spans[0], &job = sink.spans[1];
  EXPECT_NE(job.trace, kTrace);
  EXPECT_TRUE(job.parent.empty());
  ASSERT_EQ(job.links.size(), 1U);
  EXPECT_EQ(job.links[0].trace, kTrace);
  EXPECT_EQ(job.links[0].span, kSpan);
  EXPECT_EQ(step.trace, job.trace);
  EXPECT_EQ(step.parent, job.id);
  EXPECT_TRUE(step.links.empty());
}

TEST(CallContext, PF_10_where_no_request_is_recorded_nothing_is) {
  Kept sink;
  const std::vector<TraceParent> causes = {parse_traceparent(kUnrecorded)};
  {
    const TraceSpan job(&sink, "job", causes);
  }
  {
    const TraceSpan job(&sink, "job", std::vector<TraceParent>());
  }
  {
    const TraceSpan job(nullptr, "job", std::vector<TraceParent>{parse_traceparent(kRecorded)});
  }
  EXPECT_TRUE(sink.spans.empty());
}

TEST(CallContext, PF_10_a_thread_knows_for_which_request_it_works) {
  EXPECT_EQ(CallContext::to_hand_over().cause, "");
  {
    const CallScope call(CallContext{.request = "r-1", .cause = kRecorded});
    EXPECT_EQ(CallContext::to_hand_over().cause, kRecorded);
    {
      const CallScope nobody{CallContext()};
      EXPECT_EQ(CallContext::to_hand_over().cause, "");
    }
    Kept sink;
    const TraceSpan span(&sink, "request", TraceParent{}, 1);
    EXPECT_EQ(CallContext::to_hand_over().cause, span.traceparent());
    std::jthread([] { EXPECT_EQ(CallContext::to_hand_over().cause, ""); });
  }
  EXPECT_EQ(CallContext::to_hand_over().cause, "");
}

TEST(CallContext, PF_10_a_sink_may_go_while_there_are_spans) {
  SpanRelay relay;
  EXPECT_EQ(relay.sink(), nullptr);
  const std::vector<TraceParent> causes = {parse_traceparent(kRecorded)};
  Kept sink;
  relay.lead_to(&sink);
  {
    const TraceSpan job(relay.sink(), "told", causes);
  }
  {
    const TraceSpan job(relay.sink(), "untold", causes);
    relay.lead_to(nullptr);
  }
  ASSERT_EQ(sink.spans.size(), 1U);
  EXPECT_EQ(sink.spans[0].name, "told");
}

}  // namespace
}  // namespace weft
