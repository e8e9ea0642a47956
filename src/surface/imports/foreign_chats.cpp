#include "surface/imports/foreign_chats.h"

#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "base/strings.h"
#include "surface/imports/foreign_readers.h"
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

// ---- memories without a conversation ----

void read_mem0(const Json& memories, ForeignFile& file) {
  for (const Json& memory : memories) {
    ForeignNote note{text_of(member(memory, "memory")), {}, {}};
    for (const char* name : kForeignOwners)
      if (note.place.empty()) note.place = text_of(member(memory, name));
    for (const char* name : kForeignTimes)
      if (note.time.ms == 0) note.time = foreign_time_of(member(memory, name));
    if (!trimmed(note.text).empty()) file.notes.push_back(std::move(note));
  }
}

// An entry's text may stand in its metadata alone, as mem0 and others keep it.
void read_chroma(const Json& collection, ForeignFile& file) {
  const auto at = [&](const char* name, std::size_t i) {
    const Json& all = member(collection, name);
    return all.is_array() && i < all.size() ? all[i] : Json();
  };
  for (std::size_t i = 0; i < member(collection, "ids").size(); ++i) {
    const Json metadata = at("metadatas", i);
    ForeignNote note{text_of(at("documents", i)), {}, {}};
    for (const char* name : kForeignTexts)
      if (note.text.empty()) note.text = text_of(member(metadata, name));
    for (const char* name : kForeignTimes)
      if (note.time.ms == 0) note.time = foreign_time_of(member(metadata, name));
    for (const char* name : kForeignOwners)
      if (note.place.empty()) note.place = text_of(member(metadata, name));
    if (note.place.empty()) note.place = text_of(at("ids", i));
    if (!trimmed(note.text).empty()) file.notes.push_back(std::move(note));
  }
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
  const Json line = lenient_json<Json>(first_line);
  if (is_sillytavern(line)) return read_sillytavern(body, name);
  WEFT_CHECK(check_json(body, {.max_bytes = kMostBytes, .max_depth = 256}, name));
  const Json json = Json::parse(body);
  if (json.is_array() && !json.empty()) return read_list(json, name);
  ForeignFile file;
  if (member(json, "results").is_array()) {
    file.source = "mem0";
    read_mem0(member(json, "results"), file);
    return file;
  }
  const bool texts = member(json, "documents").is_array() || member(json, "metadatas").is_array();
  if (!texts || !member(json, "ids").is_array()) return unknown(name);
  file.source = "chroma";
  read_chroma(json, file);
  return file;
}

}  // namespace weft
