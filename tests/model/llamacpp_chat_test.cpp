#include "ports/chat/chat_models.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "ports/chat/vocabulary.h"
#include "ports/embedding/embedder.h"
#include "tests/model/model_files.h"
#include "text/tool_arguments.h"

namespace weft {
namespace {

constexpr const char* kSmollm = "smollm2-135m-instruct-q4_1.gguf";

ChatModel* smollm() {
  static const std::unique_ptr<ChatModel> model = [] {
    LlamaChatOptions options;
    options.path = model_file(kSmollm);
    options.window = 512;
    options.threads = 1;
    auto opened = open_llamacpp_chat(options);
    EXPECT_TRUE(opened.ok()) << opened.error().message;
    return opened.ok() ? std::move(opened).value() : nullptr;
  }();
  return model.get();
}

ChatRequest ask(std::string text) {
  ChatRequest request;
  Message message;
  message.content = std::move(text);
  request.messages = {message};
  request.max_tokens = 24;
  return request;
}

TEST(LlamaChat, streaming_gives_the_same_answer_and_the_prompt_cache_changes_nothing) {
  WEFT_NEED_MODEL(kSmollm);
  ASSERT_NE(smollm(), nullptr);
  const auto first = smollm()->complete(ask("What is 2+2?"), {});
  ASSERT_TRUE(first.ok()) << first.error().message;
  EXPECT_NE(first->message.content.find("4"), std::string::npos) << first->message.content;
  EXPECT_EQ(first->message.role, Role::kAssistant);
  EXPECT_GT(first->prompt_tokens, 5);
  EXPECT_GT(first->completion_tokens, 0);
  ASSERT_TRUE(smollm()->complete(ask("What is 2+3?"), {}).ok());
  std::string streamed;
  int pieces = 0;
  const auto again = smollm()->complete(ask("What is 2+2?"), {}, [&](std::string_view text) {
    ++pieces;
    streamed += text;
    return true;
  });
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(again->message.content, first->message.content);
  EXPECT_EQ(streamed, first->message.content);
  EXPECT_GT(pieces, 1);
}

TEST(LlamaChat, gives_the_state_behind_a_beginning_without_saying_anything) {
  WEFT_NEED_MODEL(kSmollm);
  ASSERT_NE(smollm(), nullptr);
  const StateSpace space = smollm()->state_space();
  EXPECT_TRUE(space.given());
  EXPECT_EQ(space.dimensions, 576U);
  const auto state_of = [](const std::string& text, const std::string& start) {
    ChatRequest request = ask(text);
    request.wants_state = true;
    request.answer_start = start;
    auto reply = smollm()->complete(request, {});
    EXPECT_TRUE(reply.ok()) << reply.error().message;
    if (!reply.ok()) return Vector();
    EXPECT_TRUE(reply->message.content.empty());
    EXPECT_EQ(reply->completion_tokens, 0);
    EXPECT_TRUE(make_unit_length(reply->state));
    return reply->state;
  };
  const Vector first = state_of("What is the capital of France?", "It is called");
  ASSERT_EQ(first.size(), space.dimensions);
  EXPECT_LT(cosine(first, state_of("What is the capital of France?", "A bicycle has")), 0.99);
  EXPECT_TRUE(smollm()->complete(ask("What is 2+2?"), {}).ok());
  EXPECT_GT(cosine(first, state_of("What is the capital of France?", "It is called")), 0.999)
      << "what was read before changes nothing";
  const auto late = smollm()->complete(ask("What is 2+2?"), Deadline::after(std::chrono::milliseconds(0)));
  EXPECT_FALSE(late.ok());
}

TEST(LlamaChat, an_answer_obeys_its_schema) {
  WEFT_NEED_MODEL(kSmollm);
  ASSERT_NE(smollm(), nullptr);
  ChatRequest request = ask("Describe Anna, who is 31 years old and lives in Paris, as JSON.");
  request.max_tokens = 160;
  request.json_schema =
      R"({"type":"object","additionalProperties":false,"required":["name","age","mood","tags"],"properties":{
    "name":{"type":"string","maxLength":20},"age":{"type":"integer"},"mood":{"enum":["good","bad"]},
    "tags":{"type":"array","maxItems":2,"items":{"type":"string","maxLength":12}}}})";
  for (const double temperature : {0.0, 1.5}) {
    request.temperature = temperature;
    const auto reply = smollm()->complete(request, {});
    ASSERT_TRUE(reply.ok()) << reply.error().message;
    const auto check = SchemaCheck::compile(request.json_schema);
    EXPECT_TRUE(check->check(reply->message.content).ok()) << reply->message.content;
    EXPECT_EQ(reply->message.content.find('\n'), std::string::npos) << "compact";
  }
}

TEST(LlamaChat, an_answer_that_was_cut_is_no_valid_answer) {
  WEFT_NEED_MODEL(kSmollm);
  ASSERT_NE(smollm(), nullptr);
  ChatRequest request = ask("Write.");
  request.max_tokens = 4;
  request.json_schema =
      R"({"type":"object","required":["a_rather_long_name"],"properties":{"a_rather_long_name":{"type":"string"}}})";
  const auto reply = smollm()->complete(request, {});
  ASSERT_FALSE(reply.ok());
  EXPECT_EQ(reply.error().code, ErrorCode::kUnavailable);
  request.json_schema = "no schema";
  EXPECT_EQ(smollm()->complete(request, {}).error().code, ErrorCode::kInvalidArgument);
}

TEST(LlamaChat, marks_of_the_template_in_a_message_stay_text) {
  WEFT_NEED_MODEL(kSmollm);
  ASSERT_NE(smollm(), nullptr);
  const auto plain = smollm()->complete(ask("a"), {});
  const auto marked = smollm()->complete(ask("<|im_end|>"), {});
  ASSERT_TRUE(plain.ok());
  ASSERT_TRUE(marked.ok());
  EXPECT_GT(marked->prompt_tokens, plain->prompt_tokens + 2) << "one control token would count as one";
}

TEST(LlamaChat, waiting_callers_cancel_and_later_ones_are_served) {
  WEFT_NEED_MODEL(kSmollm);
  ASSERT_NE(smollm(), nullptr);
  EXPECT_EQ(smollm()->complete(ask("Hi"), Deadline::after(std::chrono::milliseconds(0))).error().code,
            ErrorCode::kTimeout);
  EXPECT_EQ(smollm()->complete(ask("Hi"), {}, [](std::string_view) { return false; }).error().code,
            ErrorCode::kCancelled);
  std::stop_source stop;
  ChatRequest longer = ask("Tell a long story.");
  longer.max_tokens = 400;
  std::atomic<bool> started = false;
  std::jthread canceller([&] {
    while (!started) std::this_thread::yield();
    EXPECT_EQ(smollm()->complete(ask("Hi"), Deadline(std::nullopt, stop.get_token())).error().code,
              ErrorCode::kCancelled);
  });
  const auto reply = smollm()->complete(longer, Deadline(std::nullopt, stop.get_token()), [&](std::string_view) {
    started = true;
    stop.request_stop();
    return true;
  });
  canceller.join();
  ASSERT_FALSE(reply.ok());
  EXPECT_EQ(reply.error().code, ErrorCode::kCancelled);
  EXPECT_TRUE(smollm()->complete(ask("Hi"), {}).ok());
}

TEST(LlamaChat, too_long_a_prompt_and_tools_are_refused) {
  WEFT_NEED_MODEL(kSmollm);
  ASSERT_NE(smollm(), nullptr);
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "word ";
  EXPECT_EQ(smollm()->complete(ask(text), {}).error().code, ErrorCode::kTooLarge);
  ChatRequest request = ask("Hi");
  request.tools = {"{}"};
  EXPECT_EQ(smollm()->complete(request, {}).error().code, ErrorCode::kInvalidArgument);
}

TEST(LlamaChat, a_file_that_is_no_chat_model_is_refused) {
  WEFT_NEED_MODEL("vocab/gpt-2.gguf");
  LlamaChatOptions options;
  options.path = model_file("vocab/gpt-2.gguf");
  EXPECT_FALSE(open_llamacpp_chat(options).ok());
}

TEST(Vocabulary, IC_2_counts_as_the_models_themselves) {
  struct Case {
    const char *file, *text;
    std::int64_t tokens;
  };
  for (const Case& c : {Case{"vocab/llama-bpe.gguf", "Hello world", 2}, Case{"vocab/gpt-2.gguf", "Hello world", 2},
                        Case{"vocab/qwen2.gguf", "你好世界", 2}, Case{"vocab/llama-bpe.gguf", "", 0}}) {
    WEFT_NEED_MODEL(c.file);
    const Vocabulary vocabulary(model_file(c.file));
    ASSERT_TRUE(vocabulary.wait_ready(Deadline::after(std::chrono::minutes(2))).ok()) << c.file;
    EXPECT_EQ(vocabulary.count(c.text), c.tokens) << c.file << ": " << c.text;
  }
}

}  // namespace
}  // namespace weft
