#include "surface/http/exchange.h"

#include "base/ascii.h"

namespace weft::http {
namespace {

bool is_unreserved(char c) { return is_digit(c) || is_letter(c) || c == '-' || c == '.' || c == '_' || c == '~'; }

}  // namespace

std::string_view Request::header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (key == name) return value;
  }
  return {};
}

std::string percent_encode(std::string_view text) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    if (is_unreserved(c)) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += {'%', kHex[byte >> 4], kHex[byte & 15]};
  }
  return out;
}

std::map<std::string, std::string> parse_query(std::string_view text) {
  std::map<std::string, std::string> out;
  while (!text.empty()) {
    const auto pair = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(text.size(), pair.size() + 1));
    const auto equals = pair.find('=');
    if (pair.empty()) continue;
    const auto value = equals == std::string_view::npos ? std::string_view{} : pair.substr(equals + 1);
    out[percent_decode(pair.substr(0, equals), true)] = percent_decode(value, true);
  }
  return out;
}

}  // namespace weft::http
