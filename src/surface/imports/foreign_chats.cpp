#include "surface/imports/foreign_chats.h"

#include <fmt/format.h>
#include <xxhash.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <span>

#include "base/strings.h"
#include "ports/files/file_system.h"
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

template <>
const Record<ForeignPlace>& record<ForeignPlace>() {
  static const auto made = Record<ForeignPlace>("ForeignPlace", "Of whom or what notes are.", RecordUse::kBoth)
                               .field("name", &ForeignPlace::name, "as the other system calls it")
                               .field("notes", &ForeignPlace::notes, "how many");
  return made;
}

template <>
const Record<StagedImport>& record<StagedImport>() {
  static const auto made =
      Record<StagedImport>("StagedImport", "An import that lies ready.", RecordUse::kBoth)
          .field("id", &StagedImport::id, "its own")
          .field("source", &StagedImport::source, "which system it comes from")
          .field("file", &StagedImport::file, "the file that it comes from")
          .field("owner", &StagedImport::owner, "whose memory it is for")
          .field("chats", &StagedImport::chats, "conversations")
          .field("messages", &StagedImport::messages, "messages in them")
          .field("notes", &StagedImport::notes, "memories without a conversation")
          .field("places", &StagedImport::places, "whose the memories are there", {.sparse = true})
          .field("stage", &StagedImport::stage, "staged, or accepted")
          .field("problems", &StagedImport::problems, "what could not be read", {.sparse = true})
          .field("left_out", &StagedImport::left_out, "what is not taken in", {.sparse = true})
          .field("assumed", &StagedImport::assumed, "what the export does not say", {.sparse = true});
  return made;
}

template <>
const Record<AcceptedImport>& record<AcceptedImport>() {
  static const auto made =
      Record<AcceptedImport>("AcceptedImport", "What was taken in.", RecordUse::kTold)
          .field("id", &AcceptedImport::id, "of the import")
          .field("chats", &AcceptedImport::chats, "conversations")
          .field("messages", &AcceptedImport::messages, "new messages in them")
          .field("notes", &AcceptedImport::notes, "memories without a conversation")
          .field("problems", &AcceptedImport::problems, "what could not be read", {.sparse = true})
          .field("left_out", &AcceptedImport::left_out, "what is not taken in", {.sparse = true})
          .field("assumed", &AcceptedImport::assumed, "what the export does not say", {.sparse = true});
  return made;
}

namespace {

constexpr std::size_t kAtOnce = 200;  // messages of one call
constexpr std::size_t kWholeSession = 10'000'000;  // messages
constexpr std::size_t kMostId = 200;  // bytes of a foreign id within ours
constexpr std::string_view kOlderBranch = "message of a branch that is older than the one that is remembered";

// An id of ours made from one of the other system: itself, or, where it is too long or has bytes that ids must not
// have, a hash of it.
std::string own_id(const std::string& id) {
  if (id.size() <= kMostId && check_id(id, "id").ok()) return id;
  return fmt::format("{:016x}", XXH3_64bits(id.data(), id.size()));
}

// A message without any known time keeps none; the import's own time would be wrong.
Message message_of(const ForeignMessage& said, const std::string& chat) {
  Message message = said.role == "user" ? Message::user(said.text) : Message::assistant(said.text);
  if (!said.id.empty()) message.id = MessageId(own_id(chat + "#" + said.id));
  message.name = said.name;
  message.time = said.time;
  return message;
}

bool says_the_same(const Message& a, const Message& b) {
  return a.role == b.role && trimmed(a.content) == trimmed(b.content);
}

// How many messages two branches have in common from their first one on.
std::size_t in_common(const std::vector<StoredMessage>& kept, const std::vector<Message>& branch) {
  std::size_t count = 0;
  while (count < std::min(kept.size(), branch.size()) && says_the_same(kept[count].message, branch[count])) ++count;
  return count;
}

// Chats of SillyTavern were called by the path of their file. One that was taken in so goes on under that name; another
// chat in a file of that name does not.
Result<SessionId> session_of(const ForeignChat& chat, const ForeignFile& file, const std::string& path,
                             const std::vector<Message>& branch, const Engine& engine, const RequestContext& request) {
  const std::string prefix = "import:" + file.source + ":";
  const SessionId former(prefix + path.substr(0, kMostId));
  if (file.source == "sillytavern" && check_id(former.str(), "session id").ok()) {
    WEFT_TRY(const auto known, engine.session(request, former).history(kWholeSession));
    const std::size_t same = in_common(known, branch);
    if (same > 0 && (same == known.size() || (same > 1 && 2 * same >= known.size()))) return former;
  }
  return SessionId(prefix + own_id(chat.id));
}

// Other programs may call an edited message as they called it before: then a number stands behind its id.
Status free_ids(const Memory& memory, std::size_t from, std::vector<Message>& branch) {
  std::set<std::string> given;
  for (std::size_t i = from; i < branch.size(); ++i) {
    const std::string id = branch[i].id.str();
    for (int number = 2; !id.empty(); ++number) {
      WEFT_TRY(const auto taken, memory.branch_to(branch[i].id));
      if (taken.empty() && given.insert(branch[i].id.str()).second) break;
      branch[i].id = MessageId(fmt::format("{}~{}", id, number));
    }
  }
  return {};
}

// Whether a branch was taken in and left: then the import is an old one, taken in again.
Result<bool> was_left(const Memory& memory, const std::vector<Message>& branch) {
  const std::string id = branch.back().id.str();
  MessageId last = branch.back().id;
  for (int number = 2; !id.empty(); ++number) {
    WEFT_TRY(const auto known, memory.branch_to(last));
    if (known.empty()) return false;
    if (in_common(known, branch) == branch.size()) return true;
    last = MessageId(fmt::format("{}~{}", id, number));
  }
  return false;
}

// Takes in the branch that an export shows. What the session knows is recognised by what is said; the session goes on
// with this branch, unless the one that it has ends later: then the export is older.
Status take_chat(const ForeignChat& chat, std::vector<Message> branch, const Session& session, const Memory& memory,
                 AcceptedImport& taken) {
  WEFT_TRY(const auto living, session.history(kWholeSession));
  const std::size_t known = in_common(living, branch);
  if (known == branch.size()) return {};
  WEFT_TRY(const bool left, was_left(memory, branch));
  if (left) return {};
  const Time newest = living.empty() ? Time() : living.back().message.time.value_or(Time());
  if (known < living.size() && branch.back().time->ms != 0 && *branch.back().time < newest) {
    tally(taken.left_out, kOlderBranch, chat.title.empty() ? chat.id : chat.title, branch.size() - known);
    return {};
  }
  WEFT_CHECK(free_ids(memory, known, branch));
  std::set<std::string> ids;
  for (const Message& one : branch) ids.insert(one.id.str());
  for (std::size_t at = known; at < branch.size();) {
    at = std::min(at + kAtOnce, branch.size());
    WEFT_TRY(const auto report, session.sync(std::span(branch).first(at)));
    // Messages that come back to life have the ids that they had, and are not new.
    for (const Observation& one : report.observed.observations)
      taken.messages += ids.contains(one.id.str()) || ids.contains("") ? 1 : 0;
  }
  WEFT_TRY(const auto saved, session.save());
  (void)saved;
  return {};
}

// Whether it lies in what is taken in, and not in the engine or the disk.
bool is_of_content(const Error& error) {
  return error.code == ErrorCode::kInvalidArgument || error.code == ErrorCode::kTooLarge ||
         error.code == ErrorCode::kConflict;
}

// Exports list what is newest first, and what is said later replaces what was said before. Without a time it is from
// before all others.
void sort_by_time(ForeignFile& file) {
  std::stable_sort(file.notes.begin(), file.notes.end(),
                   [](const ForeignNote& a, const ForeignNote& b) { return a.time < b.time; });
  const auto began = [](const ForeignChat& chat) {
    return chat.messages.empty() ? Time() : chat.messages.front().time;
  };
  std::stable_sort(file.chats.begin(), file.chats.end(),
                   [&](const ForeignChat& a, const ForeignChat& b) { return began(a) < began(b); });
}

std::vector<ForeignPlace> places_of(const ForeignFile& read) {
  std::map<std::string, std::size_t> counts;
  for (const ForeignNote& note : read.notes) ++counts[note.place];
  std::vector<ForeignPlace> places;
  for (const auto& [name, count] : counts)
    if (!name.empty()) places.push_back({name, count});
  // Where each note has a name of its own they are those of entries, not of people.
  if (places.size() > 1 && places.size() == read.notes.size()) places.clear();
  return places;
}

Status take_only(const std::string& of, ForeignFile& read) {
  std::string known;
  for (const ForeignPlace& place : places_of(read)) known += (known.empty() ? "" : ", ") + place.name;
  std::erase_if(read.notes, [&](const ForeignNote& note) { return note.place != of; });
  if (!read.chats.empty())
    tally(read.left_out, "conversation, since only memories of one are wanted", of, read.chats.size());
  read.chats.clear();
  if (!read.notes.empty()) return {};
  return not_found("nothing in it is of \"" + of + "\"",
                   known.empty() ? "it does not say whose its memories are" : "there are memories of " + known);
}

template <class T>
Result<T> read_json_file(const std::filesystem::path& path) {
  WEFT_TRY(const std::string text, read_file(path));
  return parse_record<T>(text, path.string(), {.max_bytes = text.size() + 1});
}

Status write_about(const std::filesystem::path& path, const StagedImport& about) {
  return write_file(path, to_json(about) + "\n", true);
}

}  // namespace

Result<StagedImport> Imports::about(const std::string& id) const {
  auto read = read_json_file<StagedImport>(place(encode_file_name(id), "import.json"));
  if (!read.ok() && read.error().code == ErrorCode::kNotFound)
    return not_found("there is no import \"" + id + "\"", "`weft import list` shows them");
  return read;
}

Result<StagedImport> Imports::stage(std::string_view text, const std::string& file, const Scope& owner,
                                    const std::string& of) const {
  WEFT_TRY(ForeignFile read, read_foreign_file(text, file));
  if (of.empty()) return lay_ready(read, text, file, owner);
  WEFT_CHECK(take_only(of, read));
  return lay_ready(read, to_json(read), file, owner);
}

// The file of a store changes with every use, and that of an archive with every packing; what it says is what it is
// known by.
Result<StagedImport> Imports::stage_path(const std::filesystem::path& path, const std::string& file, const Scope& owner,
                                         const std::string& of) const {
  WEFT_TRY(ForeignFile read, is_foreign_archive(path) ? read_foreign_archive(path) : read_foreign_store(path));
  if (!of.empty()) WEFT_CHECK(take_only(of, read));
  return lay_ready(read, to_json(read), file, owner);
}

// `whole` is what makes it this import and no other. What an older Weft read of it is replaced by what is read now.
Result<StagedImport> Imports::lay_ready(const ForeignFile& read, std::string_view whole, const std::string& file,
                                        const Scope& owner) const {
  const std::string whose = owner.key().str(), content = to_json(read);
  StagedImport made;
  made.id = fmt::format("{}-{:016x}", read.source,
                        XXH3_64bits_withSeed(whole.data(), whole.size(), XXH3_64bits(whose.data(), whose.size())));
  if (auto known = about(made.id); known.ok()) {
    const auto before = read_file(place(made.id, "content.json"));
    if (before.ok() && *before == content) return known;
  }
  made.source = read.source, made.file = file, made.owner = whose, made.stage = "staged";
  made.chats = read.chats.size(), made.notes = read.notes.size(), made.problems = read.problems;
  made.left_out = read.left_out, made.assumed = read.assumed;
  made.places = places_of(read);
  for (const ForeignChat& chat : read.chats) made.messages += chat.messages.size();
  WEFT_CHECK(make_folder(folder_ / made.id));
  WEFT_CHECK(write_file(place(made.id, "content.json"), content, true));
  WEFT_CHECK(write_about(place(made.id, "import.json"), made));
  return made;
}

Result<std::vector<StagedImport>> Imports::list() const {
  std::vector<std::pair<std::filesystem::file_time_type, StagedImport>> found;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, ignored)) {
    if (auto one = about(entry.path().filename().string()); one.ok())
      found.emplace_back(std::filesystem::last_write_time(entry.path(), ignored), std::move(one).value());
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<StagedImport> all;
  for (auto& [time, one] : found) all.push_back(std::move(one));
  return all;
}

Result<ForeignFile> Imports::show(const std::string& id) const {
  WEFT_TRY(const StagedImport known, about(id));
  return read_json_file<ForeignFile>(place(known.id, "content.json"));
}

Result<AcceptedImport> Imports::accept(const std::string& id, const Engine& engine,
                                       const RequestContext& request) const {
  WEFT_TRY(StagedImport staged, about(id));
  if (staged.owner != request.scope.key().str())
    return permission("the import is for " + staged.owner, "accept it with --user or --group as it was staged");
  WEFT_TRY(ForeignFile content, show(id));
  sort_by_time(content);
  // The importer of a group's conversations is not their speaker.
  RequestContext told = request;
  if (told.scope.is_group()) {
    WEFT_TRY(told.scope, Scope::group_of(told.scope.group()));
  }
  AcceptedImport taken{id, content.chats.size(), 0, 0, content.problems, content.left_out, content.assumed};
  const auto bear = [&](const Status& done, const std::string& what) -> Status {
    if (done.ok() || !is_of_content(done.error())) return done;
    taken.problems.push_back(what + ": " + done.error().message);
    return {};
  };
  const Memory memory = engine.memory(told);
  for (const ForeignChat& chat : content.chats) {
    std::vector<Message> branch;
    for (const ForeignMessage& said : chat.messages) branch.push_back(message_of(said, chat.id));
    if (branch.empty()) continue;
    WEFT_TRY(const SessionId session, session_of(chat, content, staged.file, branch, engine, told));
    WEFT_CHECK(bear(take_chat(chat, std::move(branch), engine.session(told, session), memory, taken),
                    "conversation " + (chat.title.empty() ? chat.id : chat.title)));
  }
  for (const ForeignNote& note : content.notes) {
    const std::optional<Time> time = note.time.ms == 0 ? std::nullopt : std::optional(note.time);
    const auto kept = memory.import_summary(note.text, time, note.place);
    if (kept.ok() && kept->queued) ++taken.notes;
    WEFT_CHECK(bear(kept.ok() ? Status() : Status(kept.error()), "note \"" + preview(note.text, 60) + "\""));
  }
  staged.stage = "accepted";
  WEFT_CHECK(write_about(place(staged.id, "import.json"), staged));
  return taken;
}

Status Imports::drop(const std::string& id) const {
  WEFT_TRY(const StagedImport known, about(id));
  std::error_code error;
  std::filesystem::remove_all(folder_ / known.id, error);
  return error ? Status(permission("cannot remove " + (folder_ / known.id).string() + ": " + error.message()))
               : Status();
}

}  // namespace weft
