#include "surface/api/search_pages.h"

#include <algorithm>

#include "surface/api/cursor.h"
#include "text/value.h"

namespace weft {
namespace {

constexpr std::size_t kMark = 5;         // bytes: two of a thousand hits share one in a million searches
constexpr std::size_t kMostHits = 1000;  // that a search gives, on all of its pages

std::string mark_of_hit(const Hit& hit) {
  const std::string digits = mark_of(hit.item.id.str());
  std::string mark;
  for (std::size_t i = 0; i < kMark; ++i) mark += static_cast<char>(std::stoi(digits.substr(2 * i, 2), nullptr, 16));
  return mark;
}

}  // namespace

Result<GivenHits> GivenHits::at(std::string_view place) {
  if (place.size() % kMark != 0) return no_cursor();
  GivenHits given;
  for (; !place.empty(); place.remove_prefix(kMark)) given.marks.emplace(place.substr(0, kMark));
  return given;
}

std::string GivenHits::with(const SearchResult& page) const {
  std::set<std::string> all = marks;
  for (const Hit& hit : page.hits) all.insert(mark_of_hit(hit));
  std::string place;
  for (const std::string& mark : all) place += mark;
  return place;
}

Result<std::string> search_name(std::string_view body) {
  WEFT_TRY(Value all, parse_value(body, {.max_bytes = body.size() + 1}, "the body"));
  ValueObject* members = all.object();
  if (members == nullptr) return std::string(body);
  std::erase_if(*members, [](const auto& one) {
    return one.first == "cursor" || one.first == "top_k" || one.first == "user" || one.first == "metadata" ||
           one.first == "world" || one.second.is_null();
  });
  std::sort(members->begin(), members->end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  return to_json(all);
}

void look_behind(const GivenHits& given, SearchRequest& what) {
  what.top_k = std::min(kMostHits, what.top_k + given.marks.size());
}

void leave_out(const GivenHits& given, SearchResult& result) {
  if (given.marks.empty()) return;
  std::erase_if(result.hits, [&](const Hit& hit) { return given.marks.contains(mark_of_hit(hit)); });
}

bool may_go_on(const GivenHits& given, const SearchBody& body, const SearchResult& page) {
  return page.hits.size() >= body.top_k && given.marks.size() + page.hits.size() < kMostHits;
}

}  // namespace weft
