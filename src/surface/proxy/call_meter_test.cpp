// What proxied calls of models cost is accounted for, whatever form they have and however they end.
#include "surface/proxy/call_meter.h"

#include <gtest/gtest.h>

#include <thread>

#include "tests/support/proxy_fixture.h"

namespace weft::proxy {
namespace {

class CallMeterTest : public ProxyTest {
 protected:
  /// Totals of the calls of each scope and model; the proxy's last call is in them.
  std::vector<UsageRow> usage() { return engine_->upkeep().usage({.by = {"scope", "role", "model"}}).value(); }
  UsageRow only_row() {
    const auto rows = usage();
    EXPECT_EQ(rows.size(), 1U);
    return rows.empty() ? UsageRow() : rows.front();
  }
  /// Whether a line of the metrics begins like this.
  bool has_metric(const std::string& begin) {
    return ("\n" + engine_->upkeep().metrics_text()).find("\n" + begin) != std::string::npos;
  }
};

std::string answer_with_usage() {
  return R"({"model":"m-2026","choices":[{"index":0,"message":{"role":"assistant","content":"hello"},)"
         R"("finish_reason":"stop"}],"usage":{"prompt_tokens":70,"completion_tokens":5}})";
}

TEST_F(CallMeterTest, CM_15_a_whole_answer_costs_what_its_server_says) {
  upstream_.then(ScriptedAnswer::json(answer_with_usage()));
  chat(chat_body({user("hi")}, {{"model", "m"}}), {{"x-weft-user", "ann"}});
  const UsageRow row = only_row();
  EXPECT_EQ(row.scope, "user:ann");
  EXPECT_EQ(row.role, "proxy");
  EXPECT_EQ(row.model, "m");
  EXPECT_EQ(row.calls, 1U);
  EXPECT_EQ(row.failed, 0U);
  EXPECT_EQ(row.counted, 0U);
  EXPECT_EQ(row.input_tokens, 70);
  EXPECT_EQ(row.output_tokens, 5);
  EXPECT_FALSE(has_metric("weft_model_first_token_seconds_count{role=\"proxy\"")) << "it was not streamed";
}

TEST_F(CallMeterTest, CM_15_a_stream_costs_what_its_last_piece_says) {
  upstream_.then(ScriptedAnswer::sse({piece({{"role", "assistant"}}), piece({{"content", "hel"}}),
                                      piece({{"content", "lo"}}), piece(Json::object(), "stop"),
                                      R"({"choices":[],"usage":{"prompt_tokens":71,"completion_tokens":6}})"}));
  chat(chat_body({user("hi")}, {{"stream", true}}));
  EXPECT_EQ(only_row().input_tokens, 71);
  EXPECT_EQ(only_row().output_tokens, 6);
  EXPECT_TRUE(has_metric("weft_model_first_token_seconds_count{role=\"proxy\",model=\"m\"} 1"));
}

TEST_F(CallMeterTest, CM_15_a_call_without_memory_is_accounted_for_too) {
  for (const bool stream : {false, true}) {
    if (stream)
      upstream_.then(ScriptedAnswer::sse({piece({{"content", "hello"}}, "stop"),
                                          R"({"choices":[],"usage":{"prompt_tokens":70,"completion_tokens":5}})"}));
    else
      upstream_.then(ScriptedAnswer::json(answer_with_usage()));
    chat(chat_body({user("hi")}, {{"model", "m"}, {"user", "bob"}, {"stream", stream}}), {{"x-weft-memory", "off"}});
    const UsageRow row = only_row();
    EXPECT_EQ(row.scope, "user:bob");
    EXPECT_EQ(row.model, "m");
    EXPECT_EQ(row.calls, stream ? 2U : 1U);
    EXPECT_EQ(row.failed, 0U);
    EXPECT_EQ(row.input_tokens, stream ? 140 : 70);
  }
}

TEST_F(CallMeterTest, CM_15_failures_are_told_by_their_kind) {
  config_.proxy.idle_timeout_ms = 100;
  const auto error = [](int status) { return ScriptedAnswer::json(R"({"error":{"message":"no"}})", status); };
  auto half = ScriptedAnswer::sse({piece({{"content", "half of"}})}, false);
  auto hung = half;
  hung.hang = true;
  // The one that closes comes first: on a line that was in use before it would only be asked again.
  const std::vector<std::pair<ScriptedAnswer, std::string>> all = {{ScriptedAnswer::closing(), "unavailable"},
                                                                   {error(400), "refused"},
                                                                   {error(401), "permission"},
                                                                   {error(429), "rate_limited"},
                                                                   {error(500), "server_error"},
                                                                   {half, "broken_off"},
                                                                   {hung, "timeout"},
                                                                   {ScriptedAnswer::hanging(), "timeout"}};
  for (const auto& [scripted, outcome] : all) {
    upstream_.then(scripted);
    chat(chat_body({user("hi")}, {{"stream", true}}));
    EXPECT_TRUE(has_metric("weft_model_calls_total{role=\"proxy\",model=\"m\",outcome=\"" + outcome + "\"}"));
  }
  EXPECT_EQ(only_row().calls, all.size());
  EXPECT_EQ(only_row().failed, all.size());
}

TEST_F(CallMeterTest, CM_15_a_client_that_leaves_has_cancelled_its_call) {
  auto endless = ScriptedAnswer::sse({piece({{"content", "a"}})}, false);
  endless.hang = true;
  upstream_.then(endless);
  RecordedAnswer out;
  auto request = request_with(chat_body({user("hi")}, {{"stream", true}}), {});
  std::thread call([&] { proxy().chat_completions(request, out); });
  ASSERT_TRUE(upstream_.wait_for_requests(1));
  out.gone.request_stop();
  call.join();
  EXPECT_TRUE(has_metric("weft_model_calls_total{role=\"proxy\",model=\"m\",outcome=\"cancelled\"}"));
}

TEST_F(CallMeterTest, CM_15_prompts_from_a_cache_are_tokens_of_the_prompt) {
  const ReplyCounts whole = counts_in(R"({"type":"message","usage":{"input_tokens":3,"cache_creation_input_tokens":20,)"
                                      R"("cache_read_input_tokens":100,"output_tokens":7}})");
  EXPECT_EQ(whole.input_tokens, 123);
  EXPECT_EQ(whole.output_tokens, 7);
  EXPECT_EQ(counts_in(R"({"usage":{"input_tokens":9,"input_tokens_details":{"cached_tokens":4}}})").input_tokens, 9);
}

}  // namespace
}  // namespace weft::proxy
