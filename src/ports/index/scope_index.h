#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "ports/index/shelf.h"
#include "weft/result.h"

namespace weft {

/// The index of one scope in memory: words, vectors and what filters need. A cache over rows of the store, which can be
/// dropped and filled again at any time with the same results. Kinds stand on shelves of their own, so that neither the
/// rarity of words nor the ranking of messages depends on what the historian has written about them.
///
/// Many readers or one writer at a time; every function locks.
/// 100,000 short messages with vectors of 384 take about 38 MB of vectors and 25 MB of the rest.
class ScopeIndex {
 public:
  /// `dimensions` of the vectors; 0 where there is no embedder: only words are searched then.
  explicit ScopeIndex(std::size_t dimensions);

  /// Adds items, or replaces those whose row is there already (their vector has to be set again). Fastest in order of position.
  /// Fails with kTooLarge at 16 million items of one kind.
  Status add(std::span<const IndexEntry> entries);
  Status add(const IndexEntry& entry) { return add(std::span(&entry, 1)); }

  /// Sets an item's vector, of unit length. Unknown rows are left alone, since the item may have been erased while it was
  /// being embedded. Fails with kInvalidArgument on a wrong length or a number that is not finite.
  Status set_vector(std::int64_t row, std::span<const float> vector);

  /// Takes an item out of the results, or back in, when branches change. For a part of a message: the whole message.
  void set_active(std::int64_t row, bool active);

  /// Removes items; nothing of them stays in memory. Unknown rows are left alone.
  void remove(std::span<const std::int64_t> rows);

  std::size_t size() const;                     ///< items of all kinds
  std::size_t bytes() const;                    ///< memory, about
  std::size_t dimensions() const { return dimensions_; }
  std::vector<std::string> speakers() const;    ///< names of all who speak in the messages

  /// The shelves for reading; writers wait as long as it lives.
  class Reading {
   public:
    const Shelf& shelf(ItemKind kind) const { return *(*shelves_)[static_cast<std::size_t>(kind)]; }

   private:
    friend class ScopeIndex;
    using Shelves = std::array<std::unique_ptr<Shelf>, 3>;
    Reading(std::shared_mutex& mutex, const Shelves& shelves) : lock_(mutex), shelves_(&shelves) {}
    std::shared_lock<std::shared_mutex> lock_;
    const Shelves* shelves_;
  };
  Reading read() const { return Reading(mutex_, shelves_); }

 private:
  struct Place {
    ItemKind kind;
    std::uint32_t slot;
  };
  Shelf& shelf(ItemKind kind) { return *shelves_[static_cast<std::size_t>(kind)]; }
  void remove_locked(std::span<const std::int64_t> rows);

  std::size_t dimensions_;
  mutable std::shared_mutex mutex_;
  Reading::Shelves shelves_;
  std::unordered_map<std::int64_t, Place> places_;
};

}  // namespace weft
