#include "surface/api/compact_hits.h"

#include <cstdio>

#include "model/suspect_item.h"
#include "text/instruction_like.h"
#include "text/words.h"

namespace weft {
namespace {

// An event's text begins with its day, which stands above it.
std::string text_without_day(const Item& item, const std::string& day) {
  const std::string head = "[" + day + "]";
  if (!item.text.starts_with(head)) return item.text;
  const auto begin = item.text.find_first_not_of(" \n", head.size());
  return begin == std::string::npos ? item.text : item.text.substr(begin);
}

}  // namespace

template <>
const Record<CompactHit>& record<CompactHit>() {
  constexpr FieldRule kSparse{.sparse = true};
  static const auto made =
      Record<CompactHit>("CompactHit", "A result of a search, in short.", RecordUse::kTold)
          .field("id", &CompactHit::id, "short; two may share one by chance")
          .field("date", &CompactHit::date, "the day when it happened; left out where nobody knows", kSparse)
          .field("who", &CompactHit::who, "who said it", kSparse)
          .field("text", &CompactHit::text, "what it says")
          .field("until", &CompactHit::until, "since that day it no longer holds", kSparse)
          .field("warning", &CompactHit::warning, "a caution", kSparse);
  return made;
}

template <>
const Record<CompactResult>& record<CompactResult>() {
  static const auto made =
      Record<CompactResult>("CompactResult", "What was found, in short.", RecordUse::kTold)
          .field("known", &CompactResult::known, "false: nothing is remembered of it, whatever stands in \"hits\"")
          .field("hits", &CompactResult::hits, "the best first");
  return made;
}

CompactResult compact_result(const SearchResult& result) {
  CompactResult out{result.known, {}};
  for (const Hit& hit : result.hits) {
    const Item& item = hit.item;
    const std::string day = item.time.ms == 0 ? std::string() : format_date(item.time);
    const bool over = item.event && item.event->valid_until;
    out.hits.push_back({short_id(item.id), day, item.who, text_without_day(item, day),
                        over ? format_date(*item.event->valid_until) : std::string(),
                        std::string(is_suspect(item) ? suspect_remark(language_of(item.text)) : std::string_view())});
  }
  return out;
}

std::string short_id(const ItemId& id) {
  char digits[9];
  std::snprintf(digits, sizeof digits, "%08x", static_cast<unsigned>(term_of(id.str())));
  return digits;
}

}  // namespace weft
