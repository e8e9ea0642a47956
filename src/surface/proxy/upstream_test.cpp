#include "surface/proxy/upstream.h"

#include <gtest/gtest.h>

namespace weft::proxy {
namespace {

TEST(UpstreamModels, IC_10_windows_are_read_from_every_servers_list) {
  const auto read = read_model_list(R"({"object":"list","data":[
    {"id":"vllm","max_model_len":8192},
    {"id":"router/x","context_length":131072,"top_provider":{"context_length":100,"max_completion_tokens":16384}},
    {"id":"groq","context_window":32768,"max_completion_tokens":32768},
    {"id":"mistral","max_context_length":65536},
    {"id":"llama.cpp","meta":{"n_ctx_train":131072,"n_ctx":4096,"n_vocab":1}},
    {"id":"old llama.cpp","meta":{"n_ctx_train":16384}},
    {"id":"silent","owned_by":"x"},
    {"id":"odd","context_length":"many"},
    {"id":7,"context_length":10}, 3]})");
  EXPECT_EQ(read.at("vllm").window, 8192);
  EXPECT_EQ(read.at("router/x").window, 131072);
  EXPECT_EQ(read.at("router/x").output, 16384);
  EXPECT_EQ(read.at("groq").window, 32768);
  EXPECT_EQ(read.at("groq").output, 0);
  EXPECT_EQ(read.at("mistral").window, 65536);
  EXPECT_EQ(read.at("llama.cpp").window, 4096);
  EXPECT_EQ(read.at("old llama.cpp").window, 16384);
  EXPECT_EQ(read.size(), 6U);
  EXPECT_EQ(
      read_model_list(R"({"models":[{"name":"models/gemini-x","inputTokenLimit":1048576}]})").at("gemini-x").window,
      1048576);
}

TEST(UpstreamModels, IC_10_what_is_no_list_teaches_nothing) {
  for (const char* body : {"", "null", "[]", "{", "{\"data\":{}}", "\xff", "<html>"})
    EXPECT_TRUE(read_model_list(body).empty()) << body;
}

}  // namespace
}  // namespace weft::proxy
