#include "surface/imports/foreign_chats.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include <fmt/format.h>

#include "base/strings.h"
#include "text/json.h"
#include "text/json_lookup.h"

namespace weft {

template <>
const Record<ForeignNote>& record<ForeignNote>() {
  static const auto made =
      Record<ForeignNote>("ForeignNote", "Something that was remembered elsewhere.", RecordUse::kBoth)
          .field("text", &ForeignNote::text, "what")
          .field("time", &ForeignNote::time, "when it was kept", {.sparse = true})
          .field("place", &ForeignNote::place, "whose it was", {.sparse = true});
  return made;
}

template <>
const Record<ForeignMessage>& record<ForeignMessage>() {
  static const auto made = Record<ForeignMessage>("ForeignMessage", "A message from elsewhere.", RecordUse::kBoth)
                               .field("role", &ForeignMessage::role, "user or assistant")
                               .field("name", &ForeignMessage::name, "who speaks", {.sparse = true})
                               .field("text", &ForeignMessage::text, "what was said")
                               .field("time", &ForeignMessage::time, "when", {.sparse = true});
  return made;
}

template <>
const Record<ForeignChat>& record<ForeignChat>() {
  static const auto made = Record<ForeignChat>("ForeignChat", "A conversation from elsewhere.", RecordUse::kBoth)
                               .field("id", &ForeignChat::id, "of the other system")
                               .field("title", &ForeignChat::title, "as it was called there", {.sparse = true})
                               .field("messages", &ForeignChat::messages, "oldest first");
  return made;
}

template <>
const Record<ForeignFile>& record<ForeignFile>() {
  static const auto made = Record<ForeignFile>("ForeignFile", "What another system has exported.", RecordUse::kBoth)
                               .field("source", &ForeignFile::source, "which system")
                               .field("chats", &ForeignFile::chats, "conversations", {.sparse = true})
                               .field("notes", &ForeignFile::notes, "memories without one", {.sparse = true})
                               .field("problems", &ForeignFile::problems, "what could not be read", {.sparse = true});
  return made;
}

namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostBytes = 1024 * 1024 * 1024;
constexpr std::size_t kMostProblems = 100;

// Seconds since 1970, or a written time.
Time time_of(const Json& value) {
  if (value.is_number()) return {static_cast<std::int64_t>(value.get<double>() * 1000), 0};
  return parse_time(text_of(value)).value_or({});
}

void complain(ForeignFile& file, std::string what) {
  if (file.problems.size() < kMostProblems) file.problems.push_back(std::move(what));
}

void add(ForeignChat& chat, ForeignMessage message) {
  if (!trimmed(message.text).empty()) chat.messages.push_back(std::move(message));
}

void keep(ForeignFile& file, ForeignChat chat, std::size_t number) {
  if (chat.id.empty()) chat.id = std::to_string(number);
  if (!chat.messages.empty()) file.chats.push_back(std::move(chat));
}

// ---- ChatGPT: a tree of messages, of which the last leaf shown is named ----

std::string parts_text(const Json& content) {
  std::string text;
  if (member(content, "content_type") != "text" && member(content, "content_type") != "multimodal_text") return text;
  if (const Json& parts = member(content, "parts"); parts.is_array())
    for (const Json& part : parts)
      if (part.is_string() && !part.get_ref<const std::string&>().empty())
        text += (text.empty() ? "" : "\n") + part.get<std::string>();
  return text;
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
    if (role == "user" || role == "assistant")
      add(chat, {role, {}, parts_text(member(message, "content")), time_of(member(message, "create_time"))});
    at = text_of(member(node, "parent"));
  }
  if (seen.empty()) complain(file, fmt::format("conversation {}: its messages hang together nowhere", number));
  std::reverse(chat.messages.begin(), chat.messages.end());
  keep(file, std::move(chat), number);
}

// ---- Claude ----

void read_claude(const Json& conversation, std::size_t number, ForeignFile& file) {
  ForeignChat chat{text_of(member(conversation, "uuid")), text_of(member(conversation, "name")), {}};
  for (const Json& message : member(conversation, "chat_messages")) {
    const std::string sender = text_of(member(message, "sender"));
    std::string text = text_of(member(message, "text"));
    if (const Json& blocks = member(message, "content"); text.empty() && blocks.is_array())
      for (const Json& block : blocks)
        if (member(block, "type") == "text") text += (text.empty() ? "" : "\n") + text_of(member(block, "text"));
    if (sender != "human" && sender != "assistant") {
      complain(file, fmt::format("conversation {}: a message of \"{}\"", number, sender));
      continue;
    }
    add(chat, {sender == "human" ? "user" : "assistant", {}, text, time_of(member(message, "created_at"))});
  }
  keep(file, std::move(chat), number);
}

// ---- memories without a conversation ----

void read_mem0(const Json& memories, ForeignFile& file) {
  for (const Json& memory : memories) {
    std::string place;
    for (const char* name : {"user_id", "agent_id", "run_id"})
      if (place.empty()) place = text_of(member(memory, name));
    ForeignNote note{text_of(member(memory, "memory")), time_of(member(memory, "created_at")), place};
    if (!trimmed(note.text).empty()) file.notes.push_back(std::move(note));
  }
}

void read_chroma(const Json& collection, ForeignFile& file) {
  const Json& documents = member(collection, "documents");
  const Json& ids = member(collection, "ids");
  const Json& metadatas = member(collection, "metadatas");
  for (std::size_t i = 0; i < documents.size(); ++i) {
    ForeignNote note{text_of(documents[i]), {}, i < ids.size() ? text_of(ids[i]) : ""};
    const Json metadata = metadatas.is_array() && i < metadatas.size() ? metadatas[i] : Json();
    for (const char* name : {"created_at", "timestamp", "time", "date"})
      if (note.time.ms == 0) note.time = time_of(member(metadata, name));
    if (!trimmed(note.text).empty()) file.notes.push_back(std::move(note));
  }
}

// ---- SillyTavern: a line a message ----

Result<ForeignFile> read_sillytavern(std::string_view text, std::string_view name) {
  ForeignFile file{"sillytavern", {}, {}, {}};
  ForeignChat chat{std::string(name), {}, {}};
  std::size_t number = 0;
  for (const std::string_view line : lines_of(text)) {
    ++number;
    if (trimmed(line).empty()) continue;
    const Json json = Json::parse(line, nullptr, false);
    if (!json.is_object()) {
      complain(file, fmt::format("line {}: no JSON object", number));
      continue;
    }
    if (json.contains("character_name")) chat.title = text_of(member(json, "character_name"));
    if (!json.contains("mes") || member(json, "is_system") == true) continue;
    add(chat, {member(json, "is_user") == true ? "user" : "assistant", text_of(member(json, "name")),
               text_of(member(json, "mes")), time_of(member(json, "send_date"))});
  }
  keep(file, std::move(chat), 1);
  return file;
}

Error unknown(std::string_view file) {
  return invalid_argument(
      std::string(file) + " is no export that is known",
      "known are conversations.json of ChatGPT and of Claude, memories of mem0, a collection of Chroma as "
      "JSON, and chats of SillyTavern");
}

Result<ForeignFile> read_list(const Json& list, std::string_view name) {
  const Json& first = list.front();
  ForeignFile file;
  if (first.is_object() && first.contains("memory")) {
    file.source = "mem0";
    read_mem0(list, file);
    return file;
  }
  file.source = first.is_object() && first.contains("mapping")         ? "chatgpt"
                : first.is_object() && first.contains("chat_messages") ? "claude"
                                                                       : "";
  if (file.source.empty()) return unknown(name);
  std::size_t number = 0;
  for (const Json& one : list) {
    ++number;
    if (file.source == "chatgpt" && member(one, "mapping").is_object())
      read_chatgpt(one, number, file);
    else if (file.source == "claude" && member(one, "chat_messages").is_array())
      read_claude(one, number, file);
    else
      complain(file, fmt::format("conversation {}: it has another form than the first", number));
  }
  return file;
}

}  // namespace

Result<ForeignFile> read_foreign_file(std::string_view text, std::string_view name) {
  const std::string_view body = trimmed(text, " \t\r\n\xEF\xBB\xBF");
  const auto first_line = body.substr(0, body.find('\n'));
  const Json line = Json::parse(first_line, nullptr, false);
  if (line.is_object() && (line.contains("mes") || line.contains("chat_metadata"))) return read_sillytavern(body, name);
  WEFT_CHECK(check_json(body, {.max_bytes = kMostBytes, .max_depth = 256}, name));
  const Json json = Json::parse(body);
  if (json.is_array() && !json.empty()) return read_list(json, name);
  ForeignFile file;
  if (member(json, "results").is_array()) {
    file.source = "mem0";
    read_mem0(member(json, "results"), file);
    return file;
  }
  if (!member(json, "documents").is_array() || !member(json, "ids").is_array()) return unknown(name);
  file.source = "chroma";
  read_chroma(json, file);
  return file;
}

}  // namespace weft
