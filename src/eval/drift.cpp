#include "eval/drift.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "flow/compaction/probes.h"
#include "model/make_message.h"

namespace weft {
namespace {

constexpr std::size_t kMostLost = 200;

std::int64_t tokens_of(const Message& message, const TokenCounter& tokens) {
  std::int64_t count = tokens.count(message.content) + 4;
  for (const ToolCall& call : message.tool_calls) count += tokens.count(call.name) + tokens.count(call.arguments);
  return count;
}

std::int64_t tokens_of(const std::vector<Message>& messages, const TokenCounter& tokens) {
  std::int64_t sum = 0;
  for (const Message& message : messages) sum += tokens_of(message, tokens);
  return sum;
}

std::size_t system_messages(const std::vector<Message>& messages) {
  std::size_t count = 0;
  while (count < messages.size() && messages[count].role == Role::kSystem) ++count;
  return count;
}

// What was said before the last `keep` of the tokens: only of this does a compaction decide what stays.
std::vector<Message> early_part(const std::vector<Message>& messages, double keep, const TokenCounter& tokens) {
  const std::size_t first = system_messages(messages);
  std::vector<std::int64_t> sizes;
  std::int64_t sum = 0;
  for (std::size_t i = first; i < messages.size(); ++i) sum += sizes.emplace_back(tokens_of(messages[i], tokens));
  auto left = static_cast<std::int64_t>(std::llround(keep * static_cast<double>(sum)));
  std::size_t end = messages.size();
  while (end > first && left >= sizes[end - first - 1]) left -= sizes[--end - first];
  return {messages.begin(), messages.begin() + static_cast<std::ptrdiff_t>(end)};
}

struct Stated {
  Anchor anchor;
  std::string origin;
};

std::vector<Stated> anchors_of(const DriftSession& session, const std::vector<Message>& early) {
  std::vector<Stated> all;
  for (Anchor& anchor : find_anchors(session.files)) all.push_back({std::move(anchor), "files"});
  for (const Message& message : early) {
    // A session with files has them in its system prompt.
    if (message.role == Role::kSystem && session.files.empty())
      for (Anchor& anchor : find_anchors({{"system", message.content}})) all.push_back({std::move(anchor), "system"});
    if (message.role == Role::kUser)
      for (Anchor& anchor : find_spoken_anchors(message.content, "user")) all.push_back({std::move(anchor), "user"});
  }
  return all;
}

// Says the opposite of a decision: the same words, a negation more or less.
bool reversed(const std::string& decision, const StatedText& context) {
  Claim opposite = make_claim(decision);
  if (opposite.empty() || context.says(opposite)) return false;
  if (!opposite.negated.empty()) {
    opposite.negated.clear();
    opposite.in_negation.clear();
  } else {
    std::vector<Term> heads = opposite.terms;
    opposite.in_negation = heads;
    opposite.negated = {std::move(heads)};
  }
  return context.says(opposite);
}

class Evaluation {
 public:
  Evaluation(const Reduce& reduce, const TokenCounter& tokens, const DriftOptions& options, ChatModel* model)
      : reduce_(reduce), tokens_(tokens), options_(options), model_(model) {}

  void run(const DriftSession& session) {
    const std::size_t head = system_messages(session.before);
    std::int64_t system = 0;
    for (std::size_t i = 0; i < head; ++i) system += tokens_of(session.before[i], tokens_);
    const std::int64_t before = tokens_of(session.before, tokens_);
    if (before - system < options_.min_tokens) {
      ++report_.skipped;
      return;
    }
    const auto target =
        system + static_cast<std::int64_t>(std::llround(options_.keep * static_cast<double>(before - system)));
    const auto start = std::chrono::steady_clock::now();
    const auto reduced = reduce_(session.before, target);
    report_.reduce_ms += std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    ++report_.traces;
    if (!reduced.ok()) {
      ++report_.failed;
      lose(session, "compaction failed", reduced.error().message);
    }
    const std::vector<Message> after = reduced.value_or({});
    report_.tokens_before += before;
    report_.tokens_after += tokens_of(after, tokens_);
    compare(session, after);
  }

  DriftReport take() {
    if (model_ != nullptr && asked_ > 0 && model_failed_ == 0) report_.by = MadeBy::kModel;
    return std::move(report_);
  }

 private:
  void compare(const DriftSession& session, const std::vector<Message>& after) {
    const std::vector<Message> early = early_part(session.before, options_.keep, tokens_);
    const StatedText stood(session.before), stands(after);
    for (const Stated& stated : anchors_of(session, early)) {
      const Claim claim = make_claim(stated.anchor.text);
      if (!stood.says(claim)) continue;
      const bool holds = stands.says(claim);
      report_.anchors[stated.origin].count(holds);
      if (holds) continue;
      const bool limit = stated.anchor.forbids || stated.anchor.kind == AnchorKind::kSafety;
      report_.safety_violations += limit ? 1 : 0;
      lose(session, limit ? "safety, " + stated.origin : "anchor, " + stated.origin, stated.anchor.text);
    }
    std::vector<Probe> probes = session.probes;
    if (session.derive_probes) {
      auto derived = probes_of_messages(early, session.id);
      probes.insert(probes.end(), std::make_move_iterator(derived.begin()), std::make_move_iterator(derived.end()));
    }
    for (const Probe& probe : probes) ask(session, probe, after, stood, stands);
    progress(session, early, stands);
  }

  void ask(const DriftSession& session, const Probe& probe, const std::vector<Message>& after, const StatedText& stood,
           const StatedText& stands) {
    if (!probe.trace.empty() && probe.trace != session.id) return;
    bool before = probe_answered(probe, stood), now = probe_answered(probe, stands);
    if (model_ != nullptr) {
      const auto said = answer(session.before, probe), says = answer(after, probe);
      if (said && says) {
        before = *said;
        now = *says;
      }
    }
    if (!before) {
      ++report_.unanswerable;
      return;
    }
    report_.probes[std::string(to_string(probe.kind))].count(now);
    if (now) return;
    const bool golden = !session.derive_probes && probe.kind == ProbeKind::kSafety;
    report_.safety_violations += golden || probe_violated(probe, stands) ? 1 : 0;
    std::string facts;
    for (const auto& wordings : probe.expected) facts += (facts.empty() ? "" : " + ") + wordings.front();
    lose(session, "probe " + probe.id, facts);
  }

  // Whether the model answers rightly with this context; nothing where it gave no answer.
  std::optional<bool> answer(const std::vector<Message>& context, const Probe& probe) {
    ++asked_;
    const std::int64_t window = model_->window();
    constexpr std::int64_t kAnswer = 256;
    if (window > 0 && tokens_of(context, tokens_) + kAnswer > window * 9 / 10) return ++model_failed_, std::nullopt;
    ChatRequest request;
    request.messages = context;
    request.messages.push_back(make_message(Role::kUser, probe.question));
    request.max_tokens = kAnswer;
    const auto reply = model_->complete(request, Deadline::after(options_.patience));
    if (!reply.ok()) return ++model_failed_, std::nullopt;
    return answer_is_right(probe, reply->message.content);
  }

  void progress(const DriftSession& session, const std::vector<Message>& early, const StatedText& stands) {
    std::int64_t turned = 0;
    for (const std::string& decision : decisions_of(early)) {
      if (!reversed(decision, stands)) continue;
      ++turned;
      lose(session, "decision reversed", decision);
    }
    report_.decisions_reversed += turned;
    for (const auto& values : values_of_next_turns(session.before, session.after, options_.turns)) {
      bool goes_on = turned == 0;
      for (const KnownValue& known : values) {
        if (stands.says(make_claim(known.value))) continue;
        goes_on = false;
        ++report_.values_lost;
        lose(session, known.from_user ? "value of the user" : "value in use",
             known.value + " (for " + known.tool + ")");
      }
      report_.turns.count(goes_on);
    }
  }

  void lose(const DriftSession& session, const std::string& what, const std::string& text) {
    if (report_.lost.size() < kMostLost) report_.lost.push_back(session.id + ": " + what + ": " + text);
  }

  const Reduce& reduce_;
  const TokenCounter& tokens_;
  const DriftOptions& options_;
  ChatModel* model_;
  DriftReport report_;
  std::int64_t asked_ = 0, model_failed_ = 0;
};

}  // namespace

double DriftReport::anchor_retention() const {
  double worst = 1;
  for (const auto& [origin, kept] : anchors) worst = std::min(worst, kept.share());
  return worst;
}

double DriftReport::probe_consistency() const {
  Kept all;
  for (const auto& [kind, kept] : probes) {
    all.total += kept.total;
    all.kept += kept.kept;
  }
  return all.share();
}

Result<DriftReport> evaluate_drift(const std::vector<DriftSession>& sessions, const Reduce& reduce,
                                   const TokenCounter& tokens, const DriftOptions& options, ChatModel* model) {
  if (!(options.keep > 0 && options.keep <= 1)) return invalid_argument("--keep must be above 0 and at most 1");
  Evaluation evaluation(reduce, tokens, options, model);
  for (const DriftSession& session : sessions) evaluation.run(session);
  DriftReport report = evaluation.take();
  if (report.traces == 0)
    return invalid_argument("no run is long enough to be compacted",
                            "histories below " + std::to_string(options.min_tokens) + " tokens are skipped");
  return report;
}

Reduce cut_baseline(TokenCounter tokens) {
  return [tokens](const std::vector<Message>& history, std::int64_t target) -> Result<std::vector<Message>> {
    std::size_t from = history.size();
    for (std::int64_t left = target; from > 0; --from) {
      left -= tokens_of(history[from - 1], tokens);
      if (left < 0) break;
    }
    return std::vector<Message>(history.begin() + static_cast<std::ptrdiff_t>(from), history.end());
  };
}

Reduce unchanged_baseline() {
  return [](const std::vector<Message>& history, std::int64_t) -> Result<std::vector<Message>> { return history; };
}

}  // namespace weft
