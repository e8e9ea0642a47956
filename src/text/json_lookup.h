#pragma once

#include <string>

namespace weft {

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
