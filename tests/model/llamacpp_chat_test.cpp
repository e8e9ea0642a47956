#include "ports/chat/llamacpp_chat.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "ports/chat/vocabulary.h"
#include "tests/model/model_files.h"
#include "text/schema_check.h"

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

TEST(LlamaChat, weighs_answers_of_any_length_without_saying_one) {
  WEFT_NEED_MODEL(kSmollm);
  ASSERT_NE(smollm(), nullptr);
  ASSERT_TRUE(smollm()->weighs_answers());
  ChatRequest request = ask("What is the capital of France?");
  std::string longest = "The capital of France is Paris.";
  for (int i = 0; i < 10; ++i) longest += " It lies on the Seine, and many people live there.";
  request.answers = {"The capital of France is Paris.", "The capital of France is a bicycle.", "The", longest};
  const auto weighed = smollm()->complete(request, {});
  ASSERT_TRUE(weighed.ok()) << weighed.error().message;
  EXPECT_TRUE(weighed->message.content.empty());
  const auto& logs = weighed->answer_logs;
  ASSERT_EQ(logs.size(), 4U);
  EXPECT_GT(logs[0], logs[1]);
  EXPECT_GT(logs[2], logs[0]) << "the beginning is likelier than the whole";
  EXPECT_LT(logs[3], logs[0]);
  for (const double log : logs) EXPECT_LE(log, 0);
  request.answers = {longest, "The"};
  const auto again = smollm()->complete(request, {});
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_NEAR(again->answer_logs[0], logs[3], 0.05) << "what was weighed before changes nothing";
  EXPECT_NEAR(again->answer_logs[1], logs[2], 0.05);
  request.answers = {"The", ""};
  EXPECT_EQ(smollm()->complete(request, {}).error().code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(smollm()->complete(ask("What is 2+2?"), {}).ok());
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
