#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/records.h"

namespace weft {

/// A search as people and programs ask for it. Times are in RFC 3339, dates, or words such as "last week" and 三月.
struct SearchBody {
  std::string query;
  std::size_t top_k = 10;
  std::vector<ItemKind> kinds;
  std::string from, to, as_of;
  std::optional<Time> asked;
  std::optional<SessionId> session, not_session;
  std::string who, topic;
  std::string recipe;
  std::optional<EventFilter> where;
  double min_relevance = 0;
  bool compact = false;
  std::optional<std::string> cursor;  ///< of the page that is wanted; empty: the first one
};

WEFT_DESCRIBED(SearchBody);

/// What the engine is asked, its times read as seen from `asked`, else from `now`. Errors name the wrong field.
/// Where `who` or `topic` is given, more is asked for than is wanted, see `keep_wanted`.
Result<SearchRequest> search_request(const SearchBody& body, Time now);

/// Leaves of what was found what the body wants: sure enough, by whom it was said, in which topic, and not more than
/// `top_k`. For person and topic the best thousand hits are looked through.
void keep_wanted(const SearchBody& body, SearchResult& result);

}  // namespace weft
