#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace weft {

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

}  // namespace weft
