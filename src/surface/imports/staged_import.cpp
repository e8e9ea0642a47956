#include "surface/imports/staged_import.h"

#include <xxhash.h>

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "ports/files/file.h"
#include "surface/imports/foreign_stores.h"

namespace weft {

template <>
const Record<ForeignPlace>& record<ForeignPlace>() {
  static const auto made = Record<ForeignPlace>("ForeignPlace", "Of whom or what notes are.", RecordUse::kBoth)
                               .field("name", &ForeignPlace::name, "as the other system calls it")
                               .field("notes", &ForeignPlace::notes, "how many");
  return made;
}

template <>
const Record<StagedImport>& record<StagedImport>() {
  static const auto made = Record<StagedImport>("StagedImport", "An import that lies ready.", RecordUse::kBoth)
                               .field("id", &StagedImport::id, "its own")
                               .field("source", &StagedImport::source, "which system it comes from")
                               .field("file", &StagedImport::file, "the file that it comes from")
                               .field("owner", &StagedImport::owner, "whose memory it is for")
                               .field("chats", &StagedImport::chats, "conversations")
                               .field("messages", &StagedImport::messages, "messages in them")
                               .field("notes", &StagedImport::notes, "memories without a conversation")
                               .field("places", &StagedImport::places, "whose the memories are there", {.sparse = true})
                               .field("stage", &StagedImport::stage, "staged, or accepted")
                               .field("problems", &StagedImport::problems, "what could not be read", {.sparse = true});
  return made;
}

template <>
const Record<AcceptedImport>& record<AcceptedImport>() {
  static const auto made = Record<AcceptedImport>("AcceptedImport", "What was taken in.", RecordUse::kTold)
                               .field("id", &AcceptedImport::id, "of the import")
                               .field("chats", &AcceptedImport::chats, "conversations")
                               .field("messages", &AcceptedImport::messages, "new messages in them")
                               .field("notes", &AcceptedImport::notes, "memories without a conversation");
  return made;
}

namespace {

constexpr std::size_t kAtOnce = 200;  // messages of one call
constexpr std::size_t kMostId = 200;  // bytes of a foreign id within ours

Message message_of(const ForeignMessage& said, const std::string& chat, std::size_t number) {
  Message message = said.role == "user" ? Message::user(said.text) : Message::assistant(said.text);
  message.id = MessageId(fmt::format("{}#{}", chat, number));
  message.name = said.name;
  if (said.time.ms != 0) message.time = said.time;
  return message;
}

Result<std::size_t> take_chat(const ForeignChat& chat, const std::string& source, const Engine& engine,
                              const RequestContext& request) {
  const Session session = engine.session(request, SessionId("import:" + source + ":" + chat.id.substr(0, kMostId)));
  std::size_t taken = 0;
  std::vector<Message> some;
  for (std::size_t i = 0; i < chat.messages.size(); ++i) {
    some.push_back(message_of(chat.messages[i], chat.id, i + 1));
    if (some.size() < kAtOnce && i + 1 < chat.messages.size()) continue;
    WEFT_TRY(const auto report, session.observe(some));
    for (const auto& one : report.observations) taken += one.action == "duplicate" ? 0 : 1;
    some.clear();
  }
  WEFT_TRY(const auto saved, session.save());
  (void)saved;
  return taken;
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

// Its file changes with every use; what it says is what it is known by.
Result<StagedImport> Imports::stage_store(const std::filesystem::path& path, const std::string& file,
                                          const Scope& owner, const std::string& of) const {
  WEFT_TRY(ForeignFile read, read_foreign_store(path));
  if (!of.empty()) WEFT_CHECK(take_only(of, read));
  return lay_ready(read, to_json(read), file, owner);
}

// `whole` is what makes it this import and no other.
Result<StagedImport> Imports::lay_ready(const ForeignFile& read, std::string_view text, const std::string& file,
                                        const Scope& owner) const {
  const std::string whose = owner.key().str();
  StagedImport made;
  made.id = fmt::format("{}-{:016x}", read.source,
                        XXH3_64bits_withSeed(text.data(), text.size(), XXH3_64bits(whose.data(), whose.size())));
  if (auto known = about(made.id); known.ok()) return known;
  made.source = read.source, made.file = file, made.owner = whose, made.stage = "staged";
  made.chats = read.chats.size(), made.notes = read.notes.size(), made.problems = read.problems;
  made.places = places_of(read);
  for (const ForeignChat& chat : read.chats) made.messages += chat.messages.size();
  WEFT_CHECK(make_folder(folder_ / made.id));
  WEFT_CHECK(write_file(place(made.id, "content.json"), to_json(read), true));
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
  WEFT_TRY(const ForeignFile content, show(id));
  // Who brings a group's conversations has not said what stands in them.
  RequestContext told = request;
  if (told.scope.is_group()) {
    WEFT_TRY(told.scope, Scope::group_of(told.scope.group()));
  }
  AcceptedImport taken{id, content.chats.size(), 0, 0};
  for (const ForeignChat& chat : content.chats) {
    WEFT_TRY(const std::size_t some, take_chat(chat, content.source, engine, told));
    taken.messages += some;
  }
  for (const ForeignNote& note : content.notes) {
    const std::optional<Time> time = note.time.ms == 0 ? std::nullopt : std::optional(note.time);
    WEFT_TRY(const EndReport kept, engine.memory(told).import_summary(note.text, time, note.place));
    taken.notes += kept.queued ? 1 : 0;
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
