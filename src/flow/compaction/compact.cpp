#include "flow/compaction/compact.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <unordered_set>
#include <vector>

#include "base/clock.h"
#include "flow/compaction/call_outcome.h"
#include "flow/compaction/flush.h"
#include "flow/compaction/material.h"
#include "flow/compaction/session_turns.h"
#include "flow/compaction/summarise.h"
#include "flow/compaction/verify.h"
#include "text/thoughts.h"

namespace weft {
namespace {

// What decides which turns are sent as they were said.
struct CutTerms {
  std::size_t keep_turns = 8;    ///< the last ones, whole
  std::int64_t target = 0;       ///< tokens of the result; 0: no target, only older turns than those go
  std::int64_t earlier = 0;      ///< tokens of an earlier summary, which is merged
  double least_share = 0.1;      ///< of the summary in what it stands for
};

struct Cut {
  std::vector<bool> kept;  ///< of each message
  std::size_t turns_kept = 0, turns_summarised = 0;
  std::size_t last_turns = 0;  ///< how many of the last turns are whole
  bool split = false;          ///< the last turns alone are too large: older steps of theirs are summarised
  std::int64_t kept_tokens = 0, gone_tokens = 0;
};

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

// Decides what is kept: the last `keep_turns` turns, fewer, step by step down to 2, where they and the summary exceed
// the target; then, where 2 still do, of these the messages of the user, the last 2 steps and as many before them as
// fit. A turn with a call that waits for its output is always kept, and so are system messages before the first turn.
Cut choose_cut(const std::vector<Message>& history, const SessionTurns& session, const CutTerms& terms) {
  return Cutter(history, session, terms).run();
}

constexpr std::int64_t kBlockTokens = 4;        // role and separators of the summary's message
constexpr std::int64_t kLeastSummary = 160;     // tokens: a share of little is too little to say anything
constexpr std::size_t kWholeOutputs = 2;        // newest outputs that are never shortened

bool says_anything(const Summary& summary) {
  for (std::size_t i = 0; i < kSummaryLists; ++i) {
    if (!list_of(summary, static_cast<SummaryList>(i)).empty()) return true;
  }
  return false;
}

bool covers(const Summary& summary, const MessageId& message) {
  return std::find(summary.covers.begin(), summary.covers.end(), message) != summary.covers.end();
}

class Compactor {
 public:
  Compactor(const CompactInput& input, const CompactPorts& ports, const Deadline& deadline)
      : input_(input), ports_(ports), deadline_(deadline) {}

  Result<Compacted> run() {
    WEFT_CHECK(read_history());
    choose();
    if (gone_.empty()) return unchanged("compaction.nothing_to_compact", "no turn is older than those that stay");
    gather();
    WEFT_CHECK(flush());
    WEFT_CHECK(summarise_and_verify());
    shorten_outputs();
    if (tokens_after() >= report().tokens_before) fall_back();
    if (tokens_after() >= report().tokens_before)
      return unchanged("compaction.not_smaller", "nothing that was tried is smaller");
    return finish();
  }

 private:
  CompactionReport& report() { return record_.report; }
  Summary& summary() { return record_.summary; }
  const CompactOptions& options() const { return input_.options; }

  void problem(std::string_view code, std::string_view why) {
    report().problems.push_back(fmt::format("{}: {}", code, why));
  }

  // The history as it is sent now: without what an earlier compaction covers.
  Status read_history() {
    const bool earlier = input_.earlier != nullptr && !input_.earlier->undone;
    earlier_ = earlier ? &input_.earlier->summary : nullptr;
    std::unordered_set<std::string_view> covered, shortened;
    if (earlier) {
      for (const MessageId& id : earlier_->covers) covered.insert(id.str());
      for (const MessageId& id : input_.earlier->shortened) shortened.insert(id.str());
    }
    for (std::size_t i = 0; i < input_.history.size(); ++i) {
      const Message& message = input_.history[i];
      if (message.id.empty())
        return invalid_argument(fmt::format("message {} of the history has no id", i),
                                "a compaction names messages by id");
      if (covered.contains(message.id.str())) continue;
      history_.push_back(message);
      if (!shortened.contains(message.id.str())) continue;
      history_.back().content = short_output(message.content, message.id.str());
      record_.shortened.push_back(message.id);
    }
    session_ = split_session(history_, ports_.tokens);
    while (leading_ < history_.size() && history_[leading_].role == Role::kSystem) ++leading_;
    for (std::size_t i = leading_; i < history_.size(); ++i) report().tokens_before += session_.tokens[i];
    if (earlier_ != nullptr) earlier_tokens_ = block_tokens(*earlier_);
    report().tokens_before += earlier_tokens_;
    return {};
  }

  std::string woven(const Summary& block) const { return ports_.weave ? ports_.weave(block) : render_summary(block); }
  std::int64_t block_tokens(const Summary& block) const { return ports_.tokens.count(woven(block)) + kBlockTokens; }

  void choose() {
    cut_ = choose_cut(history_, session_,
                      {options().keep_turns, options().target_tokens, earlier_tokens_, options().least_share});
    for (std::size_t i = 0; i < history_.size(); ++i) {
      if (cut_.kept[i]) continue;
      part_thoughts(history_[i]);  // a summary tells what was said
      gone_.push_back(&history_[i]);
    }
    if (cut_.last_turns < std::min(options().keep_turns, session_.turns.size()))
      problem("compaction.fewer_turns_kept",
              fmt::format("{} instead of {} exceed the target", cut_.last_turns, options().keep_turns));
    if (cut_.split)
      problem("compaction.turn_split", "the last turns alone exceed the target: older steps are summarised");
    report().turns_kept = cut_.turns_kept;
    report().turns_summarised = cut_.turns_summarised;
    report().messages_kept = history_.size() - gone_.size() - leading_;
  }

  void gather() {
    source_.messages = gone_;
    source_.earlier = earlier_;
    source_.constraints = input_.mode_constraints;
    source_.task = input_.task;
    source_.focus = options().focus;
    material_ = gather_material(source_);
    report().messages_cut = material_.cut;
    report().messages_summarised = gone_.size() - material_.cut;
    summary().session = input_.session;
    summary().time = gone_.back()->time.value_or(input_.now);
    if (earlier_ != nullptr) summary().covers = earlier_->covers;
    for (const Message* message : gone_) summary().covers.push_back(message->id);
    beside_text_ = input_.system;
    for (std::size_t i = 0; i < history_.size(); ++i) {
      if (cut_.kept[i]) add_beside(history_[i]);
    }
    beside_.add(input_.system);
  }

  void add_beside(const Message& message) {
    beside_text_ += '\n' + message.content;
    beside_.add(message.content);
    for (const ToolCall& call : message.tool_calls) beside_.add(call.arguments);
  }

  Status flush() {
    const FlushSource source = {input_.source, gone_, input_.now, ports_.new_id, material_.language};
    Status status;
    if (ports_.model != nullptr) {
      const CallLimits limits = {options().flush_timeout, options().retries, options().backoff};
      status = flush_by_model(*ports_.model, source, limits, deadline_, record_.candidates);
      if (deadline_.cancelled()) return cancelled("the compaction was cancelled");
    }
    if (!status.ok()) {
      report().flush_skipped = true;
      problem(status.error().code == ErrorCode::kTimeout ? "compaction.flush_timeout" : "compaction.flush_failed",
              status.error().message);
    }
    // Rules need nobody: what they find is not lost because a model was late.
    if (ports_.model == nullptr || !status.ok()) record_.candidates = flush_by_rules(source);
    report().candidates = record_.candidates.size();
    return {};
  }

  // Tokens for the summary: its share of what it stands for, less where the target asks for it. An earlier summary is
  // dense already and counts whole, so that it does not shrink with every compaction.
  std::int64_t summary_budget() const {
    const double stands_for = static_cast<double>(cut_.gone_tokens + earlier_tokens_);
    const auto most =
        static_cast<std::int64_t>(options().most_share * static_cast<double>(cut_.gone_tokens)) + earlier_tokens_;
    std::int64_t budget = most;
    if (options().target_tokens > 0) budget = std::min(most, options().target_tokens - cut_.kept_tokens - kBlockTokens);
    return std::max(budget, std::min(kLeastSummary, static_cast<std::int64_t>(0.5 * stands_for)));
  }

  Status summarise_and_verify() {
    const std::int64_t budget = summary_budget();
    if (ports_.model != nullptr) {
      WEFT_CHECK(model_summary(budget));
      if (summary().by == MadeBy::kModel && !smaller_with_summary()) {
        problem("compaction.summary_failed", "the model's summary is not smaller than what it stands for");
        summary().by = MadeBy::kFloor;
      }
    }
    if (summary().by != MadeBy::kModel) {
      summarise(material_, beside_, budget, ports_.tokens, summary());
      check(budget);
    }
    return {};
  }

  Status model_summary(std::int64_t budget) {
    FactSet known = beside_;
    for (const RankedFact& fact : material_.facts) known.add({fact.text, fact.kind});
    for (const SummaryPiece& piece : material_.pieces) known.add(piece.text);
    for (const std::string& anchor : input_.anchors) known.add(anchor);
    std::vector<std::string> removed;
    const CallLimits limits = {options().compact_timeout, options().retries, options().backoff};
    const Status status =
        summarise_by_model(*ports_.model, source_, material_, known, budget, limits, deadline_, summary(), removed);
    if (deadline_.cancelled()) return cancelled("the compaction was cancelled");
    if (!status.ok()) {
      problem(status.error().code == ErrorCode::kTimeout ? "compaction.summary_timeout" : "compaction.summary_failed",
              status.error().message);
      return {};
    }
    for (const std::string& statement : removed) problem("compaction.untrue_statements", statement);
    check(budget);
    return {};
  }

  void check(std::int64_t budget) {
    const VerifyTerms terms = {material_, beside_, beside_text_, input_.anchors, budget, ports_.tokens};
    Verified verified = verify(terms, summary());
    report().restored = std::move(verified.restored);
    std::erase_if(report().problems, [](const std::string& text) { return text.starts_with("compaction.missing"); });
    if (!verified.missing.empty())
      problem("compaction.missing",
              fmt::format("{} found no room, the first is \"{}\"", verified.missing.size(), verified.missing.front()));
  }

  bool smaller_with_summary() const { return block_tokens(record_.summary) < cut_.gone_tokens + earlier_tokens_; }

  std::int64_t tokens_after() const {
    return cut_.kept_tokens + (says_anything(record_.summary) ? block_tokens(record_.summary) : 0);
  }

  // The last means against a result over its target: older outputs in what is kept, the oldest first.
  void shorten_outputs() {
    const std::int64_t target = options().target_tokens;
    std::size_t outputs = 0;
    for (std::size_t i = 0; i < history_.size(); ++i)
      outputs += cut_.kept[i] && history_[i].role == Role::kTool ? 1 : 0;
    std::int64_t over = target > 0 ? tokens_after() - target : 0;
    const std::size_t before = record_.shortened.size();
    for (std::size_t i = 0; i < history_.size() && over > 0 && outputs > kWholeOutputs; ++i) {
      if (!cut_.kept[i] || history_[i].role != Role::kTool) continue;
      --outputs;
      std::string text = short_output(history_[i].content, history_[i].id.str());
      if (text.size() >= history_[i].content.size()) continue;
      history_[i].content = std::move(text);
      const std::int64_t saved = session_.tokens[i] - sent_tokens(history_[i], ports_.tokens);
      over -= saved;
      cut_.kept_tokens -= saved;
      record_.shortened.push_back(history_[i].id);
    }
    if (record_.shortened.size() > before)
      problem("compaction.outputs_shortened",
              fmt::format("{} older outputs are sent in short form", record_.shortened.size() - before));
    if (over > 0) problem("compaction.over_target", fmt::format("the result has {} tokens more than asked for", over));
  }

  // No summary is smaller: the messages without anything to keep go, an earlier summary stays as it is.
  void fall_back() {
    report().fell_back = true;
    report().restored.clear();
    Summary rest = earlier_ != nullptr ? *earlier_ : Summary();
    rest.session = input_.session;
    rest.by = MadeBy::kFloor;
    rest.time = summary().time;
    for (std::size_t i = 0, g = 0; i < history_.size(); ++i) {
      if (cut_.kept[i]) continue;
      const bool cut = material_.low_signal[g++] && history_[i].role != Role::kTool;
      if (cut) rest.covers.push_back(history_[i].id);
      if (cut) continue;
      cut_.kept[i] = true;
      cut_.kept_tokens += session_.tokens[i];
      ++report().messages_kept;
    }
    summary() = std::move(rest);
    report().messages_summarised = 0;
    report().turns_kept += report().turns_summarised;
    report().turns_summarised = 0;
    problem("compaction.not_smaller", "a summary would not be smaller: only small talk and repeats were cut");
  }

  Result<Compacted> unchanged(std::string_view code, std::string_view why) {
    problem(code, why);
    const bool failed = code == "compaction.not_smaller";
    if (failed && options().fail_closed) return unavailable(fmt::format("{}: {}", code, why));
    Compacted result;
    result.messages = history_;
    result.record.candidates = std::move(record_.candidates);
    result.record.report = std::move(record_.report);
    CompactionReport& told = result.record.report;
    told.fell_back = failed;
    told.tokens_after = told.tokens_before;
    told.messages_kept = history_.size() - leading_;
    told.messages_summarised = told.messages_cut = told.turns_summarised = 0;
    told.turns_kept = session_.turns.size();
    told.restored.clear();
    told.ms = watch_.ms();
    result.summary_at = leading_;
    if (earlier_ == nullptr) return result;
    Message block = block_message(*earlier_);
    result.messages.insert(result.messages.begin() + static_cast<std::ptrdiff_t>(leading_), std::move(block));
    return result;
  }

  Message block_message(const Summary& of) const {
    Message block;
    block.role = Role::kSystem;
    block.id = MessageId(of.id);
    block.time = of.time;
    block.content = woven(of);
    return block;
  }

  Result<Compacted> finish() {
    Compacted result;
    result.changed = true;
    const auto fresh_id = [this] { return ports_.new_id ? ports_.new_id() : std::string(); };
    record_.id = fresh_id();
    summary().id = fresh_id();
    report().by = summary().by;
    report().summary_tokens = says_anything(record_.summary) ? block_tokens(summary()) : 0;
    report().tokens_after = tokens_after();
    for (std::size_t i = 0; i < history_.size(); ++i) {
      if (i == leading_) place_block(result);
      if (!cut_.kept[i]) continue;
      if (record_.first_kept.empty() && i >= leading_) record_.first_kept = history_[i].id;
      result.messages.push_back(history_[i]);
    }
    std::erase_if(record_.shortened, [&](const MessageId& shortened) { return covers(record_.summary, shortened); });
    report().ms = watch_.ms();
    result.record = std::move(record_);
    return result;
  }

  void place_block(Compacted& result) {
    result.summary_at = result.messages.size();
    if (says_anything(record_.summary)) result.messages.push_back(block_message(summary()));
  }

  const CompactInput& input_;
  const CompactPorts& ports_;
  const Deadline& deadline_;
  const Stopwatch watch_;
  std::vector<Message> history_;  // as it is sent now
  SessionTurns session_;
  const Summary* earlier_ = nullptr;
  std::int64_t earlier_tokens_ = 0;
  std::size_t leading_ = 0;  // system messages before the first turn
  Cut cut_;
  std::vector<const Message*> gone_;  // in order
  MaterialSource source_;
  Material material_;
  FactSet beside_;
  std::string beside_text_;
  Compaction record_;
};

}  // namespace

Result<Compacted> compact(const CompactInput& input, const CompactPorts& ports, const Deadline& deadline) {
  return Compactor(input, ports, deadline).run();
}

}  // namespace weft
