#include "ports/chat/vocabulary.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

TEST(Vocabulary, IC_2_is_known_by_the_models_name) {
  EXPECT_EQ(vocabulary_of("meta-llama/Llama-3.3-70B-Instruct"), "llama-bpe");
  EXPECT_EQ(vocabulary_of("llama3.1:8b"), "llama-bpe");
  EXPECT_EQ(vocabulary_of("Qwen2.5-Coder-1.5B-Instruct-Q4_K_M"), "qwen2");
  EXPECT_EQ(vocabulary_of("DeepSeek-R1-Distill-Qwen-7B"), "qwen2");
  EXPECT_EQ(vocabulary_of("DeepSeek-R1-Distill-Llama-8B").empty(), true) << "its name does not say which Llama";
  EXPECT_EQ(vocabulary_of("deepseek-llm-7b-chat"), "deepseek-llm");
  EXPECT_EQ(vocabulary_of("Phi-3.5-mini-instruct"), "phi-3");
  EXPECT_EQ(vocabulary_of("gemma-4-12b-it"), "gemma-4");
  EXPECT_EQ(vocabulary_of("command-r-plus"), "command-r");
  EXPECT_EQ(vocabulary_of("gpt2"), "gpt-2");
}

TEST(Vocabulary, IC_2_is_not_guessed_where_it_would_be_wrong) {
  for (const char* name : {"gpt-4o", "gpt-4.1-mini", "o3", "o4-mini", "Llama-2-7b", "Llama-4-Scout", "phi-4",
                           "deepseek-chat", "DeepSeek-V3", "Qwen3.5-9B", "mistral-7b", "claude-sonnet", ""}) {
    EXPECT_EQ(vocabulary_of(name), "") << name;
  }
}

TEST(Vocabulary, a_missing_file_is_reported_and_counts_nothing) {
  const Vocabulary vocabulary("/nowhere/vocabulary.gguf");
  EXPECT_EQ(vocabulary.count("hello"), -1);
  EXPECT_EQ(vocabulary.wait_ready(Deadline::after(std::chrono::seconds(20))).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(vocabulary.count("hello"), -1);
}

}  // namespace
}  // namespace weft
