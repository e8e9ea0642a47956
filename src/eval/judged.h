#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "weft/result.h"

namespace weft {

/// Judged words by what was set beside them.
struct JudgedCounts {
  std::int64_t right = 0;
  std::int64_t open = 0;   ///< several meanings, or none
  std::int64_t wrong = 0;  ///< another meaning
  std::int64_t unjudged = 0;  ///< certain meanings beside words that nobody judged; in no share
};

struct JudgedReport {
  std::map<std::string, std::array<JudgedCounts, 2>> by_source;  ///< times, persons; by the set that the texts are of
  std::vector<std::string> misses;  ///< one line each, for reading; where they are asked for
};

struct JudgedOptions {
  std::string data;  ///< the folder that "source" is below
  std::vector<std::string> explain;  ///< sets of which each word that is not right is told
};

/// Judges what the historian sets beside the words of real messages. `files` are JSON Lines of {"source": file below
/// `data`, "dialogue", "turn", "spoken", "judged": [{"word", "means": [ISO 8601 or names]}], "open": words that cannot
/// be judged}, without the texts, which stay where their licences want them. A time is right where it spans the days
/// of one of its meanings ("~": about then), a person where one of the names is told. Errors name file and line.
Result<JudgedReport> eval_judged(const std::vector<std::string>& files, const JudgedOptions& options);

/// The report as one line of JSON.
std::string to_json(const JudgedReport& report);

}  // namespace weft
