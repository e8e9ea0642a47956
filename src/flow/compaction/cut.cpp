#include "flow/compaction/cut.h"

#include <algorithm>

namespace weft {
namespace {

constexpr std::size_t kLeastTurns = 2;  // these are never trimmed
constexpr std::size_t kLeastSteps = 4;  // of a turn that is split: as many as a prompt never lets go

class Cutter {
 public:
  Cutter(const std::vector<Message>& history, const SessionTurns& session, const CutTerms& terms)
      : history_(history), session_(session), terms_(terms) {
    while (leading_ < history.size() && history[leading_].role == Role::kSystem) ++leading_;
  }

  Cut run() {
    const std::size_t most = std::min(std::max(terms_.keep_turns, kLeastTurns), session_.turns.size());
    const std::size_t least = std::min(kLeastTurns, most);
    for (std::size_t last = most; last >= least; --last) {
      Cut cut = keep_last(last);
      const bool whole = terms_.target <= 0 || fits(cut);
      if (whole || last == 0) return cut;
      if (last == least) return split(std::move(cut));
    }
    return keep_last(most);
  }

 private:
  // Where the target is below the summary's least share, half of it goes to the summary.
  bool fits(const Cut& cut) const {
    const double share =
        terms_.least_share * static_cast<double>(cut.gone_tokens) + 0.5 * static_cast<double>(terms_.earlier);
    return cut.kept_tokens + std::min(static_cast<std::int64_t>(share), terms_.target / 2) <= terms_.target;
  }

  void count(Cut& cut) const {
    cut.kept_tokens = cut.gone_tokens = 0;
    // What stands before the turns is the prompt's, and counts there.
    for (std::size_t i = leading_; i < history_.size(); ++i)
      (cut.kept[i] ? cut.kept_tokens : cut.gone_tokens) += session_.tokens[i];
  }

  Cut keep_last(std::size_t last) const {
    Cut cut;
    cut.last_turns = last;
    cut.kept.assign(history_.size(), false);
    const std::size_t from = session_.turns.size() - last;
    for (std::size_t t = 0; t < session_.turns.size(); ++t) {
      const MessageRange& turn = session_.turns[t];
      const bool keep = t >= from || turn.open;
      for (std::size_t i = turn.begin; i < turn.end; ++i) cut.kept[i] = keep || i < leading_;
      const bool prompt = turn.end <= leading_;
      if (!prompt) ++(keep ? cut.turns_kept : cut.turns_summarised);
    }
    count(cut);
    return cut;
  }

  bool stays(const MessageRange& step) const {
    if (step.open) return true;
    for (std::size_t i = step.begin; i < step.end; ++i) {
      if (history_[i].role == Role::kUser || i < leading_) return true;
    }
    return false;
  }

  // Steps go from the oldest on. What must fit is checked each time with the summary that grows meanwhile.
  Cut split(Cut cut) const {
    std::vector<const MessageRange*> steps;
    const std::size_t from = session_.turns[session_.turns.size() - cut.last_turns].begin;
    for (const MessageRange& step : session_.steps) {
      if (step.begin >= from && !stays(step)) steps.push_back(&step);
    }
    for (std::size_t s = 0; s + kLeastSteps < steps.size() && !fits(cut); ++s) {
      for (std::size_t i = steps[s]->begin; i < steps[s]->end; ++i) cut.kept[i] = false;
      cut.kept_tokens -= steps[s]->tokens;
      cut.gone_tokens += steps[s]->tokens;
      cut.split = true;
    }
    return cut;
  }

  const std::vector<Message>& history_;
  const SessionTurns& session_;
  const CutTerms& terms_;
  std::size_t leading_ = 0;
};

}  // namespace

Cut choose_cut(const std::vector<Message>& history, const SessionTurns& session, const CutTerms& terms) {
  return Cutter(history, session, terms).run();
}

}  // namespace weft
