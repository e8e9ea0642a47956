#include "flow/historian/gate.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <tuple>

#include "base/ascii.h"
#include "flow/historian/relative_time.h"
#include "text/analysis.h"

namespace weft {
namespace {

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
