#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "engine/memory_files.h"
#include "engine/serving.h"
#include "flow/recall/query.h"
#include "weft/facets/memory.h"

namespace weft {

class Members;
struct EngineCore;

/// What is read from memory: searches, and what was kept word by word. Safe from any thread.
class Searcher {
 public:
  Searcher(EngineCore& core, Knowledge& knowledge) : core_(core), knowledge_(knowledge) {}

  // `Memory` in weft/facets/memory.h says what these do.
  Result<SearchResult> search(const RequestContext& request, const SearchRequest& what);
  Result<std::vector<StoredMessage>> originals(const RequestContext& request, std::span<const MessageId> ids);
  Result<std::vector<StoredMessage>> branch_to(const RequestContext& request, const MessageId& id);
  Result<std::vector<StoredMessage>> history(const RequestContext& request, const SessionId& session, std::size_t limit,
                                             std::int64_t before);
  Result<std::vector<Item>> items(const RequestContext& request, ItemKind kind, std::size_t limit);
  Result<ItemsPage> items(const RequestContext& request, const ItemsWanted& what);

  /// Searches one scope by its key, whoever asks. Without the query's vector by `deadline` words alone are searched.
  Result<SearchResult> search_scope(const ScopeKey& scope, const SearchRequest& what, const Deadline& deadline);

  /// What questions said is no more in memory.
  void forget() { questions_.clear(); }

 private:
  Result<SearchResult> search_with(Serving& serving, const ScopeKey& scope, const SearchRequest& what,
                                   const Deadline& deadline);

  /// Row of a hit, and of the messages beside it, see `Hit::before`.
  struct Place {
    std::int64_t row = 0;
    std::vector<std::int64_t> before, after;
  };
  Status add_surroundings(const ScopeKey& scope, const Members& members, std::span<const Place> places,
                          std::vector<Hit>& hits);

  EngineCore& core_;
  Knowledge& knowledge_;  ///< looked at for edits of people before a search
  QuestionReadings questions_;
};

}  // namespace weft
