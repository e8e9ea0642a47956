#include "flow/memory/statement_readers.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

#include "base/strings.h"
#include "flow/memory/profile_statements.h"
#include "text/lexicon.h"
#include "text/plain_words.h"
#include "text/time_expressions.h"
#include "text/words.h"

namespace weft {
namespace {

using View = std::string_view;
using WordSet = LexiconWords;

View last_word(View text) {
  const auto space = text.find_last_of(' ');
  return space == View::npos ? text : text.substr(space + 1);
}

View without_article(View text) {
  for (const View article : {"a ", "an ", "the "})
    if (text.starts_with(article)) return text.substr(article.size());
  return text;
}

bool ends_with_any(View text, View list) {
  const auto endings = lexicon("zh/profile", list);
  return std::any_of(endings.begin(), endings.end(), [&](View one) { return text.ends_with(one); });
}

// Of one person there is one at a time, under several names.
const std::unordered_map<View, View>& synonyms() {
  static const auto map = lexicon_pairs("profile", "things");
  return map;
}

// "new", "current": which one of several it is does not matter, there is one at a time.
View without_which(View noun) {
  for (bool cut = true; cut;) {
    cut = false;
    for (const View word :
         {"new ", "current ", "usual ", "own ", "present ", "actual ", "latest ", "regular ", "main "})
      if (noun.starts_with(word)) {
        noun.remove_prefix(word.size());
        cut = true;
      }
    for (const View word : {"新的", "现在的", "目前的", "新", "最新的", "当前的"})
      if (noun.starts_with(word) && noun.size() > word.size()) {
        noun.remove_prefix(word.size());
        cut = true;
      }
  }
  return noun;
}

// Journeys are told apart by where they go.
std::string journey_key(View noun) {
  static const WordSet journeys = lexicon_words("en/profile", "journeys");
  const auto to = noun.find(" to ");
  if (to == View::npos || !journeys.contains(last_word(noun.substr(0, to)))) return {};
  return "trip to " + value_key(noun.substr(to + 4));
}

}  // namespace

std::string_view kind_of_person(std::string_view word) {
  static const auto kinds = lexicon_pairs("profile", "kinds");
  const auto at = kinds.find(word);
  return at == kinds.end() ? View() : at->second;
}

bool is_occupation_english(std::string_view value) {
  static const WordSet jobs = lexicon_words("en/profile", "occupations");
  for (const View place : {" at ", " for ", " in ", " with ", " on "}) value = value.substr(0, value.find(place));
  const View head = last_word(without_article(value));
  return jobs.contains(head) && std::count(value.begin(), value.end(), ' ') <= 5;
}

bool is_occupation_chinese(std::string_view value) {
  constexpr std::size_t kLongest = 24;
  return value.size() <= kLongest && value.find("的") == View::npos && ends_with_any(value, "occupations");
}

namespace {

// "son's new coach" is the son's coach, 儿子的新教练 as well.
std::string without_inner_which(std::string_view noun, std::string_view of) {
  std::string key;
  for (std::size_t at = 0; at <= noun.size();) {
    const auto end = noun.find(of, at);
    key += without_which(noun.substr(at, end == View::npos ? View::npos : end - at));
    if (end == View::npos) break;
    key += of;
    at = end + of.size();
  }
  return key;
}

}  // namespace

std::string thing_key_english(std::string_view said) {
  const std::string noun = without_inner_which(said, "'s ");
  if (std::string journey = journey_key(noun); !journey.empty()) return journey;
  const auto known = synonyms().find(noun);
  if (known != synonyms().end()) return std::string(known->second);
  return "of " + value_key(noun);
}

std::string thing_key_chinese(std::string_view said) {
  const std::string noun = without_inner_which(said, "的");
  const auto known = synonyms().find(noun);
  return known != synonyms().end() ? std::string(known->second) : "of " + noun;
}

bool has_value_english(std::string_view noun) {
  static const WordSet values = lexicon_words("en/profile", "with values");
  static const WordSet called = lexicon_words("en/profile", "with values by name");
  if (noun.starts_with("favourite ") || noun.starts_with("favorite ")) return true;
  if (values.contains(last_word(noun))) return true;
  const auto known = synonyms().find(without_which(noun));
  return known != synonyms().end() &&
         (called.contains(known->second) || known->second == "time zone" || known->second == "native language");
}

bool has_value_chinese(std::string_view noun) { return ends_with_any(noun, "with values"); }

bool is_person_chinese(std::string_view noun) { return ends_with_any(noun, "persons"); }

bool is_name_chinese(std::string_view value) {
  constexpr std::size_t kLongestName = 21;
  if (value.size() > kLongestName || value.ends_with("人") || value.ends_with("的")) return false;
  const auto opens = lexicon("zh/profile", "no names begin");
  return std::none_of(opens.begin(), opens.end(), [&](View word) { return value.starts_with(word); });
}

bool is_kept_thing_english(std::string_view noun) {
  static const WordSet kept = lexicon_words("en/profile", "kept");
  return kept.contains(last_word(noun));
}

bool is_kept_thing_chinese(std::string_view noun) {
  static const WordSet kept = lexicon_words("zh/profile", "kept");
  return kept.contains(noun);
}

bool is_count(std::string_view word) {
  static const WordSet counts = lexicon_both_words("profile", "counts");
  return counts.contains(word) ||
         (!word.empty() && std::all_of(word.begin(), word.end(), [](char c) { return is_digit(c); }));
}

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
