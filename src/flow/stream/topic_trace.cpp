#include <algorithm>
#include <cmath>
#include <tuple>

#include "flow/stream/topic_shift.h"
#include "flow/stream/trace_view.h"

namespace weft {
namespace {

constexpr std::size_t kMaxTerms = 400;         // terms a trace remembers; the longest unseen leave first
constexpr std::size_t kMaxUnitTerms = 64;      // of one unit; a long tool output must not push out all else
constexpr std::size_t kMaxSpeakers = 8;
constexpr std::size_t kMaxTextBytes = 4096;    // of a text that is looked at: topics are named at the beginning
constexpr float kMeanMemory = 30;              // units a running mean looks back on
constexpr std::uint32_t kConversationMemory = 100;

void keep_distinct(std::vector<Term>& terms, std::size_t most) {
  std::vector<Term> kept;
  for (const Term term : terms) {
    if (kept.size() == most) break;
    if (std::find(kept.begin(), kept.end(), term) == kept.end()) kept.push_back(term);
  }
  terms = std::move(kept);
}

}  // namespace

std::uint32_t speaker_hash(std::string_view name) {
  std::uint32_t hash = 2166136261U;  // FNV-1a
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return hash | kFirstKnownSpeaker;
}

PackedVector pack(std::span<const float> vector) {
  PackedVector packed;
  float largest = 0;
  for (const float value : vector) largest = std::max(largest, std::abs(value));
  if (!(largest > 0)) return packed;
  packed.step = largest / 127;
  packed.values.reserve(vector.size());
  for (const float value : vector) packed.values.push_back(static_cast<std::int8_t>(std::lround(value / packed.step)));
  return packed;
}

Vector unpack(const PackedVector& packed) {
  Vector vector;
  vector.reserve(packed.values.size());
  for (const auto value : packed.values) vector.push_back(static_cast<float>(value) * packed.step);
  return vector;
}

std::optional<double> cosine_with(const Vector& vector, const PackedVector& packed) {
  if (vector.empty() || packed.values.size() != vector.size()) return std::nullopt;
  double product = 0;
  double a = 0;
  double b = 0;
  for (std::size_t i = 0; i < vector.size(); ++i) {
    const double x = vector[i];
    const double y = packed.values[i];
    product += x * y;
    a += x * x;
    b += y * y;
  }
  return a > 0 && b > 0 ? std::optional(product / std::sqrt(a * b)) : std::nullopt;
}

std::uint32_t TopicTrace::speaker_key(const ShiftUnit& unit) const {
  // Where nobody says who speaks, two sides are taken to alternate.
  if (unit.speaker.empty()) return options_.turns ? turns_ % 2 : 0;
  return speaker_hash(unit.speaker);
}

const TopicTrace::SpeakerMark* TopicTrace::find_speaker(std::uint32_t speaker) const {
  const auto found =
      std::find_if(speakers_.begin(), speakers_.end(), [&](const auto& mark) { return mark.speaker == speaker; });
  return found == speakers_.end() ? nullptr : &*found;
}

TopicTrace::SpeakerMark& TopicTrace::speaker_mark(std::uint32_t speaker) {
  if (const auto* found = find_speaker(speaker)) return const_cast<SpeakerMark&>(*found);
  if (speakers_.size() == kMaxSpeakers) {
    const auto least = std::min_element(speakers_.begin(), speakers_.end(),
                                        [](const auto& a, const auto& b) { return a.said < b.said; });
    *least = {speaker, 0, 0, 0};
    return *least;
  }
  return speakers_.emplace_back(SpeakerMark{speaker, 0, 0, 0});
}

TopicTrace::View TopicTrace::view(const ShiftUnit& unit, const Similarity& similarity) const {
  View view;
  const auto query = unit.query.substr(0, kMaxTextBytes);
  const auto reply = unit.reply.substr(0, kMaxTextBytes);
  view.query = find_cues(query);
  view.chinese = language_of(query) == Language::kChinese;
  view.speaker = speaker_key(unit);
  view.query_terms = index_terms(query);
  keep_distinct(view.query_terms, kMaxUnitTerms);
  view.all_terms = view.query_terms;
  if (!reply.empty()) {
    const auto terms = index_terms(reply);
    view.all_terms.insert(view.all_terms.end(), terms.begin(), terms.end());
    keep_distinct(view.all_terms, 2 * kMaxUnitTerms);
  }
  if (unit.vector.empty()) return view;
  view.vector = similarity.centre(unit.vector, view.chinese ? Language::kChinese : Language::kEnglish);
  view.kernel = cosine_with(view.vector, kernel_);
  for (const auto& recent : recent_) {
    const auto likeness = cosine_with(view.vector, recent);
    if (!likeness) continue;
    if (&recent == &recent_.front()) view.last = likeness;
    view.best = std::max(view.best.value_or(-1), *likeness);
  }
  return view;
}

void TopicTrace::adsorb(const ShiftUnit& unit, const Similarity& similarity) {
  take(view(unit, similarity), unit, false);
}

void TopicTrace::start_topic(const ShiftUnit& unit, const Similarity& similarity) {
  take(view(unit, similarity), unit, true);
}

void TopicTrace::seed(std::string_view summary, std::span<const float> vector, const Similarity& similarity) {
  const auto text = summary.substr(0, kMaxTextBytes);
  since_ = 0;
  for (auto& mark : terms_) mark.topic = 0;
  auto terms = index_terms(text);
  keep_distinct(terms, kMaxUnitTerms);
  for (const Term term : terms) {
    auto at =
        std::lower_bound(terms_.begin(), terms_.end(), term, [](const auto& mark, Term t) { return mark.term < t; });
    if (at == terms_.end() || at->term != term) at = terms_.insert(at, TermMark{term, units_, 0, 0, 0});
    at->topic = 1;
  }
  kernel_ = vector.empty() ? PackedVector{} : pack(similarity.centre(vector, language_of(text)));
  first_ = kernel_;
}

void TopicTrace::take(const View& view, const ShiftUnit& unit, bool starts) {
  const std::array<std::optional<double>, 3> likeness = {view.kernel, view.last, view.best};
  for (std::size_t i = 0; i < likeness.size(); ++i) {
    if (!likeness[i]) continue;
    auto& usual = usual_[i];
    usual.weight = std::min(usual.weight + 1, kMeanMemory);
    usual.mean += (static_cast<float>(*likeness[i]) - usual.mean) / usual.weight;
  }
  if (starts && units_ > 0) ++cuts_;
  if (starts) {
    since_ = 0;
    for (auto& mark : terms_) mark.topic = 0;
  }
  auto& speaker = speaker_mark(view.speaker);
  if (starts && units_ > 0) speaker.opened += 1;
  speaker.said += 1;
  speaker.asked += view.query.has(Cue::kQuestion) ? 1.0F : 0.0F;
  take_terms(view.all_terms);
  take_vector(view.vector, starts);
  take_turn(view.query, view.speaker);
  if (!unit.reply.empty()) take_turn(find_cues(unit.reply.substr(0, kMaxTextBytes)), 1);
  length_sum_ += static_cast<float>(std::log1p(view.query.words));
  if (unit.time) last_time_ = unit.time;
  ++units_;
  ++since_;
}

void TopicTrace::take_turn(const Cues& cues, std::uint32_t speaker) {
  last_turns_.insert(last_turns_.begin(), TurnMark{static_cast<std::uint32_t>(cues.found.to_ulong()),
                                                   static_cast<float>(std::log1p(cues.words)), speaker});
  if (last_turns_.size() > 2) last_turns_.pop_back();
  ++turns_;
}

void TopicTrace::take_terms(const std::vector<Term>& terms) {
  for (auto& mark : terms_) mark.recent = static_cast<std::uint8_t>(mark.recent << 1U);
  for (const Term term : terms) {
    auto at =
        std::lower_bound(terms_.begin(), terms_.end(), term, [](const auto& mark, Term t) { return mark.term < t; });
    if (at == terms_.end() || at->term != term) at = terms_.insert(at, TermMark{term, 0, 0, 0, 0});
    at->last = units_;
    if (at->count < 0xFFFF) ++at->count;
    at->recent |= 1U;
    at->topic = 1;
  }
  if (terms_.size() <= kMaxTerms) return;
  // The rarest among the longest unseen leave.
  std::vector<TermMark> order = terms_;
  std::nth_element(order.begin(), order.begin() + kMaxTerms, order.end(), [](const auto& a, const auto& b) {
    return std::tie(b.last, b.count, b.term) < std::tie(a.last, a.count, a.term);
  });
  order.resize(kMaxTerms);
  std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.term < b.term; });
  terms_ = std::move(order);
}

void TopicTrace::take_vector(const Vector& vector, bool starts) {
  recent_.insert(recent_.begin(), pack(vector));
  if (recent_.size() > kRecentUnits) recent_.pop_back();
  if (starts) {
    kernel_ = {};
    first_ = {};
  }
  if (vector.empty()) return;
  const auto blend = [&](PackedVector& into, double rate) {
    Vector old = unpack(into);
    if (old.size() != vector.size()) old = vector;
    for (std::size_t i = 0; i < old.size(); ++i) old[i] += static_cast<float>(rate) * (vector[i] - old[i]);
    into = pack(old);
  };
  if (first_.empty()) first_ = pack(vector);
  if (kernel_.empty() || !options_.first_anchor) blend(kernel_, kernel_.empty() ? 1.0 : options_.rate);
  blend(mean_, 1.0 / std::min(units_ + 1, kConversationMemory));
}

std::optional<double> TopicTrace::kernel_cosine(const ShiftUnit& unit, const Similarity& similarity) const {
  if (unit.vector.empty()) return std::nullopt;
  return cosine_with(similarity.centre(unit.vector, language_of(unit.query.substr(0, kMaxTextBytes))), kernel_);
}

std::optional<double> TopicTrace::gap_seconds(const ShiftUnit& unit) const {
  if (!unit.time || !last_time_ || *unit.time < *last_time_) return std::nullopt;
  return static_cast<double>(unit.time->ms - last_time_->ms) / 1000.0;
}

}  // namespace weft
