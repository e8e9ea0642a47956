#include "surface/mcp/http_headers.h"

#include <string>

#include "base/ascii.h"
#include "surface/mcp/revision.h"

namespace weft::mcp {
namespace {

constexpr std::string_view kEncodedBegin = "=?base64?", kEncodedEnd = "?=";

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// Nothing where it is no base64.
std::optional<std::string> from_base64(std::string_view text) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  while (text.ends_with('=')) text.remove_suffix(1);
  std::string out;
  unsigned held = 0, bits = 0;
  for (const char c : text) {
    const auto digit = kDigits.find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    held = (held << 6 | static_cast<unsigned>(digit)) & 0xFFFF;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    out += static_cast<char>(held >> bits & 0xFF);
  }
  return out;
}

// Names that no header can carry come encoded.
std::optional<std::string> decoded(std::string_view value) {
  if (!value.starts_with(kEncodedBegin) || !value.ends_with(kEncodedEnd)) return std::string(value);
  value.remove_prefix(kEncodedBegin.size());
  return from_base64(value.substr(0, value.size() - std::min(value.size(), kEncodedEnd.size())));
}

RpcError mismatch(std::string_view header, std::string_view why) {
  return {RpcCode::kHeaderMismatch, "the header " + std::string(header) + " " + std::string(why), {}};
}

std::optional<RpcError> compare(std::string_view header, std::string_view value, std::string_view wanted) {
  if (value.empty()) return mismatch(header, "is missing");
  const auto said = decoded(value);
  if (said && *said == wanted) return std::nullopt;
  return mismatch(header, "does not say what the message says");
}

std::string named_in(const RpcMessage& message) {
  if (message.method == "tools/call" || message.method == "prompts/get") return text_of(message.params, "name");
  return message.method == "resources/read" ? text_of(message.params, "uri") : std::string();
}

}  // namespace

bool accepts(const http::Request& request, std::string_view type) {
  const std::string_view all = request.header("accept");
  if (all.empty()) return type == "application/json";
  const std::string family = std::string(type.substr(0, type.find('/'))) + "/*";
  for (std::string_view rest = all; !rest.empty();) {
    const std::string_view one = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), one.size() + 1));
    std::string name;
    for (const char c : trimmed(one.substr(0, one.find(';')))) name += to_lower(c);
    if (name == type || name == "*/*" || name == family) return true;
  }
  return false;
}

std::optional<RpcError> header_mismatch(const http::Request& request, const RpcMessage& message) {
  const Value* meta = meta_of(message.params);
  const std::string revision = meta == nullptr ? std::string() : text_of(*meta, kMetaVersion);
  const auto header = [&](std::string_view name) { return trimmed(request.header(name)); };
  if (!revision.empty())
    if (auto wrong = compare("MCP-Protocol-Version", header("mcp-protocol-version"), revision)) return wrong;
  if (auto wrong = compare("Mcp-Method", header("mcp-method"), message.method)) return wrong;
  const std::string name = named_in(message);
  if (name.empty()) return std::nullopt;
  return compare("Mcp-Name", header("mcp-name"), name);
}

}  // namespace weft::mcp
