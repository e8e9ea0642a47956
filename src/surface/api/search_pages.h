#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "surface/api/search_body.h"

/// A search a page at a time. Ranks change while memories are added, so a cursor holds which hits were given (as short
/// marks), and a page gives the best of the others: each hit comes once.
namespace weft {

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

}  // namespace weft
