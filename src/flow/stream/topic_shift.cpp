#include "flow/stream/topic_shift.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "text/cues.h"
#include "text/english_verbs.h"
#include "text/token_counter.h"
#include "text/utf8.h"
#include "text/weight_file.h"
#include "text/words.h"

namespace weft {
namespace {

constexpr std::string_view kNames[] = {
    // cosines without the mean of the conversation: to the last turn, to the last three together, to the last two, to
    // the nearest of the last four; the first two again, as deviations from what is usual here
    "near_last", "near_three", "near_pair", "near_best", "near_last_usual", "near_three_usual",
    // share of the words met within three turns, shortness, cues of the turn
    "words_three", "short", "before_short", "change", "adds", "requests", "refers_later", "refers", "question",
    "question_end", "greets", "thanks", "closes", "continues", "answers",
    // cues of the turn before
    "before_requests", "before_question", "before_question_end", "before_more", "before_greets", "before_thanks",
    "before_closes",
    // more of the words, for where there are no vectors
    "words_last", "words_eight", "words_new"};

constexpr std::size_t kMaxReasons = 5;
constexpr double kLeastReason = 0.1;  // a signal that adds less to the logit is not worth a word
constexpr double kHazard = 1.5, kHazardTurns = 2;
constexpr double kPauseSeconds = 300;  // a pause shorter than this says nothing
constexpr double kPausePerDoubling = 0.4;  // chosen, not fitted: the development data have no times
constexpr double kMostPause = 1.5;

double pause_evidence(std::optional<double> seconds) {
  if (!seconds || *seconds <= kPauseSeconds) return 0;
  return std::min(kMostPause, kPausePerDoubling * std::log2(*seconds / kPauseSeconds));
}

/// Calls `step(node, next)` on the way from the root to the answer.
template <class Step>
const ShiftTree::Node& answer_of(const ShiftTree& tree, std::span<const double> signals, Step step) {
  const auto* node = tree.nodes.data();
  while (node->signal >= 0) {
    const bool right = signals[static_cast<std::size_t>(node->signal)] > static_cast<double>(node->threshold);
    const auto* next = &tree.nodes[static_cast<std::size_t>(node->left) + (right ? 1 : 0)];
    step(*node, *next);
    node = next;
  }
  return *node;
}

/// What each signal adds: how far the questions about it move what is known of the logit.
std::vector<Reason> explain(std::span<const ShiftTree> trees, std::span<const double> signals) {
  std::vector<double> shares(signals.size(), 0);
  for (const ShiftTree& tree : trees)
    (void)answer_of(tree, signals, [&](const auto& node, const auto& next) {
      shares[static_cast<std::size_t>(node.signal)] += static_cast<double>(next.value - node.value);
    });
  std::vector<Reason> reasons;
  for (std::size_t i = 0; i < shares.size(); ++i)
    if (std::abs(shares[i]) >= kLeastReason) reasons.push_back({std::string(kNames[i]), shares[i]});
  return reasons;
}

}  // namespace

std::span<const std::string_view> shift_signal_names() { return kNames; }

double shift_hazard(std::int64_t age) {
  return -kHazard * std::max(0.0, 1 - (static_cast<double>(age) - 1) / kHazardTurns);
}

double shift_logit(std::span<const ShiftTree> trees, std::span<const double> signals) {
  double logit = 0;
  for (const ShiftTree& tree : trees)
    logit += static_cast<double>(answer_of(tree, signals, [](const auto&, const auto&) {}).value);
  return logit;
}

ShiftJudgement judge_shift(const TopicTrace& trace, const ShiftTurn& turn, const Similarity& similarity) {
  ShiftJudgement judgement;
  judgement.by_model = trace.compares(turn);
  if (trace.empty()) {
    judgement.by_model = !turn.vector.empty();
    judgement.probability = 1;
    return judgement;
  }
  const ShiftWeights& weights = shift_weights(judgement.by_model);
  const auto signals = trace.signals(turn, similarity);
  judgement.reasons = explain(weights.trees, signals);
  const double pause = pause_evidence(trace.gap_seconds(turn));
  if (pause > 0) judgement.reasons.push_back({"pause", pause});
  const double rate = trace.rate().shift();
  if (std::abs(rate) >= kLeastReason) judgement.reasons.push_back({"usual_here", rate});
  const double hazard = shift_hazard(trace.age());
  if (hazard < 0) judgement.reasons.push_back({"young_topic", hazard});
  std::stable_sort(judgement.reasons.begin(), judgement.reasons.end(),
                   [](const auto& a, const auto& b) { return std::abs(a.weight) > std::abs(b.weight); });
  if (judgement.reasons.size() > kMaxReasons) judgement.reasons.resize(kMaxReasons);
  const double logit = shift_logit(weights.trees, signals) + rate + hazard + pause - weights.cut;
  judgement.probability = 1 / (1 + std::exp(-logit));
  return judgement;
}

namespace {

constexpr double kUsualRate = 0.138;  // of the turns that the trees are fitted on, as they are weighed there
constexpr double kUsualTurns = 15;
constexpr double kMemory = 200;  // turns

double logit_of(double probability) { return std::log(probability / (1 - probability)); }

}  // namespace

double BorderRate::shift() const {
  return logit_of((kUsualTurns * kUsualRate + expected) / (kUsualTurns + turns)) - logit_of(kUsualRate);
}

void BorderRate::take(double logit) {
  const double found = 1 / (1 + std::exp(-(logit + shift())));
  const double kept = turns < kMemory ? 1 : kMemory / (turns + 1);
  expected = kept * (expected + found);
  turns = kept * (turns + 1);
}

namespace {

constexpr const char* kForm = "weights/topics.json: a node is [answer] or [signal, left node, threshold, value]";

double number_of(const Value& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value.data)) return static_cast<double>(*whole);
  if (const auto* number = std::get_if<double>(&value.data)) return *number;
  throw std::logic_error(kForm);
}

ShiftTree tree_of(const Value& written) {
  ShiftTree tree;
  const ValueList* nodes = written.list();
  if (nodes == nullptr || nodes->size() != tree.nodes.size()) throw std::logic_error(kForm);
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    ShiftTree::Node& node = tree.nodes[i];
    const ValueList* parts = (*nodes)[i].list();
    if (parts == nullptr || (parts->size() != 1 && parts->size() != 4)) throw std::logic_error(kForm);
    node.value = static_cast<float>(number_of(parts->back()));
    if (parts->size() == 1) continue;
    node.signal = static_cast<std::int8_t>(number_of((*parts)[0]));
    node.left = static_cast<std::int8_t>(number_of((*parts)[1]));
    node.threshold = static_cast<float>(number_of((*parts)[2]));
  }
  return tree;
}

ShiftWeights read(const WeightFile& file, const std::string& by) {
  ShiftWeights weights;
  for (const Value& tree : file.list(by + ".trees")) weights.trees.push_back(tree_of(tree));
  weights.cut = file.number(by + ".cut");
  return weights;
}

}  // namespace

const ShiftWeights& shift_weights(bool vectors) {
  static const std::array<ShiftWeights, 2> kShipped = [] {
    const WeightFile file = shipped_weights("topics");
    return std::array{read(file, "words"), read(file, "vectors")};
  }();
  return kShipped[vectors ? 1 : 0];
}

// What a turn shows without what was said before it.
struct SeenTurn {
  std::uint32_t cues = 0;  ///< a bit for each `Cue`
  bool is_short = false;
  std::vector<Term> terms;  ///< its words without function words, each once
};

namespace {

// The cues that are signals: of the turn itself, and of the turn before it.
constexpr std::array kCuesOfTurn = {Cue::kChange, Cue::kAdds,     Cue::kRequest,     Cue::kRefersLater,
                                    Cue::kRefers, Cue::kQuestion, Cue::kQuestionEnd, Cue::kGreets,
                                    Cue::kThanks, Cue::kCloses,   Cue::kContinues,   Cue::kAnswers};
constexpr std::array kCuesBefore = {Cue::kRequest, Cue::kQuestion, Cue::kQuestionEnd, Cue::kMore,
                                    Cue::kGreets,  Cue::kThanks,   Cue::kCloses};

constexpr std::size_t kPieceBytes = 300;
constexpr std::size_t kMaxTerms = 400;  // words a trace remembers; the longest unseen leave first
constexpr std::uint32_t kMeanMemory = 1000;  // turns the mean looks back on
constexpr double kFewTurns = 8;  // at so many turns half of the mean is taken away
constexpr double kLeastVariance = 1e-4;

template <class Number>
Vector unpack(const PackedVector<Number>& packed) {
  Vector vector;
  vector.reserve(packed.values.size());
  for (const auto value : packed.values) vector.push_back(static_cast<float>(value) * packed.step);
  return vector;
}

template <class Number>
PackedVector<Number> pack(std::span<const float> vector) {
  PackedVector<Number> packed;
  float largest = 0;
  for (const float value : vector) largest = std::max(largest, std::abs(value));
  if (!(largest > 0)) return packed;
  packed.step = largest / static_cast<float>(std::numeric_limits<Number>::max());
  packed.values.reserve(vector.size());
  for (const float value : vector) packed.values.push_back(static_cast<Number>(std::lround(value / packed.step)));
  return packed;
}

template <class Number>
PackedVector<Number> blended(const PackedVector<Number>& old, const Vector& vector, double rate) {
  Vector sum = unpack(old);
  if (sum.size() != vector.size()) return pack<Number>(vector);
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += static_cast<float>(rate) * (vector[i] - sum[i]);
  return pack<Number>(sum);
}

double dot(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return sum;
}

double cosine(const Vector& a, const Vector& b) {
  if (a.empty() || a.size() != b.size()) return 0;
  const double lengths = std::sqrt(dot(a, a) * dot(b, b));
  return lengths > 0 ? dot(a, b) / lengths : 0;
}

void normalise(Vector& vector) {
  const double length = std::sqrt(dot(vector, vector));
  if (length > 0)
    for (float& value : vector) value = static_cast<float>(value / length);
}

Vector centred(std::string_view piece, std::span<const float> vector, const Similarity& similarity) {
  if (vector.empty()) return {};
  return similarity.centre(vector, language_of(piece));
}

SeenTurn see_turn(std::string_view text) {
  constexpr double kFewWords = 4;
  const auto piece = shift_piece(text);
  SeenTurn seen;
  const Cues cues = find_cues(piece);
  seen.cues = static_cast<std::uint32_t>(cues.found.to_ulong());
  seen.is_short = cues.words < kFewWords;
  for (const std::string& word : index_words(piece)) {
    if (is_function_word(word)) continue;
    const Term term = term_of(word);
    if (std::find(seen.terms.begin(), seen.terms.end(), term) == seen.terms.end()) seen.terms.push_back(term);
  }
  return seen;
}

}  // namespace

std::string_view shift_piece(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  return first == std::string_view::npos ? std::string_view() : cut_bytes(text.substr(first), kPieceBytes);
}

double TopicTrace::Usual::deviations(double value) const {
  const double m = mean;
  return (value - m) / std::sqrt(std::max(kLeastVariance, square - m * m));
}

void TopicTrace::Usual::take(double value) {
  weight += 1;
  mean += (value - mean) / weight;
  square += (value * value - square) / weight;
}

bool TopicTrace::compares(const ShiftTurn& turn) const {
  return !turn.vector.empty() && !recent_.empty() && recent_.front().values.size() == turn.vector.size();
}

TopicTrace::Nearness TopicTrace::nearness(const Vector& vector) const {
  Nearness near;
  const Vector mean = unpack(mean_);
  const auto known = static_cast<float>(vectors_ / (vectors_ + kFewTurns));
  const auto without_mean = [&](Vector one) {
    if (mean.size() == one.size())
      for (std::size_t i = 0; i < one.size(); ++i) one[i] -= known * mean[i];
    normalise(one);
    return one;
  };
  const Vector turn = without_mean(vector);
  Vector together;
  for (std::size_t j = 0; j < recent_.size(); ++j) {
    if (recent_[j].values.size() != vector.size()) break;
    const Vector before = without_mean(unpack(recent_[j]));
    const double alike = cosine(turn, before);
    near.best = j == 0 ? alike : std::max(near.best, alike);
    if (j == 0) near.last = alike;
    if (together.empty()) together.assign(before.size(), 0.0F);
    for (std::size_t i = 0; i < together.size(); ++i) together[i] += before[i];
    if (j < 2) near.pair = cosine(turn, together);
    if (j < 3) near.three = cosine(turn, together);
  }
  return near;
}

TopicTrace::Overlap TopicTrace::overlap(const std::vector<Term>& terms) const {
  double all = 0;
  Overlap shared;
  for (const Term term : terms) {
    const auto at = std::lower_bound(terms_.begin(), terms_.end(), term,
                                     [](const auto& mark, Term wanted) { return mark.term < wanted; });
    const bool met = at != terms_.end() && at->term == term;
    const double weight = std::log(1 + (turns_ + 1.0) / ((met ? at->count : 0) + 0.5));
    const std::uint32_t ago = met ? turns_ - at->last : 0;  // 1: in the last turn
    all += weight;
    shared.one += met && ago <= 1 ? weight : 0;
    shared.three += met && ago <= 3 ? weight : 0;
    shared.eight += met && ago <= 8 ? weight : 0;
    shared.never += met ? 0 : weight;
  }
  if (all > 0)
    for (double* share : {&shared.one, &shared.three, &shared.eight, &shared.never}) *share /= all;
  return shared;
}

/// Writes the signals in the order of their names.
struct SignalReader {
  const TopicTrace& trace;
  std::vector<double> out = {};

  static bool has(std::uint32_t cues, Cue cue) { return ((cues >> static_cast<unsigned>(cue)) & 1U) != 0; }

  void read_vectors(const std::optional<TopicTrace::Nearness>& known) {
    const TopicTrace::Nearness near = known.value_or(TopicTrace::Nearness());
    for (const double value : {near.last, near.three, near.pair, near.best}) out.push_back(value);
    out.push_back(known ? trace.usual_last_.deviations(near.last) : 0);
    out.push_back(known ? trace.usual_three_.deviations(near.three) : 0);
  }

  void read_words_and_cues(const SeenTurn& seen) {
    const TopicTrace::Overlap shared = trace.overlap(seen.terms);
    out.push_back(shared.three);
    out.push_back(seen.is_short ? 1 : 0);
    out.push_back(trace.last_short_ ? 1 : 0);
    for (const Cue cue : kCuesOfTurn) out.push_back(has(seen.cues, cue) ? 1 : 0);
    for (const Cue cue : kCuesBefore) out.push_back(has(trace.last_cues_, cue) ? 1 : 0);
    for (const double share : {shared.one, shared.eight, shared.never}) out.push_back(share);
  }
};

std::vector<double> TopicTrace::signals(const SeenTurn& seen, const std::optional<Nearness>& near) const {
  SignalReader reader{*this};
  reader.read_vectors(near);
  reader.read_words_and_cues(seen);
  return std::move(reader.out);
}

std::vector<double> TopicTrace::signals(const ShiftTurn& turn, const Similarity& similarity) const {
  const auto piece = shift_piece(turn.text);
  std::optional<Nearness> near;
  if (compares(turn)) near = nearness(centred(piece, turn.vector, similarity));
  return signals(see_turn(piece), near);
}

void TopicTrace::cut() {
  age_ = 0;
  kernel_ = {};
}

void TopicTrace::take(const ShiftTurn& turn, const Similarity& similarity) {
  const auto piece = shift_piece(turn.text);
  const SeenTurn seen = see_turn(piece);
  const Vector vector = centred(piece, turn.vector, similarity);
  std::optional<Nearness> near;
  if (compares(turn)) near = nearness(vector);
  if (turns_ > 0) rate_.take(shift_logit(shift_weights(near.has_value()).trees, signals(seen, near)));
  if (near) {
    usual_last_.take(near->last);
    usual_three_.take(near->three);
  }
  take_terms(seen.terms);
  take_vector(vector);
  last_cues_ = seen.cues;
  last_short_ = seen.is_short;
  if (turn.time) last_time_ = turn.time;
  ++turns_;
  ++age_;
}

void TopicTrace::take_terms(const std::vector<Term>& terms) {
  for (const Term term : terms) {
    auto at = std::lower_bound(terms_.begin(), terms_.end(), term,
                               [](const auto& mark, Term wanted) { return mark.term < wanted; });
    if (at == terms_.end() || at->term != term) at = terms_.insert(at, TermMark{term, 0, 0});
    at->last = turns_;
    if (at->count < 0xFFFF) ++at->count;
  }
  if (terms_.size() <= kMaxTerms) return;
  // The rarest among the longest unseen leave.
  std::nth_element(terms_.begin(), terms_.begin() + kMaxTerms, terms_.end(), [](const auto& a, const auto& b) {
    return std::tie(b.last, b.count, b.term) < std::tie(a.last, a.count, a.term);
  });
  terms_.resize(kMaxTerms);
  std::sort(terms_.begin(), terms_.end(), [](const auto& a, const auto& b) { return a.term < b.term; });
}

void TopicTrace::take_vector(const Vector& vector) {
  if (vector.empty()) return;
  recent_.insert(recent_.begin(), pack<std::int8_t>(vector));
  if (recent_.size() > kRecentVectors) recent_.pop_back();
  vectors_ = std::min(vectors_ + 1, kMeanMemory);
  mean_ = blended(mean_, vector, 1.0 / vectors_);
}

void TopicTrace::move_kernel(std::string_view text, std::span<const float> vector, const Similarity& similarity) {
  if (vector.empty() || (!kernel_.empty() && options_.first_anchor)) return;
  kernel_ = blended(kernel_, centred(text, vector, similarity), options_.rate);
}

void TopicTrace::seed(std::string_view summary, std::span<const float> vector, const Similarity& similarity) {
  kernel_ = pack<std::int8_t>(centred(summary, vector, similarity));
}

std::optional<double> TopicTrace::kernel_cosine(std::string_view text, std::span<const float> vector,
                                                const Similarity& similarity) const {
  if (vector.empty() || kernel_.values.size() != vector.size()) return std::nullopt;
  return cosine(centred(text, vector, similarity), unpack(kernel_));
}

std::optional<double> TopicTrace::gap_seconds(const ShiftTurn& turn) const {
  if (!turn.time || !last_time_ || *turn.time < *last_time_) return std::nullopt;
  return static_cast<double>(turn.time->ms - last_time_->ms) / 1000.0;
}

namespace {

constexpr std::uint32_t kVersion = 3;
constexpr std::uint32_t kMagic = 0x54465457;  // "WTFT"
constexpr std::size_t kMostEntries = 4096;  // of any list: a broken length must not ask for memory
constexpr std::size_t kMostDimensions = 65536;

/// Little-endian bytes on every machine.
class Writer {
 public:
  void number(std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) out_ += static_cast<char>((value >> (8 * i)) & 0xFFU);
  }
  void word(std::uint32_t value) { number(value, 4); }
  void exact(double value) { number(std::bit_cast<std::uint64_t>(value), 8); }
  void real(float value) { word(std::bit_cast<std::uint32_t>(value)); }
  template <class Number>
  void vector(const PackedVector<Number>& vector) {
    word(static_cast<std::uint32_t>(vector.values.size()));
    real(vector.step);
    for (const auto value : vector.values) number(static_cast<std::make_unsigned_t<Number>>(value), sizeof(Number));
  }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

/// Reads the same; after the end everything is zero and `ok` false.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}
  bool ok() const { return ok_; }
  bool at_end() const { return at_ == bytes_.size(); }

  std::uint64_t number(std::size_t bytes) {
    if (bytes_.size() - at_ < bytes) {
      ok_ = false;
      return 0;
    }
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes; ++i)
      value |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes_[at_ + i])) << (8 * i);
    at_ += bytes;
    return value;
  }
  std::uint32_t word() { return static_cast<std::uint32_t>(number(4)); }
  float real() { return std::bit_cast<float>(word()); }
  double exact() { return std::bit_cast<double>(number(8)); }
  std::size_t length(std::size_t most) {
    const std::size_t value = word();
    if (value > most) ok_ = false;
    return ok_ ? value : 0;
  }
  template <class Number>
  void vector(PackedVector<Number>& vector) {
    const std::size_t size = length(kMostDimensions);
    vector.step = real();
    if ((bytes_.size() - at_) / sizeof(Number) < size) ok_ = false;
    if (!ok_) return;
    for (std::size_t i = 0; i < size; ++i)
      vector.values.push_back(static_cast<Number>(static_cast<std::make_unsigned_t<Number>>(number(sizeof(Number)))));
  }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
  bool ok_ = true;
};

}  // namespace

std::string TopicTrace::save() const {
  Writer out;
  out.word(kMagic);
  out.word(kVersion);
  out.number((options_.first_anchor ? 1U : 0U) | (last_short_ ? 2U : 0U) | (last_time_ ? 4U : 0U), 1);
  out.exact(options_.rate);
  for (const auto value : {turns_, age_, last_cues_, vectors_}) out.word(value);
  const Time time = last_time_.value_or(Time{});
  out.number(static_cast<std::uint64_t>(time.ms), 8);
  out.word(static_cast<std::uint32_t>(time.offset_minutes));
  for (const auto* usual : {&usual_last_, &usual_three_})
    for (const double value : {usual->mean, usual->square, usual->weight}) out.exact(value);
  for (const double value : {rate_.expected, rate_.turns}) out.exact(value);
  out.word(static_cast<std::uint32_t>(terms_.size()));
  for (const auto& mark : terms_) {
    out.word(mark.term);
    out.word(mark.last);
    out.number(mark.count, 2);
  }
  out.word(static_cast<std::uint32_t>(recent_.size()));
  for (const auto& vector : recent_) out.vector(vector);
  out.vector(kernel_);
  out.vector(mean_);
  return out.take();
}

Result<TopicTrace> TopicTrace::load(std::string_view bytes) {
  Reader in(bytes);
  const bool ours = in.word() == kMagic;
  if (!ours || in.word() != kVersion) return corrupt("topic trace: not of a form this version reads");
  TopicTrace trace;
  const auto flags = in.number(1);
  trace.options_.first_anchor = (flags & 1U) != 0;
  trace.last_short_ = (flags & 2U) != 0;
  trace.options_.rate = in.exact();
  for (auto* value : {&trace.turns_, &trace.age_, &trace.last_cues_, &trace.vectors_}) *value = in.word();
  const auto ms = static_cast<std::int64_t>(in.number(8));
  const auto offset = static_cast<std::int32_t>(in.word());
  if ((flags & 4U) != 0) trace.last_time_ = Time{ms, offset};
  for (auto* usual : {&trace.usual_last_, &trace.usual_three_})
    for (auto* value : {&usual->mean, &usual->square, &usual->weight}) *value = in.exact();
  for (auto* value : {&trace.rate_.expected, &trace.rate_.turns}) *value = in.exact();
  trace.terms_.resize(in.length(kMostEntries));
  for (auto& mark : trace.terms_) {
    mark.term = in.word();
    mark.last = in.word();
    mark.count = static_cast<std::uint16_t>(in.number(2));
  }
  trace.recent_.resize(in.length(kRecentVectors));
  for (auto& vector : trace.recent_) in.vector(vector);
  in.vector(trace.kernel_);
  in.vector(trace.mean_);
  const bool sorted = std::is_sorted(trace.terms_.begin(), trace.terms_.end(),
                                     [](const auto& a, const auto& b) { return a.term < b.term; });
  if (!in.ok() || !in.at_end() || !sorted) return corrupt("topic trace: broken bytes");
  return trace;
}

namespace {

TopicTrace read_trace(const std::string& bytes, const StreamSettings& settings) {
  TraceOptions options;
  options.first_anchor = settings.kernel == TopicKernel::kFirst;
  options.rate = settings.kernel_rate;
  if (bytes.empty()) return TopicTrace(options);
  // A trace of an older form is worth no error: the topic goes on as if it had just begun.
  auto trace = TopicTrace::load(bytes);
  return trace.ok() ? std::move(trace).value() : TopicTrace(options);
}

/// What stands for the block: its question; where nobody asked, the reply.
const Message* head_of(const LogicalBlock& block) {
  if (block.user_block) return &*block.user_block;
  return block.response_block ? &*block.response_block : nullptr;
}

std::optional<Time> known_time(const Time& time) { return time.ms != 0 ? std::optional(time) : std::nullopt; }

ShiftTurn head_turn(const LogicalBlock& block, std::span<const float> vector) {
  const Message* head = head_of(block);
  return {head != nullptr ? std::string_view(head->content) : std::string_view(), vector, known_time(block.timestamp)};
}

void take_block(TopicTrace& trace, const LogicalBlock& block, const BlockVectors& vectors,
                const Similarity& similarity) {
  const ShiftTurn head = head_turn(block, vectors.anchor);
  trace.take(head, similarity);
  trace.move_kernel(head.text, vectors.anchor, similarity);
  if (block.user_block && block.response_block)
    trace.take({block.response_block->content, vectors.reply, known_time(block.last_time)}, similarity);
}

bool is_short(const StreamSettings& settings, const LogicalBlock& block) {
  if (!block.user_block) return false;
  const TokenMode mode = settings.calibrated ? TokenMode::kScript : TokenMode::kChars4;
  return estimate_tokens(block.user_block->content, mode) < settings.short_tokens;
}

Decision decide(Verdict verdict, std::string reason, double weight, bool by_model) {
  Decision decision;
  decision.verdict = verdict;
  decision.reasons.push_back({std::move(reason), weight});
  decision.by = by_model ? MadeBy::kModel : MadeBy::kFloor;
  return decision;
}

Decision from_judgement(const ShiftJudgement& judgement, double threshold) {
  Decision decision;
  decision.verdict = judgement.probability >= threshold ? Verdict::kDrift : Verdict::kAdsorb;
  decision.shift = judgement.probability;
  decision.reasons = judgement.reasons;
  decision.by = judgement.by_model ? MadeBy::kModel : MadeBy::kFloor;
  return decision;
}

}  // namespace

Adsorber::Adsorber(const StreamSettings& settings, std::shared_ptr<const Similarity> similarity)
    : settings_(settings), similarity_(std::move(similarity)) {}

Adsorber::~Adsorber() = default;

std::string Adsorber::anchor_text(const OpenTopic* topic, const LogicalBlock& block) const {
  const Message* head = head_of(block);
  std::string text = head != nullptr ? head->content : std::string();
  if (settings_.anchor == TopicAnchor::kQueryAndReply && block.user_block && block.response_block)
    text += "\n" + block.response_block->content;
  const bool augment = settings_.short_text == ShortText::kAugment && topic != nullptr && !topic->blocks.empty() &&
                       is_short(settings_, block);
  if (augment && topic->blocks.back().user_block) text = topic->blocks.back().user_block->content + "\n" + text;
  return settings_.policy == TopicPolicy::kThreshold ? text : std::string(shift_piece(text));
}

std::string Adsorber::reply_text(const LogicalBlock& block) const {
  if (settings_.policy == TopicPolicy::kThreshold || !block.user_block || !block.response_block) return {};
  return std::string(shift_piece(block.response_block->content));
}

Decision Adsorber::judge(const OpenTopic& topic, const LogicalBlock& block, std::span<const float> anchor) const {
  const TopicTrace trace = read_trace(topic.row.trace, settings_);
  const ShiftTurn turn = head_turn(block, anchor);
  if (is_short(settings_, block)) {
    if (settings_.short_text == ShortText::kForce) return decide(Verdict::kAdsorb, "short_text", 1, !anchor.empty());
    // Short texts lie near nothing in every model: where their wording says what they are, it decides.
    const Cues cues = find_cues(turn.text);
    if (settings_.short_text == ShortText::kCues && settings_.policy == TopicPolicy::kThreshold) {
      if (continues_topic(cues) && !opens_topic(cues))
        return decide(Verdict::kAdsorb, "continuation_cue", 1, !anchor.empty());
      if (opens_topic(cues)) return decide(Verdict::kDrift, "change_cue", 1, !anchor.empty());
    }
  }
  const auto cosine = trace.kernel_cosine(turn.text, anchor, *similarity_);
  const double similarity = cosine ? similarity_->scale(*cosine) : 0;
  Decision decision;
  if (settings_.policy != TopicPolicy::kThreshold || !cosine)
    decision = from_judgement(judge_shift(trace, turn, *similarity_), settings_.shift_threshold);
  else
    decision = decide(similarity >= settings_.threshold ? Verdict::kAdsorb : Verdict::kDrift, "similarity",
                      similarity - settings_.threshold, true);
  decision.similarity = similarity;
  // Who says outright that something else comes now is believed.
  if (settings_.policy != TopicPolicy::kThreshold && decision.verdict == Verdict::kAdsorb &&
      changes_subject(turn.text)) {
    decision.verdict = Verdict::kDrift;
    decision.reasons.insert(decision.reasons.begin(), {"says_so", 1});
  }
  return decision;
}

void Adsorber::start(OpenTopic& topic, const std::string& before, const LogicalBlock& block,
                     const BlockVectors& vectors) const {
  TopicTrace trace = read_trace(before, settings_);
  trace.cut();
  take_block(trace, block, vectors, *similarity_);
  topic.row.trace = trace.save();
}

void Adsorber::adsorb(OpenTopic& topic, const LogicalBlock& block, const BlockVectors& vectors) const {
  TopicTrace trace = read_trace(topic.row.trace, settings_);
  take_block(trace, block, vectors, *similarity_);
  topic.row.trace = trace.save();
}

void Adsorber::seed(OpenTopic& topic, const std::string& before, std::span<const float> summary_vector) const {
  TopicTrace trace = read_trace(before, settings_);
  trace.seed(topic.row.lead, summary_vector, *similarity_);
  topic.row.trace = trace.save();
}

}  // namespace weft
