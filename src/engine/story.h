#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/states.h"
#include "flow/memory/lore_entry.h"
#include "flow/memory/quest_graph.h"
#include "ports/store/store.h"
#include "weft/lore.h"
#include "weft/quest.h"
#include "weft/request.h"
#include "weft/result.h"

namespace weft {

/// The lore of a story: its world's and the scope's own over it. Entries are documents, which hold all that their
/// author said, and items, which recall finds. Safe from any thread.
class LoreBook {
 public:
  explicit LoreBook(EngineCore& core) : core_(core) {}

  // `Story` in weft/facets/story.h says what these do.
  Result<std::vector<LoreEntry>> lore(const RequestContext& request);
  Result<LoreEntry> put_lore(const RequestContext& request, const LoreEntry& entry);
  Result<std::size_t> delete_lore(const RequestContext& request, const std::string& id, const std::string& source);
  Result<LoreReport> import_lore(const RequestContext& request, const std::string& bytes, const std::string& file);

  /// All of a story's, ready to be called up; read once until it changes.
  Result<std::shared_ptr<const LoreShelf>> lore_of(const StoryScope& scope);

 private:
  Result<std::vector<LoreEntry>> lore_entries(const StoryScope& scope);
  void add_lore_entry(const ScopeKey& scope, const LoreEntry& entry, std::int64_t version, WriteBatch& batch);
  Status erase_lore(const ScopeKey& scope, const std::vector<std::string>& ids, WriteBatch& batch);
  Status keep_lore(const ScopeKey& scope, WriteBatch& batch);

  EngineCore& core_;
};

/// The quests of a story: its world's, and over them the scope's own; every version of each is kept. Safe from any
/// thread; of two who change one quest at once the second gets kConflict.
class Quests {
 public:
  explicit Quests(EngineCore& core) : core_(core) {}

  // `Story` in weft/facets/story.h says what these do.
  Result<std::vector<Quest>> quests(const RequestContext& request);
  Result<std::vector<Quest>> import_quests(const RequestContext& request, const std::string& text,
                                           const std::string& file);
  Result<std::vector<Quest>> move_quest(const RequestContext& request, const std::string& id, QuestStatus status,
                                        const std::string& note);
  Result<std::vector<Quest>> put_quest(const RequestContext& request, const Quest& quest);
  Result<std::vector<Quest>> delete_quest(const RequestContext& request, const std::string& id);

  /// All quests of a story; `versions`, unless null, gets the version of each that is the scope's own.
  Result<QuestGraph> quest_graph(const StoryScope& scope, std::map<std::string, std::int64_t>* versions);

 private:
  struct QuestChange {
    std::vector<Quest> changed;
    std::vector<std::string> gone;
  };
  Result<std::vector<Quest>> write_quests(const RequestContext& request,
                                          const std::function<Result<QuestChange>(QuestGraph&)>& change);
  Result<std::vector<Quest>> change_quests(const RequestContext& request,
                                           const std::function<Result<std::vector<Quest>>(QuestGraph&)>& change);

  EngineCore& core_;
};

}  // namespace weft
