#include <gtest/gtest.h>

#include <future>
#include <string>
#include <thread>
#include <vector>

#include "surface/proxy/recorder.h"
#include "tests/support/few_threads.h"
#include "tests/support/messages.h"
#include "tests/support/proxy_fixture.h"
#include "tests/support/test_engine.h"

namespace weft::proxy {
namespace {

/// A recorder whose engine takes nothing until it is let.
class RecorderTest : public testing::Test {
 protected:
  RecorderTest() {
    engine_.before_messages([this] { open_.wait(); });
  }
  ~RecorderTest() override { let(); }
  void let() {
    if (!let_) gate_.set_value();
    let_ = true;
  }
  static Deadline now() { return Deadline::after(std::chrono::milliseconds(0)); }
  bool is_free(const Recorder::Conversation& conversation, const char* user = "ann") {
    return recorder_.wait_for(scope(user), conversation, now());
  }
  static Scope scope(const char* user = "ann") { return *Scope::private_of(UserId(user)); }
  /// "Hi, NAME?" and its answer wait in the session of this name.
  void answer(const std::string& name) {
    recorder_.observe_later({scope(), {}, {}}, SessionId(name), Message::assistant("Hello, " + name),
                            Recorder::opening_of(asked(name)));
  }
  static std::vector<Message> asked(const std::string& name) {
    return {test::system("Be kind."), Message::user("Hi, " + name + "?")};
  }
  static std::vector<Message> gone_on(const std::string& name) {
    auto history = asked(name);
    history.push_back(Message::assistant("Hello, " + name));
    history.push_back(Message::user("And then?"));
    return history;
  }

  std::promise<void> gate_;
  std::shared_future<void> open_ = gate_.get_future().share();
  bool let_ = false;
  TestEngine engine_;
  Recorder recorder_{engine_};
};

TEST_F(RecorderTest, PF_21_a_call_waits_for_its_own_conversation_alone_and_not_for_ever) {
  answer("one");
  answer("two");
  EXPECT_FALSE(is_free({.history = gone_on("one")}));
  EXPECT_FALSE(is_free({.session = SessionId("two")}));
  EXPECT_FALSE(is_free({.history = asked("two")})) << "the same question again: its answer is to be replaced";
  EXPECT_TRUE(is_free({.history = gone_on("three")}));
  EXPECT_TRUE(is_free({.session = SessionId("three"), .history = gone_on("one")}));
  EXPECT_TRUE(is_free({.history = gone_on("one")}, "bob"));
  let();
  EXPECT_TRUE(recorder_.wait_for(scope(), {.session = SessionId("two")}, Deadline()));
  EXPECT_EQ(engine_.said(scope(), "two"), std::vector<std::string>{"assistant: Hello, two"});
}

TEST_F(RecorderTest, PF_21_a_history_that_has_lost_its_beginning_is_known_by_its_answer) {
  answer("one");
  auto history = gone_on("one");
  history.erase(history.begin(), history.begin() + 2);
  EXPECT_FALSE(is_free({.history = history}));
}

TEST_F(RecorderTest, PF_21_a_call_that_goes_on_from_a_message_waits_for_it) {
  Message reply = Message::assistant("Hello");
  reply.id = MessageId("resp_1");
  recorder_.observe_later({scope(), {}, {}}, SessionId("s"), reply, 0);
  EXPECT_FALSE(is_free({.previous = MessageId("resp_1")}));
  EXPECT_TRUE(is_free({.previous = MessageId("resp_2")}));
}

TEST_F(RecorderTest, PF_21_what_comes_with_the_history_is_not_handed_over_a_second_time) {
  answer("zero");  // at the engine, and held up there
  answer("one");
  answer("two");
  EXPECT_FALSE(is_free({.history = gone_on("one")}));
  EXPECT_TRUE(is_free({.history = gone_on("one")})) << "it does not wait any more";
  let();
  EXPECT_TRUE(recorder_.wait_for(scope(), {.session = SessionId("two")}, Deadline()));
  EXPECT_TRUE(engine_.said(scope(), "one").empty());
  EXPECT_EQ(engine_.said(scope(), "zero").size(), 1U);
}

TEST_F(RecorderTest, PF_21_without_a_thread_answers_are_kept_by_whoever_brings_them) {
  FewThreads none(0);
  let();
  Recorder alone(engine_);
  alone.observe_later({scope(), {}, {}}, SessionId("alone"), Message::assistant("Hello"), 0);
  EXPECT_EQ(engine_.said(scope(), "alone").size(), 1U);
  EXPECT_TRUE(alone.wait_for(scope(), {.session = SessionId("alone")}, now()));
}

}  // namespace

// What proxied calls of models cost is accounted for, whatever form they have and however they end.

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
