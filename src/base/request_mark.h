#pragma once

#include <string>
#include <string_view>

namespace weft {

/// Says, as long as it lives, for which request this thread works: lines of the log and answers with an error name it,
/// so that one is found by the other. What is handed to another thread takes `current()` along. For one thread, as a
/// local variable.
class RequestMark {
 public:
  explicit RequestMark(std::string id);
  ~RequestMark();
  RequestMark(const RequestMark&) = delete;
  RequestMark& operator=(const RequestMark&) = delete;

  /// Empty where the thread works for no request.
  static std::string current();

 private:
  std::string id_;
  RequestMark* outer_;
};

/// Whether a text from outside may name a request: 1 to 128 letters, digits and "-_.:".
bool is_request_id(std::string_view text);

/// A new one, by chance.
std::string new_request_id();

}  // namespace weft
