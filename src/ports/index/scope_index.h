#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/rows.h"
#include "ports/index/vector_scan.h"
#include "ports/index/words_index.h"
#include "weft/result.h"

namespace weft {

/// What the words of a neighbour count in a unit's context: of the one before or after it, of the second. Both times
/// their shares, since only short messages are understood through each other.
inline constexpr std::array<float, 2> kNeighbourWords{0.8F, 0.6F};

/// One array for each property, since a search reads few of them, but for all units.
struct ShelfUnits {
  static constexpr std::uint32_t kNone = 0xffffffff;
  /// What a unit is, as bits.
  enum Trait : std::uint8_t {
    kActive = 1,
    kAssistant = 2,  ///< spoken by a model without a name of its own
    kQuestion = 4,  ///< only asks, see `is_bare_question`
  };

  std::vector<std::uint32_t> first_slot;
  std::vector<std::uint16_t> slots;  ///< parts of a message
  std::vector<std::uint32_t> previous, next;  ///< in the same session, only active ones; else kNone
  std::vector<std::uint32_t> session;
  std::vector<std::int32_t> day;  ///< since 1970-01-01, of the calendar in the item's own zone
  std::vector<std::uint16_t> words;  ///< of all parts, at most 65,535
  std::vector<float> share;  ///< how much the words of a unit and of its neighbours count for each other, 0 to 1
  std::vector<float> context_words;  ///< its words and its neighbours' shares; 0 while it is not active
  std::vector<std::uint16_t> speaker;  ///< 0: nobody by name
  std::vector<std::uint8_t> traits;
  std::vector<std::int64_t> position, time_ms;

  std::size_t size() const { return traits.size(); }
};

/// Active units of a session in a row, by position, and how many words each has with its neighbours'. For one thread.
class ShelfChains {
 public:
  /// Not `links`: units stand alone.
  explicit ShelfChains(bool links) : links_(links) {}

  bool links() const { return links_; }
  /// Puts a unit that became active into its session's chain, or takes one out.
  void link(ShelfUnits& units, std::uint32_t unit);
  void unlink(ShelfUnits& units, std::uint32_t unit);
  /// Counts anew the words of a unit, or also of those whose neighbour it is.
  void measure(ShelfUnits& units, std::uint32_t unit);
  void measure_around(ShelfUnits& units, std::uint32_t unit);
  double words() const { return words_; }  ///< of all units, each with its neighbours'

 private:
  bool links_;
  std::vector<std::uint32_t> tails_;  ///< last linked unit of each session
  double words_ = 0;
};

/// All items of one kind in one scope, as arrays that are scanned from end to end.
///
/// A slot is one item. A unit is what is ranked: a message with all its parts, or one event, or one narrative. Units of
/// messages are chained within their session by position, which is what ranking by neighbours walks along.
/// Not safe for writing while others read; `ScopeIndex` locks.
class Shelf {
 public:
  static constexpr std::uint32_t kNone = ShelfUnits::kNone;

  /// `links`: units are chained within their session.
  explicit Shelf(bool links, LanguageMeans means = {}) : chains_(links), vectors_(std::move(means)), speakers_{""} {}

  /// Adds an item whose row is not there yet, and gives its slot. Parts of one message come one after another.
  std::uint32_t add(const ItemRow& item, std::uint32_t session);
  void set_vector(std::uint32_t slot, std::span<const float> vector) { vectors_.set(slot, vector); }
  void set_active(std::uint32_t slot, bool active) { set_unit_active(unit_of_[slot], active); }

  /// Removes slots; their words and vectors are gone from memory afterwards. One pass over the postings.
  void remove(std::span<const std::uint32_t> slots);

  using Units = ShelfUnits;
  const Units& units() const { return units_; }
  std::span<const std::int64_t> rows() const { return rows_; }  ///< of each slot; 0 where it was removed
  std::span<const std::uint32_t> unit_of() const { return unit_of_; }
  const WordsIndex& words() const { return words_; }
  const CentredVectors& vectors() const { return vectors_; }
  bool single() const { return units_.size() == rows_.size(); }  ///< every unit has one slot
  bool all_active() const { return inactive_ == 0; }  ///< what was removed counts as inactive
  std::int32_t first_day() const { return first_day_; }  ///< no item is earlier
  std::int32_t last_day() const { return last_day_; }  ///< no item is later
  std::size_t sessions() const { return sessions_; }  ///< numbers of sessions are below this
  std::size_t live() const { return words_.documents(); }
  std::size_t active() const { return units_.size() - inactive_; }  ///< units
  std::size_t bytes() const;  ///< of memory, about
  double context_words() const { return chains_.words(); }  ///< of all units together

  /// Names of speakers; a unit's `speaker` is the place in here.
  std::span<const std::string> speakers() const { return speakers_; }

 private:
  std::uint16_t speaker_number(std::string_view name);
  void add_unit(const ItemRow& item, std::uint32_t slot, std::uint32_t session, bool question);
  void set_unit_active(std::uint32_t unit, bool active);

  ShelfUnits units_;
  ShelfChains chains_;
  std::size_t inactive_ = 0, sessions_ = 0;
  std::vector<std::int64_t> rows_;
  std::vector<std::uint32_t> unit_of_;
  WordsIndex words_;
  CentredVectors vectors_;
  std::vector<std::string> speakers_;
  std::unordered_map<std::string, std::uint16_t> speaker_numbers_;
  std::int32_t first_day_ = std::numeric_limits<std::int32_t>::max();
  std::int32_t last_day_ = std::numeric_limits<std::int32_t>::min();
};

/// Days since 1970-01-01 of the calendar in the time's own zone.
std::int32_t day_of(Time time);

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
