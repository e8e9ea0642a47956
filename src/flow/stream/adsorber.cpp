#include "flow/stream/adsorber.h"

#include "flow/stream/topic_shift.h"
#include "text/cues.h"
#include "text/token_counter.h"

namespace weft {
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
