#include "surface/http/host_header.h"

#include <algorithm>
#include <string_view>

#include "base/ascii.h"

namespace weft::http {
namespace {

bool is_name_char(char c) {
  return is_digit(c) || is_letter(c) || std::string_view("-._~%!$&'()*+,;=").find(c) != std::string_view::npos;
}

bool is_address_char(char c) {
  return is_digit(c) || is_letter(c) || std::string_view(":.%-_~").find(c) != std::string_view::npos;
}

bool is_port(std::string_view text) {
  constexpr std::size_t kMostDigits = 5;
  return text.size() <= kMostDigits && std::all_of(text.begin(), text.end(), [](char c) { return is_digit(c); });
}

bool is_host(std::string_view value) {
  std::string_view host = value, rest;
  const bool in_brackets = value.starts_with('[');
  const auto end = in_brackets ? value.find(']') : value.find(':');
  if (in_brackets) {
    if (end == std::string_view::npos) return false;
    host = value.substr(1, end - 1);
    rest = value.substr(end + 1);
  } else if (end != std::string_view::npos) {
    host = value.substr(0, end);
    rest = value.substr(end);
  }
  if (!rest.empty() && (rest.front() != ':' || !is_port(rest.substr(1)))) return false;
  return !host.empty() && std::all_of(host.begin(), host.end(), in_brackets ? is_address_char : is_name_char);
}

Refusal refusal(const char* what) {
  return {400, invalid_argument(what, "send one header Host: NAME or NAME:PORT, as in the address that is asked")};
}

}  // namespace

std::optional<Refusal> check_host(const Request& head, bool needed) {
  const auto is_it = [](const auto& header) { return header.first == "host"; };
  const auto count = std::count_if(head.headers.begin(), head.headers.end(), is_it);
  if (count > 1) return refusal("the header Host stands there more than once");
  if (count == 0) return needed ? std::optional(refusal("the header Host is missing")) : std::nullopt;
  if (!is_host(head.header("host"))) return refusal("the header Host names no host");
  return std::nullopt;
}

}  // namespace weft::http
