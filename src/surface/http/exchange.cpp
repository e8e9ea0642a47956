#include "surface/http/exchange.h"

#include <algorithm>
#include <set>

#include "base/strings.h"

namespace weft::http {
namespace {

bool is_unreserved(char c) { return is_digit(c) || is_letter(c) || c == '-' || c == '.' || c == '_' || c == '~'; }

template <class Take>
void each_pair(std::string_view text, Take take) {
  while (!text.empty()) {
    const auto pair = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(text.size(), pair.size() + 1));
    const auto equals = pair.find('=');
    if (pair.empty()) continue;
    const auto value = equals == std::string_view::npos ? std::string_view{} : pair.substr(equals + 1);
    take(percent_decode(pair.substr(0, equals), true), percent_decode(value, true));
  }
}

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
  each_pair(text, [&](std::string name, std::string value) { out[std::move(name)] = std::move(value); });
  return out;
}

std::optional<std::string> repeated_name(std::string_view query) {
  std::set<std::string> seen;
  std::optional<std::string> repeated;
  each_pair(query, [&](std::string name, const std::string&) {
    if (!seen.insert(name).second && !repeated) repeated = std::move(name);
  });
  return repeated;
}

}  // namespace weft::http
