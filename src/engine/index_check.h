#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "weft/memory.h"

namespace weft {

/// How the index stands to the rows of one kind in one scope.
struct ShelfCheck {
  ScopeKey scope;
  ItemKind kind = ItemKind::kMessage;
  std::size_t rows = 0;           ///< entries of the index
  std::size_t vectors = 0;        ///< of them with one of the model that serves
  std::size_t words_only = 0;     ///< that never get one
  std::size_t waiting = 0;        ///< for one
  std::size_t wrong_words = 0;    ///< stand under other words than their text has
  std::size_t wrong_vectors = 0;  ///< of another model or length, or of no direction
  std::size_t missing = 0;        ///< messages without an entry
  std::size_t loose = 0;          ///< entries whose message is not there
  std::size_t unlike_memory = 0;  ///< entries that the index in memory lacks, or has too many

  /// What making the index anew would mend.
  std::size_t to_mend() const { return wrong_words + wrong_vectors + missing + unlike_memory; }
};

/// The index against what it was made from.
struct IndexCheck {
  std::vector<std::string> faults;  ///< of the store's own files, in the store's words
  std::vector<ShelfCheck> shelves;
  std::size_t sampled = 0;  ///< vectors that were made again from their text
  std::size_t strange = 0;  ///< of them, those that came out otherwise: another model has made them
  std::size_t mended = 0;   ///< entries that were made anew

  /// Most of the sample is of another model, though it has the name of the one that serves.
  bool other_model() const { return strange * 2 > sampled; }
};

}  // namespace weft
