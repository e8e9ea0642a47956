#include "flow/historian/kept_facts.h"

#include <algorithm>
#include <cctype>
#include <unordered_set>

#include "base/strings.h"
#include "flow/historian/antecedents.h"
#include "text/analysis.h"
#include "text/english_verbs.h"
#include "text/numerals.h"

namespace weft {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

void add_once(std::vector<std::string>& facts, std::string fact) {
  if (!fact.empty() && std::find(facts.begin(), facts.end(), fact) == facts.end()) facts.push_back(std::move(fact));
}

// "2026-03-05T14:30" is one fact for a machine, but a rewrite may say it in words of its own: the numbers must stay.
void add_word(std::vector<std::string>& facts, std::string_view word) {
  const bool letters = std::any_of(word.begin(), word.end(), [](char c) { return is_word(c) && !is_digit(c); });
  const bool digits = std::any_of(word.begin(), word.end(), is_digit<char>);
  if (letters && digits && !is_digit(word.front())) return add_once(facts, std::string(word));
  for (std::size_t i = 0; i < word.size();) {
    if (!is_digit(word[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < word.size() && is_digit(word[end])) ++end;
    // "05" may become "5".
    std::size_t first = i;
    while (first + 1 < end && word[first] == '0') ++first;
    add_once(facts, std::string(word.substr(first, end - first)));
    i = end;
  }
}

bool is_address(std::string_view word) {
  return word.find("://") != std::string_view::npos ||
         (word.find('@') != std::string_view::npos && word.front() != '@');
}

bool holds_number(std::string_view text, std::string_view number) {
  for (std::size_t at = text.find(number); at != std::string_view::npos; at = text.find(number, at + 1)) {
    std::size_t before = at;
    while (before > 0 && text[before - 1] == '0') --before;
    const bool starts = before == 0 || !is_digit(text[before - 1]);
    const std::size_t after = at + number.size();
    if (starts && (after == text.size() || !is_digit(text[after]))) return true;
  }
  return false;
}

// Words that begin with a capital though no sentence begins with them, and Chinese people; months and weekdays are
// none.
std::vector<std::string> names_in(std::string_view text) {
  static const std::unordered_set<std::string_view> kNone = {
      "i",      "i'm",      "i've",      "i'll",    "i'd",      "monday",   "tuesday", "wednesday", "thursday",
      "friday", "saturday", "sunday",    "january", "february", "march",    "april",   "may",       "june",
      "july",   "august",   "september", "october", "november", "december", "on",      "in",        "at",
      "the",    "a",        "an",        "he",      "she",      "it",       "they",    "we",        "you",
      "my",     "your",     "his",       "her",     "our",      "their",    "this",    "that",      "ok",
      "okay",   "yes",      "no",        "english", "thanks",   "mr",       "mrs",     "ms",        "dr"};
  std::vector<std::string> names;
  TextAnalysis analysis(text);
  const LatinWords& words = analysis.words();
  for (std::size_t i = 0; i < words.size(); ++i) {
    const LatinWord& word = words[i];
    // Behind any other mark a capital may only begin what somebody says.
    if (i == 0 || !(words[i - 1].is_word || words[i - 1].lower == ",")) continue;
    std::string_view lower = word.lower;
    for (const std::string_view end : {"'s", "'"})
      if (lower.ends_with(end)) lower.remove_suffix(end.size());
    const bool named = word.is_word && word.capital && !word.starts_sentence && !word.protected_by_span &&
                       !kNone.contains(lower) && !is_function_word(lower) && !lower.empty() && is_letter(lower.back());
    if (named) add_once(names, std::string(text.substr(word.begin, lower.size())));
  }
  for (const Mention& mention : chinese_mentions(text, analysis.han(), {}, {}))
    if (mention.kind == MentionKind::kPerson && mention.proper) add_once(names, mention.text);
  return names;
}

}  // namespace

std::vector<std::string> facts_to_keep(std::string_view draft, const std::vector<std::string>& names) {
  std::vector<std::string> facts;
  for (std::size_t i = 0; i < draft.size();) {
    const bool starts = static_cast<unsigned char>(draft[i]) < 0x80 && is_word(draft[i]);
    if (!starts) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < draft.size() && static_cast<unsigned char>(draft[end]) > 0x20 &&
           static_cast<unsigned char>(draft[end]) < 0x7f)
      ++end;
    std::string_view run = draft.substr(i, end - i);
    while (!run.empty() && !is_word(run.back()) && run.back() != '/') run.remove_suffix(1);
    if (is_address(run)) {
      add_once(facts, std::string(run));
      i = end;
      continue;
    }
    std::size_t word_end = i;
    while (word_end < draft.size() &&
           (is_word(draft[word_end]) || ((draft[word_end] == '-' || draft[word_end] == '.') &&
                                         word_end + 1 < draft.size() && is_word(draft[word_end + 1]))))
      ++word_end;
    add_word(facts, draft.substr(i, word_end - i));
    i = word_end;
  }
  for (const std::string& name : names) {
    if (!name.empty() && draft.find(name) != std::string_view::npos) add_once(facts, name);
  }
  for (const std::string& name : names_in(draft)) add_once(facts, name);
  for (const Span& span : protected_spans(draft)) {
    const std::string_view quoted = draft.substr(span.begin, span.end - span.begin);
    constexpr std::size_t kLongest = 200;
    if (static_cast<unsigned char>(quoted[0]) >= 0xE2 && quoted.size() <= kLongest)
      add_once(facts, std::string(quoted));
  }
  return facts;
}

std::vector<std::string> added_facts(std::string_view said, const std::vector<std::string>& names,
                                     std::string_view text) {
  std::string known(said);
  for (const std::string& name : names) known += "\n" + name;
  // A number may be written out on one side: "twenty", 二十.
  for (const PlainWord& word : fold_numerals(plain_words(said)))
    if (word.kind == WordKind::kNumber) known += "\n" + word.text;
  const std::string lower = lowered(known);
  std::vector<std::string> added;
  for (const std::string& fact : missing_facts(facts_to_keep(text, {}), known))
    if (lower.find(lowered(fact)) == std::string::npos) added.push_back(fact);
  return added;
}

std::vector<std::string> missing_facts(const std::vector<std::string>& facts, std::string_view text) {
  std::vector<std::string> missing;
  for (const std::string& fact : facts) {
    const bool number = std::all_of(fact.begin(), fact.end(), is_digit<char>);
    if (number ? !holds_number(text, fact) : text.find(fact) == std::string_view::npos) missing.push_back(fact);
  }
  return missing;
}

}  // namespace weft
