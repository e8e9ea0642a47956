#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/value.h"
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

}  // namespace weft
