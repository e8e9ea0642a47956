#include <gtest/gtest.h>

#include "ports/embedding/embedding_models.h"
#include "tests/support/scripted_upstream.h"

namespace weft {
namespace {

OpenAiEmbedderOptions options_for(const ScriptedUpstream& upstream) {
  OpenAiEmbedderOptions options;
  options.url = upstream.url() + "/";
  options.model = "embed-1";
  options.api_key = "k";
  options.retry.sleep = [](std::chrono::milliseconds, const Deadline&) {};
  return options;
}

ScriptedAnswer vector_of(const std::string& numbers) {
  return ScriptedAnswer::json(R"({"data":[{"index":0,"embedding":[)" + numbers + "]}]}");
}

TEST(OpenAiEmbedder, asks_the_endpoint_and_scales_the_vector) {
  ScriptedUpstream upstream;
  upstream.then(vector_of("1,0,0")).then(vector_of("3,0,4"));
  OpenAiEmbedderOptions options = options_for(upstream);
  options.passage_prefix = "doc: ";
  auto embedder = open_openai_embedder(options, make_http_client(), {});
  ASSERT_TRUE(embedder.ok()) << embedder.error().message;
  EXPECT_EQ((*embedder)->dimensions(), 3U);
  const auto vector = (*embedder)->embed("蛇 snake", EmbedUse::kPassage, {});
  ASSERT_TRUE(vector.ok()) << vector.error().message;
  EXPECT_FLOAT_EQ((*vector)[0], 0.6F);
  EXPECT_FLOAT_EQ((*vector)[2], 0.8F);
  const SeenRequest seen = upstream.requests().back();
  EXPECT_EQ(seen.path, "/v1/embeddings");
  EXPECT_EQ(seen.header("authorization"), "Bearer k");
  EXPECT_NE(seen.body.find(R"("input":"doc: 蛇 snake")"), std::string::npos) << seen.body;
  EXPECT_NE(seen.body.find(R"("model":"embed-1")"), std::string::npos) << seen.body;
}

TEST(OpenAiEmbedder, wrong_answers_are_errors_with_the_servers_words) {
  ScriptedUpstream upstream;
  OpenAiEmbedderOptions options = options_for(upstream);
  options.dimensions = 2;
  auto embedder = open_openai_embedder(options, make_http_client(), {});
  ASSERT_TRUE(embedder.ok());
  EXPECT_TRUE(upstream.requests().empty()) << "a known length needs no call";
  const auto code_after = [&](ScriptedAnswer answer) {
    upstream.then(std::move(answer));
    const auto vector = (*embedder)->embed("a", EmbedUse::kQuery, {});
    EXPECT_FALSE(vector.ok());
    return vector.error();
  };
  EXPECT_EQ(code_after(vector_of("1,2,3")).code, ErrorCode::kUnavailable);
  EXPECT_EQ(code_after(vector_of("0,0")).code, ErrorCode::kUnavailable);
  EXPECT_EQ(code_after(vector_of("null,1")).code, ErrorCode::kUnavailable);
  EXPECT_EQ(code_after(ScriptedAnswer::json("not json")).code, ErrorCode::kUnavailable);
  EXPECT_EQ(code_after(ScriptedAnswer::json("{}", 401)).code, ErrorCode::kPermission);
  const Error refused = code_after(ScriptedAnswer::json(R"({"error":{"message":"input too long"}})", 400));
  EXPECT_EQ(refused.code, ErrorCode::kInvalidArgument);
  EXPECT_NE(refused.message.find("input too long"), std::string::npos);
}

TEST(OpenAiEmbedder, tries_again_and_gives_up) {
  ScriptedUpstream upstream;
  OpenAiEmbedderOptions options = options_for(upstream);
  upstream.then(ScriptedAnswer::json("", 429)).then(ScriptedAnswer::json("", 503)).then(vector_of("1,0"));
  auto embedder = open_openai_embedder(options, make_http_client(), {});
  ASSERT_TRUE(embedder.ok()) << embedder.error().message;
  upstream.always(ScriptedAnswer::json("", 503));
  EXPECT_EQ((*embedder)->embed("a", EmbedUse::kQuery, {}).error().code, ErrorCode::kUnavailable);
  upstream.always(ScriptedAnswer::hanging());
  EXPECT_EQ((*embedder)->embed("a", EmbedUse::kQuery, Deadline::after(std::chrono::milliseconds(30))).error().code,
            ErrorCode::kTimeout);
}

}  // namespace
}  // namespace weft
