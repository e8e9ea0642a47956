// Whether two statements of sources agree, differ, or have nothing to do with each other.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>

#include "agent/research_claims.h"
#include "base/ascii.h"
#include "flow/memory/memory_file.h"
#include "text/function_words.h"
#include "text/numerals.h"
#include "text/plain_words.h"
#include "text/time_expressions.h"
#include "text/words.h"

namespace weft {
namespace {

constexpr double kOneMatter = 0.6, kSameSaid = 0.72;
constexpr double kRounded = 0.02;  // how far a rounded number may lie off

struct Quantity {
  std::string unit;
  double value = 0;
  std::size_t digits = 0;  ///< that count: 1200 has two
};

struct Facts {
  std::vector<Quantity> quantities;
  std::vector<std::pair<std::int64_t, std::int64_t>> dates;  ///< from, to in ms
  std::set<std::string> names, identifiers;
};

std::size_t counting_digits(std::string_view number) {
  std::string digits;
  for (const char c : number)
    if (is_digit(c)) digits += c;
  const auto first = digits.find_first_not_of('0');
  const auto last = digits.find_last_not_of('0');
  return first == std::string::npos ? 1 : last - first + 1;
}

// Words with a capital, not the first one, which has it by grammar; and those with digits in them.
void add_names(std::string_view text, Facts& facts) {
  bool first = true;
  for (std::size_t at = 0; at < text.size();) {
    const auto is_part = [&](std::size_t i) { return is_letter(text[i]) || is_digit(text[i]); };
    if (!is_part(at)) {
      ++at;
      continue;
    }
    std::size_t end = at;
    bool digit = false, letter = false;
    for (; end < text.size() && is_part(end); ++end) (is_digit(text[end]) ? digit : letter) = true;
    const std::string word(text.substr(at, end - at));
    const bool capital = is_upper(word.front());
    if (letter && ((digit && capital) || (capital && !first && word.size() <= 2 && word != "I")))
      facts.identifiers.insert(word);
    else if (capital && !first && !is_function_word(normalize(word)))
      facts.names.insert(word);
    first = false;
    at = end;
  }
}

// Dates and lengths of time are taken out, so that their numbers count for nothing else.
std::string without_times(std::string_view text, Facts& facts) {
  std::string rest(text);
  for (const TimeExpression& time : find_time_expressions(text, {})) {
    const bool fixed = !time.relative && time.from_ms && time.to_ms;
    if (!fixed || time.kind == TimeKind::kDuration || time.kind == TimeKind::kSet || time.kind == TimeKind::kTime)
      continue;
    facts.dates.emplace_back(*time.from_ms, *time.to_ms);
    std::fill(rest.begin() + static_cast<std::ptrdiff_t>(time.begin),
              rest.begin() + static_cast<std::ptrdiff_t>(time.end), ' ');
  }
  return rest;
}

std::string unit_of(const std::vector<PlainWord>& words, std::size_t number) {
  if (number + 1 < words.size()) {
    const PlainWord& next = words[number + 1];
    if (next.kind == WordKind::kSign) return next.text;
    const bool says = next.kind == WordKind::kHan || (next.kind == WordKind::kWord && !is_function_word(next.text));
    if (says) {
      const auto stems = index_words(next.text);
      return stems.empty() ? next.text : stems.front();
    }
  }
  return number > 0 && words[number - 1].kind == WordKind::kSign ? words[number - 1].text : "";
}

Facts facts_of(std::string_view text) {
  Facts facts;
  const auto words = fold_numerals(plain_words(without_times(text, facts)));
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].kind != WordKind::kNumber) continue;
    double value = 0;
    const std::string& number = words[i].text;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (error != std::errc() || end != number.data() + number.size()) continue;
    facts.quantities.push_back({unit_of(words, i), value, counting_digits(number)});
  }
  add_names(text, facts);
  return facts;
}

bool equal(const Quantity& a, const Quantity& b) {
  if (a.value == b.value) return true;
  const bool rounded = a.digits != b.digits && std::min(a.digits, b.digits) <= 2;
  return rounded && std::abs(a.value - b.value) <= kRounded * std::max(std::abs(a.value), std::abs(b.value));
}

bool all_among(const std::vector<Quantity>& some, const std::vector<Quantity>& all) {
  return std::all_of(some.begin(), some.end(), [&](const Quantity& one) {
    return std::any_of(all.begin(), all.end(), [&](const Quantity& other) { return equal(one, other); });
  });
}

std::map<std::string, std::vector<Quantity>> by_unit(const Facts& facts, bool one_language) {
  std::map<std::string, std::vector<Quantity>> units;
  for (const Quantity& one : facts.quantities) units[one_language ? one.unit : ""].push_back(one);
  return units;
}

// Of each unit that both have, one must say no number that the other does not.
bool numbers_differ(const Facts& a, const Facts& b, bool one_language) {
  if (!one_language && (a.quantities.size() != 1 || b.quantities.size() != 1)) return false;
  const auto units = by_unit(b, one_language);
  for (const auto& [unit, mine] : by_unit(a, one_language)) {
    const auto theirs = units.find(unit);
    if (theirs == units.end()) continue;
    if (!all_among(mine, theirs->second) && !all_among(theirs->second, mine)) return true;
  }
  return false;
}

bool dates_differ(const Facts& a, const Facts& b) {
  if (a.dates.empty() || b.dates.empty()) return false;
  for (const auto& [from, to] : a.dates)
    for (const auto& [other_from, other_to] : b.dates)
      if (from < other_to && other_from < to) return false;
  return true;
}

bool share_quantity(const Facts& a, const Facts& b, bool one_language) {
  return std::any_of(a.quantities.begin(), a.quantities.end(), [&](const Quantity& one) {
    return std::any_of(b.quantities.begin(), b.quantities.end(), [&](const Quantity& other) {
      return equal(one, other) && (!one_language || one.unit == other.unit);
    });
  });
}

bool share_date(const Facts& a, const Facts& b) { return !a.dates.empty() && !b.dates.empty() && !dates_differ(a, b); }

bool share_any(const std::set<std::string>& a, const std::set<std::string>& b) {
  return std::any_of(a.begin(), a.end(), [&](const std::string& one) { return b.contains(one); });
}

bool has_own(const std::set<std::string>& a, const std::set<std::string>& b) {
  return std::any_of(a.begin(), a.end(), [&](const std::string& one) { return !b.contains(one); });
}

// "Model X …" and "Model Y …" are on two things, however alike they are.
bool on_other_things(const Facts& a, const Facts& b) {
  if (has_own(a.identifiers, b.identifiers) && has_own(b.identifiers, a.identifiers)) return true;
  return !a.names.empty() && !b.names.empty() && !share_any(a.names, b.names);
}

// Numbers were compared already, and rounded ones agree; what is left is that one denies the other.
std::string without_numbers(std::string_view text) {
  std::string rest;
  for (const PlainWord& word : fold_numerals(plain_words(text)))
    if (word.kind != WordKind::kNumber) rest += word.text + ' ';
  return rest;
}

}  // namespace

std::optional<DisputeOf> differ_in(std::string_view a, std::string_view b, double likeness) {
  if (likeness < kOneMatter) return std::nullopt;
  const bool one_language = language_of(a) == language_of(b);
  const Facts mine = facts_of(a), theirs = facts_of(b);
  if (one_language && on_other_things(mine, theirs)) return std::nullopt;
  if (numbers_differ(mine, theirs, one_language)) return DisputeOf::kNumber;
  if (dates_differ(mine, theirs)) return DisputeOf::kDate;
  if (one_language && mine.quantities.empty() == theirs.quantities.empty() &&
      contradict(without_numbers(a), without_numbers(b)))
    return DisputeOf::kPolarity;
  return std::nullopt;
}

bool say_the_same(std::string_view a, std::string_view b, double likeness) {
  if (likeness < kOneMatter || differ_in(a, b, likeness)) return false;
  const bool one_language = language_of(a) == language_of(b);
  const Facts mine = facts_of(a), theirs = facts_of(b);
  if (one_language && on_other_things(mine, theirs)) return false;
  // On one matter the same figure is said by both, whatever else each of them says; else the words must tell.
  if (share_quantity(mine, theirs, one_language) || share_date(mine, theirs)) return true;
  // A sentence with a number is not said by one without any.
  return likeness >= kSameSaid && mine.quantities.empty() == theirs.quantities.empty();
}

}  // namespace weft
