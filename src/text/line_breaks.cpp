#include "text/line_breaks.h"

#include "text/utf8.h"

namespace weft {

std::string with_line_breaks_as(std::string_view by, std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char32_t c = next_code_point(text, at);
    const bool breaks = (c >= 0x0A && c <= 0x0D) || c == 0x85 || c == 0x2028 || c == 0x2029;
    out += breaks ? by : text.substr(begin, at - begin);
  }
  return out;
}

}  // namespace weft
