#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "weft/ids.h"
#include "weft/message.h"

namespace weft {

/// What a message has beyond role, name, time and content, as JSON; empty when there is nothing. The original JSON is
/// kept only where the parts cannot say the same, as for images.
std::string encode_extra(const Message& message);
void decode_extra(std::string_view json, Message& message);

std::string encode_sources(const std::vector<MessageId>& sources);
std::vector<MessageId> decode_sources(std::string_view json);

/// Numbers as their bytes; the store is read on machines of the same byte order only.
template <class T>
std::string_view as_bytes(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

template <class T>
std::vector<T> from_bytes(std::string_view bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::copy_n(bytes.data(), values.size() * sizeof(T), reinterpret_cast<char*>(values.data()));
  return values;
}

}  // namespace weft
