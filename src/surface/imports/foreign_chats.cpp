#include "surface/imports/foreign_chats.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "base/strings.h"
#include "surface/imports/foreign_readers.h"
#include "text/json.h"
#include "text/utf8.h"

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
                               .field("id", &ForeignMessage::id, "its own in the other system", {.sparse = true})
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
                               .field("time", &ForeignChat::time, "when it began", {.sparse = true})
                               .field("messages", &ForeignChat::messages, "oldest first");
  return made;
}

template <>
const Record<ForeignTally>& record<ForeignTally>() {
  static const auto made =
      Record<ForeignTally>("ForeignTally", "How many of a kind there are, and where.", RecordUse::kBoth)
          .field("kind", &ForeignTally::kind, "what they are")
          .field("count", &ForeignTally::count, "how many")
          .field("where", &ForeignTally::where, "where the first of them are", {.sparse = true});
  return made;
}

template <>
const Record<ForeignFile>& record<ForeignFile>() {
  static const auto made =
      Record<ForeignFile>("ForeignFile", "What another system has exported.", RecordUse::kBoth)
          .field("source", &ForeignFile::source, "which system")
          .field("chats", &ForeignFile::chats, "conversations", {.sparse = true})
          .field("notes", &ForeignFile::notes, "memories without one", {.sparse = true})
          .field("problems", &ForeignFile::problems, "what could not be read", {.sparse = true})
          .field("left_out", &ForeignFile::left_out, "what was read and is not taken in", {.sparse = true})
          .field("assumed", &ForeignFile::assumed, "what the export does not say", {.sparse = true});
  return made;
}

namespace {

using Json = nlohmann::json;

constexpr JsonLimits kBounds{1024 * 1024 * 1024, 256};

void keep_note(ForeignFile& file, ForeignNote note, const std::string& id) {
  if (trimmed(note.text).empty()) return tally(file.left_out, "entry without text", id);
  file.notes.push_back(std::move(note));
}

// ---- memories without a conversation ----

void read_mem0(const Json& memories, ForeignFile& file) {
  for (const Json& memory : memories) {
    ForeignNote note{text_of(member(memory, "memory")), {}, {}};
    for (const char* name : kForeignOwners)
      if (note.place.empty()) note.place = text_of(member(memory, name));
    for (const char* name : kForeignTimes)
      if (note.time.ms == 0) note.time = foreign_time_of(member(memory, name));
    keep_note(file, std::move(note), text_of(member(memory, "id")));
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
    keep_note(file, std::move(note), text_of(at("ids", i)));
  }
}

Error unknown(std::string_view file) {
  return not_found(
      std::string(file) + " is no export that is known",
      "known are the ZIP or the conversations.json of ChatGPT and of Claude, memories of mem0, a collection of Chroma "
      "as JSON, and chats of SillyTavern");
}

// Whose element of an export this is; empty: nobody's that is known.
std::string source_of(const Json& element) {
  const auto has = [&](const char* name) { return element.is_object() && element.contains(name); };
  if (has("memory")) return "mem0";
  if (has("mapping") || (has("messages") && has("conversation_id"))) return "chatgpt";
  const bool project = has("docs") && has("uuid");
  return has("chat_messages") || has("conversations_memory") || has("project_memories") || project ? "claude" : "";
}

// Halves of pairs, which a program that cut a text in the middle of a character left behind, become U+FFFD.
std::string without_lone_surrogates(std::string_view json) {
  const auto unit = [&](std::size_t at) -> unsigned {
    unsigned value = 0;
    const auto [end, failed] = std::from_chars(json.data() + std::min(at + 2, json.size()),
                                               json.data() + std::min(at + 6, json.size()), value, 16);
    const bool whole = at + 6 <= json.size() && json[at] == '\\' && json[at + 1] == 'u' && end == json.data() + at + 6;
    return failed == std::errc() && whole ? value : 0;
  };
  const auto in = [](unsigned value, unsigned from) { return value >= from && value < from + 0x400; };
  std::string out;
  for (std::size_t at = 0; at < json.size();) {
    if (json[at] != '\\') {
      out += json[at++];
      continue;
    }
    const unsigned value = unit(at);
    const bool pair = in(value, 0xD800) && in(unit(at + 6), 0xDC00);
    const std::size_t size = pair ? 12 : value != 0 ? 6 : 2;
    if (!pair && (in(value, 0xD800) || in(value, 0xDC00)))
      out += "\\uFFFD";
    else
      out += json.substr(at, size);
    at = std::min(at + size, json.size());
  }
  return out;
}

// One element of an export on its own, so that a broken one, which is given as discarded, stops no other. Broken
// characters are no reason to lose it.
Json read_element(std::string_view text, std::size_t number, ForeignFile& file) {
  const std::string what = fmt::format("conversation {}", number);
  Status fine = check_json(text, kBounds, what);
  std::string mended;
  if (!fine.ok() && fine.error().code == ErrorCode::kInvalidArgument) {
    mended = without_lone_surrogates(repair_utf8(text));
    if (mended != text && check_json(mended, kBounds, what).ok()) {
      complain(file, what + ": broken characters were replaced");
      fine = Status();
      text = mended;
    }
  }
  if (fine.ok()) return Json::parse(text);
  complain(file, fine.error().message);
  return Json(Json::value_t::discarded);
}

Result<ForeignFile> read_list(const std::vector<std::string_view>& elements, std::string_view name) {
  ForeignFile file;
  std::size_t number = 0;
  bool broken = false;
  for (const std::string_view text : elements) {
    const Json element = read_element(text, ++number, file);
    const std::string source = source_of(element);
    if (file.source.empty()) file.source = source;
    if (element.is_discarded()) {
      broken = true;
    } else if (source.empty() || source != file.source) {
      complain(file, fmt::format("conversation {}: it has no form that is known", number));
    } else if (source == "mem0") {
      read_mem0(Json::array({element}), file);
    } else if (source == "chatgpt") {
      read_chatgpt(element, number, file);
    } else {
      read_claude(element, number, file);
    }
  }
  if (!file.source.empty()) return file;
  if (broken) return invalid_argument(fmt::format("{}: {}", name, file.problems.front()), "export it again");
  return unknown(name);
}

Result<ForeignFile> read_object(std::string_view body, std::string_view name) {
  WEFT_CHECK(check_json(body, kBounds, name));
  if (const std::string_view all = json_member(body, "conversations"); all.starts_with("["))
    return read_list(json_elements(all), name);
  const Json json = Json::parse(body);
  if (!source_of(json).empty()) return read_list({body}, name);
  ForeignFile file;
  if (member(json, "results").is_array()) {
    file.source = "mem0";
    read_mem0(member(json, "results"), file);
    if (const auto count = list_in(json, "relations").size(); count > 0)
      tally(file.left_out, "relation of a graph", "relations", count);
    return file;
  }
  const bool texts = member(json, "documents").is_array() || member(json, "metadatas").is_array();
  if (!texts || !member(json, "ids").is_array()) return unknown(name);
  file.source = "chroma";
  read_chroma(json, file);
  return file;
}

}  // namespace

Result<ForeignFile> read_foreign_file(std::string_view text, std::string_view name) {
  const std::string_view body = trimmed(text, " \t\r\n\xEF\xBB\xBF");
  if (body.size() > kBounds.max_bytes) return check_json(body, kBounds, name).error();
  if (body.starts_with("[")) return read_list(json_elements(body), name);
  const auto first_line = body.substr(0, body.find('\n'));
  if (check_json(first_line, kBounds, name).ok() && is_sillytavern(Json::parse(first_line)))
    return read_sillytavern(body, name);
  return read_object(body, name);
}

}  // namespace weft
