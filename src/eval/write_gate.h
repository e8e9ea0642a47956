#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "weft/result.h"

namespace weft {

struct GateEvalReport {
  struct Counts {
    std::int64_t facts = 0;
    std::int64_t facts_refused = 0;
    std::int64_t junk = 0;
    std::int64_t junk_let_in = 0;
  };
  struct ByReason {
    std::int64_t junk = 0;           ///< labelled with the reason
    std::int64_t let_in = 0;         ///< of it
    std::int64_t facts_refused = 0;  ///< facts that were refused for the reason
  };
  Counts all;
  std::map<std::string, Counts> by_language;  ///< by "lang"
  std::array<ByReason, 4> by_reason;          ///< by Refusal
  std::vector<std::string> wrong;             ///< ids: facts that were refused, junk that was let in
};

/// Judges labelled texts, JSON Lines of {"id", "lang", "text", "kind": "fact" or "junk"}, for junk "reason"
/// ("empty_talk", "duplicate", "echo", "loop") and "of" (the id it repeats, for the reader), optionally "recalled",
/// "recent" (arrays of texts) and "day", in order, each against all that were let in before, wrongly or not. A file
/// begins anew. Junk counts as kept out whatever reason the gate gave. Errors name file and line.
Result<GateEvalReport> eval_write_gate(const std::vector<std::string>& files);

/// The report as one line of JSON.
std::string to_json(const GateEvalReport& report);

}  // namespace weft
