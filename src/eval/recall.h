#pragma once

#include <string>
#include <vector>

#include "weft/config.h"
#include "weft/result.h"

namespace weft {

/// Replays conversations through a whole engine and asks every question about them.
///
/// Each of `sets` is a folder or the beginning of file names: all pairs NAME.messages.jsonl and NAME.queries.jsonl
/// there are taken. Every conversation has a scope of its own in a temporary workspace, which is removed afterwards.
/// Messages are observed one by one in the order of the file; when all have their vectors, the questions are searched
/// among messages.
///
/// `baseline` is empty (the configured recipe), "bm25", "vector" or "recent". `predictions` names a file for the ranked
/// ids of each question, one JSON object a line; empty for none. Gives the report as one line of JSON. Takes as long as
/// embedding the messages does; progress is logged at level info.
Result<std::string> run_eval_recall(const Config& config, const std::vector<std::string>& sets,
                                    const std::string& baseline, const std::string& predictions);

}  // namespace weft
