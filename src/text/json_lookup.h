#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace weft {

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

}  // namespace weft
