// What is to be looked at, without a model.
#include "agent/research_outline.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/strings.h"
#include "text/function_words.h"
#include "text/lexicon.h"
#include "text/plain_words.h"
#include "text/utf8.h"
#include "text/words.h"

namespace weft {
namespace {

constexpr std::size_t kMostParts = 6, kLongestHeading = 80;

// How many words a conjunction has that begins at `at`, 0 where none does. A single character joins only in a list with
// enumeration commas, which read as "and": else 和 may belong to a word, such as 和平.
std::size_t conjunction_at(const std::vector<PlainWord>& words, std::size_t at, bool is_list) {
  static const PhraseTable phrases = phrase_table("sources", "conjunctions");
  const std::size_t found = phrases.longest(words, at).words;
  return found == 1 && words[at].kind == WordKind::kHan && !is_list ? 0 : found;
}

bool says_matter(const PlainWord& word) {
  if (word.kind == WordKind::kNumber) return true;
  const bool is_word = word.kind == WordKind::kWord || word.kind == WordKind::kHan;
  static const LexiconWords asking = lexicon_both_words("sources", "asking words");
  return is_word && !is_function_word(word.text) && !asking.contains(word.text);
}

std::string joined(const std::vector<PlainWord>& words) {
  std::string text;
  for (const PlainWord& word : words) {
    const bool apart = !text.empty() && word.kind != WordKind::kHan;
    text += (apart ? " " : "") + word.text;
  }
  return text;
}

bool holds(const std::vector<PlainWord>& words, const std::string& one) {
  return std::any_of(words.begin(), words.end(), [&](const PlainWord& word) { return word.text == one; });
}

std::size_t matters_in(const std::vector<PlainWord>& words) {
  return static_cast<std::size_t>(std::count_if(words.begin(), words.end(), says_matter));
}

/// What stands between the separators of a question.
std::vector<std::vector<PlainWord>> stretches_of(const std::string& question) {
  std::vector<std::vector<PlainWord>> parts(1);
  const auto words = plain_words(question);
  const bool is_list = holds(words, "and");
  for (std::size_t i = 0; i < words.size(); ++i) {
    const WordKind kind = words[i].kind;
    const bool ends = kind == WordKind::kComma || kind == WordKind::kStop || kind == WordKind::kQuestion;
    const std::size_t joins = conjunction_at(words, i, is_list);
    if (!ends && joins == 0) {
      parts.back().push_back(words[i]);
      continue;
    }
    if (!parts.back().empty()) parts.emplace_back();
    if (joins > 0) i += joins - 1;
  }
  std::erase_if(parts, [](const auto& part) { return matters_in(part) == 0; });
  return parts;
}

}  // namespace

std::vector<std::string> parts_of_question(const std::string& question) {
  auto parts = stretches_of(question);
  if (parts.size() < 2 || parts.size() > kMostParts) return {question};
  // "cost, safety and history of the bridge", 大桥的造价、安全和历史: the longest part has what all are about.
  const auto longest = std::max_element(parts.begin(), parts.end(),
                                        [](const auto& a, const auto& b) { return matters_in(a) < matters_in(b); });
  const std::vector<PlainWord> matter = *longest;
  const bool chinese = language_of(question) == Language::kChinese;
  std::vector<std::string> found;
  for (const auto& part : parts) {
    std::vector<PlainWord> asked = part;
    if (&part != &*longest) {
      // In Chinese the matter stands before 的, in English behind "of"; where neither is said all of its words serve.
      const auto own = chinese ? std::string("的") : std::string("of");
      const auto at =
          std::find_if(matter.begin(), matter.end(), [&](const PlainWord& word) { return word.text == own; });
      const bool split = at != matter.end() && !holds(part, own);
      std::vector<PlainWord> about = !split    ? matter
                                     : chinese ? std::vector(matter.begin(), at)
                                               : std::vector(at, matter.end());
      if (!split && matters_in(part) >= 3) about.clear();  // it says itself what it is about
      if (chinese)
        asked.insert(asked.begin(), about.begin(), about.end());
      else
        asked.insert(asked.end(), about.begin(), about.end());
    }
    found.push_back(joined(asked));
  }
  return found;
}

std::vector<OutlinePoint> floor_outline(const std::string& question, std::span<const NumberedSource> sources,
                                        std::size_t most) {
  std::vector<OutlinePoint> points;
  const auto parts = parts_of_question(question);
  if (parts.size() > 1) {
    for (const std::string& part : parts)
      if (points.size() < most) points.push_back({part, part});
    return points;
  }
  // Headings by how many sources have them; the order of the weightiest source decides among equals.
  std::vector<std::string> order;
  std::map<std::string, std::set<std::int64_t>> seen;
  const auto asked = index_words(question);
  const std::set<std::string> known(asked.begin(), asked.end());
  for (const NumberedSource& source : sources)
    for (const FoundPart& part : source.found->parts) {
      const auto words = index_words(part.text);
      const bool adds =
          std::any_of(words.begin(), words.end(), [&](const auto& word) { return !known.contains(word); });
      if (!part.heading || part.text == source.found->title || part.text.size() > kLongestHeading || !adds) continue;
      if (seen[part.text].empty()) order.push_back(part.text);
      seen[part.text].insert(source.number);
    }
  std::stable_sort(order.begin(), order.end(),
                   [&](const auto& a, const auto& b) { return seen[a].size() > seen[b].size(); });
  points.push_back({question, question});
  for (const std::string& heading : order)
    if (points.size() < most) points.push_back({heading, question + " " + heading});
  return points;
}

std::string words_to_search(const std::string& question) {
  std::vector<PlainWord> words = plain_words(question);
  const std::size_t all = words.size();
  std::erase_if(words, [](const PlainWord& word) { return !says_matter(word); });
  return words.empty() || words.size() == all ? std::string() : joined(words);
}

}  // namespace weft
