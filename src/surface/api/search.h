#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
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

// A search a page at a time. Ranks change while memories are added, so a cursor holds which hits were given (as short
// marks), and a page gives the best of the others: each hit comes once.

/// Hits that earlier pages gave.
struct GivenHits {
  std::set<std::string> marks;

  /// Out of a cursor's place; kInvalidArgument where it is none.
  static Result<GivenHits> at(std::string_view place);
  /// As a place: these, and the hits of the page.
  std::string with(const SearchResult& page) const;
};

/// What decides what a search finds, for its cursor: the body but for its page.
Result<std::string> search_name(std::string_view body);

/// Asks for so much more that a page behind these is full.
void look_behind(const GivenHits& given, SearchRequest& what);

/// Takes out of a result what was given before.
void leave_out(const GivenHits& given, SearchResult& result);

/// Whether another page may follow this one.
bool may_go_on(const GivenHits& given, const SearchBody& body, const SearchResult& page);

/// What a model needs of a hit: a short id, its day, who said it, what it says, until when it held, and a warning where
/// a tool said it and it reads as if it gave orders.
struct CompactHit {
  std::string id, date, who, text, until, warning;
};

/// What a model needs of a search's result; nothing empty, no scores:
/// {"known":true,"hits":[{"id":"9f3a01c2","date":"2026-05-03","who":"Ann","text":"…","until":"2026-05-20"}]}
struct CompactResult {
  bool known = false;
  std::vector<CompactHit> hits;
};

WEFT_DESCRIBED(CompactHit);
WEFT_DESCRIBED(CompactResult);

CompactResult compact_result(const SearchResult& result);

/// The short id of an item: eight hexadecimal digits made from its id. Two of a scope may share one by chance.
std::string short_id(const ItemId& id);

}  // namespace weft
