#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/protected_spans.h"
#include "weft/time.h"

namespace weft {

enum class TimeKind { kDate, kTime, kDateTime, kRange, kDuration, kSet };

/// The name of a kind as in the development data: "date", "time", "datetime", "range", "duration", "set".
std::string_view to_string(TimeKind kind);

/// Words of a text that say when something is, how long it lasts or how often it happens.
struct TimeExpression {
  std::size_t begin = 0, end = 0;  ///< bytes of the text, end exclusive
  TimeKind kind = TimeKind::kDate;

  /// ISO 8601 in the local time of the moment of speaking: "2018-03-29", "17:00:00", "2016-11-06T14:00:00", ranges with
  /// exclusive end "2016-11-07/2016-11-14", open ones "2016-11-07/.." and "../2016-11-07", durations "P3D", "PT5M",
  /// sets as the duration or pattern of their repetition ("P1D", "XXXX-WXX-1").
  std::string value;
  std::vector<std::string> alternatives;  ///< other readings, such as the past one of "the 15th"

  /// Means nothing without the moment it was said: "yesterday", "at half past nine", 下个月三号. Not relative: a full
  /// date, a year, a duration, a repetition.
  bool relative = false;

  /// The moments it spans, UTC milliseconds, end exclusive; nothing for durations and sets. An open end has no value.
  std::optional<std::int64_t> from_ms, to_ms;

  /// What can stand in its place in the sentence, in the language of the expression, so that a reader needs no
  /// calendar: "on 5 March 2026", "2026年3月5日下午3点". Empty unless relative, and where a part of it is not certain.
  std::string absolute;

  /// What is set beside the words so that they can be understood later: one text where it is certain, two where either
  /// is meant, none where nothing can or needs to be said. Never more exact than the words: "October 2026".
  std::vector<std::string> notes;
};

/// Finds all time expressions of a Chinese, English or mixed text, in order and without overlaps, as they were meant at
/// `spoken` in its zone. What is inside quotations or code is found as well: the caller knows what is protected.
/// Linear in the text's length. Safe from any thread.
std::vector<TimeExpression> find_time_expressions(std::string_view text, Time spoken);

/// The same, but for what overlaps a stretch of `blocked`, which are in order: of several readings the longest that
/// overlaps none is taken.
std::vector<TimeExpression> find_time_expressions(std::string_view text, Time spoken, const std::vector<Span>& blocked);

/// The times that a text names as if it had been said at each of these moments, in their order: each list is what
/// `find_time_expressions` gives for its moment. The words are read once for all. Safe from any thread.
std::vector<std::vector<TimeExpression>> find_times_at_each(std::string_view text, std::span<const Time> moments);

/// The one time that a whole text names, as the bound of a search does: "June", "since last week", 夏天. Of the moments
/// that it may mean, the latest that has begun. Nothing for a text that names no time or says more.
std::optional<TimeExpression> read_past_time(std::string_view text, Time spoken);

}  // namespace weft
