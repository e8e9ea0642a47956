#include "text/statement.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <span>
#include <string>
#include <unordered_set>

#include "text/date_words.h"
#include "text/english_verbs.h"
#include "text/lexicon.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "text/numerals.h"
#include "text/small_talk.h"

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

using Words = std::vector<PlainWord>;

// Phrases with what stands for them: "x=y"; a phrase without "=" stands for nothing.
class Rewriter {
 public:
  explicit Rewriter(std::string_view list) {
    for (const std::string_view part : lexicon_both("statements", list)) {
      const auto sign = part.find('=');
      table_.add(part.substr(0, sign), static_cast<int>(forms_.size()));
      forms_.emplace_back();
      if (sign != std::string_view::npos) forms_.back() = plain_words(part.substr(sign + 1));
    }
  }

  // The length of the phrase at `at`, 0 for none; `out` gets what stands for it.
  std::size_t rewrite(const Words& words, std::size_t at, Words& out) const {
    const auto match = table_.longest(words, at);
    if (match.words != 0) {
      const Words& form = forms_[static_cast<std::size_t>(match.value)];
      out.insert(out.end(), form.begin(), form.end());
    }
    return match.words;
  }

 private:
  PhraseTable table_;
  std::vector<Words> forms_;
};

bool is_break(const PlainWord& word) {
  return word.kind == WordKind::kComma || word.kind == WordKind::kStop || word.kind == WordKind::kQuestion;
}

bool is_negation(const std::string& word) {
  static const LexiconWords set = lexicon_both_words("statements", "negations");
  return set.contains(word);
}

std::size_t next_of(const Words& words, std::size_t begin, std::size_t end, bool clause) {
  std::size_t at = begin;
  while (at < end &&
         !(clause ? is_break(words[at]) : words[at].kind == WordKind::kStop || words[at].kind == WordKind::kQuestion))
    ++at;
  return at;
}

bool hedges(const Words& words, std::size_t begin, std::size_t end) {
  static const PhraseTable table = phrase_table("statements", "hedges");
  for (std::size_t at = begin; at < end; ++at)
    if (table.longest(words, at).words != 0) return true;
  return false;
}

// "'s" before these is no possessive: "the cat's not here", "Ann's in Bern".
bool follows_is(const std::string& word) {
  static const LexiconWords set = lexicon_words("en/statements", "behind is");
  return set.contains(word);
}

// One sentence, from its words [begin, end) without the mark behind it.
class Sentence {
 public:
  Sentence(const Words& words, const CapitalWords& capitals, std::size_t begin, std::size_t end, bool question)
      : words_(words), capitals_(capitals), begin_(begin), end_(end), question_(question) {}

  Words read() {
    drop_talk();
    drop_introductions();
    drop_endings();
    drop_emoji();
    const Words part(words_.begin() + static_cast<std::ptrdiff_t>(begin_),
                     words_.begin() + static_cast<std::ptrdiff_t>(end_));
    Words out = one_form(weigh(fold_dates(fold_numerals(part))));
    if (question_ && !out.empty()) out.push_back({"?", WordKind::kQuestion});
    return out;
  }

 private:
  // Clauses of small talk before and behind: "Hi Ann, …", "…, thanks!". "No" goes too: what follows says it.
  void drop_talk() {
    for (std::size_t clause = next_of(words_, begin_, end_, true); clause < end_;
         clause = next_of(words_, begin_, end_, true)) {
      if (clause - begin_ > kLongestTalk || !is_talk(begin_, clause)) break;
      begin_ = clause + 1;
    }
    for (;;) {
      std::size_t comma = end_;
      while (comma > begin_ && end_ - comma <= kLongestTalk && !is_break(words_[comma - 1])) --comma;
      if (comma <= begin_ + 1 || !is_break(words_[comma - 1]) || !is_talk(comma, end_)) break;
      // "…, ok?" asks for consent; what stands before it is said.
      if (end_ - comma == 1 && (words_[comma].text == "ok" || words_[comma].text == "okay")) question_ = false;
      end_ = comma - 1;
    }
  }

  bool is_talk(std::size_t begin, std::size_t end) const {
    return is_empty_talk(words_, begin, end, capitals_) && !hedges(words_, begin, end);
  }

  void drop_introductions() {
    static const PhraseTable table = phrase_table("statements", "introductions");
    while (begin_ < end_) {
      const std::size_t length = is_break(words_[begin_]) ? 1 : table.longest(words_, begin_).words;
      if (length == 0 || length >= end_ - begin_) return;
      // "对" and "还有" are also the beginning of a clause; they introduce only before a comma.
      const bool han = words_[begin_].kind == WordKind::kHan;
      const bool pause = is_break(words_[begin_ + length]);
      if (han && length <= 2 && !pause) return;
      // "remember Ann", "right hand", "note 5": a request or a word of its own.
      if (!han && length == 1 && !pause && !always_introduces(words_[begin_].text)) return;
      // "Did I mention that …?" tells.
      if (words_[begin_].text == "did" || words_[begin_].text == "have") question_ = false;
      begin_ += length;
    }
  }

  static bool always_introduces(const std::string& word) {
    static const LexiconWords set = lexicon_words("en/statements", "always introduce");
    return set.contains(word);
  }

  void drop_endings() {
    static const PhraseTable table = phrase_table("statements", "endings");
    constexpr std::size_t kLongestEnding = 4;
    for (bool more = true; more && end_ > begin_ + 1;) {
      more = is_break(words_[end_ - 1]);
      if (more) --end_;
      for (std::size_t length = kLongestEnding; length > 0 && !more; --length) {
        if (length >= end_ - begin_) continue;
        const auto match = table.longest(words_, end_ - length);
        more = match.words == length;
        if (more) end_ -= length;
      }
      const std::string& last = words_[end_ - 1].text;
      if (!more && (last == "吗" || last == "么") && end_ > begin_ + 1) {
        question_ = more = true;
        --end_;
      }
    }
  }

  // An emoji behind a statement only colours it; where it is what is said, it stays.
  void drop_emoji() {
    constexpr std::size_t kStatement = 3;
    const auto emoji = [&](std::size_t at) { return words_[at].kind == WordKind::kEmoji; };
    while (end_ > begin_ && emoji(begin_) && end_ - begin_ > kStatement) ++begin_;
    std::size_t rest = end_;
    while (rest > begin_ && (emoji(rest - 1) || is_break(words_[rest - 1]))) --rest;
    if (rest - begin_ < kStatement) return;
    static const LexiconWords set = lexicon_both_words("statements", "before emoji");
    if (!set.contains(words_[rest - 1].text)) end_ = rest;
  }

  static constexpr std::size_t kLongestTalk = 16;

  // Without what weighs nothing.
  static Words weigh(const Words& words) {
    static const Rewriter weightless("weightless");
    Words out;
    for (std::size_t at = 0; at < words.size();) {
      const bool negated = at > 0 && is_negation(words[at - 1].text);
      const bool article = words[at].text == "a" || words[at].text == "an" || words[at].text == "the";
      std::size_t length = negated && !article ? 0 : weightless.rewrite(words, at, out);
      if (length == 0 && drops(words, at)) length = 1;
      if (length == 0 && words[at].text == "'s" && at + 1 < words.size() && follows_is(words[at + 1].text)) {
        out.push_back({"is", WordKind::kWord});
        length = 1;
      }
      if (length == 0) {
        if (words[at].kind != WordKind::kComma) out.push_back(words[at]);
        length = 1;
      }
      at += length;
    }
    return out;
  }

  static bool drops(const Words& words, std::size_t at) {
    const std::string& word = words[at].text;
    const std::string next = at + 1 < words.size() ? words[at + 1].text : std::string();
    const std::string last = at > 0 ? words[at - 1].text : std::string();
    if (word == "do" || word == "does") return !next.empty() && next != "not" && last != "to" && at > 0;
    if (word == "也") return next != "许" && next != "门" && next != "罢" && next != "就" && last != "再";
    if (word == "的") {
      static const std::unordered_set<std::string_view> pronouns = {"我", "你", "他", "她", "它", "们", "您", "咱"};
      return pronouns.contains(last) && at + 1 < words.size() && words[at + 1].kind == WordKind::kHan;
    }
    return false;
  }

  static bool is_currency(const std::string& word) { return word == "$" || word == "€" || word == "¥" || word == "£"; }

  static Words one_form(const Words& words) {
    static const Rewriter forms("forms"), units("units");
    Words out;
    for (std::size_t at = 0; at < words.size();) {
      const bool number_next = at + 1 < words.size() && words[at + 1].kind == WordKind::kNumber;
      if (is_currency(words[at].text) && number_next) {  // "$5" is "5 dollars"
        out.push_back(words[at + 1]);
        out.push_back(words[at]);
        at += 2;
        continue;
      }
      const bool after_number = !out.empty() && out.back().kind == WordKind::kNumber && !is_date_word(out.back());
      std::size_t length = after_number ? units.rewrite(words, at, out) : 0;
      if (length == 0) length = forms.rewrite(words, at, out);
      if (length == 0) {
        out.push_back(words[at]);
        length = 1;
      }
      at += length;
    }
    return out;
  }

  const Words& words_;
  const CapitalWords& capitals_;
  std::size_t begin_, end_;
  bool question_;
};

std::uint64_t hash_of(const Words& words) {
  std::uint64_t hash = words.size();
  for (const PlainWord& word : words) hash = XXH3_64bits_withSeed(word.text.data(), word.text.size(), hash);
  return hash;
}

// All sentences, or those that are more than small talk, each once.
Words read_sentences(const Words& words, const CapitalWords& capitals, bool talk) {
  Words out;
  std::unordered_set<std::uint64_t> seen;
  for (std::size_t begin = 0; begin < words.size();) {
    const std::size_t end = next_of(words, begin, words.size(), false);
    if (end > begin && (talk || hedges(words, begin, end) || !is_empty_talk(words, begin, end, capitals))) {
      const bool question = end < words.size() && words[end].kind == WordKind::kQuestion;
      Words sentence = Sentence(words, capitals, begin, end, question).read();
      if (seen.insert(hash_of(sentence)).second)
        out.insert(out.end(), std::make_move_iterator(sentence.begin()), std::make_move_iterator(sentence.end()));
    }
    begin = end + 1;
  }
  return out;
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

std::vector<PlainWord> statement_words(std::string_view text) {
  const Words words = plain_words(text);
  const CapitalWords capitals = capital_words(text);
  Words out = read_sentences(words, capitals, false);
  return out.empty() ? read_sentences(words, capitals, true) : out;
}

}  // namespace weft
