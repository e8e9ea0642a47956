#include "model/media_tokens.h"

#include <gtest/gtest.h>

#include <string>

namespace weft {
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
