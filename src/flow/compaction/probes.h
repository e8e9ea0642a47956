#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "flow/compaction/claim.h"
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

}  // namespace weft
