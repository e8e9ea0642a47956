#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "weft/result.h"

namespace weft {

/// What was resolved of the expressions that the data call by one type ("date", "range", …).
struct TimeTypeCount {
  std::int64_t expressions = 0, exact = 0, found = 0;
};

struct TimeEvalReport {
  std::int64_t texts = 0;
  std::int64_t expressions = 0;  ///< of known value; those of which only the span is marked are not counted
  std::int64_t exact = 0;  ///< the value or an alternative was given
  std::int64_t strict = 0;  ///< the value itself was given
  std::int64_t lenient = 0;  ///< exact, or the end of a range one day off
  std::int64_t found = 0;  ///< something was found that overlaps
  std::int64_t negatives = 0;  ///< texts without expressions
  std::int64_t false_positives = 0;  ///< expressions found in these
  /// What is set beside the expressions that are seen from the moment of speaking, as events have it: the right
  /// meaning, several or none, a wrong day; and one beside words that are no expression of the data.
  std::int64_t noted_right = 0, noted_open = 0, noted_wrong = 0, noted_elsewhere = 0;
  std::map<std::string, TimeTypeCount> by_type;  ///< by the type of the data; "" where a line names none
};

struct TimeEvalOptions {
  std::string predictions;  ///< file for {"id", "expressions"} lines; empty: none
  int half = 0;  ///< 0 all lines; 1 the first, third, …; 2 the others
};

/// Whether two values mean the same: the same text, durations of the same length (P1W is P7D), a date-time for the time
/// of day in it, the same for both ends of a range.
bool same_time_value(std::string_view given, std::string_view wanted);

/// Finds the expressions of labelled texts by the grammar, and what events note beside them; JSON Lines of {"id",
/// "text", "reference", "expressions": [{"start", "end", "value", "alternatives"}]} with spans in code points, and
/// counts what is right. Errors name file and line.
Result<TimeEvalReport> eval_time_expressions(const std::vector<std::string>& files, const TimeEvalOptions& options);

/// The report as one line of JSON.
std::string to_json(const TimeEvalReport& report);

}  // namespace weft
