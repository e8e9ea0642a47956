#include "model/added_text.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "text/json.h"

namespace weft {
namespace {

enum class End { kFront, kBack };

// A JSON text, of which a part is replaced by another.
std::string replaced(std::string_view json, std::string_view part, std::string_view by) {
  const auto at = static_cast<std::size_t>(part.data() - json.data());
  return std::string(json.substr(0, at)).append(by).append(json.substr(at + part.size()));
}

std::string as_string(std::string_view text) { return write_json(nlohmann::json(text)); }

// A JSON string with more text in it; what it holds stays written as it is.
std::string grown(std::string_view string, std::string_view text, End end) {
  std::string added = as_string(text);
  if (end == End::kFront) return added.substr(0, added.size() - 1).append(string.substr(1));
  return std::string(string.substr(0, string.size() - 1)).append(added.substr(1));
}

// The JSON string that a part's text is; empty where it is of another kind.
std::string_view text_of_part(std::string_view part) {
  if (part.starts_with('"')) return part;
  if (!part.starts_with('{')) return {};
  const std::string_view type = json_member(part, "type");
  if (type != R"("text")" && type != R"("input_text")" && type != R"("output_text")") return {};
  const std::string_view text = json_member(part, "text");
  return text.starts_with('"') ? text : std::string_view();
}

// OpenAI's Responses API calls parts otherwise than chat completions do.
bool has_input_parts(const std::vector<std::string_view>& parts) {
  return std::any_of(parts.begin(), parts.end(), [](std::string_view part) {
    return part.starts_with('{') && json_member(part, "type").starts_with(R"("input_)");
  });
}

std::string with_part(std::string_view array, std::string_view text, End end) {
  const auto parts = json_elements(array);
  const std::string part = (has_input_parts(parts) ? R"({"type":"input_text","text":)" : R"({"type":"text","text":)") +
                           as_string(text) + "}";
  if (parts.empty()) return "[" + part + "]";
  if (end == End::kFront) return "[" + part + "," + std::string(array.substr(1));
  return std::string(array.substr(0, array.size() - 1)) + "," + part + "]";
}

std::string grown_array(std::string_view array, std::string_view text, End end) {
  auto parts = json_elements(array);
  if (end == End::kBack) std::reverse(parts.begin(), parts.end());
  for (const std::string_view part : parts) {
    const std::string_view own = text_of_part(part);
    if (!own.empty()) return replaced(array, own, grown(own, text, end));
  }
  return with_part(array, text, end);
}

std::string grown_content(std::string_view content, std::string_view text, End end) {
  if (content.starts_with('"')) return grown(content, text, end);
  if (content.starts_with('[')) return grown_array(content, text, end);
  return as_string(text);
}

std::string grown_message(std::string_view raw, std::string_view text, End end) {
  const auto begin = raw.find_first_not_of(" \n\r\t\xEF\xBB\xBF");
  if (begin == std::string_view::npos || raw[begin] != '{' || text.empty()) return std::string(raw);
  std::string_view content = json_member(raw, "content");
  if (content.empty()) content = json_member(raw, "text");  // as the reader of messages takes it
  if (!content.empty()) return replaced(raw, content, grown_content(content, text, end));
  const auto close = raw.rfind('}');
  const bool alone = json_members(raw).empty();
  return std::string(raw.substr(0, close))
      .append(alone ? "" : ",")
      .append(R"("content":)")
      .append(as_string(text))
      .append(raw.substr(close));
}

}  // namespace

std::string with_text_before(std::string_view raw_message, std::string_view text) {
  return grown_message(raw_message, text, End::kFront);
}

std::string with_text_after(std::string_view raw_message, std::string_view text) {
  return grown_message(raw_message, text, End::kBack);
}

Message with_text_before(Message message, std::string_view text) {
  if (!message.raw.empty()) message.raw = with_text_before(message.raw, text);
  message.content.insert(0, text);
  return message;
}

Message with_text_after(Message message, std::string_view text) {
  if (!message.raw.empty()) message.raw = with_text_after(message.raw, text);
  message.content.append(text);
  return message;
}

}  // namespace weft
