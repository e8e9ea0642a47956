#pragma once

#include <string>
#include <string_view>

#include "base/thread_scoped.h"

namespace weft {

/// Says, as long as it lives, for which request this thread works: lines of the log and answers with an error name it,
/// so that one is found by the other. Empty: for none. What is handed to another thread takes `current()` along. For
/// one thread, as a local variable.
class RequestMark : public ThreadScoped<RequestMark, std::string> {
 public:
  using ThreadScoped::ThreadScoped;
};

/// Whether a text from outside may name a request: 1 to 128 letters, digits and "-_.:".
bool is_request_id(std::string_view text);

/// A new one, by chance.
std::string new_request_id();

}  // namespace weft
