#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "weft/result.h"

namespace weft {

/// One top-level key of a front matter.
struct FrontMatterEntry {
  enum class Kind { kScalar, kList, kOther };

  std::string key;
  std::string text;  ///< its lines as they stand in the file, comments behind it and line ends included
  Kind kind = Kind::kScalar;
  std::vector<std::string> values;  ///< of a scalar its text (none for null), of a list of scalars each; else empty
  std::size_t line = 0;             ///< of the file, from 1; 0 for an entry that was made
};

/// A Markdown document that may begin with YAML between two lines "---". Putting `text` of every entry and `body` back
/// together gives the file's content, so what is not understood is kept as it was written.
struct FrontMatter {
  std::string head;  ///< comment lines before the first key
  std::vector<FrontMatterEntry> entries;
  std::string body;  ///< everything behind the front matter, verbatim

  const FrontMatterEntry* find(std::string_view key) const;
};

/// Reads a document. One without a front matter is all body. kCorrupt, naming the line, for what is not UTF-8, not
/// YAML, not closed, not one key a line, a key twice, anchors and aliases, or more than 64 KiB of YAML. Linear in the
/// size.
Result<FrontMatter> parse_front_matter(std::string_view file);

/// The document as text; always with a front matter. Needs valid UTF-8.
std::string write_front_matter(const FrontMatter& document);

/// Entries as `write_front_matter` takes them: `key: "value"` and `key: ["a", "b"]`, quoted so that every value comes
/// back as it was. `key` must be a plain word.
FrontMatterEntry yaml_text(std::string key, std::string value);
FrontMatterEntry yaml_word(std::string key, std::string value);  ///< unquoted; only for words that need no quotes
FrontMatterEntry yaml_list(std::string key, std::vector<std::string> values);

}  // namespace weft
