#include "text/json_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/edit_distance.h"

namespace weft {
namespace {

constexpr std::size_t kLongestShown = 80;  // bytes of a name in an error

std::string bounds_in_words(const FieldRule& rule, bool whole) {
  const std::string kind = whole ? "a whole number" : "a number";
  const bool from = std::isfinite(rule.least), to = std::isfinite(rule.most);
  if (from && to) return fmt::format("{} from {} to {}", kind, rule.least, rule.most);
  if (from) return fmt::format("{} from {} on", kind, rule.least);
  return to ? fmt::format("{} up to {}", kind, rule.most) : kind;
}

void add_bounds(const FieldRule& rule, bool whole, ValueObject& schema) {
  const auto bound = [whole](double number) {
    return whole ? Value(static_cast<std::int64_t>(number)) : Value(number);
  };
  if (std::isfinite(rule.least)) schema.emplace_back("minimum", bound(rule.least));
  if (std::isfinite(rule.most)) schema.emplace_back("maximum", bound(rule.most));
}

}  // namespace

Value SchemaBook::use(const std::string& name, const std::function<Value(SchemaBook&)>& make) {
  if (inlined_) return make(*this);
  if (names_.insert(name).second) {
    Value schema = make(*this);  // before its place is taken: it may refer to others
    known_.emplace_back(name, std::move(schema));
  }
  return ValueObject{{"$ref", "#/components/schemas/" + name}};
}

Error wrong_field(std::string_view place, std::string_view wanted) {
  return invalid_argument("\"" + std::string(place) + "\" must be " + std::string(wanted));
}

Result<std::size_t> read_word(std::string_view json, const std::string& place, const FieldRule& rule,
                              std::span<const std::string_view> words) {
  std::string said;
  WEFT_CHECK(JsonForm<std::string>::read(json, place, rule, said));
  if (const auto found = std::find(words.begin(), words.end(), said); found != words.end())
    return static_cast<std::size_t>(found - words.begin());
  std::string all;
  for (const std::string_view word : words) all += (all.empty() ? "" : ", ") + std::string(word);
  return wrong_field(place, "one of: " + all);
}

Value words_schema(std::span<const std::string_view> words) {
  ValueList all;
  for (const std::string_view word : words) all.emplace_back(std::string(word));
  return ValueObject{{"type", "string"}, {"enum", std::move(all)}};
}

Error unknown_field(std::string_view place, std::string_view name, std::span<const std::string_view> known) {
  name = name.substr(0, kLongestShown);
  std::string_view nearest;
  std::size_t least = std::max<std::size_t>(3, name.size() / 3 + 1);
  std::string all;
  for (const std::string_view one : known) {
    all += (all.empty() ? "" : ", ") + std::string(one);
    if (const auto away = edit_distance(one, name); away < least) least = away, nearest = one;
  }
  std::string hint = nearest.empty() ? "" : "did you mean \"" + std::string(nearest) + "\"? ";
  hint += all.empty() ? "no fields are read here" : "fields: " + all;
  return invalid_argument("there is no field \"" + std::string(place) + std::string(name) + "\"", hint);
}

Status JsonForm<bool>::read(std::string_view json, const std::string& place, const FieldRule&, bool& into) {
  if (json != "true" && json != "false") return wrong_field(place, "true or false");
  into = json == "true";
  return {};
}

Status JsonForm<std::string>::read(std::string_view json, const std::string& place, const FieldRule& rule,
                                   std::string& into) {
  const bool whole = rule.loose && !json.empty() && json.find_first_not_of("-0123456789") == std::string_view::npos;
  if (whole) {
    into = json;
    return {};
  }
  if (!json.starts_with('"')) return wrong_field(place, rule.wanted.empty() ? "a string" : rule.wanted);
  WEFT_TRY(into, json_text(json));
  return {};
}

Value JsonForm<std::string>::schema(SchemaBook&, const FieldRule& rule) {
  ValueObject schema{{"type", "string"}};
  if (rule.required) schema.emplace_back("minLength", 1);
  return schema;
}

Status JsonForm<double>::read(std::string_view json, const std::string& place, const FieldRule& rule, double& into) {
  double number = 0;
  const auto [end, failed] = std::from_chars(json.data(), json.data() + json.size(), number);
  const bool read = failed == std::errc() && end == json.data() + json.size();
  if (!read || number < rule.least || number > rule.most)
    return wrong_field(place, rule.wanted.empty() ? bounds_in_words(rule, false) : std::string(rule.wanted));
  into = number;
  return {};
}

Value JsonForm<double>::schema(SchemaBook&, const FieldRule& rule) {
  ValueObject schema{{"type", "number"}};
  add_bounds(rule, false, schema);
  return schema;
}

Status JsonForm<Time>::read(std::string_view json, const std::string& place, const FieldRule&, Time& into) {
  constexpr std::string_view kWanted = "a time such as 2026-03-01T09:30:00+08:00";
  if (!json.starts_with('"')) return wrong_field(place, kWanted);
  WEFT_TRY(const std::string text, json_text(json));
  if (text.empty()) return {};
  const auto time = parse_time(text);
  if (!time.ok()) return wrong_field(place, kWanted);
  into = *time;
  return {};
}

Result<std::int64_t> read_whole(std::string_view json, const std::string& place, const FieldRule& rule,
                                std::int64_t least) {
  std::int64_t number = 0;
  const auto [end, failed] = std::from_chars(json.data(), json.data() + json.size(), number);
  bool read = failed == std::errc() && end == json.data() + json.size();
  if (!read) {
    // What has no fraction is whole, however it is written: 3.0, 3e2.
    constexpr double kExact = 9007199254740992;  // 2^53
    double other = 0;
    const auto [stop, broken] = std::from_chars(json.data(), json.data() + json.size(), other);
    read = broken == std::errc() && stop == json.data() + json.size() && std::trunc(other) == other &&
           std::abs(other) <= kExact;
    if (read) number = static_cast<std::int64_t>(other);
  }
  const bool within = static_cast<double>(number) >= rule.least && static_cast<double>(number) <= rule.most;
  if (read && within && number >= least) return number;
  FieldRule told = rule;
  if (!std::isfinite(told.least) && least == 0) told.least = 0;
  return wrong_field(place, rule.wanted.empty() ? bounds_in_words(told, true) : std::string(rule.wanted));
}

Value whole_schema(const FieldRule& rule, bool is_signed) {
  ValueObject schema{{"type", "integer"}};
  FieldRule bounds = rule;
  if (!is_signed && !std::isfinite(bounds.least)) bounds.least = 0;
  add_bounds(bounds, true, schema);
  // What is read has 64 bits.
  using Limits = std::numeric_limits<std::int64_t>;
  if (is_signed && !std::isfinite(bounds.least)) schema.emplace_back("minimum", Limits::min());
  if (is_signed && !std::isfinite(bounds.most)) schema.emplace_back("maximum", Limits::max());
  return schema;
}

}  // namespace weft
