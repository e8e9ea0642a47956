#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "weft/config.h"
#include "weft/result.h"

namespace weft {

struct RecallEvalOptions {
  std::string baseline;     ///< empty (the configured recipe), "bm25", "vector" or "recent"
  std::string predictions;  ///< file for the ranked ids of each question, one JSON object a line; empty: none
  std::string replayed;  ///< folder that keeps the replayed messages; where it exists they are not replayed again
  std::string speakers_in_text;  ///< "NAME: ": each speaker stands so in the text; empty: in the field `name`
};

/// Replays conversations through a whole engine and asks every question about them.
///
/// Each of `sets` is a folder or the beginning of file names: all pairs NAME.messages.jsonl and NAME.queries.jsonl
/// there are taken. Every conversation has a scope of its own in a temporary workspace, which is removed afterwards.
/// Messages are observed one by one in the order of the file; when all have their vectors, the questions are searched
/// among messages. What of it reaches a prompt is measured by `run_eval_answers`.
///
/// Gives the report as one line of JSON. Takes as long as embedding the messages does; progress is logged at level
/// info.
Result<std::string> run_eval_recall(const Config& config, const std::vector<std::string>& sets,
                                    const RecallEvalOptions& options);

}  // namespace weft
