#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/result.h"
#include "weft/value.h"

namespace weft {

/// Bounds on JSON from outside.
struct JsonLimits {
  std::size_t max_bytes = 16 * 1024 * 1024;
  std::size_t max_depth = 64;
};

/// Whether the text is one valid JSON value of valid UTF-8 within the limits. Uses no memory that grows with the depth
/// beyond one bit a level and none with the size, so it is the first thing done with text from outside. Errors begin
/// with `what` and name the byte.
Status check_json(std::string_view text, const JsonLimits& limits, std::string_view what);

/// Reads JSON from outside: `check_json`, then parsed. Duplicate keys: the last one counts.
Result<nlohmann::json> read_json(std::string_view text, const JsonLimits& limits, std::string_view what);

/// Writes JSON on one line. Broken UTF-8 in strings becomes U+FFFD; never throws on that account.
std::string write_json(const nlohmann::json& value);
std::string write_json(const nlohmann::ordered_json& value);

/// The JSON texts of an array's elements, as views into it. `array` must have passed `check_json` and be an array.
std::vector<std::string_view> json_elements(std::string_view array);

/// Names (unescaped) and JSON texts of an object's members. `object` must have passed `check_json` and be an object.
std::vector<std::pair<std::string, std::string_view>> json_members(std::string_view object);

/// The text of one member, the last of that name; empty where there is none.
std::string_view json_member(std::string_view object, std::string_view name);

/// The string that a JSON text is; kInvalidArgument where it is none.
Result<std::string> json_text(std::string_view json);

/// The JSON text without the white space between its tokens; names, numbers and their order stay as they are.
std::string compact_json(std::string_view json);

/// How deep JSON from outside may nest where no limit of the caller's own holds: whatever copies or writes a value
/// needs a piece of the stack for each level.
inline constexpr std::size_t kDeepestJson = 256;

/// Whether the brackets of a text, those inside strings left out, nest deeper than so many levels.
bool nests_deeper(std::string_view json, std::size_t levels);

/// A JSON value from outside that may be anything: a discarded one where the text is broken or nests deeper than
/// `kDeepestJson`.
template <class Json>
Json lenient_json(std::string_view text) {
  if (nests_deeper(text, kDeepestJson)) return Json(Json::value_t::discarded);
  return Json::parse(text.begin(), text.end(), nullptr, false);
}

/// What an object has under a name; null where it is no object or has nothing there. `Json` is either of the library's
/// types, which stay out of headers.
template <class Json>
const Json& member(const Json& object, const char* name) {
  static const Json kNothing;
  if (!object.is_object()) return kNothing;
  const auto found = object.find(name);
  return found == object.end() ? kNothing : *found;
}

/// The text that a value is; empty where it is none.
template <class Json>
std::string text_of(const Json& value) {
  return value.is_string() ? value.template get<std::string>() : std::string();
}

/// Writes JSON text from front to back. Strings that are not UTF-8 are repaired.
class JsonWriter {
 public:
  void begin(char bracket);  ///< '{' or '['
  void end(char bracket);    ///< '}' or ']'
  void name(std::string_view name);
  void text(std::string_view text);
  void number(double number);  ///< null where it is none
  void whole(std::int64_t number) { raw(std::to_string(number)); }
  void count(std::uint64_t number) { raw(std::to_string(number)); }
  void flag(bool flag) { raw(flag ? "true" : "false"); }
  /// JSON that is there already.
  void raw(std::string_view json);
  /// JSON on one line if the text is some, else the text.
  void json_or_text(std::string_view text);
  std::string take() { return std::move(out_); }

 private:
  void separate();

  std::string out_;
  bool more_ = false;  ///< something stands before in this object or list
};

/// As `parse_value` of one text, within these limits; errors begin with `what`.
Result<Value> parse_value(std::string_view json, const JsonLimits& limits, std::string_view what);

}  // namespace weft
