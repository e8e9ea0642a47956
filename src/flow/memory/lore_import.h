#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flow/memory/lore_entry.h"
#include "weft/result.h"

namespace weft {

/// Bounds on one file of lore.
struct LoreLimits {
  std::size_t max_bytes = 16 * 1024 * 1024;
  std::size_t max_entries = 20'000;
  std::int64_t section_tokens = 400;  ///< longer sections and paragraphs are cut, at paragraphs, sentences, words
};

enum class LoreFormat { kMarkdown, kText, kJson };

/// By the end of the file's name, in any case: .md .markdown; .txt .text; .json. Nothing for others.
std::optional<LoreFormat> lore_format(std::string_view file);

/// What could not be taken as it stands. The entry it names was left out, or, for a remark, taken with a change.
struct LoreProblem {
  std::string where;  ///< file, and the entry by place or name
  std::string message;
};

/// One file, read.
struct LoreImport {
  std::vector<LoreEntry> entries;                      ///< in the file's order; ids are unique within the file
  std::vector<LoreProblem> problems;                   ///< at most 100
  std::size_t problem_count = 0;                       ///< of all
  std::size_t left_out = 0;                            ///< entries that were not taken
  std::map<std::string, std::size_t> ignored_fields;   ///< of JSON: names that say nothing to Weft, and how often
};

/// Reads the bytes of one file.
///
///   Markdown  one entry a section, the path of headings its title. A front matter gives `keys`, `tags`, `position` and
///             the like to all sections; lines "keys: …", "tags: …", "constant: true", "enabled: false" right under a
///             heading (also 关键词, 标签 and 常驻) to one.
///   text      one entry a paragraph; a short one, such as a heading, goes with the next.
///   JSON      a list of entries; `{"entries": …}` of World Info or a character book, also inside a card; one entry; or
///             an object of entries by their names.
///
/// `file` is its path below the folder that is imported, with "/"; ids are made from it and from the entry's own name,
/// heading or first words, so that importing again gives the same ids. Broken entries are left out and reported. An
/// error means that nothing could be read: kTooLarge, or kInvalidArgument for what is not UTF-8, not JSON or of an
/// unknown kind. Deterministic; linear in the size; safe from any thread.
Result<LoreImport> import_lore(std::string_view bytes, std::string_view file, const LoreLimits& limits = {});

}  // namespace weft
