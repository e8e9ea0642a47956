#include "model/media_tokens.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "text/json.h"
#include "text/tokens.h"

namespace weft {
namespace {

constexpr std::int64_t kSmallImage = 85;   // OpenAI's "low" detail
constexpr std::int64_t kImage = 1200;      // one of about a megapixel, between the counts of the large providers
constexpr std::int64_t kPage = 2000;       // of a PDF: its text, and often its picture as well
constexpr std::int64_t kMostPages = 1000;  // that providers take
constexpr std::int64_t kBytesAPage = 50'000;
constexpr std::int64_t kLeastOther = 256;  // sounds and other files tell their length by their bytes only
constexpr std::int64_t kMostOther = 16'384;
constexpr std::int64_t kBytesAToken = 512;
constexpr int kMostNested = 8;

std::string text_member(std::string_view object, std::string_view name) {
  return json_text(json_member(object, name)).value_or({});
}

// The bytes that a base64 text stands for; other characters are left out.
std::string decoded(std::string_view base64) {
  std::string bytes;
  bytes.reserve(base64.size() / 4 * 3);
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : base64) {
    int value = -1;
    if (c >= 'A' && c <= 'Z') value = c - 'A';
    if (c >= 'a' && c <= 'z') value = c - 'a' + 26;
    if (c >= '0' && c <= '9') value = c - '0' + 52;
    if (c == '+' || c == '-') value = 62;
    if (c == '/' || c == '_') value = 63;
    if (value < 0) continue;
    bits = (bits << 6) | static_cast<std::uint32_t>(value);
    if (++count % 4 == 1) continue;
    constexpr std::array<int, 4> kShift = {0, 0, 4, 2};
    const int shift = kShift[static_cast<std::size_t>(count % 4)];
    bytes.push_back(static_cast<char>((bits >> shift) & 0xFF));
  }
  return bytes;
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Objects of a PDF that are a page; where they are packed, the largest number of pages that it tells, or a guess.
std::int64_t pages_of(std::string_view pdf) {
  std::int64_t pages = 0, told = 0;
  for (auto at = pdf.find("/Type"); at != std::string_view::npos; at = pdf.find("/Type", at + 5)) {
    const auto name = pdf.find_first_not_of(" \r\n\t", at + 5);
    if (name == std::string_view::npos || !pdf.substr(name).starts_with("/Page")) continue;
    if (name + 5 >= pdf.size() || !is_letter(pdf[name + 5])) ++pages;
  }
  for (auto at = pdf.find("/Count"); at != std::string_view::npos; at = pdf.find("/Count", at + 6)) {
    const auto digits = pdf.find_first_not_of(' ', at + 6);
    std::int64_t count = 0;
    if (digits != std::string_view::npos) std::from_chars(pdf.data() + digits, pdf.data() + pdf.size(), count);
    told = std::max(told, count);
  }
  if (pages == 0) pages = told > 0 ? told : static_cast<std::int64_t>(pdf.size()) / kBytesAPage + 1;
  return std::min(pages, kMostPages);
}

std::int64_t tokens_of_other(std::size_t bytes) {
  return std::clamp(static_cast<std::int64_t>(bytes) / kBytesAToken, kLeastOther, kMostOther);
}

// A file that is sent along, as base64 or as a data URL.
std::int64_t tokens_of_data(std::string_view data, std::string_view kind) {
  if (data.starts_with("data:")) {
    const auto comma = data.find(',');
    kind = data.substr(0, comma);
    data.remove_prefix(comma == std::string_view::npos ? data.size() : comma + 1);
  }
  constexpr std::string_view kPdf = "JVBERi";  // "%PDF-"
  if (data.starts_with(kPdf)) return kPage * pages_of(decoded(data));
  if (kind.find("text/") != std::string_view::npos) return estimate_tokens(decoded(data), TokenMode::kScript);
  return tokens_of_other(data.size());
}

std::int64_t tokens_of_content(std::string_view content, bool with_text, int depth);

std::int64_t tokens_of_document(std::string_view part, int depth) {
  const std::string_view source = json_member(part, "source");
  if (!source.starts_with('{')) return tokens_of_other(part.size());
  const std::string type = text_member(source, "type");
  if (type == "text") return estimate_tokens(text_member(source, "data"), TokenMode::kScript);
  if (type == "content") return tokens_of_content(json_member(source, "content"), true, depth + 1);
  if (type == "base64") return tokens_of_data(text_member(source, "data"), text_member(source, "media_type"));
  return tokens_of_other(part.size());
}

std::int64_t tokens_of_file(std::string_view part) {
  std::string_view file = json_member(part, "file");
  if (!file.starts_with('{')) file = part;
  const std::string data = text_member(file, "file_data");
  return data.empty() ? tokens_of_other(part.size()) : tokens_of_data(data, {});
}

/// `with_text`: texts count as well, since they do not stand in the message's own.
std::int64_t tokens_of_part(std::string_view part, bool with_text, int depth) {
  if (!part.starts_with('{')) return 0;
  const std::string type = text_member(part, "type");
  const auto is_kind = [&](std::string_view kind) { return type.find(kind) != std::string::npos; };
  if (type == "tool_result") return tokens_of_content(json_member(part, "content"), false, depth + 1);
  if (type == "search_result") return tokens_of_content(json_member(part, "content"), true, depth + 1);
  if (is_kind("text")) return with_text ? estimate_tokens(text_member(part, "text"), TokenMode::kScript) : 0;
  if (is_kind("thinking") || is_kind("tool") || is_kind("refusal")) return 0;
  if (type == "document") return tokens_of_document(part, depth);
  if (is_kind("file")) return tokens_of_file(part);
  if (is_kind("image") || is_kind("screenshot")) {
    const std::string_view image = json_member(part, "image_url");
    const bool in_image = image.starts_with('{') && json_member(image, "detail") == R"("low")";
    return in_image || json_member(part, "detail") == R"("low")" ? kSmallImage : kImage;
  }
  return tokens_of_other(part.size());
}

std::int64_t tokens_of_content(std::string_view content, bool with_text, int depth) {
  if (depth > kMostNested) return 0;
  if (content.starts_with('"'))
    return with_text ? estimate_tokens(json_text(content).value_or({}), TokenMode::kScript) : 0;
  if (content.starts_with('{')) return tokens_of_part(content, with_text, depth);
  if (!content.starts_with('[')) return 0;
  std::int64_t tokens = 0;
  for (const std::string_view part : json_elements(content)) tokens += tokens_of_part(part, with_text, depth);
  return tokens;
}

}  // namespace

std::int64_t media_tokens(std::string_view raw_message) {
  if (!raw_message.starts_with('{')) return 0;
  std::int64_t tokens = 0;
  if (const auto content = json_member(raw_message, "content"); content.starts_with('['))
    tokens += tokens_of_content(content, false, 0);
  // An output in the Responses API is a list, or a screenshot.
  const std::string_view output = json_member(raw_message, "output");
  if (output.starts_with('[') || (output.starts_with('{') && !json_member(output, "image_url").empty()))
    tokens += tokens_of_content(output, false, 0);
  return tokens;
}

}  // namespace weft
