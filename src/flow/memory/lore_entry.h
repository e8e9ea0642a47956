#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "text/json.h"
#include "weft/lore.h"
#include "weft/memory.h"
#include "weft/plan.h"
#include "weft/result.h"

namespace weft {

/// What is indexed and embedded of an entry: title, the keys that are words and stand in neither title nor text, text.
std::string lore_text(const LoreEntry& entry);

/// The entry as an item of recall: id, kind, text. Scope, time and position are the caller's.
Item lore_item(const LoreEntry& entry, ItemKind kind);

/// The entry as a block with the place it wants. `escaped` is what is woven in of it. An entry with the usual order
/// gets the usual priority of a block.
FloatingBlock lore_block(const LoreEntry& entry, std::string escaped);

/// What reading met that is not worth an error.
struct LoreNotes {
  std::map<std::string, std::size_t> ignored;  ///< fields that say nothing to Weft → how often they stood there
  std::vector<std::string> remarks;            ///< what was taken otherwise than it stands, with its place
};

/// Reads one entry over what `entry` holds already (an author's defaults). Takes the field names of Weft's own JSON, of
/// World Info files ("key", "keysecondary", "comment", "disable", "position": 4 …) and of character books
/// ("secondary_keys", "insertion_order", "extensions": {…}), as they do not contradict each other. `id` becomes what
/// the entry calls itself ("id" or "uid").
///
/// A broken field makes the entry an error that begins with `where` and names the field; unknown ones are counted. An
/// entry without text is an error.
Result<LoreEntry> read_lore_entry(const Value& value, LoreEntry entry, std::string_view where, LoreNotes& notes);

/// Takes "@@name value" lines off the beginning of the text: settings in a character book of the third version. "@@@"
/// lines, the fallbacks for what a program may not understand, are read the same way. Errors as above.
Status take_lore_decorators(LoreEntry& entry, std::string_view where, LoreNotes& notes);

/// Sets one field by name from words, as a front matter has them. False for an unknown name.
Result<bool> set_lore_field(LoreEntry& entry, std::string_view name, const Value& value, std::string_view where,
                            LoreNotes& notes);

std::optional<LoreLogic> parse_lore_logic(std::string_view text);

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
