#pragma once

#include <string>
#include <utility>

#include "weft/message.h"

namespace weft {

/// A message that Weft itself writes.
inline Message make_message(Role role, std::string content) {
  Message message;
  message.role = role;
  message.content = std::move(content);
  return message;
}

}  // namespace weft
