#include "flow/stream/adsorber.h"

#include "flow/stream/topic_shift.h"
#include "text/cues.h"
#include "text/tokens.h"

namespace weft {
namespace {

TopicTrace read_trace(const std::string& bytes, const StreamSettings& settings) {
  TraceOptions options;
  options.first_anchor = settings.kernel == "first";
  options.rate = settings.kernel_rate;
  if (bytes.empty()) return TopicTrace(options);
  // A trace of an older form is worth no error: the topic goes on as if it had just begun.
  auto trace = TopicTrace::load(bytes);
  return trace.ok() ? std::move(trace).value() : TopicTrace(options);
}

ShiftUnit unit_of(const LogicalBlock& block, std::span<const float> vector) {
  ShiftUnit unit;
  if (block.user_block) {
    unit.query = block.user_block->content;
    unit.speaker = block.user_block->name;
  }
  if (block.response_block) unit.reply = block.response_block->content;
  if (!block.user_block) std::swap(unit.query, unit.reply);
  unit.vector = vector;
  if (block.timestamp.ms != 0) unit.time = block.timestamp;
  return unit;
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
  decision.by = by_model ? "model" : "floor";
  return decision;
}

Decision from_judgement(const ShiftJudgement& judgement, double threshold) {
  Decision decision;
  decision.verdict = judgement.probability >= threshold ? Verdict::kDrift : Verdict::kAdsorb;
  decision.similarity = judgement.similarity;
  decision.shift = judgement.probability;
  decision.reasons = judgement.reasons;
  decision.by = judgement.by_model ? "model" : "floor";
  return decision;
}

}  // namespace

Adsorber::Adsorber(const StreamSettings& settings, std::shared_ptr<const Similarity> similarity)
    : settings_(settings), similarity_(std::move(similarity)) {}

Adsorber::~Adsorber() = default;

std::string Adsorber::anchor_text(const OpenTopic* topic, const LogicalBlock& block) const {
  std::string text = block.user_block ? block.user_block->content : std::string();
  if (text.empty() && block.response_block) text = block.response_block->content;
  if (settings_.anchor == "query_and_reply" && block.user_block && block.response_block)
    text += "\n" + block.response_block->content;
  const bool augment =
      settings_.short_text == "augment" && topic != nullptr && !topic->blocks.empty() && is_short(settings_, block);
  if (augment && topic->blocks.back().user_block) text = topic->blocks.back().user_block->content + "\n" + text;
  return text;
}

Decision Adsorber::judge(const OpenTopic& topic, const LogicalBlock& block, std::span<const float> vector) const {
  const TopicTrace trace = read_trace(topic.row.trace, settings_);
  const ShiftUnit unit = unit_of(block, vector);
  if (is_short(settings_, block)) {
    if (settings_.short_text == "force") return decide(Verdict::kAdsorb, "short_text", 1, !vector.empty());
    // Short texts lie near nothing in every model: where their wording says what they are, it decides.
    const Cues cues = find_cues(unit.query);
    if (settings_.short_text == "cues" && settings_.policy == "threshold") {
      if (continues_topic(cues) && !opens_topic(cues))
        return decide(Verdict::kAdsorb, "continuation_cue", 1, !vector.empty());
      if (opens_topic(cues)) return decide(Verdict::kDrift, "change_cue", 1, !vector.empty());
    }
  }
  const auto cosine = trace.kernel_cosine(unit, *similarity_);
  if (settings_.policy != "threshold" || !cosine)
    return from_judgement(judge_shift(trace, unit, *similarity_), settings_.shift_threshold);
  const double similarity = similarity_->scale(*cosine);
  Decision decision = decide(similarity >= settings_.threshold ? Verdict::kAdsorb : Verdict::kDrift, "similarity",
                             similarity - settings_.threshold, true);
  decision.similarity = similarity;
  return decision;
}

void Adsorber::start(OpenTopic& topic, const std::string& before, const LogicalBlock& block,
                     std::span<const float> vector) const {
  TopicTrace trace = read_trace(before, settings_);
  trace.start_topic(unit_of(block, vector), *similarity_);
  topic.row.trace = trace.save();
}

void Adsorber::adsorb(OpenTopic& topic, const LogicalBlock& block, std::span<const float> vector) const {
  TopicTrace trace = read_trace(topic.row.trace, settings_);
  trace.adsorb(unit_of(block, vector), *similarity_);
  topic.row.trace = trace.save();
}

void Adsorber::seed(OpenTopic& topic, const std::string& before, std::span<const float> summary_vector) const {
  TopicTrace trace = read_trace(before, settings_);
  trace.seed(topic.row.lead, summary_vector, *similarity_);
  topic.row.trace = trace.save();
}

}  // namespace weft
