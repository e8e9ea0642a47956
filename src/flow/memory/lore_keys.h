#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "flow/memory/lore_entry.h"
#include "weft/result.h"

namespace weft {

/// Whether a key is written as a pattern: "/…/" with flags behind it, as authors' tools have it.
bool is_lore_pattern(std::string_view key);

/// The pattern that means just these words.
std::string literal_pattern(std::string_view words);

/// A pattern from outside, held to a bounded number of steps: what would run for ever finds nothing instead. The same
/// text and pattern always give the same answer, as steps are counted and not time.
///
/// Immutable; one may be used by many threads.
class LorePattern {
 public:
  /// kInvalidArgument for what is no pattern, is longer than 1 KiB or has unknown flags. Flags: i, s, m, u, g.
  static Result<LorePattern> make(std::string_view key);

  LorePattern(LorePattern&&) noexcept;
  LorePattern& operator=(LorePattern&&) noexcept;
  ~LorePattern();

  /// Whether it is found in the last 16 KiB of a valid text.
  bool found_in(std::string_view text) const;

 private:
  struct Compiled;
  explicit LorePattern(std::unique_ptr<const Compiled> compiled);
  std::unique_ptr<const Compiled> compiled_;
};

/// Which entries a text calls up by their keys. Keys are compared as words of the index are (width, case, simplified
/// for traditional, unless the entry minds case), white space of any length being one space; in scripts that put spaces
/// between words a key must be whole words. Patterns run bounded, at most 256 of them; one over that, or that is none,
/// is taken for the words it is written with.
///
/// Built once for a scope's entries and asked each turn. Immutable after construction, for many threads. A text of n
/// bytes costs O(n + occurrences) for all literal keys together, and one bounded search a pattern; it is looked at
/// from its end, at most 256 KiB.
class LoreTriggers {
 public:
  explicit LoreTriggers(const std::vector<LoreEntry>& entries);

  /// Indexes of the entries that are called up, ascending; constant ones always, disabled ones never.
  std::vector<std::size_t> match(std::string_view text) const;

  /// Keys that were meant as patterns and are not used as such, for the author: `entry id: "/…/": why`.
  const std::vector<std::string>& broken_patterns() const { return broken_; }

 private:
  struct Key {
    std::string word;  // as it is looked for; unused of a pattern
    int pattern = -1;  // place in patterns_
    bool whole = true;  // must not be found inside a word
  };
  struct Entry {
    bool constant = false, enabled = true;
    LoreLogic logic = LoreLogic::kAndAny;
    std::vector<std::size_t> keys, secondary;  // places in keys_
  };
  // Literal keys of one way of writing, found together in one pass over the text (Aho-Corasick).
  class Automaton {
   public:
    void add(std::string_view word, std::size_t key);
    void finish();
    template <class Visit>
    void scan(std::string_view text, Visit&& visit) const;

   private:
    struct Node {
      std::vector<std::pair<unsigned char, std::uint32_t>> next;  // sorted by byte
      std::uint32_t fail = 0, shorter = 0;  // shorter: nearest node on the way back where a key ends
      std::vector<std::size_t> ends;  // keys that end here
    };
    std::uint32_t child(std::uint32_t node, unsigned char byte) const;
    std::vector<Node> nodes_ = std::vector<Node>(1);
  };

  using KeyPlaces = std::unordered_map<std::string, std::size_t>;  // how a key is looked for → its place

  std::size_t add_key(const LoreEntry& entry, const std::string& text, KeyPlaces& places);
  bool called_up(const Entry& entry, const std::vector<bool>& found) const;

  std::vector<Key> keys_;
  std::vector<Entry> entries_;
  std::vector<LorePattern> patterns_;
  std::vector<std::string> broken_;
  Automaton folded_, exact_;
};

}  // namespace weft
