#include <gtest/gtest.h>
#include <string>

#include "model/model_families.h"

namespace weft {

namespace {

TEST(ModelFamilies, IC_10_names_are_read_with_providers_tags_and_dates) {
  for (const char* name : {"gpt-4o", "GPT-4o-mini", "openai/gpt-4o-2024-08-06", "azure/gpt-4o:free"})
    EXPECT_EQ(traits_of_family(name).window, 128000) << name;
  EXPECT_EQ(traits_of_family("claude-sonnet-4-20250514").window, 200000);
  EXPECT_EQ(traits_of_family("us.anthropic.claude-3-5-sonnet-20241022-v2:0").window, 200000);
  EXPECT_EQ(traits_of_family("models/gemini-2.5-pro").window, 1048576);
  EXPECT_EQ(traits_of_family("meta-llama/Llama-3.1-8B-Instruct").window, 131072);
  EXPECT_EQ(traits_of_family("Meta-Llama-3-8B-Instruct").window, 8192);
  EXPECT_EQ(traits_of_family("qwen2.5:7b").window, 131072);
  EXPECT_EQ(traits_of_family("Qwen/Qwen3-8B").window, 40960);
  EXPECT_EQ(traits_of_family("gemma3:1b").window, 32768);
  EXPECT_EQ(traits_of_family("gemma3:27b").window, 131072);
  EXPECT_EQ(traits_of_family("gpt-4").window, 8192);
  EXPECT_EQ(traits_of_family("gpt-4-turbo-2024-04-09").window, 128000);
  EXPECT_EQ(traits_of_family("deepseek-chat").window, 131072);
  EXPECT_EQ(traits_of_family("glm-4.6").window, 200000);
  EXPECT_EQ(traits_of_family("moonshotai/kimi-k2-instruct-0905").window, 262144);
}

TEST(ModelFamilies, IC_10_a_name_that_says_its_window_is_believed) {
  EXPECT_EQ(traits_of_family("moonshot-v1-32k").window, 32768);
  EXPECT_EQ(traits_of_family("some-model-128k-instruct").window, 131072);
  EXPECT_EQ(traits_of_family("phi-3-mini-4k-instruct").window, 4096);
  EXPECT_EQ(traits_of_family("k2-model-4kids").window, 0);
}

TEST(ModelFamilies, IC_10_of_an_unknown_name_nothing_is_said) {
  for (const char* name : {"", "scripted", "my-own", "/", ":", "gpt"}) {
    EXPECT_EQ(traits_of_family(name).window, 0) << name;
    EXPECT_EQ(traits_of_family(name).system_messages, SystemMessages::kUnknown) << name;
  }
}

TEST(ModelFamilies, IC_10_no_reserve_takes_more_than_half_of_its_window) {
  for (const char* name :
       {"gpt-3.5-turbo", "gpt-4o", "o1", "gpt-oss-20b", "claude-3-haiku", "phi-4", "qwen3-8b", "gemma-2-9b"}) {
    const auto traits = traits_of_family(name);
    EXPECT_LE(traits.output * 2, traits.window) << name;
  }
}

TEST(ModelFamilies, IC_10_patterns_fit_whole_names) {
  EXPECT_TRUE(fits_model("my-llama*", "My-Llama-7b"));
  EXPECT_TRUE(fits_model("my-llama*", "lab/my-llama-7b:q4"));
  EXPECT_TRUE(fits_model("lab/*", "lab/anything"));
  EXPECT_TRUE(fits_model("*", ""));
  EXPECT_TRUE(fits_model("a*b*c", "axxbyyc"));
  EXPECT_FALSE(fits_model("a*b*c", "axxbyy"));
  EXPECT_FALSE(fits_model("llama", "my-llama"));
}

}  // namespace

namespace {

// "%PDF-1.4 /Type /Pages /Count 3 /Type /Page /Type/Page /Type /Page", in base64.
constexpr const char* kThreePages =
    "JVBERi0xLjQgL1R5cGUgL1BhZ2VzIC9Db3VudCAzIC9UeXBlIC9QYWdlIC9UeXBlL1BhZ2UgL1R5cGUgL1BhZ2U=";

std::int64_t tokens_of(const std::string& part) {
  return media_tokens(R"({"role":"user","content":[{"type":"text","text":"look"},)" + part + "]}");
}

TEST(MediaTokens, IC_10_a_picture_counts_once_whatever_its_bytes_and_wherever_it_stands) {
  const std::string picture = R"({"type":"image","source":{"type":"base64","media_type":"image/png","data":")" +
                              std::string(1'900'000, 'A') + R"("}})";
  const auto one = tokens_of(picture);
  EXPECT_NEAR(static_cast<double>(one), 1200, 300);
  EXPECT_EQ(tokens_of(R"({"type":"tool_result","tool_use_id":"t","content":[)" + picture + "]}"), one);
  EXPECT_EQ(media_tokens(R"({"type":"tool_result","tool_use_id":"t","content":[)" + picture + "]}"), one);
  EXPECT_EQ(tokens_of(R"({"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}})"), one);
  EXPECT_EQ(
      media_tokens(
          R"({"type":"function_call_output","call_id":"c","output":[{"type":"input_image","image_url":"data:x"}]})"),
      one);
  EXPECT_EQ(
      media_tokens(
          R"({"type":"computer_call_output","call_id":"c","output":{"type":"computer_screenshot","image_url":"data:x"}})"),
      one);
  EXPECT_LT(tokens_of(R"({"type":"image_url","image_url":{"url":"data:x","detail":"low"}})"), one);
}

TEST(MediaTokens, IC_10_documents_count_by_pages_and_texts_as_texts) {
  const auto page =
      tokens_of(std::string(R"({"type":"document","source":{"type":"base64","media_type":"application/pdf","data":")") +
                kThreePages + R"("}})") /
      3;
  EXPECT_GE(page, 1500);
  EXPECT_LE(page, 3000);
  const std::string url = std::string("data:application/pdf;base64,") + kThreePages;
  EXPECT_EQ(tokens_of(R"({"type":"file","file":{"filename":"a.pdf","file_data":")" + url + R"("}})"), 3 * page);
  EXPECT_EQ(tokens_of(R"({"type":"input_file","filename":"a.pdf","file_data":")" + url + R"("})"), 3 * page);
  std::string words;
  for (int i = 0; i < 2000; ++i) words += "word ";
  const auto text =
      tokens_of(R"({"type":"document","source":{"type":"text","media_type":"text/plain","data":")" + words + R"("}})");
  EXPECT_GT(text, 1500);
  EXPECT_LT(text, 4000);
}

}  // namespace

}  // namespace weft
