#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "weft/result.h"

namespace weft {

/// Fingerprints of pieces of texts that were erased, by which the texts can be looked for in any bytes without being
/// kept. A piece is `kPiece` bytes that look the same in every form that Weft writes (no quotes, breaks or signs that
/// JSON and XML write otherwise). Texts shorter than that have none.
class Traces {
 public:
  static constexpr std::size_t kPiece = 12;
  static constexpr std::size_t kMost = 50'000;  ///< pieces; of what comes later fewer are taken

  explicit Traces(std::uint64_t salt = 0);

  /// Takes the pieces of a text. `said`: by somebody in a message; else made from such.
  void add(std::string_view text, bool said);

  /// Hands every place in the bytes where a piece stands to `found`, with the piece's number.
  void find(std::string_view bytes, const std::function<void(std::size_t piece, std::uint64_t place)>& found) const;

  bool said(std::size_t piece) const { return pieces_[piece].said; }
  /// Whether the text contains a piece of what somebody said.
  bool said_in(std::string_view text) const;
  /// Whether it contains two of them, or the only one: a piece alone may be a turn of phrase.
  bool quoted_in(std::string_view text) const;
  std::size_t size() const { return pieces_.size(); }
  bool empty() const { return pieces_.empty(); }

  /// As JSON, and back. kCorrupt for what is none.
  std::string to_json() const;
  static Result<Traces> parse(std::string_view json);

 private:
  struct Piece {
    std::uint64_t rolling = 0, check = 0;
    bool said = true;
  };
  void put(Piece piece);
  std::uint64_t check_of(std::string_view piece) const;

  std::uint64_t salt_, base_, out_;  // out_: the base to the power of what leaves
  std::vector<Piece> pieces_;
  std::unordered_multimap<std::uint64_t, std::size_t> by_rolling_;
  std::vector<bool> likely_;  // by the upper bits of `rolling`
};

}  // namespace weft
