#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weft/choices.h"
#include "weft/ids.h"
#include "weft/result.h"
#include "weft/time.h"

namespace weft {

/// What stands for turns that are no longer sent. Every list holds short statements, oldest first.
struct Summary {
  std::string id;
  SessionId session;
  std::vector<MessageId> covers;  ///< the messages it stands for, in order
  Time time;                      ///< of the last of them
  std::vector<std::string> goals, decisions, done, open_items, constraints, facts, risks;
  MadeBy by = MadeBy::kFloor;
};

/// Something worth keeping that a flush found before turns were compacted. It is not in long-term memory by this.
struct Candidate {
  std::string candidate_id;
  SessionId source_session_id;  ///< "main" of a private talk, "group:" and the id of a group's
  std::vector<MessageId> source_message_ids;
  std::string candidate_text;
  std::vector<std::string> constraint_tags;  ///< of "user_preference", "long_term_goal", "safety_boundary", "fact"
  double confidence = 0;                     ///< 0 to 1
  Time created_at;
};

/// How a session is to be compacted.
struct CompactRequest {
  std::string focus;  ///< what the summary should keep above all; may be empty
  std::int64_t window = 0;  ///< of the model in tokens; 0: as configured
};

/// What a compaction did.
struct CompactionReport {
  std::size_t turns_kept = 0, turns_summarised = 0;
  std::size_t messages_kept = 0, messages_summarised = 0,
              messages_cut = 0;  ///< cut: small talk and repeats, in no summary
  std::size_t candidates = 0;
  std::int64_t tokens_before = 0, tokens_after = 0;
  std::int64_t summary_tokens = 0;
  bool flush_skipped = false;    ///< the flush failed or was late
  bool fell_back = false;        ///< no summary: low-signal history was cut, the last turns were kept
  MadeBy by = MadeBy::kFloor;  ///< of the summary
  std::vector<std::string> restored;  ///< what a check found missing in the summary and put back
  std::vector<std::string> problems;  ///< errors on the way, each with its stable code first
  double ms = 0;
};

/// A compaction of a session as it is kept.
struct Compaction {
  std::string id;
  Summary summary;
  std::vector<Candidate> candidates;
  CompactionReport report;
  MessageId first_kept;  ///< the first message that is sent as it was said
  std::vector<MessageId> shortened;  ///< kept tool outputs that are sent in short form
  bool undone = false;
};

/// The summary as the text that stands in the prompt (headings and lists, in the language most of it is written in; one
/// statement behind its heading, several below it, a line each), not escaped. Empty lists are left out.
std::string render_summary(const Summary& summary);

std::string to_json(const Summary& summary);
std::string to_json(const Candidate& candidate);
std::string to_json(const CompactionReport& report);
std::string to_json(const Compaction& compaction);

/// Reads what `to_json(Compaction)` wrote. Missing fields take their defaults, unknown ones are passed over; wrong
/// types and times, and a confidence outside 0 … 1, are errors (kInvalidArgument) that name the field.
Result<Compaction> parse_compaction(std::string_view json);

}  // namespace weft
