#include <algorithm>

#include "flow/memory/statement_readers.h"
#include "text/time_expressions.h"

namespace weft {
namespace {

constexpr Time kSomeTime{1'772'323'200'000,
                         0};  // where an expression begins and ends does not depend on when it is said

bool ends_with_word(std::string_view text, std::string_view word) {
  if (!text.ends_with(word)) return false;
  const auto before = text.size() - word.size();
  return before > 0 && (text[before - 1] == ' ' || static_cast<unsigned char>(word.front()) >= 0x80);
}

// "since march", "on friday", 在周五: the word belongs to the time.
std::string_view without_preposition(std::string_view text) {
  for (bool cut = true; cut;) {
    cut = false;
    text = trim_words(text);
    for (const std::string_view word :
         {"since", "on",    "in",   "at",   "from",  "as of", "starting", "for", "until", "till",
          "by",    "about", "just", "only", "early", "late",  "从",       "自",  "在",    "于"}) {
      if (!ends_with_word(text, word)) continue;
      text.remove_suffix(word.size());
      cut = true;
    }
  }
  return trim_words(text);
}

}  // namespace

std::string_view without_time_at_end(std::string_view value) {
  for (int round = 0; round < 3; ++round) {
    value = trim_words(value);
    const auto times = find_time_expressions(value, kSomeTime);
    if (!times.empty() && times.back().end >= value.size() && times.back().begin > 0) {
      const auto rest = without_preposition(value.substr(0, times.back().begin));
      if (rest.empty()) return value;
      value = rest;
      continue;
    }
    bool cut = false;
    for (const std::string_view word :
         {"recently", "lately", "for now", "at the moment", "these days", "at last", "again", "for good", "for a while",
          "already", "permanently", "full time", "part time"}) {
      if (!ends_with_word(value, word)) continue;
      value = trim_words(value.substr(0, value.size() - word.size()));
      cut = true;
    }
    if (!cut) break;
  }
  return value;
}

std::size_t begins_again(std::string_view text) {
  const auto times = find_time_expressions(text, kSomeTime);
  const bool again = !times.empty() && times.front().kind == TimeKind::kSet && times.front().begin <= 3;
  return again ? times.front().end : 0;
}

std::optional<TimedClause> split_at_time(std::string_view clause) {
  const auto times = find_time_expressions(clause, kSomeTime);
  const auto at = std::find_if(times.rbegin(), times.rend(), [](const TimeExpression& one) {
    return one.kind != TimeKind::kDuration && one.kind != TimeKind::kSet;
  });
  if (at == times.rend()) return std::nullopt;
  return TimedClause{without_preposition(clause.substr(0, at->begin)), clause.substr(at->begin, at->end - at->begin)};
}

}  // namespace weft
