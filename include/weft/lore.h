#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weft/message.h"
#include "weft/plan.h"
#include "weft/result.h"

namespace weft {

/// What the secondary keys of an entry ask for, once one of its keys is there. Numbers as in World Info files.
enum class LoreLogic {
  kAndAny = 0,  ///< one of them too
  kNotAll = 1,  ///< not all of them
  kNotAny = 2,  ///< none of them
  kAndAll = 3,  ///< all of them too
};

/// "and_any", "not_all", "not_any", "and_all".
std::string_view to_string(LoreLogic logic);

/// The order that authors' tools give an entry unless told otherwise.
inline constexpr std::int64_t kLoreOrder = 100;

/// One piece of knowledge about the world: what it says, what calls it up, and where it wants to stand. One with keys
/// comes when its keys are met and never otherwise; one without keys is looked for by what it says.
struct LoreEntry {
  std::string id;     ///< "lore:FILE#KEY": the same each time the same file is imported
  std::string title;  ///< of a Markdown section the path of its headings: "Places > Harbour"
  std::string text;   ///< as the author wrote it: not escaped
  std::vector<std::string> keys;            ///< words that call it up; "/…/i" is a pattern
  std::vector<std::string> secondary_keys;  ///< looked at after a key was found, see `logic`
  LoreLogic logic = LoreLogic::kAndAny;
  bool case_sensitive = false;
  bool whole_words = true;  ///< keys in scripts with spaces must not be found inside a word
  std::vector<std::string> tags;
  bool constant = false;            ///< stands in every prompt, whatever is said
  bool enabled = true;              ///< false: kept, never used
  std::int64_t order = kLoreOrder;  ///< higher stands nearer to the input and is trimmed later
  BlockPlace position = BlockPlace::kHistoryTop;
  std::int64_t depth = 0;         ///< messages from the end, for kHistoryBottom
  Role role = Role::kSystem;
  std::int64_t probability = 100;  ///< percent; how often it may come when called up. Who weaves it in decides
  std::string source;              ///< the file it came from
};

/// What importing a file of lore did.
struct LoreReport {
  std::size_t imported = 0;  ///< entries taken, new or again
  std::size_t left_out = 0;
  std::vector<std::string> problems;  ///< where and why
};

/// All fields, `position` and `role` in words; `parse_lore_entry` gives the entry back.
std::string to_json(const LoreEntry& entry);

/// Reads what `to_json` wrote; also whatever one entry may look like in a file of World Info or a character book.
Result<LoreEntry> parse_lore_entry(std::string_view json);

}  // namespace weft
