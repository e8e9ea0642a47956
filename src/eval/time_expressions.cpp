#include "eval/time_expressions.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "eval/json_lines.h"
#include "text/analysis.h"
#include "text/json.h"
#include "text/time_expressions.h"
#include "text/utf8.h"

namespace weft {
namespace {

using Json = nlohmann::json;

struct LabelledExpression {
  std::size_t begin = 0, end = 0;  // bytes
  std::string type;
  std::vector<std::string> values;  // the first is the value itself; empty: only the span is known
};

struct LabelledText {
  std::string id, text;
  Time reference;
  std::vector<LabelledExpression> expressions;
};

/// Months and seconds of a duration; "P1Y2M", "PT2.5H".
struct Length {
  double months = 0, seconds = 0;
};

std::optional<Length> length_of(std::string_view value) {
  if (value.size() < 3 || value.front() != 'P') return std::nullopt;
  Length length;
  bool time = false;
  const std::string text(value.substr(1));
  for (const char* at = text.c_str(); *at != 0;) {
    if (*at == 'T' && !time) {
      time = true;
      ++at;
      continue;
    }
    if (*at < '0' || *at > '9') return std::nullopt;
    char* end = nullptr;
    const double count = std::strtod(at, &end);
    switch (*end) {
      case 'Y': length.months += 12 * count; break;
      case 'M': (time ? length.seconds : length.months) += count * (time ? 60 : 1); break;
      case 'W': length.seconds += 7 * 86400 * count; break;
      case 'D': length.seconds += 86400 * count; break;
      case 'H': length.seconds += 3600 * count; break;
      case 'S': length.seconds += count; break;
      default: return std::nullopt;
    }
    at = end + 1;
  }
  return length;
}

bool same_point(std::string_view given, std::string_view wanted) {
  if (given == wanted) return true;
  const bool clock = wanted.size() == 8 && wanted[2] == ':' && wanted[5] == ':';
  return clock && given.size() == 19 && given[10] == 'T' && given.substr(11) == wanted;
}

/// Whether ranges begin alike and end at most a day apart.
bool nearly_same(std::string_view given, std::string_view wanted) {
  const auto a = given.find('/'), b = wanted.find('/');
  if (a == std::string_view::npos || b == std::string_view::npos) return false;
  if (!same_point(given.substr(0, a), wanted.substr(0, b))) return false;
  const auto moment = [](std::string_view end) -> std::optional<std::int64_t> {
    const auto time = parse_time(end.size() == 19 ? std::string(end) + "Z" : std::string(end));
    if (!time.ok()) return std::nullopt;
    return time.value().ms;
  };
  const auto x = moment(given.substr(a + 1)), y = moment(wanted.substr(b + 1));
  return x && y && std::abs(*x - *y) <= 86'400'000;
}

/// Bytes at which each code point begins, with the end.
std::vector<std::size_t> code_points(const std::string& text) {
  std::vector<std::size_t> starts;
  for (std::size_t at = 0; at < text.size();) {
    starts.push_back(at);
    next_code_point(text, at);
  }
  starts.push_back(text.size());
  return starts;
}

Result<LabelledText> read_text(const Json& json) {
  try {
    LabelledText labelled;
    labelled.id = json.value("id", "");
    labelled.text = json.at("text").get<std::string>();
    WEFT_TRY(labelled.reference, parse_time(json.at("reference").get<std::string>()));
    const auto starts = code_points(labelled.text);
    for (const auto& one : json.at("expressions")) {
      LabelledExpression expression;
      const auto begin = one.at("start").get<std::size_t>(), end = one.at("end").get<std::size_t>();
      if (begin >= end || end >= starts.size()) return invalid_argument("a span that is not in the text");
      expression.begin = starts[begin];
      expression.end = starts[end];
      expression.type = one.value("type", "");
      if (one.contains("value") && one.at("value").is_string()) {
        expression.values.push_back(one.at("value").get<std::string>());
        if (one.contains("alternatives") && one.at("alternatives").is_array()) {
          for (const auto& other : one.at("alternatives")) {
            if (other.is_string()) expression.values.push_back(other.get<std::string>());
          }
        }
      }
      labelled.expressions.push_back(std::move(expression));
    }
    return labelled;
  } catch (const Json::exception& error) {
    return invalid_argument(error.what(),
                            R"(each line needs "text", "reference" and "expressions" with "start" and "end")");
  }
}

void count(const LabelledText& labelled, const std::vector<TimeExpression>& given, TimeEvalReport& report) {
  ++report.texts;
  if (labelled.expressions.empty()) {
    ++report.negatives;
    report.false_positives += static_cast<std::int64_t>(given.size());
  }
  for (const auto& wanted : labelled.expressions) {
    if (wanted.values.empty()) continue;
    bool found = false, strict = false, exact = false, lenient = false;
    for (const auto& one : given) {
      if (one.begin >= wanted.end || one.end <= wanted.begin) continue;
      found = true;
      strict = strict || same_time_value(one.value, wanted.values.front());
      for (const auto& value : wanted.values) {
        exact = exact || same_time_value(one.value, value);
        lenient = lenient || exact || nearly_same(one.value, value);
      }
    }
    ++report.expressions;
    report.found += found ? 1 : 0;
    report.strict += strict ? 1 : 0;
    report.exact += exact ? 1 : 0;
    report.lenient += lenient ? 1 : 0;
    TimeTypeCount& type = report.by_type[wanted.type];
    ++type.expressions;
    type.exact += exact ? 1 : 0;
    type.found += found ? 1 : 0;
  }
}

// The day on which a value begins or ends, counted from 1970; nothing for what names no day.
std::optional<std::int64_t> day_of(std::string_view point) {
  int year = 0;
  unsigned month = 0, day = 0;
  if (std::sscanf(std::string(point).c_str(), "%4d-%2u-%2u", &year, &month, &day) != 3) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month), std::chrono::day(day)};
  return date.ok() ? std::optional<std::int64_t>(std::chrono::sys_days(date).time_since_epoch().count()) : std::nullopt;
}

// Notes name days, not the hour at which an evening begins: the same day, or a day within the stretch that is wanted.
bool same_days(std::string_view given, std::string_view wanted) {
  const auto ends = [](std::string_view value) {
    const std::size_t slash = value.find('/');
    const auto from = day_of(value.substr(0, slash));
    const auto to = slash == std::string_view::npos ? from : day_of(value.substr(slash + 1));
    return std::pair(from ? from : to, to ? to : from);
  };
  const auto [from, to] = ends(given);
  const auto [first, last] = ends(wanted);
  if (!from || !to || !first || !last) return false;
  if (*from == *first && std::llabs(*to - *last) <= 1) return true;
  return *from == *to && *from >= *first && *from <= *last;
}

bool overlap(const TimeExpression& one, const LabelledExpression& wanted) {
  return one.begin < wanted.end && one.end > wanted.begin;
}

// As an event words the text: in its analysis, where what is protected is left alone.
void count_notes(const LabelledText& labelled, TimeEvalReport& report) {
  TextAnalysis analysis(labelled.text, labelled.reference);
  const auto& times = analysis.times();
  for (const auto& wanted : labelled.expressions) {
    if (wanted.values.empty() || wanted.values.front().starts_with("P")) continue;
    const auto found =
        std::find_if(times.begin(), times.end(), [&](const TimeExpression& one) { return overlap(one, wanted); });
    if (found != times.end() && !found->relative) continue;
    if (found == times.end() || found->notes.size() != 1) {
      ++report.noted_open;
      continue;
    }
    const bool right = std::any_of(wanted.values.begin(), wanted.values.end(), [&](const std::string& value) {
      return same_time_value(found->value, value) || same_days(found->value, value);
    });
    ++(right ? report.noted_right : report.noted_wrong);
  }
  for (const TimeExpression& one : times) {
    const bool known = std::any_of(labelled.expressions.begin(), labelled.expressions.end(),
                                   [&](const auto& wanted) { return overlap(one, wanted); });
    if (!known && one.relative && !one.notes.empty()) ++report.noted_elsewhere;
  }
}

Json prediction(const LabelledText& labelled, const std::vector<TimeExpression>& given) {
  Json line = {{"id", labelled.id}, {"expressions", Json::array()}};
  const auto starts = code_points(labelled.text);
  const auto index = [&](std::size_t byte) {
    return std::lower_bound(starts.begin(), starts.end(), byte) - starts.begin();
  };
  for (const auto& one : given) {
    line["expressions"].push_back({{"start", index(one.begin)},
                                   {"end", index(one.end)},
                                   {"text", labelled.text.substr(one.begin, one.end - one.begin)},
                                   {"type", to_string(one.kind)},
                                   {"value", one.value},
                                   {"alternatives", one.alternatives},
                                   {"absolute", one.absolute},
                                   {"notes", one.notes}});
  }
  return line;
}

}  // namespace

bool same_time_value(std::string_view given, std::string_view wanted) {
  if (same_point(given, wanted)) return true;
  const auto a = length_of(given), b = length_of(wanted);
  if (a && b) return a->months == b->months && a->seconds == b->seconds;
  const auto i = given.find('/'), j = wanted.find('/');
  if (i == std::string_view::npos || j == std::string_view::npos) return false;
  return same_point(given.substr(0, i), wanted.substr(0, j)) && same_point(given.substr(i + 1), wanted.substr(j + 1));
}

Result<TimeEvalReport> eval_time_expressions(const std::vector<std::string>& files, const TimeEvalOptions& options) {
  TimeEvalReport report;
  std::ofstream predictions;
  if (!options.predictions.empty()) predictions.open(options.predictions);
  if (!options.predictions.empty() && !predictions) return unavailable("cannot write " + options.predictions);
  for (const auto& path : files) {
    WEFT_CHECK(each_json_line(path, [&](const Json& json, std::size_t number) -> Status {
      if (options.half != 0 && number % 2 != static_cast<std::size_t>(options.half % 2)) return {};
      WEFT_TRY(const auto labelled, read_text(json));
      const auto given = find_time_expressions(labelled.text, labelled.reference);
      count(labelled, given, report);
      count_notes(labelled, report);
      if (predictions.is_open()) predictions << write_json(prediction(labelled, given)) << '\n';
      return {};
    }));
  }
  return report;
}

std::string to_json(const TimeEvalReport& report) {
  nlohmann::ordered_json json;
  json["texts"] = report.texts;
  json["expressions"] = report.expressions;
  json["exact"] = report.exact;
  json["strict"] = report.strict;
  json["lenient"] = report.lenient;
  json["found"] = report.found;
  json["negatives"] = report.negatives;
  json["false_positives"] = report.false_positives;
  json["notes"] = {{"right", report.noted_right},
                   {"none_or_candidates", report.noted_open},
                   {"wrong", report.noted_wrong},
                   {"elsewhere", report.noted_elsewhere}};
  json["by_type"] = nlohmann::ordered_json::object();
  for (const auto& [type, count] : report.by_type) {
    json["by_type"][type] = {{"expressions", count.expressions}, {"exact", count.exact}, {"found", count.found}};
  }
  return write_json(json);
}

}  // namespace weft
