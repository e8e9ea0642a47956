#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weft {

/// One entry of MEMORY.md: a line of a list below a heading.
struct KnowledgeEntry {
  std::string section;  ///< the heading that it stands below
  std::string text;
  std::string date;     ///< YYYY-MM-DD on which it was written; empty: by a person, at an unknown time
  std::string source;   ///< "SESSION/MESSAGE", "rule r12", "reflection …"; empty: a person
  std::string against;  ///< the entry that it contradicts, until a person has said which one holds; empty: none
};

/// What became of something that was to be added.
enum class KnowledgeAdded {
  kNew,
  kKnown,        ///< it is there in other words; nothing was changed
  kContradicts,  ///< it stands below the entry that it contradicts, marked
};
std::string_view to_string(KnowledgeAdded added);

/// MEMORY.md of a scope as it stands.
struct KnowledgeFile {
  std::string path, text;
  std::vector<KnowledgeEntry> entries;
};

/// What happened on one day.
struct Day {
  std::string date;  ///< YYYY-MM-DD
  std::string text;  ///< Markdown
};

}  // namespace weft
