#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "weft/result.h"

namespace weft {

/// Facts that messages state, by whether they are read out of them.
struct FactCounts {
  std::int64_t messages = 0;
  std::int64_t stated = 0;  ///< by judgement
  std::int64_t right = 0;   ///< of those, found
  std::int64_t read = 0;    ///< what is taken for a fact
  std::int64_t wrong = 0;   ///< of those, such as nobody stated
};

struct FactReport {
  std::map<std::string, FactCounts> by_source;  ///< by the set that the messages are of
  std::vector<std::string> misses;  ///< one line each, for reading; where they are asked for
};

struct FactOptions {
  std::string data;  ///< the folder that "source" is below
  std::vector<std::string> explain;  ///< sets of which each missed and each wrong fact is told
};

/// Judges what the historian reads out of messages in passing, without a model. `files` are JSON Lines of {"source":
/// file below `data`, "dialogue", "turn", "facts": [{"holder": "user" or a word for who it is about, "value": [words,
/// in one way or another], "kind": "fact", "plan", "preference", "former" or "negated"}]}, without the texts. A fact is
/// found where one that is read has all content words of one of its values, names its holder and says no where it does;
/// what is read and fits none is wrong. Standing wishes are not counted. Errors name file and line.
Result<FactReport> eval_facts(const std::vector<std::string>& files, const FactOptions& options);

/// The report as one line of JSON.
std::string to_json(const FactReport& report);

}  // namespace weft
