#include "surface/http/exchange.h"

#include "base/ascii.h"

namespace weft::http {
namespace {

int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool is_unreserved(char c) { return is_digit(c) || is_letter(c) || c == '-' || c == '.' || c == '_' || c == '~'; }

}  // namespace

std::string_view Request::header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (key == name) return value;
  }
  return {};
}

std::string percent_decode(std::string_view text, bool plus_is_space) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int high = text[i] == '%' && i + 2 < text.size() ? hex_value(text[i + 1]) : -1;
    const int low = high >= 0 ? hex_value(text[i + 2]) : -1;
    if (low >= 0) {
      out += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      out += plus_is_space && text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
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
