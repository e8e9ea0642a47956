#include "surface/api/compact_hits.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "text/json.h"
#include "text/words.h"
#include "weft/time.h"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

// An event's text begins with its day, which stands above it.
std::string text_without_day(const Item& item, const std::string& day) {
  const std::string head = "[" + day + "]";
  if (!item.text.starts_with(head)) return item.text;
  const auto begin = item.text.find_first_not_of(" \n", head.size());
  return begin == std::string::npos ? item.text : item.text.substr(begin);
}

Json hit_json(const Item& item) {
  const std::string day = format_date(item.time);
  Json hit{{"id", short_id(item.id)}, {"date", day}};
  if (!item.who.empty()) hit["who"] = item.who;
  hit["text"] = text_without_day(item, day);
  if (item.event && item.event->valid_until) hit["until"] = format_date(*item.event->valid_until);
  return hit;
}

}  // namespace

std::string short_id(const ItemId& id) {
  char digits[9];
  std::snprintf(digits, sizeof digits, "%08x", static_cast<unsigned>(term_of(id.str())));
  return digits;
}

std::string compact_json(const SearchResult& result) {
  Json hits = Json::array();
  for (const Hit& hit : result.hits) hits.push_back(hit_json(hit.item));
  return write_json(Json{{"known", result.known}, {"hits", std::move(hits)}});
}

}  // namespace weft
