#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/rows.h"
#include "ports/embedding/embedder.h"
#include "text/json.h"
#include "text/words.h"
#include "weft/block.h"
#include "weft/config.h"
#include "weft/result.h"
#include "weft/time.h"

namespace weft {

/// How often one conversation changes its subject, by the judgements on its turns so far.
///
/// The trees know how often topics begin in what they were fitted on. Some conversations keep to one subject for
/// hundreds of turns, and there the same evidence says less. The rate is that of the fit, which weighs as so many
/// turns, and the probabilities that were found since, each already by the rate that held when it was found
/// (expectation and maximisation for another share of classes, one step a turn: Saerens, Latinne and Decaestecker,
/// "Adjusting the outputs of a classifier to new a priori probabilities", 2002). It looks back on a bounded number of
/// turns, so that what is added has a floor and a conversation that was quiet for long still changes its subject.
///
/// A value; whoever holds it sees to threads.
struct BorderRate {
  double expected = 0;  ///< topics that began, as a sum of probabilities
  double turns = 0;     ///< that were judged

  /// What the conversation adds to the logit of its next turn.
  double shift() const;

  /// A turn was judged; `logit` is what the trees say.
  void take(double logit);
};

/// A small tree of decisions over signals: three questions, four answers. Node 0 is the root; a node whose signal is
/// below 0 is an answer. To the left goes what is not above the threshold.
struct ShiftTree {
  struct Node {
    std::int8_t signal = -1;   ///< its number in `shift_signal_names`
    std::int8_t left = 0;      ///< its number in the tree; the right one follows it
    float threshold = 0;
    float value = 0;           ///< what is known here of the logit; at an answer, what the tree adds
  };
  std::array<Node, 7> nodes;
};

/// The sum of small trees (gradient boosting), each signal monotone where its meaning is.
struct ShiftWeights {
  std::vector<ShiftTree> trees;
  double cut = 0;  ///< the logit from which on a new topic begins
};

/// Those of weights/topics.json, for as long as the program runs: with vectors, and without.
const ShiftWeights& shift_weights(bool vectors);

/// The sum of what the trees answer. `signals` in the order of `shift_signal_names`.
double shift_logit(std::span<const ShiftTree> trees, std::span<const double> signals);

/// What somebody said, of which it is judged whether it begins a new topic. Views; nothing is kept of them.
struct ShiftTurn {
  std::string_view text;
  std::span<const float> vector = {};  ///< of `shift_piece(text)`, of unit length; empty where there is none
  std::optional<Time> time = {};       ///< when it was said, where known
};

/// The part of a turn that is looked at, and embedded: its beginning, where it says what it is about.
std::string_view shift_piece(std::string_view text);

struct SeenTurn;

/// How the kernel follows the topic.
struct TraceOptions {
  bool first_anchor = false;  ///< it stays the first anchor instead of a moving average
  double rate = 0.3;          ///< weight of the newest anchor in the moving average
};

/// A vector in whole numbers, so that a trace stays small and reads back exactly as it was.
template <class Number>
struct PackedVector {
  std::vector<Number> values;
  float step = 0;

  bool empty() const { return values.empty(); }
};

/// What a decision on the next turn needs to know of the conversation so far. A value of bounded size; whoever holds it
/// sees to threads. Everything in it is as `save` writes it, so decisions are the same before and after a restart.
///
/// Turns are taken in one by one, questions and replies alike; beside them the kernel, one vector for the open topic,
/// follows the anchors of blocks.
class TopicTrace {
 public:
  explicit TopicTrace(TraceOptions options = {}) : options_(options) {}

  /// Nothing has been taken in yet, not even a summary.
  bool empty() const { return turns_ == 0 && kernel_.empty(); }

  /// Turns since the open topic began.
  std::int64_t age() const { return age_; }

  /// How often this conversation changes its subject.
  const BorderRate& rate() const { return rate_; }

  /// A new topic begins with the next turn. What is known of the conversation as a whole stays.
  void cut();

  /// The turn has been said.
  void take(const ShiftTurn& turn, const Similarity& similarity);

  /// A block's anchor moves the kernel, or is its first; `vector` may be empty.
  void move_kernel(std::string_view text, std::span<const float> vector, const Similarity& similarity);

  /// The topic goes on from a summary, whose vector is the kernel from now on.
  void seed(std::string_view summary, std::span<const float> vector, const Similarity& similarity);

  /// Bytes that `load` understands: under 16 KB for vectors of up to 1,536 dimensions.
  std::string save() const;
  static Result<TopicTrace> load(std::string_view bytes);

  /// Cosine of an anchor's centred vector with the kernel; nothing where either is missing.
  std::optional<double> kernel_cosine(std::string_view text, std::span<const float> vector,
                                      const Similarity& similarity) const;

  /// The signals of the decision on a turn, one for each name of `shift_signal_names`. Those that come from vectors are
  /// 0 where `compares` is false.
  std::vector<double> signals(const ShiftTurn& turn, const Similarity& similarity) const;

  /// Whether the turn has a vector and there is another one that it can be compared with.
  bool compares(const ShiftTurn& turn) const;

  /// Seconds between the last turn and this one; nothing where a time is missing or runs backwards.
  std::optional<double> gap_seconds(const ShiftTurn& turn) const;

 private:
  static constexpr std::size_t kRecentVectors = 4;

  /// Where a word was met.
  struct TermMark {
    Term term = 0;
    std::uint32_t last = 0;  // number of the turn that had it last
    std::uint16_t count = 0;  // turns that had it
  };

  /// How alike turns of this conversation usually are: mean and mean square, from a guess that weighs as six turns.
  struct Usual {
    double mean = 0, square = 0, weight = 6;
    double deviations(double value) const;
    void take(double value);
  };

  /// Cosines with what was said last, both without the mean of the conversation.
  struct Nearness {
    double last = 0, pair = 0, three = 0, best = 0;
  };

  /// The words of a turn: which share of their weight was met in the last turn, in the last three, in the last eight,
  /// never.
  struct Overlap {
    double one = 0, three = 0, eight = 0, never = 0;
  };

  friend struct SignalReader;

  std::vector<double> signals(const SeenTurn& seen, const std::optional<Nearness>& near) const;

  Nearness nearness(const Vector& vector) const;
  Overlap overlap(const std::vector<Term>& terms) const;
  void take_terms(const std::vector<Term>& terms);
  void take_vector(const Vector& vector);

  TraceOptions options_;
  std::uint32_t turns_ = 0;
  std::uint32_t age_ = 0;
  std::uint32_t last_cues_ = 0;  // of the last turn, a bit each
  bool last_short_ = false;
  std::optional<Time> last_time_;
  std::vector<TermMark> terms_;  // by term
  std::vector<PackedVector<std::int8_t>> recent_;  // the newest first
  PackedVector<std::int8_t> kernel_;
  PackedVector<std::int16_t> mean_;  // of all turns
  std::uint32_t vectors_ = 0;  // turns that had one
  Usual usual_last_{0.10, 0.18 * 0.18 + 0.10 * 0.10};
  Usual usual_three_{0.12, 0.18 * 0.18 + 0.12 * 0.12};
  BorderRate rate_;
};

/// Names of the signals, in the order of `TopicTrace::signals`; the first `shift_vector_signals()` belong to the
/// judgement with vectors, the others to the one without.
std::span<const std::string_view> shift_signal_names();

/// The judgement on a turn.
struct ShiftJudgement {
  double probability = 0;  ///< that a new topic begins; 0.5 is the best cut on the development data
  std::vector<Reason> reasons;  ///< the strongest signals, with what each adds to the logit
  bool by_model = false;  ///< whether a vector took part
};

/// Weighs all signals. Works without vectors too, on words and cues alone. An empty trace gives probability 1.
ShiftJudgement judge_shift(const TopicTrace& trace, const ShiftTurn& turn, const Similarity& similarity);

/// What is taken off the logit when the open topic is only so many turns old: topics of one turn are rare.
double shift_hazard(std::int64_t age);

class Similarity;

/// The open topic of a session: the buffer in which blocks gather until it is flushed.
struct OpenTopic {
  TopicRow row;  ///< `row.trace` is the detector's state, `row.lead` the summary of what was relayed
  std::vector<LogicalBlock> blocks;  ///< in order
};

/// The vectors of a block's texts; empty where no embedder answered in time.
struct BlockVectors {
  Vector anchor;
  Vector reply;
};

/// Decides whether a block belongs to the open topic.
///
/// Takes  the open topic, a closed block and the vector of its anchor text (none when no embedder answered in time).
/// Gives  adsorb or drift with the reasons; moves the topic's kernel when told that the block joined.
/// Promise  the same topic and block give the same decision; without a vector the words alone decide ("floor").
/// Cost   microseconds beside the embedding.
/// Safe from many threads; a topic belongs to one caller at a time.
class Adsorber {
 public:
  Adsorber(const StreamSettings& settings, std::shared_ptr<const Similarity> similarity);
  ~Adsorber();

  /// The text whose vector stands for the block: the query, with what the settings add to it.
  std::string anchor_text(const OpenTopic* topic, const LogicalBlock& block) const;

  /// The text of the reply whose vector is context of the next block; empty where the policy needs none.
  std::string reply_text(const LogicalBlock& block) const;

  /// Needs the anchor's vector only.
  Decision judge(const OpenTopic& topic, const LogicalBlock& block, std::span<const float> anchor) const;

  /// Makes `block` the first of a fresh topic. `before` is the trace of the topic before it in the session, whose
  /// knowledge of the dialogue as a whole goes on; it may be empty.
  void start(OpenTopic& topic, const std::string& before, const LogicalBlock& block, const BlockVectors& vectors) const;

  /// The block joins the topic and moves its kernel.
  void adsorb(OpenTopic& topic, const LogicalBlock& block, const BlockVectors& vectors) const;

  /// Seeds a fresh topic's kernel with the summary that leads into it.
  void seed(OpenTopic& topic, const std::string& before, std::span<const float> summary_vector) const;

 private:
  StreamSettings settings_;
  std::shared_ptr<const Similarity> similarity_;
};

}  // namespace weft
