#include "flow/historian/gate.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_set>
#include <vector>

#include "base/strings.h"
#include "text/analysis.h"
#include "text/protected_spans.h"
#include "text/time/phrase.h"
#include "text/words.h"

namespace weft {
namespace {

// A word that names a time only as seen from the moment of speaking.
struct RelativeTime {
  std::size_t begin = 0, end = 0;  ///< bytes of the text
  Language language = Language::kEnglish;
};

// ---- Chinese ----

constexpr auto kChinese =
    std::to_array<std::string_view>({"今天", "昨天", "明天", "刚才", "刚刚", "稍后", "上周", "下周", "最近"});

// 上周三: the weekday behind.
bool weekday_at(std::string_view text, std::size_t at) {
  constexpr auto kDays = std::to_array<std::string_view>({"一", "二", "三", "四", "五", "六", "日", "天"});
  return std::any_of(kDays.begin(), kDays.end(), [&](auto day) { return starts_at(text, at, day); });
}

void find_chinese(std::string_view text, const std::vector<Span>& spans, std::vector<RelativeTime>& out) {
  SpanCursor cursor(spans);
  for (std::size_t at = 0; at < text.size();) {
    const auto listed =
        static_cast<unsigned char>(text[at]) < 0xE4
            ? kChinese.end()
            : std::find_if(
                  kChinese.begin(), kChinese.end(), [&](std::string_view word) { return starts_at(text, at, word); });
    if (listed == kChinese.end() || cursor.covers(at, at + listed->size())) {
      ++at;
      continue;
    }
    RelativeTime time{at, at + listed->size(), Language::kChinese};
    at = time.end;
    if (*listed == "最近" && timex::means_nearest(text.substr(0, time.begin), text.substr(time.end))) continue;
    if (*listed == "刚刚" && starts_at(text, time.end, "好")) continue;  // just right
    const bool week = *listed == "上周" || *listed == "下周";
    if (week && weekday_at(text, time.end)) time.end += 3;
    out.push_back(time);
  }
}

// ---- English ----

using Words = std::unordered_set<std::string_view>;

const Words& single_words() {
  static const Words words = {"today", "yesterday", "tomorrow", "tonight", "recently", "lately"};
  return words;
}

const Words& units() {
  static const Words words = {"week",    "month",     "year",     "night",  "weekend",  "monday",
                              "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"};
  return words;
}

// "later" as seen from now, not "two days later", "later than", "sooner or later".
bool is_bare_later(const LatinWords& words, std::size_t i) {
  static const std::unordered_set<std::string_view> kNot = {
      "days", "weeks",  "months", "years", "hours",   "minutes",  "day",    "week", "month", "year",    "hour",
      "or",   "moment", "a",      "the",   "seconds", "weekends", "nights", "no",   "much",  "decades", "while"};
  if (i > 0 && (kNot.contains(words[i - 1].lower) || words[i - 1].lower.front() <= '9')) return false;
  return i + 1 >= words.size() || (words[i + 1].lower != "than" && words[i + 1].lower != "stage");
}

std::string_view stem_of(std::string_view word) {
  return word.size() > 2 && word.substr(word.size() - 2) == "'s" ? word.substr(0, word.size() - 2) : word;
}

std::optional<RelativeTime> english_at(const LatinWords& words, std::size_t i, std::size_t& used) {
  const auto next = [&](std::size_t k) {
    return i + k < words.size() ? std::string_view(words[i + k].lower) : std::string_view();
  };
  const std::string_view word = stem_of(words[i].lower);
  used = 1;
  const auto make = [&](std::size_t last) {
    used = last + 1;
    const std::size_t end = words[i + last].begin + stem_of(words[i + last].lower).size();
    return RelativeTime{words[i].begin, end, Language::kEnglish};
  };
  if (single_words().contains(word)) return make(0);
  if (word == "just" && next(1) == "now") return make(1);
  if (word == "a" && next(1) == "moment" && next(2) == "ago") return make(2);
  if (word == "later" && is_bare_later(words, i)) return make(next(1) == "on" ? 1 : 0);
  if (word != "last" && word != "next") return std::nullopt;
  // "the last week of school" counts from something else.
  if (i > 0 && (words[i - 1].lower == "the" || words[i - 1].lower == "my" || words[i - 1].lower == "our"))
    return std::nullopt;
  const std::string_view unit = stem_of(next(1));
  if (!units().contains(unit) || next(2) == "of" || (unit == "night" && word == "next")) return std::nullopt;
  return make(1);
}

void find_english(std::string_view text, const std::vector<Span>& spans, std::vector<RelativeTime>& out) {
  const LatinWords words = read_latin_words(text, spans);
  for (std::size_t i = 0, used = 1; i < words.size(); i += used) {
    used = 1;
    if (!words[i].is_word || words[i].protected_by_span) continue;
    if (const auto time = english_at(words, i, used)) out.push_back(*time);
  }
}

// The words of the gate's lists for times and their nearest relatives, outside the protected spans, in order: today,
// last week, recently, 刚才, 下周三. 最近 in the sense of "nearest" is left out. This is what a text may not hold
// unresolved; what a text says about times in full is found by `find_time_expressions`. Linear. Safe from any thread.
std::vector<RelativeTime> find_relative_times(std::string_view text, const std::vector<Span>& protected_by) {
  std::vector<RelativeTime> found;
  find_chinese(text, protected_by, found);
  find_english(text, protected_by, found);
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
  return found;
}

struct Listed {
  GateKind kind;
  std::string_view word;
};

constexpr GateKind kPronoun = GateKind::kPronoun;
constexpr GateKind kTime = GateKind::kTime;
constexpr GateKind kPlace = GateKind::kPlace;

// The lists as they are specified. Of two words with the same beginning the longer one comes first, so that a hit names
// the whole word; whether there is a hit does not depend on it.
constexpr auto kListed = std::to_array<Listed>(
    {{kPronoun, "他们"}, {kPronoun, "她们"}, {kPronoun, "它们"}, {kPronoun, "我"},   {kPronoun, "你"},
     {kPronoun, "他"},   {kPronoun, "她"},   {kPronoun, "它"},   {kPronoun, "这位"}, {kPronoun, "那位"},
     {kTime, "今天"},    {kTime, "昨天"},    {kTime, "明天"},    {kTime, "刚才"},    {kTime, "刚刚"},
     {kTime, "稍后"},    {kTime, "上周"},    {kTime, "下周"},    {kTime, "最近"},    {kPlace, "这里"},
     {kPlace, "那边"},   {kPlace, "本地"},   {kPlace, "当地"},   {kPlace, "这儿"},   {kPlace, "那儿"}});

std::optional<Listed> listed_at(std::string_view text, std::size_t at) {
  if (static_cast<unsigned char>(text[at]) < 0xE4) return std::nullopt;
  const auto found = std::find_if(kListed.begin(), kListed.end(), [&](const Listed& listed) {
    return text.compare(at, listed.word.size(), listed.word) == 0;
  });
  return found == kListed.end() ? std::nullopt : std::optional<Listed>(*found);
}

std::vector<GateHit> check_literal(std::string_view text) {
  std::vector<GateHit> hits;
  for (std::size_t at = 0; at < text.size();) {
    const auto listed = listed_at(text, at);
    if (listed) hits.push_back({listed->kind, std::string(listed->word), at});
    at += listed ? listed->word.size() : 1;
  }
  return hits;
}

// Chinese words beyond the lists (您, 此处) are resolved where they can be, but do not make a text fail.
bool on_the_lists(std::string_view text, const Reference& reference) {
  return reference.language == Language::kEnglish || listed_at(text, reference.begin).has_value();
}

GateKind kind_of(const Reference& reference) {
  return reference.kind == ReferenceKind::kHere || reference.kind == ReferenceKind::kThere ? kPlace : kPronoun;
}

// What explains nothing: a substitute for whoever it is.
bool is_vague(std::string_view meaning) {
  constexpr auto kVague = std::to_array<std::string_view>(
      {"某人", "某地", "某处", "有关人员", "该地", "该事物", "该人士", "someone", "somebody", "somewhere", "that place",
       "the one concerned", "those concerned", "the speaker", "the addressee", "说话人", "对方"});
  return std::any_of(kVague.begin(), kVague.end(),
                     [&](std::string_view word) { return meaning.find(word) != std::string_view::npos; });
}

// Whether a meaning stands in brackets behind the word that ends at `end`, or behind the rest of it: "he's [Tom]".
bool is_annotated(std::string_view text, std::size_t end) {
  while (end < text.size() && (text[end] == '\'' || is_letter(text[end]))) ++end;
  if (end < text.size() && text[end] == ' ') ++end;
  if (end >= text.size() || text[end] != '[') return false;
  constexpr std::size_t kLongest = 160;
  const std::size_t close = text.substr(0, std::min(text.size(), end + kLongest)).find(']', end);
  return close != std::string_view::npos && close > end + 1 && !is_vague(text.substr(end + 1, close - end - 1));
}

// The meaning of a time may stand behind the whole expression: 昨天下午[2026年11月21日下午], "tomorrow at five [23
// November 2026]".
bool is_explained_time(std::string_view text, std::size_t end) {
  constexpr std::size_t kReach = 40;
  constexpr auto kStops =
      std::to_array<std::string_view>({",", ".", "!", "?", ";", "，", "。", "！", "？", "；", "\n"});
  std::string_view behind = text.substr(end, std::min(kReach, text.size() - end));
  const std::size_t open = behind.find('[');
  if (open == std::string_view::npos) return false;
  behind = behind.substr(0, open);
  const bool cut = std::any_of(kStops.begin(), kStops.end(),
                               [&](std::string_view stop) { return behind.find(stop) != std::string_view::npos; });
  return !cut && is_annotated(text, end + open);
}

// A substitute that a rewrite put in the place of whom it should have named.
void add_vague(std::string_view text, std::vector<GateHit>& hits) {
  struct Vague {
    GateKind kind;
    std::string_view word;
  };
  constexpr auto kVague = std::to_array<Vague>({{kPronoun, "the one concerned"},
                                                {kPronoun, "The one concerned"},
                                                {kPronoun, "those concerned"},
                                                {kPronoun, "有关人员"},
                                                {kPlace, "该地的"},
                                                {kPronoun, "该人士"}});
  for (const Vague& vague : kVague)
    for (std::size_t at = text.find(vague.word); at != std::string_view::npos; at = text.find(vague.word, at + 1))
      hits.push_back({vague.kind, std::string(vague.word), at});
}

// Pronouns of one kind that were explained before: the speaker's and the hearer's in the whole text, others' in the
// sentence.
class Explained {
 public:
  explicit Explained(TextAnalysis& analysis) : analysis_(analysis) {}

  bool is(const Reference& reference) {
    if (!is_annotated(analysis_.text(), reference.end)) return told_.contains(key(reference));
    told_.insert(key(reference));
    return true;
  }

 private:
  using Key = std::tuple<std::size_t, int, bool, int, int>;

  Key key(const Reference& reference) {
    std::size_t sentence = 0;
    if (reference.person == 3 || reference.person == 0) {
      const auto& all = analysis_.sentences();
      while (sentence_ < all.size() && all[sentence_].end <= reference.begin) ++sentence_;
      sentence = sentence_ + 1;
    }
    return {sentence, reference.person, reference.plural, static_cast<int>(reference.gender),
            static_cast<int>(reference.kind)};
  }

  TextAnalysis& analysis_;
  std::size_t sentence_ = 0;
  std::set<Key> told_;
};

std::vector<GateHit> check_balanced(std::string_view text, const std::vector<std::string>& names) {
  std::vector<GateHit> hits;
  TextAnalysis analysis(text, {}, names);
  Explained explained(analysis);
  for (const Reference& reference : analysis.references()) {
    if (!on_the_lists(text, reference) || explained.is(reference)) continue;
    hits.push_back({kind_of(reference), std::string(text.substr(reference.begin, reference.end - reference.begin)),
                    reference.begin});
  }
  for (const RelativeTime& time : find_relative_times(text, analysis.protected_parts())) {
    if (time.language == Language::kChinese && !listed_at(text, time.begin)) continue;
    if (is_explained_time(text, time.end)) continue;
    hits.push_back({kTime, std::string(text.substr(time.begin, time.end - time.begin)), time.begin});
  }
  add_vague(text, hits);
  std::sort(hits.begin(), hits.end(), [](const GateHit& a, const GateHit& b) { return a.offset < b.offset; });
  return hits;
}

}  // namespace

std::vector<GateHit> check(std::string_view text, GateMode mode, const std::vector<std::string>& names) {
  return mode == GateMode::kLiteral ? check_literal(text) : check_balanced(text, names);
}

}  // namespace weft
