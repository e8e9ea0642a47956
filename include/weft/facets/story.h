#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "weft/facets/facet.h"
#include "weft/lore.h"
#include "weft/quest.h"

namespace weft {

/// What a story is in: quests and lore, the scope's own and its world's. What is changed of the world's is changed for
/// this scope alone; `Caller::of_world` changes the world itself. Lists of quests that are given back hold those that
/// changed, the one that was named first.
class Story : public Facet {
 public:
  Result<std::vector<Quest>> quests() const;
  /// Takes one quest over the known ones.
  Result<std::vector<Quest>> put_quest(const Quest& quest) const;
  /// Takes quests from a file's text (YAML or JSON) over the known ones. `file` names it in errors.
  Result<std::vector<Quest>> import_quests(const std::string& text, const std::string& file) const;
  /// Moves a quest on; `note` says in words how it goes, or how it ended. What waits for it opens.
  Result<std::vector<Quest>> move_quest(const std::string& id, QuestStatus status, const std::string& note = {}) const;
  /// Takes a quest out. kConflict where another one needs it.
  Result<std::vector<Quest>> remove_quest(const std::string& id) const;

  /// In the order of ids.
  Result<std::vector<LoreEntry>> lore() const;
  /// Puts an entry under its id.
  Result<LoreEntry> put_lore(const LoreEntry& entry) const;
  /// Takes lore from a file's bytes; its kind is told from the name. Entries of the same file that are gone from it go.
  /// kInvalidArgument for a file without any entry.
  Result<LoreReport> import_lore(const std::string& bytes, const std::string& file) const;
  /// Takes an entry out, or all of a file; gives how many. kNotFound for none.
  Result<std::size_t> remove_lore(const std::string& id) const;
  Result<std::size_t> remove_lore_file(const std::string& file) const;

 private:
  friend class Engine;
  using Facet::Facet;
};

}  // namespace weft
