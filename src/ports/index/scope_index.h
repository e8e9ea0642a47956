#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <optional>
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
  /// `means` are those of the model that makes the vectors.
  explicit ScopeIndex(const LanguageMeans& means = {});

  /// Adds an item, or replaces the one with this row. Of the text nothing is needed but its terms; the vector may be
  /// empty and set later. Items come in the order of their position (others are found as well, but take longer to put
  /// in place), parts of one message one after another. Fails with kTooLarge at 16 million items of one kind.
  Status add(const ItemRow& item);

  /// Sets an item's vector, of unit length. Unknown rows are left alone, since the item may have been erased while it
  /// was being embedded. Fails with kInvalidArgument on a number that is not finite or on another length than the
  /// vectors that are there.
  Status set_vector(std::int64_t row, std::span<const float> vector);

  /// Takes an item out of the results, or back in, when branches change. For a part of a message: the whole message.
  void set_active(std::int64_t row, bool active);

  /// Removes items; nothing of them stays in memory. Unknown rows are left alone.
  void remove(std::span<const std::int64_t> rows);

  std::size_t bytes() const;  ///< of memory, about

  std::vector<std::string> speakers() const;  ///< names of all who speak in the messages

  /// The shelves for reading; writers wait as long as it lives.
  class Reading {
   public:
    const Shelf& shelf(ItemKind kind) const { return *index_->shelves_[static_cast<std::size_t>(kind)]; }

    /// The number that stands for a session in the shelves; nothing where no item is of that session.
    std::optional<std::uint32_t> session(const SessionId& session) const;

   private:
    friend class ScopeIndex;
    explicit Reading(const ScopeIndex& index) : lock_(index.mutex_), index_(&index) {}
    std::shared_lock<std::shared_mutex> lock_;
    const ScopeIndex* index_;
  };
  Reading read() const { return Reading(*this); }

 private:
  struct Place {
    ItemKind kind;
    std::uint32_t slot;
  };
  Shelf& shelf(ItemKind kind) { return *shelves_[static_cast<std::size_t>(kind)]; }
  void remove_locked(std::span<const std::int64_t> rows);
  Status check(std::span<const float> vector) const;

  mutable std::shared_mutex mutex_;
  std::array<std::unique_ptr<Shelf>, kItemKinds.size()> shelves_;
  std::unordered_map<std::string, std::uint32_t> sessions_;
  std::unordered_map<std::int64_t, Place> places_;
};

}  // namespace weft
