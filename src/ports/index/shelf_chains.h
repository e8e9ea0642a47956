#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

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

}  // namespace weft
