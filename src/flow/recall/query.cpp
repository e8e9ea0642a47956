#include "flow/recall/query.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/ascii.h"
#include "base/lowered.h"
#include "base/strings.h"
#include "text/lexicon.h"
#include "text/question.h"
#include "text/utf8.h"
#include "text/words.h"

namespace weft {
namespace {

constexpr std::size_t kHanBytes = 3;

/// Letters and digits of Latin script and everything beyond ASCII that is not written without spaces.
bool joins_words(std::string_view text, std::size_t at) {
  if (at >= text.size()) return false;
  const char c = text[at];
  return (is_letter(c) || is_digit(c) || c == '_');
}

/// A name that is worth looking for: roles and single letters are not names of people.
bool is_name(std::string_view name) {
  constexpr std::string_view kRoles[] = {"user", "assistant", "system", "tool"};
  if (name.size() < 2) return false;
  const std::string folded = lowered(name);
  return std::find(std::begin(kRoles), std::end(kRoles), folded) == std::end(kRoles);
}

/// Where the name stands as a word of its own from `at` on; letters of ASCII in either case.
std::size_t find_name(std::string_view text, std::string_view name, std::size_t at) {
  while (at + name.size() <= text.size()) {
    const auto same = [](char a, char b) { return to_lower(a) == to_lower(b); };
    const auto found =
        std::search(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), name.begin(), name.end(), same);
    if (found == text.end()) return std::string_view::npos;
    const auto begin = static_cast<std::size_t>(found - text.begin()), end = begin + name.size();
    const bool inside_word = (joins_words(name, 0) && begin > 0 && joins_words(text, begin - 1)) ||
                             (joins_words(name, name.size() - 1) && joins_words(text, end));
    if (!inside_word) return begin;
    at = begin + 1;
  }
  return std::string_view::npos;
}

/// Whether `text` names somebody: by a name that is a word as well, "Will", "May", only where it is written as a name.
bool names(std::string_view text, std::string_view name) {
  static const LexiconWords kWords = lexicon_words("en/people", "names that are words");
  const std::string folded = lowered(name);
  for (std::size_t at = find_name(text, name, 0); at != std::string_view::npos; at = find_name(text, name, at + 1))
    if (!kWords.contains(folded) || text.substr(at, name.size()) == name) return true;
  return false;
}

}  // namespace

QueryText read_query(const RecallQuery& query) {
  QueryText read;
  std::map<Term, float> counts;
  for (const std::string& word : index_words(query.text)) {
    const Term term = term_of(word);
    if ((counts[term] += 1) > 1) continue;
    const bool chinese = word.size() >= kHanBytes && static_cast<unsigned char>(word.front()) >= 0xE3;
    read.words.push_back({term, chinese, chinese && word.size() == kHanBytes});
  }
  for (const auto& [term, count] : counts) read.terms.push_back({term, count});
  DaysAsked asked = days_asked(query.text, query.now);
  read.days = std::move(asked.named);
  read.ranges = std::move(asked.relative);
  read.chinese = language_of(query.text) == Language::kChinese;
  read.bare = index_words(query.text + " 0").size() <= 1;  // beside another word those that do not count go
  read.several = trimmed(query.text).find('\n') != std::string_view::npos;
  read.personal = speaks_of_who_asks(query.text);
  return read;
}

std::vector<std::uint16_t> named_speakers(const RecallQuery& query, std::span<const std::string> speakers) {
  std::vector<std::uint16_t> named;
  for (std::size_t i = 1; i < speakers.size(); ++i)
    if (is_name(speakers[i]) && names(query.text, speakers[i])) named.push_back(static_cast<std::uint16_t>(i));
  return named;
}

std::string text_to_embed(std::string_view text, std::span<const std::string> speakers) {
  std::string left(text);
  for (const std::string& name : speakers) {
    if (!is_name(name)) continue;
    for (std::size_t at = find_name(left, name, 0); at != std::string::npos; at = find_name(left, name, at)) {
      std::size_t length = name.size();
      for (const std::string_view possessive : {"'s", "\u2019s"})
        if (std::string_view(left).substr(at + length).starts_with(possessive)) length += possessive.size();
      if (at > 0 && left[at - 1] == ' ' && at + length < left.size() && left[at + length] == ' ') ++length;
      left.erase(at, length);
    }
  }
  // "Who is Anna?" without Anna asks nothing. Function words are dropped only beside another word, so one is put there.
  constexpr std::size_t kFewestWords = 2;
  return left.size() != text.size() && index_words(left + " 0").size() - 1 < kFewestWords ? std::string(text) : left;
}

}  // namespace weft
