#pragma once

#include <string>
#include <string_view>

namespace weft {

/// Who wrote a short message and to whom, as the message itself says it at its beginning: 发给李雷：韩梅梅：…,
/// 来自李雷：…. All empty where it says nothing.
struct MessageLabel {
  std::string partner;  ///< who is written to or has written
  std::string speaker;  ///< who wrote it; empty: not said
  std::string hearer;   ///< who is written to; empty: not said
};

MessageLabel message_label(std::string_view text);

}  // namespace weft
