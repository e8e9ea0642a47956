#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "ports/embedding/embedder.h"

namespace weft {

/// An embedder without a model, for tests: each word (a run of ASCII letters and digits, folded; or one other
/// character, and each pair of neighbours of those) is hashed to a direction, and their sum is the vector. Texts that
/// share words are near, texts that share none lie close to a right angle. The same text gives the same bytes on every
/// machine. Safe from any thread.
class HashEmbedder final : public Embedder {
 public:
  explicit HashEmbedder(std::size_t dimensions = 256, std::string name = "hash-test")
      : dimensions_(dimensions), name_(std::move(name)) {}

  std::string name() const override { return name_; }
  std::size_t dimensions() const override { return dimensions_; }
  Result<Vector> embed(std::string_view text, EmbedUse use, const Deadline& deadline) override;
  std::int64_t count_tokens(std::string_view text) const override;

  /// How often `embed` was called.
  std::int64_t calls() const { return calls_; }

  /// From now on every call fails with this error, until it is called with nothing.
  void fail_with(std::optional<Error> error);

 private:
  std::size_t dimensions_;
  std::string name_;
  std::atomic<std::int64_t> calls_ = 0;
  std::mutex mutex_;
  std::optional<Error> failure_;
};

}  // namespace weft
