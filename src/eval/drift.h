#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "flow/compaction/anchors.h"
#include "flow/compaction/probes.h"
#include "ports/chat/chat_model.h"
#include "text/token_counter.h"
#include "weft/choices.h"
#include "weft/config.h"
#include "weft/message.h"
#include "weft/result.h"

namespace weft {

/// A session that is compacted once, with what came after it.
struct DriftSession {
  std::string id;
  std::string set;                 ///< the file it is from, or "shipped"
  std::vector<AnchorSource> files;  ///< AGENTS.md, SOUL.md, USER.md where it has them
  std::vector<Message> before;      ///< the whole history at the moment of compaction, system prompt first
  std::vector<Message> after;       ///< what really followed
  std::vector<Probe> probes;        ///< golden ones; those that the messages give are added by the evaluation
  bool derive_probes = true;
};

struct TraceFile {
  std::vector<DriftSession> sessions;
  std::size_t too_short = 0;  ///< runs with fewer than three steps of the assistant behind any history
};

/// Reads runs, JSON Lines of {"id", "messages"} in chat form. Each is cut before its third-last step of the assistant,
/// so that three steps follow; a call and its outputs stay on one side. Errors name file and line.
Result<TraceFile> read_traces(const std::string& path);

/// The sessions of data/sessions, in Chinese and English: hundreds of messages whose early statements are needed at
/// their end, with their files and golden probes.
std::vector<DriftSession> shipped_sessions();

/// A compaction as the evaluation sees it: the whole history with its system prompt in, the whole list of messages that
/// would be sent out, in about `target_tokens`. The evaluation adds nothing to what comes back.
using Reduce =
    std::function<Result<std::vector<Message>>(const std::vector<Message>& history, std::int64_t target_tokens)>;

struct DriftOptions {
  double keep = 0.2;  ///< share of the history's tokens to compact to; the system prompt comes on top
  std::int64_t min_tokens = 1500;  ///< runs with a shorter history need no compaction and are skipped
  std::size_t turns = 3;  ///< steps of the assistant that must be able to go on
  double min_anchors = 0.95, min_probes = 0.90, min_progress = 0.95;
  std::int64_t max_violations = 0;
  std::chrono::milliseconds patience{60'000};  ///< for one answer of the chat model
};

/// How much of a number of things still holds.
struct Kept {
  std::int64_t total = 0, kept = 0;
  double share() const { return total == 0 ? 1.0 : static_cast<double>(kept) / static_cast<double>(total); }
  void count(bool holds) {
    ++total;
    kept += holds ? 1 : 0;
  }
};

struct DriftReport {
  std::int64_t traces = 0, skipped = 0, failed = 0;
  std::map<std::string, Kept> anchors;  ///< by origin: "files", "system", "user"
  std::map<std::string, Kept> probes;  ///< by kind; kept: the same verdict before and after
  std::int64_t unanswerable = 0;  ///< probes with no answer before either; not counted
  Kept turns;  ///< steps to come that need nothing again and reverse no decision
  std::int64_t values_lost = 0, decisions_reversed = 0;
  std::int64_t safety_violations = 0;  ///< prohibitions and limits that no longer stand
  std::int64_t tokens_before = 0, tokens_after = 0;
  double reduce_ms = 0;
  MadeBy by = MadeBy::kFloor;  ///< kModel where a chat model gave the answers
  std::vector<std::string> lost;  ///< what no longer stands, each with its session; the first 200

  /// Of the origin that lost most: what was only pasted in again cannot hide what was forgotten.
  double anchor_retention() const;
  double probe_consistency() const;
};

/// Compacts every session with `reduce` and compares what stood before with what stands after. Without `model` an
/// answer is looked for in the context; with it the model is asked with both contexts, and where it fails or the
/// context is too long for it, the context decides. Fails only for options that make no sense and where no session is
/// left.
Result<DriftReport> evaluate_drift(const std::vector<DriftSession>& sessions, const Reduce& reduce,
                                   const TokenCounter& tokens, const DriftOptions& options = {},
                                   ChatModel* model = nullptr);

/// The thresholds that were missed, in words; empty: passed.
std::vector<std::string> missed(const DriftReport& report, const DriftOptions& options);

std::string to_json(const DriftReport& report);
std::string to_text(const DriftReport& report, const DriftOptions& options);

/// Compactions to compare with: the last messages that fit, and the history as it is.
Reduce cut_baseline(TokenCounter tokens);
Reduce unchanged_baseline();

/// Weft's own compaction, as configured, for the evaluation of drift. `model` may be null; it has to outlive the
/// result, as `tokens` has.
Reduce compaction_reduce(const Config& config, const TokenCounter& tokens, ChatModel* model);

}  // namespace weft
