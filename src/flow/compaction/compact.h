#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "flow/compaction/key_facts.h"
#include "flow/compaction/summarise.h"
#include "ports/chat/chat_model.h"
#include "text/token_counter.h"
#include "text/words.h"
#include "weft/compaction.h"
#include "weft/message.h"
#include "weft/task.h"

namespace weft {

/// Messages [begin, end) of a history that stay together.
struct MessageRange {
  std::size_t begin = 0, end = 0;
  std::int64_t tokens = 0;
  bool open = false;  ///< holds a call that has no output

  std::size_t size() const { return end - begin; }
};

/// How a history falls apart without ever parting a call from its output.
struct SessionTurns {
  std::vector<MessageRange> turns;  ///< a user's message with all that follows; what stands before the first is one too
  std::vector<MessageRange> steps;  ///< the same, finer: an assistant's message with its outputs is one of its own
  std::vector<std::int64_t> tokens;  ///< of each message
};

/// Tokens of a message as it is sent, with what the chat form adds.
std::int64_t sent_tokens(const Message& message, const TokenCounter& tokens);

/// Cuts a history. An output belongs to the nearest call of its id before it that has none yet; where user messages
/// stand between the two, their turns become one. Outputs without a call stay with what stands before them. Linear.
SessionTurns split_session(const std::vector<Message>& history, const TokenCounter& tokens);

/// What a flush reads and needs.
struct FlushSource {
  SessionId session;  ///< as candidates name it
  std::vector<const Message*> messages;  ///< that are about to be compacted, oldest first
  Time now;  ///< of the candidates
  std::function<std::string()> new_id;  ///< gives each candidate its id
  Language language = Language::kEnglish;
};

/// Candidates by rules: what users say of their preferences, aims, limits and facts about themselves, in both
/// languages; what an assistant notes about them is not taken, small talk and questions neither. Of tools' outputs only
/// values that carry an id. Confidence comes from how plainly it was said. Each said once, with every message that said
/// it; at most 200, the surest first where there are more. Deterministic and linear.
std::vector<Candidate> flush_by_rules(const FlushSource& source);

/// Candidates by a model: a silent instruction (NO_REPLY), an answer bound to a schema. Candidates whose sources are
/// not among the messages, whose tags are unknown or whose ids, paths and addresses stand nowhere are left out. Errors
/// as `ask_model`; then `into` is unchanged.
Status flush_by_model(ChatModel& model, const FlushSource& source, const CallLimits& limits, const Deadline& deadline,
                      std::vector<Candidate>& into);

struct CompactOptions {
  std::size_t keep_turns = 8;  ///< last turns that stay as they were said; at least 2
  double least_share = 0.10, most_share = 0.20;  ///< of the summary in the tokens it stands for
  std::int64_t target_tokens = 0;  ///< of the result without system messages; 0: whatever comes out
  std::chrono::milliseconds flush_timeout{60'000}, compact_timeout{60'000};
  int retries = 1;  ///< of each model call
  std::chrono::milliseconds backoff{500};  ///< before the first retry, doubling
  bool fail_closed = false;  ///< an error instead of the unchanged history where all else failed
  std::string focus;  ///< what the summary should dwell on
};

struct CompactInput {
  SessionId session;
  SessionId source{"main"};  ///< what candidates name as their source: "main", or "group:" and its id
  std::vector<Message> history;  ///< oldest first, each with an id; may still hold what `earlier` covers
  const Compaction* earlier = nullptr;  ///< the session's last compaction that was not undone
  std::string system;  ///< the prompt that is sent before the history and never compacted
  std::vector<std::string> anchors;  ///< rules of AGENTS.md, SOUL.md, USER.md: must stand in what is sent
  std::vector<std::string> mode_constraints;  ///< of the mode (such as a safe chat); go into the summary as they are
  TaskState task;  ///< goal and open items; go into the summary as they are
  CompactOptions options;
  Time now;
};

struct CompactPorts {
  const TokenCounter& tokens;
  ChatModel* model = nullptr;  ///< null: the deterministic way alone
  std::function<std::string()> new_id;  ///< ids of the compaction, the summary and the candidates
  /// The summary as it is woven into the prompt (escaped, fenced); absent: `render_summary`.
  std::function<std::string(const Summary&)> weave;
};

struct Compacted {
  bool changed = false;  ///< false: `messages` is the history as it came, `record.report.problems` says why
  Compaction record;  ///< to be kept; its id is empty where nothing changed
  std::vector<Message> messages;  ///< to be sent: system messages, the summary block (role system), what is kept
  std::size_t summary_at = 0;  ///< the block's place in `messages`; its message id is the summary's
};

/// Makes a session smaller without losing what matters:
/// what is kept → flush → summary → verification → replacement → is it smaller?
///
/// Takes    whole turns, oldest first. The last `keep_turns` stay as they were said, fewer (never below 2) where they
///          alone exceed the target. Where even 2 do, as in an agent's run of 300 steps for one request, older steps of
///          theirs (an assistant's message with its outputs) are summarised too, never the user's words; last, older
///          outputs in what is kept are sent in short form. Calls and outputs are never parted; a turn that waits for
///          an output stays.
/// Promises every anchor, constraint, open item and goal, and every path, address and id that somebody said, stands in
///          the result as far as the summary's share has room, constraints first; the report names what was put back.
///          The result has fewer tokens than before. An earlier compaction's summary is merged, never eaten.
///          Without a model the same input gives the same bytes. Linear.
/// Ladder   model's summary → deterministic summary → small talk and repeats cut, the rest as it was (`fell_back`) →
///          unchanged. Each step down leaves a problem with its code: "compaction.flush_timeout", ".flush_failed",
///          ".summary_timeout", ".summary_failed", ".untrue_statements", ".fewer_turns_kept", ".turn_split",
///          ".outputs_shortened", ".over_target", ".missing", ".not_smaller", ".nothing_to_compact".
/// Errors   kInvalidArgument for a message without id; kCancelled when the caller gave up; with `fail_closed`
///          kUnavailable instead of a history that had to stay unchanged. A deadline that passes ends model calls only.
///
/// The record is all that is needed later: a message in `summary.covers` is not sent, one in `shortened` is sent as
/// `short_output` of its content, all others as they were said; the summary block stands before the first message sent.
/// Undo: set `undone`; from then on the covered messages are sent again (and the compaction before this one, if
/// there was one, counts again). Expand: load the messages of `covers` from the store.
Result<Compacted> compact(const CompactInput& input, const CompactPorts& ports, const Deadline& deadline);

}  // namespace weft
