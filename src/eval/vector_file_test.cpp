#include "eval/vector_file.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/hash_embedder.h"
#include "tests/support/temporary_folder.h"

namespace weft {
namespace {

TEST(VectorFile, MS_5_a_second_run_embeds_nothing_and_gives_the_same) {
  test::TemporaryFolder folder;
  const std::string path = folder / "vectors";
  std::vector<Vector> first;
  for (int run = 0; run < 3; ++run) {
    HashEmbedder inner;
    auto cache = VectorFile::open(path, inner);
    ASSERT_TRUE(cache.ok()) << cache.error().message;
    for (int i = 0; i < 50; ++i) {
      const auto vector = (*cache)->embed("text number " + std::to_string(i), EmbedUse::kPassage, Deadline());
      ASSERT_TRUE(vector.ok());
      if (run == 0) first.push_back(*vector);
      EXPECT_EQ(*vector, first[static_cast<std::size_t>(i)]);
    }
    // The third run finds a record that was cut off, and mends it.
    EXPECT_EQ(inner.calls(), run == 0 ? 50 : run == 1 ? 0 : 1);
    cache = Error{};
    if (run == 1) std::filesystem::resize_file(path, std::filesystem::file_size(path) - 5);
  }
}

TEST(VectorFile, MS_5_models_and_uses_stay_apart_and_errors_are_not_kept) {
  test::TemporaryFolder folder;
  HashEmbedder one, other(256, "another");
  auto cache = VectorFile::open(folder / "vectors", one);
  ASSERT_TRUE(cache.ok());
  EXPECT_FALSE((*cache)->embed("", EmbedUse::kQuery, Deadline()).ok());
  ASSERT_TRUE((*cache)->embed("words", EmbedUse::kQuery, Deadline()).ok());
  cache = VectorFile::open(folder / "vectors", other);
  ASSERT_TRUE(cache.ok());
  ASSERT_TRUE((*cache)->embed("words", EmbedUse::kQuery, Deadline()).ok());
  EXPECT_EQ(other.calls(), 1);
  EXPECT_FALSE(VectorFile::open(folder / "no" + std::string("/such/folder"), one).ok());
}

}  // namespace
}  // namespace weft
