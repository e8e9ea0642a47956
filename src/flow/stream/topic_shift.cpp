#include "flow/stream/topic_shift.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "text/weight_file.h"

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

}  // namespace weft
