#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "flow/memory/likeness.h"
#include "weft/knowledge.h"
#include "weft/result.h"

namespace weft {

/// MEMORY.md, the knowledge of a scope as a file that people read and edit (002, 2.1): headings, and below each a list.
///
///     ## Domain knowledge
///     - Gateways run on the host itself <!-- 2026-11-24 flush today -->
///       - contradicted: Gateways run in a container <!-- 2026-11-25 rule r7 -->
///
/// What is no entry (prose, other headings, code) stays as it is, byte for byte. Entries are added and marked, and
/// never overwritten. A value; not safe for several threads.
class MemoryFile {
 public:
  static MemoryFile parse(std::string_view markdown);

  std::string text() const;
  std::vector<KnowledgeEntry> entries() const;

  /// Adds an entry below its heading, which is made where it is missing. `likeness` tells what is there in other words.
  KnowledgeAdded add(const KnowledgeEntry& entry, const Likeness& likeness);

  /// Says which of two entries that contradict each other holds: `text` is one of the two as it stands. The other one
  /// is taken out and given. kNotFound where there is no such contradiction.
  Result<KnowledgeEntry> confirm(std::string_view text);

  /// Makes it fit into `max_bytes`: near-duplicates become one (the later wording stays), then the oldest of those that
  /// `least_used` ranks first go; what goes is given, for the archive. No call takes more than a quarter of the
  /// entries, so it may stay too large and is called again another day.
  std::vector<KnowledgeEntry> shrink(std::size_t max_bytes, const Likeness& likeness,
                                     const std::vector<std::string>& least_used);

  /// Takes out the entries that come from one of these sources. What contradicted such an entry becomes one itself.
  /// Gives how many went.
  std::size_t remove_sources(const std::set<std::string>& sources);

  /// Whether `after` may take the place of `before`: it must not lose more than a quarter of the entries at once.
  /// kConflict, with how many would go.
  static Status check_rewrite(const MemoryFile& before, const MemoryFile& after);

 private:
  /// A line of the file.
  struct Line {
    std::string raw;  ///< as it stood, for what is no entry
    std::optional<KnowledgeEntry> entry;
  };

  std::size_t end_of_section(const std::string& heading) const;
  std::optional<std::size_t> contradicted_by(const KnowledgeEntry& entry, const std::vector<double>& likeness,
                                             const std::vector<std::size_t>& places) const;
  std::size_t end_of_entry(std::size_t place) const;
  void take(std::size_t place, std::vector<KnowledgeEntry>& gone);

  std::vector<Line> lines_;
};

/// Whether two statements on one matter cannot both hold: one denies what the other says, or they differ in nothing but
/// numbers. Of either language.
bool contradict(std::string_view a, std::string_view b);

/// Whether one of two statements has all words of content of the other, the same numbers, and as many negations.
bool has_words_of(std::string_view a, std::string_view b);

}  // namespace weft
