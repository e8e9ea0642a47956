#include "engine/embedder_model.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

TEST(EmbedderModel, MS_5_a_model_given_by_its_path_alone_is_not_called_by_the_name_of_the_default) {
  Config config;
  EXPECT_EQ(embedder_name(config), EmbeddingSettings().model);
  config.embedding.path = "/models/bge-small-zh.gguf";
  EXPECT_EQ(embedder_name(config), "bge-small-zh");
  EXPECT_EQ(open_embedder_model(config, nullptr).name, "bge-small-zh") << "what stored vectors carry";
  config.embedding.path = "/models/" + EmbeddingSettings().model + ".gguf";
  EXPECT_EQ(embedder_name(config), EmbeddingSettings().model);
}

TEST(EmbedderModel, MS_5_a_name_that_was_given_counts_more_than_that_of_the_file) {
  Config config;
  config.embedding.path = "/models/weights.gguf";
  config.embedding.model = "bge-small-zh";
  EXPECT_EQ(embedder_name(config), "bge-small-zh");
}

TEST(EmbedderModel, MS_5_a_path_that_is_not_used_names_nothing) {
  Config config;
  config.embedding.path = "/models/bge-small-zh.gguf";
  config.embedding.provider = EmbeddingProvider::kOpenAi;
  EXPECT_EQ(embedder_name(config), EmbeddingSettings().model);
}

}  // namespace
}  // namespace weft
