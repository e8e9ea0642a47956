#pragma once

#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "ports/embedding/embedder.h"

namespace weft {

/// Keeps the vectors of all texts it has seen in a file, so that a second run over the same data embeds nothing. The
/// file belongs to the machine that wrote it. For one thread.
class VectorFile final : public Embedder {
 public:
  /// Reads what is there; a record that was cut off is written anew. Errors: kUnavailable where the file cannot be
  /// written.
  static Result<std::unique_ptr<VectorFile>> open(const std::string& path, Embedder& inner);

  std::string name() const override { return inner_.name(); }
  std::size_t dimensions() const override { return inner_.dimensions(); }
  std::string prefix(EmbedUse use) const override { return inner_.prefix(use); }
  std::int64_t count_tokens(std::string_view text) const override { return inner_.count_tokens(text); }
  Result<Vector> embed(std::string_view text, EmbedUse use, const Deadline& deadline) override;

 private:
  using Key = std::pair<std::uint64_t, std::uint64_t>;  ///< 128 bits of hash over model, prefix and text

  explicit VectorFile(Embedder& inner) : inner_(inner) {}

  Embedder& inner_;
  std::map<Key, Vector> known_;
  std::ofstream file_;
};

}  // namespace weft
