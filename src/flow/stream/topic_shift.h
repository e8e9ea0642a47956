#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ports/embedding/similarity.h"
#include "text/cues.h"
#include "text/words.h"
#include "weft/block.h"
#include "weft/result.h"
#include "weft/time.h"

namespace weft {

/// What is judged: a block (query and reply), or a single turn (the reply empty). Views; nothing is kept of them.
struct ShiftUnit {
  std::string_view query;
  std::string_view reply;
  std::string_view speaker;       ///< who said the query; empty where it is not known
  std::span<const float> vector;  ///< of the anchor text, of unit length; empty without an embedder
  std::optional<Time> time;       ///< when it was said, where known
};

/// How a trace follows a conversation.
struct TraceOptions {
  bool first_anchor = false;  ///< the kernel stays the first anchor instead of a moving average
  double rate = 0.3;          ///< weight of the newest anchor in the moving average
  bool turns = false;         ///< units are single turns of all speakers instead of blocks
};

/// A vector in a byte a dimension, so that a trace stays small and reads back exactly as it was.
struct PackedVector {
  std::vector<std::int8_t> values;
  float step = 0;

  bool empty() const { return values.empty(); }
};

/// What a decision on the next unit needs to know of the open topic and of the conversation so far. A value of bounded
/// size; whoever holds it sees to threads. Everything in it is as `save` writes it, so decisions are the same before
/// and after a restart.
class TopicTrace {
 public:
  explicit TopicTrace(TraceOptions options = {}) : options_(options) {}

  /// Nothing has been taken in yet, not even a summary.
  bool empty() const { return units_ == 0 && kernel_.empty(); }

  /// Units of the open topic so far.
  std::int64_t topic_units() const { return since_; }

  /// The unit joins the open topic and moves its kernel.
  void adsorb(const ShiftUnit& unit, const Similarity& similarity);

  /// The unit begins a new topic. What is known of the conversation as a whole stays.
  void start_topic(const ShiftUnit& unit, const Similarity& similarity);

  /// A new topic begins that goes on from a summary: the summary's words and vector are its kernel, and no unit is in
  /// it yet.
  void seed(std::string_view summary, std::span<const float> vector, const Similarity& similarity);

  /// Bytes that `load` understands: under 16 KB for vectors of up to 1,536 dimensions.
  std::string save() const;
  static Result<TopicTrace> load(std::string_view bytes);

  /// Cosine of the unit's centred vector with the kernel; nothing where either is missing.
  std::optional<double> kernel_cosine(const ShiftUnit& unit, const Similarity& similarity) const;

  /// The signals of the decision on a unit, one for each name of `shift_feature_names`; NaN stands for "not known".
  std::vector<double> features(const ShiftUnit& unit, const Similarity& similarity) const;

  /// Seconds between the last unit and this one; nothing where a time is missing or runs backwards.
  std::optional<double> gap_seconds(const ShiftUnit& unit) const;

  const TraceOptions& options() const { return options_; }

 private:
  static constexpr std::size_t kRecentUnits = 4;

  /// Where a term was met.
  struct TermMark {
    Term term = 0;
    std::uint32_t last = 0;  // number of the unit that had it last
    std::uint16_t count = 0;  // units that had it
    std::uint8_t recent = 0;  // bit k: the unit k + 1 before the next one had it
    std::uint8_t topic = 0;  // met in the open topic
  };

  struct TurnMark {
    std::uint32_t cues = 0;
    float length = 0;  // log(1 + words)
    std::uint32_t speaker = 0;
  };

  struct SpeakerMark {
    std::uint32_t speaker = 0;
    float asked = 0;  // turns with a question
    float said = 0;  // turns
    float opened = 0;  // topics
  };

  /// A mean over the last thirty or so values.
  struct RunningMean {
    float mean = 0.25F;
    float weight = 2;
  };

  struct View;  // a unit with all that is worked out of it
  friend struct TraceReader;

  View view(const ShiftUnit& unit, const Similarity& similarity) const;
  void take(const View& view, const ShiftUnit& unit, bool starts);
  void take_terms(const std::vector<Term>& terms);
  void take_vector(const Vector& vector, bool starts);
  void take_turn(const Cues& cues, std::uint32_t speaker);
  SpeakerMark& speaker_mark(std::uint32_t speaker);
  const SpeakerMark* find_speaker(std::uint32_t speaker) const;
  std::uint32_t speaker_key(const ShiftUnit& unit) const;

  TraceOptions options_;
  std::uint32_t units_ = 0;
  std::uint32_t turns_ = 0;
  std::uint32_t since_ = 0;
  std::uint32_t cuts_ = 0;
  float length_sum_ = 0;
  std::optional<Time> last_time_;
  std::vector<TurnMark> last_turns_;  // newest first, two at most
  std::vector<SpeakerMark> speakers_;
  std::vector<TermMark> terms_;  // by term
  std::vector<PackedVector> recent_;  // newest first; empty ones for units without a vector
  PackedVector kernel_;
  PackedVector first_;
  PackedVector mean_;
  std::array<RunningMean, 3> usual_;  // similarity to the kernel, to the last unit, to the best of the last four
};

/// Names of the signals, in the order of `TopicTrace::features`.
std::span<const std::string_view> shift_feature_names();

/// The judgement on a unit.
struct ShiftJudgement {
  double probability = 0;  ///< that the unit begins a new topic; 0.5 is the best cut on the development data
  double similarity = 0;  ///< to the kernel, as `Similarity::scale` gives it; 0 where there is no vector
  std::vector<Reason> reasons;  ///< the strongest signals, with what each adds to the logit
  bool by_model = false;  ///< whether a vector took part
};

/// Weighs all signals. Works without vectors too, on words and cues alone. An empty trace gives probability 1.
ShiftJudgement judge_shift(const TopicTrace& trace, const ShiftUnit& unit, const Similarity& similarity);

}  // namespace weft
