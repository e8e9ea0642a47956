#include "ports/embedding/vector_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

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
  EXPECT_EQ(one.calls(), 2) << "the empty text was asked for, too";
  EXPECT_FALSE(VectorFile::open(folder / "no" + std::string("/such/folder"), one).ok());
}

TEST(VectorFile, MS_5_what_is_not_wanted_any_more_is_in_the_file_no_more) {
  test::TemporaryFolder folder;
  const std::string path = folder / "vectors";
  HashEmbedder inner;
  {
    auto cache = VectorFile::open(path, inner);
    ASSERT_TRUE(cache.ok());
    for (const char* text : {"one", "two", "three"})
      ASSERT_TRUE((*cache)->embed(text, EmbedUse::kCompare, Deadline()).ok());
    const auto size = std::filesystem::file_size(path);
    const std::vector<std::string> left{"two", "four"};
    ASSERT_TRUE((*cache)->keep_only(left, EmbedUse::kCompare).ok());
    EXPECT_LT(std::filesystem::file_size(path), size);
    EXPECT_TRUE((*cache)->kept("one", EmbedUse::kCompare).empty());
    EXPECT_FALSE((*cache)->kept("two", EmbedUse::kCompare).empty());
    ASSERT_TRUE((*cache)->embed("four", EmbedUse::kCompare, Deadline()).ok());
  }
  auto again = VectorFile::open(path, inner);
  ASSERT_TRUE(again.ok());
  for (const char* text : {"two", "four"}) EXPECT_FALSE((*again)->kept(text, EmbedUse::kCompare).empty()) << text;
  for (const char* text : {"one", "three"}) EXPECT_TRUE((*again)->kept(text, EmbedUse::kCompare).empty()) << text;
  (*again)->clear_cache();
  EXPECT_TRUE((*again)->kept("two", EmbedUse::kCompare).empty());
}

TEST(VectorFile, MS_5_vectors_of_another_length_and_what_is_no_such_file_are_not_read) {
  test::TemporaryFolder folder;
  const std::string path = folder / "vectors";
  HashEmbedder longer(256, "same name"), shorter(64, "same name");
  auto cache = VectorFile::open(path, longer);
  ASSERT_TRUE(cache.ok());
  ASSERT_TRUE((*cache)->embed("words", EmbedUse::kCompare, Deadline()).ok());
  cache = VectorFile::open(path, shorter);
  ASSERT_TRUE(cache.ok());
  EXPECT_TRUE((*cache)->kept("words", EmbedUse::kCompare).empty());
  EXPECT_EQ((*cache)->embed("words", EmbedUse::kCompare, Deadline())->size(), 64U);
  cache = Error{};
  std::ofstream(path) << std::string(1000, 'x');
  cache = VectorFile::open(path, shorter);
  ASSERT_TRUE(cache.ok());
  EXPECT_TRUE((*cache)->kept("words", EmbedUse::kCompare).empty());
}

}  // namespace
}  // namespace weft
