#include <algorithm>
#include <cmath>
#include <limits>

#include "flow/stream/topic_shift.h"
#include "flow/stream/trace_view.h"

namespace weft {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr double kFewWords = 4;

constexpr std::string_view kNames[] = {
    // cues of the unit, in the order of Cue
    "topic_phrase", "begins_adding", "asks_for_more", "requests", "asks_you", "continues", "answers", "refers",
    "refers_later", "thanks", "closes", "greets", "names_topic", "hands_over", "wh", "first_person", "question",
    "question_end",
    // its length
    "length", "few_words", "length_unusual", "usual_length",
    // cues of the turn before, in the order of Cue
    "before_topic_phrase", "before_adding", "before_more", "before_requests", "before_asks_you", "before_continues",
    "before_answers", "before_refers", "before_refers_later", "before_thanks", "before_closes", "before_greets",
    "before_names_topic", "before_hands_over", "before_wh", "before_first_person", "before_question",
    "before_question_end", "before_length", "before_few_words",
    // and of the one before that
    "second_question", "second_question_end", "second_answers", "second_requests", "second_length",
    // words
    "words_last", "words_second", "words_recent", "words_topic", "words_earlier", "words_new", "words_count",
    "words_all_last", "words_all_topic",
    // speakers
    "same_speaker", "many_speakers", "user", "assistant", "speaker_asks", "speaker_opens", "speaker_known",
    // lengths of topics
    "since", "usual_topic", "since_unusual", "units", "since_one", "since_two", "since_odd", "chinese", "blocks",
    // vectors
    "has_vector", "vector_kernel", "vector_last", "vector_second", "vector_best", "vector_mean", "vector_first",
    "vector_conversation", "vector_kernel_special", "vector_kernel_unusual", "vector_last_unusual",
    "vector_best_unusual", "vector_pair"};

/// A shared set of words weighs by how rare they were in this conversation.
class Overlap {
 public:
  void add(double weight, bool shared) {
    all_ += weight;
    if (shared) shared_ += weight;
  }
  double share() const { return all_ > 0 ? shared_ / all_ : 0; }

 private:
  double all_ = 0;
  double shared_ = 0;
};

double flag(bool value) { return value ? 1.0 : 0.0; }

}  // namespace

/// Writes the signals in the order of their names.
struct TraceReader {
  const TopicTrace& trace;
  const TopicTrace::View& view;
  std::vector<double> out;

  void read() {
    out.reserve(std::size(kNames));
    read_cues();
    read_words();
    read_speakers();
    read_lengths();
    read_vectors();
  }

  void put(double value) { out.push_back(value); }
  void put(std::optional<double> value) { out.push_back(value.value_or(kUnknown)); }

  static bool has(const TopicTrace::TurnMark& turn, Cue cue) {
    return ((turn.cues >> static_cast<unsigned>(cue)) & 1U) != 0;
  }

  void read_cues() {
    for (std::size_t i = 0; i < kCues; ++i) put(flag(view.query.found.test(i)));
    const double length = std::log1p(view.query.words);
    const double usual = trace.units_ > 0 ? trace.length_sum_ / trace.units_ : length;
    put(length);
    put(flag(view.query.words < kFewWords));
    put(length - usual);
    put(usual);
    const auto& turns = trace.last_turns_;
    const TopicTrace::TurnMark none;
    const auto& last = turns.empty() ? none : turns[0];
    const auto& second = turns.size() < 2 ? none : turns[1];
    for (std::size_t i = 0; i < kCues; ++i) put(flag(has(last, static_cast<Cue>(i))));
    put(last.length);
    put(flag(last.length < std::log1p(kFewWords)));
    for (const Cue cue : {Cue::kQuestion, Cue::kQuestionEnd, Cue::kAnswers, Cue::kRequest}) put(flag(has(second, cue)));
    put(second.length);
  }

  const TopicTrace::TermMark* find(Term term) const {
    const auto at = std::lower_bound(trace.terms_.begin(), trace.terms_.end(), term,
                                     [](const auto& mark, Term t) { return mark.term < t; });
    return at != trace.terms_.end() && at->term == term ? &*at : nullptr;
  }

  double weight(const TopicTrace::TermMark* mark) const {
    return std::log(1 + (trace.units_ + 1.0) / ((mark != nullptr ? mark->count : 0) + 0.5));
  }

  void read_words() {
    std::array<Overlap, TopicTrace::kRecentUnits> recent;
    Overlap topic;
    Overlap any;
    for (const Term term : view.query_terms) {
      const auto* mark = find(term);
      const double w = weight(mark);
      for (std::size_t k = 0; k < recent.size(); ++k)
        recent[k].add(w, mark != nullptr && ((mark->recent >> k) & 1U) != 0);
      topic.add(w, mark != nullptr && mark->topic != 0);
      any.add(w, mark != nullptr);
    }
    double best = 0;
    for (const auto& overlap : recent) best = std::max(best, overlap.share());
    put(recent[0].share());
    put(recent[1].share());
    put(best);
    put(topic.share());
    put(any.share() - topic.share());
    put(view.query_terms.empty() ? 0.0 : 1 - any.share());
    put(std::log1p(static_cast<double>(view.query_terms.size())));
    Overlap all_last;
    Overlap all_topic;
    for (const Term term : view.all_terms) {
      const auto* mark = find(term);
      all_last.add(weight(mark), mark != nullptr && (mark->recent & 1U) != 0);
      all_topic.add(weight(mark), mark != nullptr && mark->topic != 0);
    }
    put(all_last.share());
    put(all_topic.share());
  }

  void read_speakers() {
    const bool known = view.speaker >= kFirstKnownSpeaker;
    double asked = 0;
    double said = 0;
    std::size_t speakers = 0;
    for (const auto& mark : trace.speakers_) {
      asked += mark.asked;
      said += mark.said;
      speakers += mark.speaker != view.speaker ? 1U : 0U;
    }
    const auto* own = trace.find_speaker(view.speaker);
    const double own_asked = own != nullptr ? own->asked : 0;
    const double own_said = own != nullptr ? own->said : 0;
    const double own_opened = own != nullptr ? own->opened : 0;
    const bool turns = trace.options_.turns;
    put(!turns || !known || trace.last_turns_.empty() ? kUnknown
                                                      : flag(trace.last_turns_.front().speaker == view.speaker));
    put(flag(known && speakers + 1 > 2));
    put(turns ? flag(view.speaker == speaker_hash("user")) : kUnknown);
    put(turns ? flag(view.speaker == speaker_hash("assistant")) : kUnknown);
    put(turns ? (own_asked + 1) / (own_said + 2) - (asked + 1) / (said + 2) : kUnknown);
    put(turns ? (own_opened + 0.5) / (trace.cuts_ + 2.0) : kUnknown);
    put(turns ? flag(known) : kUnknown);
  }

  void read_lengths() {
    const double since = std::log(std::max(1.0, static_cast<double>(trace.since_)));
    const double usual = std::log((trace.units_ + 4.0) / (trace.cuts_ + 1.0));
    put(since);
    put(usual);
    put(since - usual);
    put(std::log(std::max(1.0, static_cast<double>(trace.units_))));
    put(flag(trace.since_ <= 1));
    put(flag(trace.since_ == 2));
    put(trace.options_.turns ? flag(trace.since_ % 2 == 1) : kUnknown);
    put(flag(view.chinese));
    put(flag(!trace.options_.turns));
  }

  void read_vectors() {
    put(flag(!view.vector.empty()));
    std::array<std::optional<double>, TopicTrace::kRecentUnits> recent;
    double sum = 0;
    double count = 0;
    for (std::size_t k = 0; k < trace.recent_.size(); ++k) {
      recent[k] = cosine_with(view.vector, trace.recent_[k]);
      if (!recent[k]) continue;
      sum += *recent[k];
      count += 1;
    }
    const auto conversation = cosine_with(view.vector, trace.mean_);
    const auto difference = [](std::optional<double> a, std::optional<double> b) {
      return a && b ? *a - *b : kUnknown;
    };
    put(view.kernel);
    put(view.last);
    put(recent[1]);
    put(view.best);
    put(count > 0 ? sum / count : kUnknown);
    put(cosine_with(view.vector, trace.first_));
    put(conversation);
    put(difference(view.kernel, conversation));
    put(difference(view.kernel, trace.usual_[0].mean));
    put(difference(view.last, trace.usual_[1].mean));
    put(difference(view.best, trace.usual_[2].mean));
    put(pair());
  }

  /// Likeness to the last two units taken together: a question and its answer in single turns.
  std::optional<double> pair() const {
    if (trace.recent_.size() < 2) return view.last;
    Vector both = unpack(trace.recent_[0]);
    const Vector second = unpack(trace.recent_[1]);
    if (both.size() != second.size()) return view.last;
    for (std::size_t i = 0; i < both.size(); ++i) both[i] += second[i];
    return cosine_with(view.vector, pack(both));
  }
};

std::span<const std::string_view> shift_feature_names() { return kNames; }

std::vector<double> TopicTrace::features(const ShiftUnit& unit, const Similarity& similarity) const {
  const View seen = view(unit, similarity);
  TraceReader reader{*this, seen, {}};
  reader.read();
  return std::move(reader.out);
}

}  // namespace weft
