#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "flow/compaction/anchors.h"
#include "weft/message.h"
#include "weft/result.h"

namespace weft {

enum class ProbeKind : std::uint8_t { kSafety, kPreference, kTask };

std::string_view to_string(ProbeKind kind);

/// A question whose answer a session has given, asked before and after a compaction.
struct Probe {
  std::string id;
  ProbeKind kind = ProbeKind::kTask;
  std::string lang;      ///< "zh" or "en"
  std::string question;
  std::vector<std::vector<std::string>> expected;  ///< every fact, in any of its wordings
  std::vector<std::string> forbidden;              ///< what an answer must not say
  std::string trace;                               ///< the only session it is for; empty: every one that answers it
};

/// Reads JSON Lines of {"id", "kind": "safety" | "preference" | "task", "question", "expected": [[wording, …], …]} with
/// optional "lang", "forbidden": [text, …] and "trace". A fact may also be one string. Errors begin with `name:line`.
Result<std::vector<Probe>> parse_probes(std::string_view jsonl, std::string_view name);

/// Whether the text answers the probe with no model: all its facts stand together in one place of it, and nothing that
/// is forbidden does.
bool probe_answered(const Probe& probe, const StatedText& context);

/// Whether the text says something that the probe forbids.
bool probe_violated(const Probe& probe, const StatedText& context);

/// Whether an answer to the probe's question is right: as `probe_answered`, the facts standing anywhere in it.
bool answer_is_right(const Probe& probe, std::string_view answer);

/// Probes that a run itself gives, by rules that know nothing of any compaction: identifiers, paths and numbers of the
/// user's messages, what the user forbade or wished, errors that tools reported, decisions. Questions are the sentence
/// with its value left out. At most some dozens a run, in the order they were said.
std::vector<Probe> probes_of_messages(const std::vector<Message>& messages, const std::string& trace);

/// Decisions stated in the messages, as sentences, in order.
std::vector<std::string> decisions_of(const std::vector<Message>& messages);

/// A value that a call to come needs and that was known before: losing it means asking again.
struct KnownValue {
  std::string value, tool;
  bool from_user = false;  ///< the user gave it; else the assistant used it in an earlier call
};

/// For each of the next `turns` steps of the assistant in `after`, the values in its calls' arguments that `before`
/// already has, from the user or from the calls. A value that the user gives again in `after` counts as not needed.
std::vector<std::vector<KnownValue>> values_of_next_turns(const std::vector<Message>& before,
                                                          const std::vector<Message>& after, std::size_t turns);

}  // namespace weft
