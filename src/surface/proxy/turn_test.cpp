#include <gtest/gtest.h>

#include "surface/proxy/turn.h"

namespace weft::proxy {
namespace {

TEST(Refusal, IC_10_every_servers_way_to_say_too_long_is_read) {
  struct Case {
    int status;
    const char* body;
    std::int64_t window, prompt;
  };
  const Case cases[] = {
      {400,
       R"({"error":{"message":"This model's maximum context length is 8192 tokens. However, your messages resulted in 10,512 tokens. Please reduce the length of the messages.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}})",
       8192, 10512},
      {400,
       R"({"error":{"message":"Your input exceeds the context window of this model. Please adjust your input and try again.","code":"context_length_exceeded"}})",
       0, 0},
      {400,
       R"({"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 215000 tokens > 200000 maximum"}})",
       200000, 215000},
      {400, R"({"error":{"message":"prompt is too long: 215000 tokens \u003e 200000 maximum"}})", 200000, 215000},
      {400,
       R"({"type":"error","error":{"message":"input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length"}})",
       200000, 0},
      {400,
       R"({"object":"error","message":"This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4500 in the messages, 500 in the completion).","code":400})",
       4096, 5000},
      {400,
       R"({"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error","n_prompt_tokens":9001,"n_ctx":4096}})",
       4096, 9001},
      {400,
       R"({"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}})",
       1048576, 1200000},
      {400,
       R"({"object":"error","message":"Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length","type":"invalid_request_error"})",
       32768, 40000},
      {500, R"({"error":"input length exceeds maximum context length"})", 0, 0},
      {400,
       R"({"error":"The number of tokens to keep from the initial prompt is greater than the context length (4096)."})",
       4096, 0},
  };
  for (const auto& one : cases) {
    const auto refusal = read_refusal(one.status, one.body);
    EXPECT_EQ(refusal.kind, Refusal::Kind::kTooLong) << one.body;
    EXPECT_EQ(refusal.window, one.window) << one.body;
    EXPECT_EQ(refusal.prompt, one.prompt) << one.body;
  }
}

TEST(Refusal, AC_13_what_strict_templates_say_is_known) {
  for (const char* body :
       {R"({"error":{"message":"System message must be at the beginning."}})",
        R"({"error":{"message":"Conversation roles must alternate user/assistant/user/assistant/..."}})",
        R"({"message":"Only the first message can be system"})",
        R"({"detail":"Unexpected role 'system' after role 'user'"})",
        R"({"detail":"Unexpected role \"system\" after role"})"}) {
    EXPECT_EQ(read_refusal(400, body).kind, Refusal::Kind::kSystemMessages) << body;
  }
}

TEST(Refusal, IC_10_other_errors_are_left_alone) {
  EXPECT_EQ(read_refusal(429, "maximum context length is 1000").kind, Refusal::Kind::kOther);
  EXPECT_EQ(read_refusal(401, "context_length_exceeded").kind, Refusal::Kind::kOther);
  EXPECT_EQ(read_refusal(200, "context_length_exceeded").kind, Refusal::Kind::kOther);
  EXPECT_EQ(read_refusal(413, "Request too large for model `x` on tokens per minute (TPM): Limit 6000").kind,
            Refusal::Kind::kOther);
  for (const char* body : {"", "{}", R"({"error":{"message":"Invalid value for 'temperature'"}})"})
    EXPECT_EQ(read_refusal(400, body).kind, Refusal::Kind::kOther);
}

}  // namespace
}  // namespace weft::proxy
