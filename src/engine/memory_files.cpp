#include "engine/memory_files.h"

#include <xxhash.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <set>

#include "base/log.h"
#include "engine/engine_core.h"
#include "flow/context/fence.h"
#include "flow/historian/queued_jobs.h"
#include "ports/files/file_system.h"
#include "text/json.h"
#include "text/utf8.h"
#include "text/words.h"

namespace weft {
namespace {

constexpr std::size_t kSaid = 160, kArguments = 80, kOutput = 120, kTitle = 60, kLogsKept = 32;
constexpr std::size_t kCallsLookedAt = 20;  // newest messages before an output, one of which made its call
constexpr std::int64_t kDayMs = 24 * 60 * 60 * std::int64_t{1000};

// Ids are of any characters, and stand in a comment.
std::string mark_of(const SessionId& session, const std::string& message) {
  std::string mark = session.str() + "/" + message;
  for (auto at = mark.find("<!--"); at != std::string::npos; at = mark.find("<!--", at)) mark.replace(at, 4, "< !--");
  return mark;
}

const ToolCall* call_in(const MessageRow& row, const std::string& id) {
  const auto& calls = row.message.tool_calls;
  const auto at = std::find_if(calls.begin(), calls.end(), [&](const ToolCall& call) { return call.id == id; });
  return at == calls.end() ? nullptr : &*at;
}

// In bold, which no text that is made from messages has: what is looked for after an erasure is not found here by
// chance.
std::string speaker_of(const Message& message) {
  if (!message.name.empty()) return "**" + message.name + "**: ";
  const bool chinese = language_of(message.content) == Language::kChinese;
  if (message.role == Role::kUser) return chinese ? "**用户**：" : "**User**: ";
  return chinese ? "**助手**：" : "**Assistant**: ";
}

// The beginning of a text. Cut otherwise than titles and summaries are, with which it could be taken for a trace of
// them.
std::string beginning(std::string_view text, std::size_t most) {
  std::string cut = preview(text, most);
  constexpr std::string_view kCut = "…";
  if (cut.ends_with(kCut)) cut.replace(cut.size() - kCut.size(), kCut.size(), " [...]");
  return cut;
}

// Bold is for who speaks: a tool cannot be called like one.
std::string call_text(const ToolCall& call) {
  const std::size_t begin = std::min(call.name.find_first_not_of("* "), call.name.size());
  return call.name.substr(begin) + " " + beginning(call.arguments, kArguments);
}

// A heading says what was asked for, in words of the line below it: they are erased together.
std::string title_of(const MessageRow& row) {
  return row.message.role == Role::kUser ? beginning(row.message.content, kTitle) : row.session.str();
}

}  // namespace

Diaries::Held Diaries::hold(const ScopeKey& scope) {
  Held held{locks_.of(scope.str()), {}, nullptr};
  held.lock = std::unique_lock(*held.mutex);
  auto logs = logs_.lock();
  if (logs->size() >= kLogsKept && !logs->contains(scope)) logs->clear();
  std::shared_ptr<DayLog>& log = (*logs)[scope];
  const auto folder = scope_folder(core_.config.workspace, "memory", scope) / "daily";
  if (!log) log = std::make_shared<DayLog>(*core_.store, disk(), scope, folder);
  held.log = log;
  return held;
}

// The call that an output answers: in the batch, else in the messages of its session before it.
Result<std::optional<ToolCall>> Diaries::call_before(const MessageRow& output, std::span<const MessageRow> batch) {
  const std::string& id = output.message.tool_call_id;
  for (auto row = batch.rbegin(); row != batch.rend(); ++row)
    if (const ToolCall* call = row->session == output.session ? call_in(*row, id) : nullptr)
      return std::optional(*call);
  WEFT_TRY(const auto before, core_.store->messages().before(output.scope, output.session, output.seq, kCallsLookedAt));
  for (auto row = before.rbegin(); row != before.rend(); ++row)
    if (const ToolCall* call = call_in(*row, id)) return std::optional(*call);
  return std::optional<ToolCall>();
}

Result<std::vector<DayNote>> Diaries::notes_of(const std::vector<MessageRow>& messages) {
  std::vector<DayNote> notes;
  for (const MessageRow& row : messages) {
    const Message& message = row.message;
    std::string line;
    if (message.role == Role::kTool) {
      WEFT_TRY(const auto call, call_before(row, messages));
      line = (call ? call_text(*call) : std::string("tool")) + (message.failed ? " ✗ " : " → ") +
             beginning(message.content, kOutput);
    } else if (message.role != Role::kSystem && !message.content.empty()) {
      line = speaker_of(message) + beginning(message.content, kSaid);
    }
    // What an import says without a time belongs to no day.
    if (line.empty() || message.time->ms == 0) continue;
    notes.push_back(
        {*message.time, row.session.str(), title_of(row), std::move(line), mark_of(row.session, row.message.id.str())});
  }
  return notes;
}

Result<WriteBatch> Diaries::read(const LogPart& part) {
  if (part.messages.empty()) return WriteBatch();
  std::vector<MessageRow> messages(part.messages.begin(), part.messages.end());
  WEFT_TRY(const Members members, Members::read(*core_.store, part.scope));
  for (MessageRow& row : messages) members.label(row.message);
  WEFT_TRY(const auto notes, notes_of(messages));
  WriteBatch batch;
  batch.repeatable = true;  // a day that has a line already does not get it again
  WEFT_CHECK(hold(part.scope)->add(notes, batch));
  return batch;
}

void Diaries::written(const WriteBatch& batch) {
  const Status shown = hold(batch.documents.front().scope)->show(batch);
  if (!shown.ok()) log_warning("daily.show", shown.error().message);
}

std::optional<std::chrono::milliseconds> Diaries::shorten_old_days() {
  const MemorySettings& settings = core_.config.memory;
  if (!settings.daily || settings.daily_days <= 0) return std::nullopt;
  const Time now = core_.clock->now();
  if (const std::string today = format_date(now); shortened_on_ != today) {
    shortened_on_ = today;
    const Status shortened = shorten_days_before({now.ms - settings.daily_days * kDayMs, now.offset_minutes});
    if (!shortened.ok()) log_warning("daily.shorten", shortened.error().message);
  }
  return std::chrono::hours(1);
}

Status Diaries::shorten_days_before(Time oldest) {
  WEFT_TRY(const auto scopes, core_.store->streams().scopes());
  for (const ScopeKey& scope : scopes) {
    WEFT_TRY(const auto count,
             hold(scope)->shorten(format_date(oldest), shorten_day, core_.config.memory.daily_originals));
    if (count > 0) log_info("daily.shorten", scope.str() + ": " + std::to_string(count) + " days");
  }
  return {};
}

Result<std::vector<std::string>> Diaries::days(const RequestContext& request) {
  return hold(request.scope.key())->days();
}

Result<Day> Diaries::day(const RequestContext& request, const std::string& date) {
  if (!is_day(date)) return invalid_argument("\"" + preview(date, 40) + "\" is no day", "write it as 2026-11-24");
  auto text = hold(request.scope.key())->read(date);
  if (!text.ok() && text.error().code == ErrorCode::kNotFound) return not_found("nothing is written of " + date);
  if (!text.ok()) return text.error();
  return Day{date, std::move(text).value()};
}

std::string Diaries::for_prompt(const ScopeKey& scope, const SessionId& session, bool works_on_task) {
  const DiaryInPrompt how = core_.config.memory.daily_in_prompt;
  if (!core_.config.memory.daily || how == DiaryInPrompt::kNone || (how == DiaryInPrompt::kTasks && !works_on_task))
    return {};
  const Time now = core_.clock->now();
  const std::string today = format_date(now), yesterday = format_date({now.ms - kDayMs, now.offset_minutes});
  const std::string key = prompt_key(scope, session);
  if (auto told = told_.lock(); (*told)[key].first == today) return (*told)[key].second;
  std::string text;
  const Held log = hold(scope);
  for (const std::string& day : {yesterday, today}) {
    if (how == DiaryInPrompt::kAll) {
      const ToldFile told = day_lines(log->read(day).value_or(""));
      text += told.text;
      core_.metrics.suspect_memories += told.suspects;
      continue;
    }
    for (const std::string& heading : log->headings(day, session.str()).value_or({}))
      text += day + " " + heading + "\n";
  }
  auto told = told_.lock();
  if (told->size() > 10'000) told->clear();
  (*told)[key] = {today, text};
  return text;
}

// A line of an output begins with the call that it answers, which another message made.
Result<std::vector<std::string>> Diaries::outputs_of_calls(const ScopeKey& scope, const SessionId& session,
                                                           const std::map<std::string, Time>& messages) {
  std::vector<MessageId> ids;
  for (const auto& [id, time] : messages) ids.emplace_back(id);
  WEFT_TRY(const auto rows, core_.store->messages().get(scope, ids));
  std::set<std::string> calls;
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  for (const MessageRow& row : rows) {
    if (row.session != session) continue;
    for (const ToolCall& call : row.message.tool_calls) calls.insert(call.id), first = std::min(first, row.seq);
  }
  std::vector<std::string> outputs;
  if (calls.empty()) return outputs;
  WEFT_TRY(const auto later,
           core_.store->messages().range(scope, session, first, std::numeric_limits<std::int64_t>::max()));
  for (const MessageRow& row : later)
    if (row.message.role == Role::kTool && calls.contains(row.message.tool_call_id))
      outputs.push_back(row.message.id.str());
  return outputs;
}

// Behind a prompt that is reading the days now.
void Diaries::forget_prompts(const ScopeKey& scope) {
  const Held held = hold(scope);
  told_.lock()->clear();
}

Status Diaries::erase(const ErasedMessages& erased) {
  const Held log = hold(erased.scope);
  told_.lock()->clear();
  if (erased.everything) return log->erase_all();
  std::set<std::string, std::less<>> marks;
  for (const auto& [session, ids] : erased.messages) {
    for (const auto& [id, time] : ids) marks.insert(mark_of(session, id));
    WEFT_TRY(const auto outputs, outputs_of_calls(erased.scope, session, ids));
    for (const std::string& id : outputs) marks.insert(mark_of(session, id));
  }
  WEFT_TRY(const auto gone, log->erase([&](std::string_view mark) { return marks.contains(mark); }));
  if (gone > 0) log_debug("daily.erase", erased.scope.str() + ": " + std::to_string(gone) + " lines");
  return {};
}

namespace {

constexpr const char *kKind = "memory", *kArchiveKind = "memory_archive";
constexpr std::uint64_t kMostBytes = 4 << 20, kMostArchiveBytes = 64 << 20;
constexpr std::size_t kMostEntries = 1'000'000, kMostSeen = 10'000;
constexpr std::string_view kArchiveHead = "# What MEMORY.md had no room for\n\n";

ItemId id_of(const KnowledgeEntry& entry) {
  const std::string text = entry.section + "\n" + entry.text;
  return ItemId("knowledge:" + std::to_string(XXH3_64bits(text.data(), text.size())));
}

}  // namespace

DocumentPlace Knowledge::place_of(const ScopeKey& scope) const {
  return {scope,       kKind, "MEMORY.md", scope_folder(core_.config.workspace, "memory", scope) / "MEMORY.md", {}, 0,
          merge_lines, true,  kMostBytes};
}

DocumentPlace Knowledge::archive_of(const ScopeKey& scope) const {
  DocumentPlace place = place_of(scope);
  place.kind = kArchiveKind;
  place.id = "MEMORY.archive.md";
  place.max_bytes = kMostArchiveBytes;
  place.file.replace_filename(place.id);
  return place;
}

Result<Knowledge::Current> Knowledge::read(const ScopeKey& scope) {
  WEFT_TRY(DocumentRow row, core_.documents->read(place_of(scope), core_.clock->now()));
  MemoryFile file = MemoryFile::parse(row.body);
  return Current{std::move(row), std::move(file)};
}

// The items of the entries; entries that are gone lose theirs. What contradicts something waits for a person.
Status Knowledge::index(const ScopeKey& scope, const MemoryFile& file, WriteBatch& batch) const {
  WEFT_TRY(const auto before, core_.store->items().of_kind(scope, ItemKind::kKnowledge, kMostEntries));
  std::map<std::string, std::int64_t> old;
  for (const ItemRow& row : before) old[row.item.id.str()] = row.row;
  std::set<std::string> wanted;
  for (const KnowledgeEntry& entry : file.entries()) {
    const ItemId id = id_of(entry);
    if (!entry.against.empty() || find_invalid_utf8(entry.text) || !wanted.insert(id.str()).second) continue;
    if (old.erase(id.str()) > 0) continue;
    ItemRow row;
    row.scope = scope;
    row.item.id = id;
    row.item.kind = ItemKind::kKnowledge;
    row.item.text = entry.text;
    row.item.time = core_.clock->now();
    if (const auto day = parse_time(entry.date); day.ok()) row.item.time = *day;
    row.terms = index_terms(row.item.text);
    batch.items.push_back(std::move(row));
  }
  for (const auto& [id, row] : old) batch.erased_items.push_back(row);
  return {};
}

Status Knowledge::write(const ScopeKey& scope, WriteBatch& batch) {
  if (batch.empty()) return {};
  WEFT_CHECK(core_.keep_written(batch));
  if (!batch.erased_items.empty()) core_.change->serving()->memory.removed(scope, batch.erased_items);
  return {};
}

void Knowledge::refresh(const ScopeKey& scope) {
  if (core_.store->is_shared()) return;  // there is no file that a person could have changed
  const auto revision = disk().revision(place_of(scope).file);
  {
    auto seen = seen_.lock();
    const auto at = seen->find(scope);
    if (at != seen->end() && at->second == revision) return;
    if (seen->size() > kMostSeen) seen->clear();
  }
  const auto mutex = locks_.of(scope.str());
  const std::lock_guard lock(*mutex);
  const auto current = read(scope);
  WriteBatch batch;
  Status indexed = current.ok() ? index(scope, current->file, batch) : Status(current.error());
  if (indexed.ok()) indexed = write(scope, batch);
  if (!indexed.ok()) log_warning("memory.read", indexed.error().message);
  const bool is_missing_for_a_moment = !revision && current.ok() && !current->row.body.empty();
  if (!is_missing_for_a_moment) (*seen_.lock())[scope] = revision;
}

// The oldest lines of the archive give way where it becomes too large.
Status Knowledge::archive(const ScopeKey& scope, const std::vector<KnowledgeEntry>& gone, WriteBatch& batch) {
  if (gone.empty()) return {};
  const DocumentPlace place = archive_of(scope);
  const Time now = core_.clock->now();
  WEFT_TRY(const DocumentRow before, core_.documents->read(place, now, true));
  std::string added;
  for (const KnowledgeEntry& entry : gone)
    added += "- " + entry.section + ": " + entry.text + " <!-- " + entry.date + " " + entry.source + ", until " +
             format_date(now) + " -->\n";
  std::string_view kept = before.body;
  if (kept.starts_with(kArchiveHead)) kept.remove_prefix(kArchiveHead.size());
  const std::uint64_t most =
      place.max_bytes - std::min<std::uint64_t>(place.max_bytes, kArchiveHead.size() + added.size());
  if (kept.size() > most) {
    const std::size_t end = kept.find('\n', kept.size() - most);
    kept.remove_prefix(end == std::string_view::npos ? kept.size() : end + 1);
    log_warning("memory.archive", place.file.string() + " is full: its oldest lines were removed");
  }
  return core_.documents->change(place, before, std::string(kArchiveHead) + std::string(kept) + added, now, batch);
}

// With the lock of the scope held.
Status Knowledge::keep(const ScopeKey& scope, Current& current, std::vector<KnowledgeEntry> gone, WriteBatch batch) {
  const DocumentPlace place = place_of(scope);
  const Time now = core_.clock->now();
  const auto most = static_cast<std::size_t>(core_.config.memory.file_kb) * 1024;
  if (most > 0 && current.file.text().size() > most)
    for (KnowledgeEntry& entry : current.file.shrink(most, *core_.likeness(), least_used(scope, current.file)))
      gone.push_back(std::move(entry));
  const bool is_archived = !gone.empty();
  WEFT_CHECK(archive(scope, gone, batch));
  WEFT_CHECK(core_.documents->change(place, current.row, current.file.text(), now, batch));
  WEFT_CHECK(index(scope, current.file, batch));
  WEFT_CHECK(write(scope, batch));
  if (is_archived)
    if (const auto shown = core_.documents->read(archive_of(scope), now, true); !shown.ok())
      log_warning("memory.show", shown.error().message);
  if (const auto shown = core_.documents->read(place, now); !shown.ok())
    log_warning("memory.show", shown.error().message);
  return {};
}

Result<KnowledgeFile> Knowledge::knowledge(const RequestContext& request) {
  const ScopeKey scope = request.scope.key();
  refresh(scope);
  WEFT_TRY(const Current current, read(scope));
  return KnowledgeFile{place_of(scope).file.string(), current.file.text(), current.file.entries()};
}

Result<KnowledgeAdded> Knowledge::add_knowledge(const RequestContext& request, const KnowledgeEntry& entry) {
  return add(request.scope.key(), entry, {});
}

Result<KnowledgeAdded> Knowledge::add(const ScopeKey& scope, const KnowledgeEntry& entry, WriteBatch batch) {
  if (entry.text.empty()) return invalid_argument("knowledge: an entry has no text");
  if (const auto broken = find_invalid_utf8(entry.text + entry.section + entry.source))
    return invalid_argument("knowledge: byte " + std::to_string(*broken) + " is no UTF-8");
  KnowledgeEntry dated = entry;
  if (dated.date.empty()) dated.date = format_date(core_.clock->now());
  const auto mutex = locks_.of(scope.str());
  const std::lock_guard lock(*mutex);
  WEFT_TRY(Current current, read(scope));
  const KnowledgeAdded added = current.file.add(dated, *core_.likeness());
  WEFT_CHECK(added == KnowledgeAdded::kKnown ? write(scope, batch) : keep(scope, current, {}, std::move(batch)));
  return added;
}

Result<KnowledgeFile> Knowledge::write_knowledge(const RequestContext& request, const std::string& text, bool force) {
  const ScopeKey scope = request.scope.key();
  if (const auto broken = find_invalid_utf8(text))
    return invalid_argument("knowledge: byte " + std::to_string(*broken) + " is no UTF-8");
  const auto mutex = locks_.of(scope.str());
  const std::lock_guard lock(*mutex);
  WEFT_TRY(Current current, read(scope));
  MemoryFile after = MemoryFile::parse(text);
  if (!force) WEFT_CHECK(MemoryFile::check_rewrite(current.file, after));
  current.file = std::move(after);
  WEFT_CHECK(keep(scope, current, {}));
  return KnowledgeFile{place_of(scope).file.string(), current.file.text(), current.file.entries()};
}

Result<KnowledgeEntry> Knowledge::confirm_knowledge(const RequestContext& request, const std::string& text) {
  const ScopeKey scope = request.scope.key();
  const auto mutex = locks_.of(scope.str());
  const std::lock_guard lock(*mutex);
  WEFT_TRY(Current current, read(scope));
  WEFT_TRY(const KnowledgeEntry gone, current.file.confirm(text));
  WEFT_CHECK(keep(scope, current, {gone}));
  return gone;
}

// The documents go before the items, so that a repeated erasure still finds what to take out.
Status Knowledge::erase(const ErasedMessages& gone) {
  const ScopeKey& scope = gone.scope;
  const auto mutex = locks_.of(scope.str());
  const std::lock_guard lock(*mutex);
  const DocumentPlace place = place_of(scope), archive = archive_of(scope);
  WriteBatch batch;
  if (gone.everything) {
    for (const DocumentPlace& one : {place, archive})
      if (const auto removed = core_.documents->remove(one); !removed.ok()) return removed.error();
    auto uses = uses_.lock();  // held by who writes them
    uses->erase(scope);
    WEFT_CHECK(disk().remove(former_uses_path(scope)));
    WEFT_CHECK(index(scope, MemoryFile(), batch));
    return write(scope, batch);
  }
  const std::set<std::string> marks = gone.sources();
  const auto without = [&](const std::string& text) -> Result<std::string> {
    MemoryFile file = MemoryFile::parse(text);
    return file.remove_sources(marks) > 0 ? file.text() : text;
  };
  for (const DocumentPlace& one : {archive, place})
    if (const auto changed = core_.documents->rewrite(one, core_.clock->now(), without); !changed.ok())
      return changed.error();
  WEFT_TRY(const DocumentRow left, core_.documents->read(place, core_.clock->now(), true));
  WEFT_CHECK(index(scope, MemoryFile::parse(left.body), batch));
  return write(scope, batch);
}

// How often the entries of MEMORY.md are recalled: kept over restarts, since what is used least goes first.

namespace {

using Json = nlohmann::json;

constexpr std::chrono::seconds kBetweenWrites{5};
constexpr const char* kUses = "memory_uses";  // kind and id of the document

std::string digest_of_entry(std::string_view text) { return std::to_string(XXH3_64bits(text.data(), text.size())); }

}  // namespace

std::filesystem::path Knowledge::former_uses_path(const ScopeKey& scope) const {
  return place_of(scope).file.parent_path() / "MEMORY.uses.json";
}

// Counts that cannot be read are none: they only decide what goes first.
Knowledge::UseCounts& Knowledge::uses_of(const ScopeKey& scope, std::map<ScopeKey, UseCounts>& all) const {
  const auto [at, is_new] = all.try_emplace(scope);
  if (!is_new) return at->second;
  UseCounts& uses = at->second;
  const auto row = core_.store->documents().newest(scope, kUses, kUses);
  if (!row.ok()) {
    log_warning("memory.uses", row.error().message);
    return uses;
  }
  std::string text;
  if (*row) {
    text = (*row)->body;
    uses.version = (*row)->version;
  } else if (auto file = disk().read(former_uses_path(scope)); file.ok()) {
    text = std::move(file).value();
    uses.changed = true;
  }
  const Json read = Json::parse(text, nullptr, false);
  if (!read.is_object()) return uses;
  for (const auto& [entry, count] : read.items())
    if (count.is_number_integer()) uses.counts[entry] = count.get<std::int64_t>();
  return uses;
}

void Knowledge::used(const ScopeKey& scope, const std::vector<Hit>& hits) {
  const auto is_entry = [](const Hit& hit) { return hit.item.kind == ItemKind::kKnowledge; };
  if (std::none_of(hits.begin(), hits.end(), is_entry)) return;
  {
    auto all = uses_.lock();
    UseCounts& uses = uses_of(scope, *all);
    for (const Hit& hit : hits)
      if (is_entry(hit)) ++uses.counts[digest_of_entry(hit.item.text)];
    uses.changed = true;
  }
  core_.diarist.wake();
}

std::optional<std::chrono::milliseconds> Knowledge::keep_uses(std::stop_token stop) {
  auto all = uses_.lock();
  const auto changed = [](const auto& one) { return one.second.changed; };
  if (std::none_of(all->begin(), all->end(), changed)) return std::nullopt;
  const auto now = std::chrono::steady_clock::now();
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(uses_kept_ + kBetweenWrites - now);
  if (left.count() > 0 && uses_kept_.time_since_epoch().count() > 0 && !stop.stop_requested()) return left;
  uses_kept_ = now;
  for (auto& [scope, uses] : *all) {
    if (!std::exchange(uses.changed, false)) continue;
    WriteBatch batch;
    batch.repeatable = true;
    batch.erased_documents = {{scope, kUses, kUses}};
    batch.documents.push_back(
        {scope, kUses, kUses, uses.version + 1, core_.clock->now(), kByWeft, write_json(Json(uses.counts))});
    Status written = core_.store->write(batch);
    if (written.ok() && uses.version++ == 0) written = disk().remove(former_uses_path(scope));
    if (!written.ok()) log_warning("memory.uses", written.error().message);
  }
  return std::nullopt;
}

// Those that were never recalled are in no list: of equals the oldest go first. What is no entry any more is forgotten.
std::vector<std::string> Knowledge::least_used(const ScopeKey& scope, const MemoryFile& file) {
  auto all = uses_.lock();
  UseCounts& uses = uses_of(scope, *all);
  std::map<std::string, std::int64_t> still;
  std::vector<std::pair<std::int64_t, std::string>> ranked;
  for (const KnowledgeEntry& entry : file.entries()) {
    const std::string digest = digest_of_entry(entry.text);
    const auto at = uses.counts.find(digest);
    const std::int64_t count = at == uses.counts.end() ? 0 : at->second;
    if (count > 0) still[digest] = count;
    ranked.emplace_back(count, entry.text);
  }
  uses.changed = uses.changed || still.size() != uses.counts.size();
  uses.counts = std::move(still);
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> texts;
  for (auto& [count, text] : ranked) texts.push_back(std::move(text));
  return texts;
}

namespace {

std::string section_of(const EndJob& found, bool chinese) {
  if (found.attribute == "user_preference") return chinese ? "偏好" : "Preferences";
  if (found.attribute == "long_term_goal") return chinese ? "目标" : "Goals";
  if (found.attribute == "safety_boundary") return chinese ? "界限" : "Limits";
  return chinese ? "事实" : "Facts";
}

// An entry is one line; in a group it says who said it.
std::string text_of(const EndJob& found) {
  std::string text = found.new_info;
  std::replace(text.begin(), text.end(), '\n', ' ');
  if (found.group_id.empty() || found.sender_name.empty()) return text;
  return found.sender_name + (language_of(text) == Language::kChinese ? "：" : ": ") + text;
}

}  // namespace

Status FlushAppend::work_off(const Job& job) {
  WEFT_TRY(EndJob found, read_end_job(job));
  const auto pass = core_.erasure_gate.work(found.scope);
  WEFT_TRY(const bool there, core_.store->jobs().contains(job.id));
  if (!there) return {};  // erased while it waited for the pass
  WEFT_TRY(const bool done, end_is_done(*core_.store, job.id));
  if (done) return {};
  KnowledgeEntry entry;
  entry.section = section_of(found, language_of(found.new_info) == Language::kChinese);
  WEFT_TRY(const Members members, Members::read(*core_.store, found.scope));
  found.sender_name = members.label(found.sender_id, found.sender_name);
  entry.text = text_of(found);
  entry.date = format_date(found.time);
  if (!found.message_ids.empty()) entry.source = found.session.str() + "/" + found.message_ids.front().str();
  WriteBatch batch;
  batch.marks = {done_mark(job.id)};
  batch.finished_jobs = {{job.id, job.attempts}};
  const auto added = knowledge_.add(found.scope, entry, std::move(batch));
  return added.ok() ? Status() : Status(added.error());
}

}  // namespace weft
