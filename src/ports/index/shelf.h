#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "ports/index/vector_scan.h"
#include "ports/index/words_index.h"
#include "weft/memory.h"

namespace weft {

/// What the index knows of one item. The row is its key; everything else is what ranking and filters need.
struct IndexEntry {
  std::int64_t row = 0;
  ItemKind kind = ItemKind::kMessage;
  Time time;
  std::uint32_t session = 0;     ///< the session's number in the store
  std::int64_t position = 0;     ///< in the stream of the scope; parts of one message share it and come one after another
  std::string_view speaker;      ///< name of who speaks, empty where none is known
  bool assistant = false;        ///< spoken by the model
  bool question = false;         ///< a short question that tells nothing itself
  bool active = true;            ///< false: on a branch that was left
  std::span<const Term> terms;   ///< `index_terms` of the text, with the speaker's name where there is one
};

/// All items of one kind in one scope, as arrays that are scanned from end to end.
///
/// A slot is one item. A unit is what is ranked: a message with all its parts, or one event, or one narrative. Units of
/// messages are chained within their session by position, which is what ranking by neighbours walks along.
/// Not safe for writing while others read; `ScopeIndex` locks.
class Shelf {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;

  /// `links`: units are chained within their session.
  Shelf(std::size_t dimensions, bool links);

  /// Adds an item whose row is not there yet, and gives its slot.
  std::uint32_t add(const IndexEntry& entry);
  void set_vector(std::uint32_t slot, std::span<const float> vector) { vectors_.set(slot, vector); }
  void set_active(std::uint32_t slot, bool active);

  /// Removes slots; their words and vectors are gone from memory afterwards. One pass over the postings.
  void remove(std::span<const std::uint32_t> slots);

  struct Unit {
    std::uint32_t first_slot = 0, slots = 0;
    std::uint32_t previous = kNone, next = kNone;  ///< in the same session, only active ones
    std::int64_t position = 0;
    std::int64_t time_ms = 0;
    std::uint32_t day = 0;       ///< of the calendar in the item's own zone, see `pack_day`
    std::uint32_t session = 0;
    std::uint32_t words = 0;     ///< of all parts
    std::uint16_t speaker = 0;   ///< 0: nobody by name
    bool active = true, assistant = false, question = false;
  };

  std::span<const Unit> units() const { return units_; }
  std::span<const std::int64_t> rows() const { return rows_; }       ///< of each slot; 0 where it was removed
  std::span<const std::uint32_t> unit_of() const { return unit_of_; }
  const WordsIndex& words() const { return words_; }
  const VectorScan& vectors() const { return vectors_; }
  std::uint32_t sessions() const { return static_cast<std::uint32_t>(tails_.size()); }
  bool single() const { return units_.size() == rows_.size(); }      ///< every unit has one slot
  std::size_t live() const { return words_.documents(); }
  std::size_t bytes() const;

  /// Names of speakers; a unit's `speaker` is the place in here.
  std::span<const std::string> speakers() const { return speakers_; }

 private:
  std::uint16_t speaker_number(std::string_view name);
  void link(std::uint32_t unit);
  void unlink(std::uint32_t unit);

  bool links_;
  std::vector<Unit> units_;
  std::vector<std::int64_t> rows_;
  std::vector<std::uint32_t> unit_of_;
  WordsIndex words_;
  VectorScan vectors_;
  std::vector<std::string> speakers_;
  std::unordered_map<std::string, std::uint16_t> speaker_numbers_;
  std::vector<std::uint32_t> tails_;  ///< last linked unit of each session
};

/// A calendar day as one comparable number: year << 9 | month << 5 | day.
std::uint32_t pack_day(Time time);

}  // namespace weft
