#include "text/statement.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <span>
#include <string>
#include <unordered_set>

#include "text/date_words.h"
#include "text/function_words.h"
#include "text/lexicon.h"
#include "text/statement_words.h"

namespace weft {
namespace {

// Reordered statements are compared up to here; longer ones must have the same order.
constexpr std::size_t kMostReordered = 64;

using Terms = std::span<const Term>;
using HashedTerms = std::unordered_set<Term>;

std::unordered_set<std::string_view> word_set(std::string_view list) {
  const auto parts = split_list(list, ' ');
  return {parts.begin(), parts.end()};
}

HashedTerms term_set(std::string_view list) {
  HashedTerms set;
  for (const std::string_view word : lexicon_both("statements", list)) set.insert(term_of(word));
  return set;
}

// Begin a phrase that may stand before or behind what it belongs to.
bool begins_adverbial(Term term) {
  static const HashedTerms set = term_set("adverbials");
  return set.contains(term);
}

bool joins(Term term) {
  static const HashedTerms set = term_set("joins");
  return set.contains(term);
}

// A pair behind one of these can be turned round; behind an adjective ("green tea and coffee") it can not.
bool takes_list(Term term) {
  static const HashedTerms set = term_set("take lists");
  return set.contains(term);
}

// Finds the expressions of time; each is a run of date words with what belongs to them.
class Times {
 public:
  explicit Times(const std::vector<PlainWord>& words) : words_(words), marks_(words.size(), false) {
    static const PhraseTable relative = phrase_table("statements", "relative times");
    for (std::size_t at = 0; at < words.size();) {
      std::size_t length = relative.longest(words, at).words;
      relative_ = relative_ || length != 0 || words[at].text == "ago";
      if (length == 0 && is_date_word(words[at])) length = 1;
      std::fill_n(marks_.begin() + static_cast<std::ptrdiff_t>(at), length, true);
      at += std::max<std::size_t>(length, 1);
    }
    widen();
  }

  // Words such as "last" before a day make it relative to the day of speaking.
  bool relative() const { return relative_; }

  // The only run as [begin, end), empty where there is none or several.
  std::pair<std::size_t, std::size_t> only() const {
    const auto begin = std::find(marks_.begin(), marks_.end(), true);
    const auto end = std::find(begin, marks_.end(), false);
    if (std::find(end, marks_.end(), true) != marks_.end()) return {0, 0};
    return {static_cast<std::size_t>(begin - marks_.begin()), static_cast<std::size_t>(end - marks_.begin())};
  }

 private:
  void widen() {
    static const auto before = word_set(
        "on at in by before after since till from every each last next this early late during around about 在 于 从 每 "
        "自 上 "
        "下 这 本");
    static const auto turn = word_set("last next this 上 下 这 本");
    static const auto part = word_set("morning afternoon evening night 早 晚 午 凌 晨 上 中 下 傍");
    for (std::size_t at = marks_.size(); at-- > 1;) {
      if (!marks_[at] || marks_[at - 1] || !before.contains(words_[at - 1].text)) continue;
      marks_[at - 1] = true;
      relative_ = relative_ || turn.contains(words_[at - 1].text);
    }
    for (std::size_t at = 1; at < marks_.size(); ++at) {
      if (marks_[at - 1] && part.contains(words_[at].text)) marks_[at] = true;
    }
  }

  const std::vector<PlainWord>& words_;
  std::vector<bool> marks_;
  bool relative_ = false;
};

// Of "on Monday" only the day counts once it stands alone.
bool is_bare_preposition(const std::string& word) {
  return word == "on" || word == "at" || word == "in" || word == "在" || word == "于";
}

// XY and YX, where the part that moves begins with a preposition.
bool rotated(Terms a, Terms b) {
  for (std::size_t k = 1; k < a.size(); ++k) {
    if (!begins_adverbial(a[0]) && !begins_adverbial(a[k])) continue;
    if (std::equal(a.begin() + static_cast<std::ptrdiff_t>(k), a.end(), b.begin()) &&
        std::equal(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(k), b.end() - static_cast<std::ptrdiff_t>(k)))
      return true;
  }
  return false;
}

// "X and Y" for "Y and X" from place `p` on, with the conjunctions at `c1` and `c2`.
bool swapped_at(Terms a, Terms b, std::size_t p, std::size_t c1, std::size_t c2) {
  constexpr std::size_t kLongestPart = 4;
  const std::size_t x = c1 - p, y = c2 - p;
  const std::size_t difference = x > y ? x - y : y - x;
  if (x == 0 || y == 0 || x > kLongestPart || y > kLongestPart || difference > 1) return false;
  const std::size_t end = c1 + 1 + y;
  if (end > a.size() || c2 + 1 + x != end) return false;
  if (p > 0 && !takes_list(a[p - 1])) return false;
  const auto same = [](Terms left, Terms right) {
    return std::equal(left.begin(), left.end(), right.begin(), right.end());
  };
  return same(a.first(p), b.first(p)) && same(a.subspan(end), b.subspan(end)) &&
         same(a.subspan(p, x), b.subspan(c2 + 1, x)) && same(a.subspan(c1 + 1, y), b.subspan(p, y));
}

bool swapped(Terms a, Terms b, std::size_t common) {
  for (std::size_t c1 = 1; c1 + 1 < a.size(); ++c1) {
    if (!joins(a[c1])) continue;
    for (std::size_t c2 = 1; c2 + 1 < b.size(); ++c2) {
      if (a[c1] != b[c2]) continue;
      // The parts may begin alike (红茶和绿茶 has no such case, 茶杯和茶壶 has), so the pair begins here or a little
      // before.
      for (std::size_t back = 0; back <= std::min<std::size_t>(common, 3); ++back) {
        const std::size_t p = common - back;
        if (p < c1 && p < c2 && swapped_at(a, b, p, c1, c2)) return true;
      }
    }
  }
  return false;
}

}  // namespace

Statement::Statement(std::string_view text) {
  const std::vector<PlainWord> words = statement_words(text);
  const Times times(words);
  relative_ = times.relative();
  const auto [begin, end] = times.only();
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool time = i >= begin && i < end;
    if (time && is_bare_preposition(words[i].text)) continue;
    (time ? times_ : words_).push_back(term_of(words[i].text));
  }
  std::vector<Term> sorted = words_;
  sorted.insert(sorted.end(), times_.begin(), times_.end());
  std::sort(sorted.begin(), sorted.end());
  key_ = XXH3_64bits(sorted.data(), sorted.size() * sizeof(Term));
}

bool Statement::says_the_same(const Statement& other) const {
  if (key_ != other.key_ || times_ != other.times_ || words_.size() != other.words_.size()) return false;
  const auto [left, right] = std::mismatch(words_.begin(), words_.end(), other.words_.begin());
  if (left == words_.end()) return true;
  if (words_.size() > kMostReordered) return false;
  const auto common = static_cast<std::size_t>(left - words_.begin());
  std::size_t tail = 0;
  while (words_[words_.size() - 1 - tail] == other.words_[words_.size() - 1 - tail]) ++tail;
  const Terms a(words_), b(other.words_);
  const std::size_t middle = a.size() - common - tail;
  return rotated(a.subspan(common, middle), b.subspan(common, middle)) || swapped(a, b, common);
}

}  // namespace weft
