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

/// Macros of World Info: names in braces ({{user}}, {{char}}, {{random::a::b}}, {{// a comment}}), and <USER>, <BOT>.
/// Other programs fill them in as a prompt is made. Here they are filled in as an entry is taken in, so that none
/// stands in a prompt; one whose value is not known reads as words that hold for any value, or is left out, and is
/// counted.
///
/// Braces around what is no name stay as they are.
class LoreMacros {
 public:
  /// Of the card that the entries came with; empty: not known.
  std::string character;
  /// <USER> and its like are macros; in Markdown they are placeholders of other kinds.
  bool in_angles = false;

  /// The text without macros. Takes time linear in its length.
  std::string expanded(std::string_view text);

  /// A key without macros, its value escaped in a pattern; nothing where a macro of it has no value here, which is not
  /// counted.
  std::optional<std::string> expanded_key(std::string_view key) const;

  /// Macros whose value is not known: "{{user}}" → how often, and what stands there now.
  struct Unknown {
    std::size_t times = 0;
    std::string reads;
  };
  const std::map<std::string, Unknown>& unknown() const { return unknown_; }
  std::size_t unknown_times() const { return unknown_times_; }

 private:
  std::string value_of(std::string_view macro, bool chinese, bool& known);
  std::string without_angles(std::string text, bool chinese);
  std::string note(std::string_view name, std::string reads);

  std::map<std::string, Unknown> unknown_;
  std::size_t unknown_times_ = 0;
};

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
  std::vector<LoreEntry> entries;  ///< in the file's order; ids are unique within the file
  std::vector<LoreProblem> problems;  ///< at most 100
  std::size_t problem_count = 0;  ///< of all
  std::size_t left_out = 0;  ///< entries that were not taken
  std::map<std::string, std::size_t> ignored_fields;  ///< of JSON: names that say nothing to Weft, and how often
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
