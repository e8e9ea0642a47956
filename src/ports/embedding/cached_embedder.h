#pragma once

#include <condition_variable>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "ports/embedding/embedder.h"

namespace weft {

/// Keeps the vectors of recent texts, and computes a text that several callers ask for at once only once. Texts to be
/// stored let those go first that somebody waits for. Errors are not kept. Safe from any thread.
class CachedEmbedder final : public Embedder {
 public:
  /// Keeps at most `entries` vectors (1.5 KiB each at 384 dimensions); the longest unused leaves first.
  CachedEmbedder(std::shared_ptr<Embedder> inner, std::size_t entries);
  ~CachedEmbedder() override;

  std::string name() const override { return inner_->name(); }
  std::size_t dimensions() const override { return inner_->dimensions(); }
  std::string prefix(EmbedUse use) const override { return inner_->prefix(use); }
  std::int64_t count_tokens(std::string_view text) const override { return inner_->count_tokens(text); }

  /// As the inner embedder. A caller that waits for another's computation has its own deadline, and computes itself
  /// where the other's ran out of time.
  Result<Vector> embed(std::string_view text, EmbedUse use, const Deadline& deadline) override;

  void clear_cache() override;

 private:
  struct Key {  // 128 bits of hash over prefix and text: the text itself need not be kept
    std::uint64_t low = 0, high = 0;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const { return static_cast<std::size_t>(key.low); }
  };
  struct Running {
    std::optional<Result<Vector>> outcome;
  };
  using Order = std::list<std::pair<Key, Vector>>;

  Key key_of(std::string_view text, EmbedUse use) const;
  void keep(const Key& key, const Vector& vector);
  Result<Vector> compute(const Key& key, std::string_view text, EmbedUse use, const Deadline& deadline,
                         Running& running);

  std::shared_ptr<Embedder> inner_;
  std::size_t entries_;
  mutable std::mutex mutex_;
  std::condition_variable_any finished_;
  Order order_;  // newest first
  std::unordered_map<Key, Order::iterator, KeyHash> index_;
  std::unordered_map<Key, std::shared_ptr<Running>, KeyHash> running_;
  std::size_t awaited_ = 0;  ///< computations that somebody in the foreground waits for
};

}  // namespace weft
