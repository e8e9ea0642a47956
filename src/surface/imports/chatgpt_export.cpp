// conversations.json of ChatGPT: each conversation is a tree of messages, of which the leaf that was shown last is
// named. Branches that were given up stay out, and so does what nobody saw: calls of tools and what they gave,
// thoughts, settings, hidden messages, pictures.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "surface/imports/foreign_readers.h"
#include "text/json_lookup.h"

namespace weft {
namespace {

using Json = nlohmann::json;

// Sources and links stand in a text as names between two marks that no font shows.
std::string without_marks(const std::string& text) {
  constexpr std::string_view kBegin = "\xEE\x88\x80", kEnd = "\xEE\x88\x81";  // U+E200, U+E201
  std::string out;
  std::size_t at = 0;
  for (;;) {
    const auto begin = text.find(kBegin, at);
    const auto end = begin == std::string::npos ? begin : text.find(kEnd, begin);
    if (end == std::string::npos) return out + text.substr(at);
    out.append(text, at, begin - at);
    at = end + kEnd.size();
  }
}

// What was said aloud stands there as it was written down.
std::string text_of_part(const Json& part) {
  if (part.is_string()) return part.get<std::string>();
  return member(part, "content_type") == "audio_transcription" ? text_of(member(part, "text")) : std::string();
}

std::string text_of_content(const Json& content) {
  std::string text;
  if (member(content, "content_type") != "text" && member(content, "content_type") != "multimodal_text") return text;
  const Json& parts = member(content, "parts");
  if (!parts.is_array()) return text;
  for (const Json& part : parts)
    if (const std::string one = text_of_part(part); !one.empty()) text += (text.empty() ? "" : "\n") + one;
  return without_marks(text);
}

bool is_shown(const Json& message) {
  const std::string to = text_of(member(message, "recipient"));
  return (to.empty() || to == "all") &&
         member(member(message, "metadata"), "is_visually_hidden_from_conversation") != true;
}

// Without a leaf that is named: one whose message came last.
std::string last_leaf(const Json& mapping) {
  std::string best;
  double newest = -1;
  for (const auto& [id, node] : mapping.items()) {
    const Json& time = member(member(node, "message"), "create_time");
    const double at = time.is_number() ? time.get<double>() : 0;
    if (member(node, "children").empty() && at > newest) newest = at, best = id;
  }
  return best;
}

}  // namespace

void read_chatgpt(const Json& conversation, std::size_t number, ForeignFile& file) {
  const Json& mapping = member(conversation, "mapping");
  ForeignChat chat{text_of(member(conversation, "conversation_id")), text_of(member(conversation, "title")), {}};
  if (chat.id.empty()) chat.id = text_of(member(conversation, "id"));
  std::string at = text_of(member(conversation, "current_node"));
  if (!mapping.contains(at)) at = last_leaf(mapping);
  std::set<std::string> seen;
  while (!at.empty() && mapping.contains(at) && seen.insert(at).second) {
    const Json& node = mapping.at(at);
    const Json& message = member(node, "message");
    const std::string role = text_of(member(member(message, "author"), "role"));
    if ((role == "user" || role == "assistant") && is_shown(message))
      add(chat,
          {role, {}, text_of_content(member(message, "content")), foreign_time_of(member(message, "create_time"))});
    at = text_of(member(node, "parent"));
  }
  if (seen.empty()) complain(file, fmt::format("conversation {}: its messages hang together nowhere", number));
  if (!seen.empty() && !at.empty())
    complain(file,
             fmt::format("conversation {}: its beginning is missing, before the message {}", number, at.substr(0, 40)));
  std::reverse(chat.messages.begin(), chat.messages.end());
  keep(file, std::move(chat), number);
}

}  // namespace weft
