#include "flow/recall/relevance.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "text/weight_file.h"
#include "text/words.h"

namespace weft {
namespace {

// Texts that are thought to be there besides the scope's own, none of which holds the word: in a memory of three
// messages, too, a word that stands in one of them is rare.
constexpr double kElsewhere = 300;
constexpr std::size_t kMostWords = 256;  // of a question; the rarest
// A single Chinese character is found by chance more often than a word is.
constexpr double kSingleCharacter = 0.3;
// More words than this are a text. Of a text only a part can stand in one message, and much in it is new in any case.
constexpr double kTextWords = 30;
// Deviations of fewer cosines say little.
constexpr std::size_t kFewestCosines = 20;
// The mean and the spread of few cosines say little: of so many they count half. Those of a text, which is near to many
// things, say nothing.
constexpr double kHalfTold = 20;
// Of the cosines of a question with a memory; more than so far from it says no more, also under another embedder.
constexpr double kUsualSpread = 0.085, kMostUnusual = 0.03;

}  // namespace

double relevance_of(const RelevanceFeatures& features) {
  const RelevanceCurves& curves = relevance_curves();
  double words = curves.words_bias, vectors = curves.vectors_bias;
  for (const RelevanceWeight& one : curves.weights) {
    words += features.*one.value * one.words;
    vectors += features.*one.value * one.vectors;
  }
  return 1 / (1 + std::exp(-(features.vectors ? vectors : words)));
}

RelevanceJudge::RelevanceJudge(const QueryText& query, std::span<const std::uint16_t> speakers, const Shelf& shelf,
                               const ArmScores& arms, const ScoreScale& scale)
    : shelf_(shelf), arms_(arms), scale_(scale), chinese_(query.chinese), personal_(query.personal), bare_(query.bare) {
  read_words(query, speakers);
  for (const NamedDays& named : query.days) {
    const auto ranges = day_ranges(named, shelf.first_day() - 1, shelf.last_day() + 1);
    days_.insert(days_.end(), ranges.begin(), ranges.end());
  }
  days_.insert(days_.end(), query.ranges.begin(), query.ranges.end());
}

void RelevanceJudge::read_words(const QueryText& query, std::span<const std::uint16_t> speakers) {
  const WordsIndex& index = shelf_.words();
  const double all = static_cast<double>(index.documents()) + kElsewhere + 1;
  std::map<Term, std::uint16_t> named;
  for (const std::uint16_t speaker : speakers)
    for (const Term term : index_terms(shelf_.speakers()[speaker])) named.emplace(term, speaker);
  std::map<Term, Word> seen;
  for (const QueryText::Word& word : query.words) {
    count_ += word.chinese ? 0.5 : 1;
    const auto speaker = named.find(word.term);
    const double rarity = std::log(all / (static_cast<double>(index.count(word.term)) + 1));
    seen[word.term] = {word.term, rarity * (word.character ? kSingleCharacter : 1),
                       speaker == named.end() ? std::uint16_t{0} : speaker->second};
  }
  for (const auto& [term, word] : seen) words_.push_back(word);
  std::stable_sort(words_.begin(), words_.end(), [](const Word& a, const Word& b) { return a.weight > b.weight; });
  if (words_.size() > kMostWords) words_.resize(kMostWords);
  for (const Word& word : words_) {
    weight_ += word.weight;
    if (word.speaker == 0 && index.count(word.term) == 0) unknown_ += word.weight;
  }
  text_ = query.several || count_ > kTextWords;
}

bool RelevanceJudge::holds(std::uint32_t unit, const Word& word) const {
  const Shelf::Units& units = shelf_.units();
  if (word.speaker != 0 && units.speaker[unit] == word.speaker) return true;
  const std::uint32_t first = units.first_slot[unit];
  return shelf_.words().holds(word.term, first, first + units.slots[unit]);
}

double RelevanceJudge::deviations(std::uint32_t unit) const {
  if (scale_.deviation <= 0 || scale_.count < kFewestCosines) return 0;
  if (unit == Shelf::kNone || arms_.embedded[unit] == 0) return 0;
  return (static_cast<double>(arms_.vector[unit]) - scale_.mean) / scale_.deviation;
}

RelevanceFeatures RelevanceJudge::judge(std::uint32_t unit) const {
  const Shelf::Units& units = shelf_.units();
  const std::uint32_t before = units.previous[unit], after = units.next[unit];
  RelevanceFeatures features;
  double own = 0, window = 0;
  for (const Word& word : words_) {
    const bool here = holds(unit, word);
    const bool near =
        here || (before != Shelf::kNone && holds(before, word)) || (after != Shelf::kNone && holds(after, word));
    if (here) own += word.weight;
    if (near) window += word.weight;
  }
  if (weight_ > 0) {
    features.own = own / weight_;
    features.window = window / weight_;
    features.unknown = unknown_ / weight_ * std::min(1.0, kTextWords / count_);
  }
  features.many = features.window * std::log1p(std::min(count_, kTextWords));
  features.mass = std::log1p(window);
  features.excess = window > 0 ? std::log(std::max(1.0, count_ / kTextWords)) : 0;
  features.chinese = chinese_ ? 1 : 0;
  features.chinese_window = chinese_ ? features.window : 0;
  features.personal = personal_ ? 1 : 0;
  const std::int32_t day = units.day[unit];
  features.day = std::any_of(days_.begin(), days_.end(),
                             [day](const DayRange& range) { return day >= range.from && day <= range.to; })
                     ? 1
                     : 0;
  features.length = std::log1p(static_cast<double>(units.words[unit]));
  features.vectors = arms_.embedded[unit] != 0 && !bare_;  // the vector of a bare question means nothing
  if (!features.vectors) return features;
  features.cosine = arms_.vector[unit];
  const auto count = static_cast<double>(scale_.count);
  const double told = text_ ? 0 : count / (count + kHalfTold);
  features.deviations = told * deviations(unit);
  features.spread = told * std::clamp(scale_.deviation - kUsualSpread, -kMostUnusual, kMostUnusual);
  features.few = 1 - told;
  features.cosine_of_few = features.few * features.cosine;
  features.near = std::max(deviations(before), deviations(after));
  features.mean = scale_.mean;
  features.count = count;
  return features;
}

// The weight of `excess` is chosen: whether a long text has to do with something is not told by shares of its words,
// and what ranking finds for it is better than nothing. Those of `few` and `cosine_of_few` are chosen, since the
// labelled memories are all larger: with them a small memory and a text are judged much as by a curve of the cosine.
const RelevanceCurves& relevance_curves() {
  using F = RelevanceFeatures;
  using enum RelevanceWeight::Sign;
  static const RelevanceCurves kCurves = [] {
    RelevanceCurves curves{0,
                           0,
                           {{{"own", &F::own, 0, 0, kFor},
                             {"window", &F::window, 0, 0, kFor},
                             {"many", &F::many, 0, 0, kFor},
                             {"unknown", &F::unknown, 0, 0, kAny},
                             {"mass", &F::mass, 0, 0, kFor},
                             {"excess", &F::excess, 0, 0, kChosen},
                             {"day", &F::day, 0, 0, kFor},
                             {"length", &F::length, 0, 0, kAny},
                             {"chinese", &F::chinese, 0, 0, kAny},
                             {"chinese_window", &F::chinese_window, 0, 0, kFor},
                             {"personal", &F::personal, 0, 0, kFor},
                             {"cosine", &F::cosine, 0, 0, kFor},
                             {"deviations", &F::deviations, 0, 0, kFor},
                             {"near", &F::near, 0, 0, kFor},
                             {"spread", &F::spread, 0, 0, kFor},
                             {"cosine_of_few", &F::cosine_of_few, 0, 0, kChosen},
                             {"few", &F::few, 0, 0, kChosen}}}};
    const WeightFile file = shipped_weights("known");
    curves.words_bias = file.number("words.bias");
    curves.vectors_bias = file.number("vectors.bias");
    for (RelevanceWeight& one : curves.weights) {
      one.words = file.number("words." + std::string(one.name));
      one.vectors = file.number("vectors." + std::string(one.name));
    }
    return curves;
  }();
  return kCurves;
}

}  // namespace weft
