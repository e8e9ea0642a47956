#pragma once

#include <string>
#include <vector>

#include "text/record.h"

namespace weft {

/// A list for programs: {"NAME":[…]}.
template <class T>
std::string json_list(const char* name, const std::vector<T>& all) {
  JsonWriter out;
  out.begin('{');
  out.name(name);
  JsonForm<std::vector<T>>::write(all, out);
  out.end('}');
  return out.take();
}

}  // namespace weft
