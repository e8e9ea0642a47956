#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "agent/run_files.h"
#include "base/log.h"
#include "base/strings.h"
#include "base/threads.h"
#include "engine/backups.h"
#include "engine/engine_core.h"
#include "engine/eraser.h"
#include "flow/recall/item_words.h"
#include "model/records.h"
#include "model/rows.h"
#include "ports/files/archive_file.h"
#include "ports/files/erasure_record.h"
#include "ports/files/kept_answers.h"

namespace weft {
namespace {

constexpr std::chrono::seconds kPatience{60};
constexpr std::size_t kMostBytes = std::size_t{64} << 20;

// Whether a run may hold what is to be erased, before it is known what that is.
bool may_concern(const std::string& run, const EraseRequest& what) {
  if (what.everything || what.before) return true;
  if (!what.session.empty()) return what.session.str() == run;
  return std::any_of(what.messages.begin(), what.messages.end(),
                     [&](const MessageId& id) { return id.str().starts_with(run + "."); });
}

RunRedaction redaction_of(const std::string& run, const std::vector<BusEvent>& events,
                          const std::vector<std::string>& origins, const ErasedMessages& gone) {
  RunRedaction redaction;
  redaction.repeats = gone.repeats;
  redaction.goes = [&run, &events, &origins, &gone](const std::string& message) {
    if (gone.has(SessionId(run), message)) return true;
    for (const std::string& origin : origins)
      if (gone.has(SessionId(origin), origin + message.substr(run.size()))) return true;
    if (!gone.before) return false;
    const auto number = static_cast<std::size_t>(std::atoll(message.c_str() + run.size() + 1));
    return number >= 1 && number <= events.size() && events[number - 1].time < *gone.before;
  };
  return redaction;
}

}  // namespace

// Before the erasure has the scope to itself: a loop that waits for it could not end.
Status RunEraser::hold(const ScopeKey& scope, const EraseRequest& what) {
  std::vector<std::string> stopped;
  const AtEnd keep([&] { active_.keep_still(scope, std::move(stopped)); });
  for (const auto& [run, one] : active_.close(scope)) {
    const auto bus = streams_.open(run);
    if (one->done || !bus.ok()) continue;
    const auto state = fold(run, (*bus)->since(0));
    if (!state.ok() || state->start.owner != scope.str() || !may_concern(run, what)) continue;
    one->stop.source.request_stop();
    if (state->start.parent.empty()) stopped.push_back(run);
    if (!one->comes_back(kPatience))
      return timed_out("erase: the run " + run + " does not stop", "try again when it has ended");
  }
  return {};
}

// Those that stood still for it go on, unless it has ended them.
void RunEraser::let_go(const ScopeKey& scope) {
  const std::vector<std::string> stopped = active_.open(scope);
  const auto request = request_of_scope(scope);
  if (!request.ok()) return;
  for (const std::string& run : stopped) {
    const Status launched = guarded("going on", [&]() -> Status {
      const auto seen = streams_.look(*request, run);
      return !seen.ok() || seen->state.ended() ? Status() : agents_.go_on(*request, *seen);
    });
    if (!launched.ok()) log_warning("agent", "run " + run + ": " + launched.error().message);
  }
}

// A fork begins with the words of another run, which may be a fork itself.
RunEraser::Origins RunEraser::origins() {
  std::map<std::string, std::string> forked_from;
  for (const std::string& run : streams_.all()) {
    const auto bus = streams_.open(run);
    if (!bus.ok() || (*bus)->last() == 0) continue;
    const auto start = payload_of<RunStarted>((*bus)->since(0).front());
    if (start.ok() && !start->forked_from.empty())
      forked_from[run] = start->forked_from.substr(0, start->forked_from.find('@'));
  }
  Origins origins;
  for (const auto& [run, from] : forked_from)
    for (auto at = forked_from.find(run); at != forked_from.end() && origins[run].size() <= forked_from.size();
         at = forked_from.find(at->second))
      origins[run].push_back(at->second);
  return origins;
}

// None of another owner's run, and of one in which nothing was said yet. Of a stream that cannot be followed the
// beginning still says whose it is.
Result<std::vector<BusEvent>> RunEraser::events_of(const std::string& run, const std::string& owner) {
  WEFT_TRY(const auto bus, streams_.open(run));
  auto events = bus->since(0);
  if (events.empty()) return events;
  const auto start = payload_of<RunStarted>(events.front());
  if (!start.ok() || start->owner != owner) events.clear();
  return events;
}

Status RunEraser::erase(const ErasedMessages& gone) {
  Origins from = origins();
  for (const std::string& run : streams_.all()) {
    const auto events = events_of(run, gone.scope.str());
    if (!events.ok()) log_warning("erase.run", run + ": " + events.error().message);
    if (!events.ok() || events->empty()) continue;
    if (gone.everything)
      WEFT_CHECK(remove_run(run, *events, gone));
    else
      WEFT_CHECK(erase_in_run(run, *events, from[run], gone));
  }
  return {};
}

std::set<std::string> RunEraser::questions_of(const ErasedMessages& gone) {
  std::set<std::string> questions;
  Origins from = origins();
  for (const std::string& run : streams_.all()) {
    const auto events = events_of(run, gone.scope.str());
    if (!events.ok() || events->empty()) continue;
    const auto redacted = redact_run(run, *events, redaction_of(run, *events, from[run], gone));
    questions.insert(redacted.questions.begin(), redacted.questions.end());
  }
  return questions;
}

Status RunEraser::erase_in_run(const std::string& run, const std::vector<BusEvent>& events,
                               const std::vector<std::string>& origins, const ErasedMessages& gone) {
  const RunRedaction redaction = redaction_of(run, events, origins, gone);
  const RedactedRun left = redact_run(run, events, redaction);
  if (left.nothing_left) return remove_run(run, events, gone);
  if (!left.changed) return {};
  for (const std::string& handle : left.handles) WEFT_CHECK(streams_.results().remove(run, handle));
  WEFT_CHECK(remove_files(left.files, gone));
  WEFT_CHECK(streams_.rewrite(run, left.events));
  WEFT_TRY(const auto anew, streams_.open(run));
  WEFT_TRY(const RunState state, fold(run, anew->since(0)));
  if (state.ended()) return {};
  // What it would go on from is not there any more. Who says something to it begins anew.
  const AgentOutput end{"", "words of it were erased", Outcome::kUnknown, state.last};
  WEFT_TRY(const BusEvent ended, anew->emit(BusEventType::kAgentOutput, to_json(end)));
  (void)ended;
  return {};
}

// Files before the stream, which names them.
Status RunEraser::remove_run(const std::string& run, const std::vector<BusEvent>& events, const ErasedMessages& gone) {
  RunRedaction all;
  all.goes = [](const std::string&) { return true; };
  all.repeats = [](std::string_view) { return true; };
  WEFT_CHECK(remove_files(redact_run(run, events, all).files, gone));
  return streams_.remove(run);
}

// A file that holds what a run wrote goes with the run's words. One that somebody has changed since, and in which none
// of the words stand, is theirs.
Status RunEraser::remove_files(const std::vector<std::pair<std::string, std::string>>& written,
                               const ErasedMessages& gone) {
  if (written.empty()) return {};
  WEFT_TRY(const WorkFolder folder, WorkFolder::open(kit_.work_folder()));
  for (const auto& [path, content] : written) {
    const auto now = folder.read(path, kMostBytes);
    if (now.ok() && (*now == content || gone.repeats(*now))) WEFT_CHECK(folder.remove(path));
  }
  return {};
}

// Looking for what was erased: in the store's own bytes, in every file of the workspace, and in known backups and
// archives.

namespace {

using Pieces = std::set<std::size_t>;

// The store reads its own files itself, see `Store::scan_bytes`; records of erasures hold no text.
bool is_looked_at(const std::filesystem::path& path, const std::filesystem::path& workspace) {
  const auto inside = path.lexically_relative(workspace);
  const std::string name = inside.string();
  return !(name.starts_with("weft.db") || name == "weft.lock" || name == "weft.sock" || name.starts_with("erasures/"));
}

// A file that was being written when its process was killed. The present process may have the same id; it has written
// the lock of the workspace since.
bool is_left_over(const std::filesystem::path& path, const std::filesystem::path& workspace) {
  const std::string name = path.filename().string();
  const auto at = name.rfind(".tmp");
  const auto dash = name.rfind('-');
  if (at == std::string::npos || dash == std::string::npos || dash < at) return false;
  const std::string process = name.substr(at + 4, dash - at - 4);
  if (process.empty() || !std::all_of(process.begin(), process.end(), is_digit<char>)) return false;
  if (process != std::to_string(::getpid())) return true;
  std::error_code failed;
  const auto written = std::filesystem::last_write_time(path, failed);
  if (failed) return false;
  const auto begun = std::filesystem::last_write_time(workspace / "weft.lock", failed);
  return !failed && written < begun;
}

struct Places {
  std::map<std::size_t, std::vector<std::uint64_t>> in_file;  // by piece
  Pieces in_log;
};

Result<Places> places_in_store(Store& store, const Traces& traces) {
  Places places;
  WEFT_CHECK(store.file().scan_bytes(Traces::kPiece - 1, [&](const StoreBytes& part) {
    traces.find(part.bytes, [&](std::size_t piece, std::uint64_t at) {
      if (part.log)
        places.in_log.insert(piece);
      else
        places.in_file[piece].push_back(part.place + at);
    });
  }));
  return places;
}

// Pieces that stand somewhere by right: somebody else said the same, or, of what was only made, it was made again.
Result<Pieces> pieces_by_right(Store& store, const Traces& traces) {
  Pieces right;
  WEFT_CHECK(store.file().scan_texts([&](bool said, std::string_view text) {
    traces.find(text, [&](std::size_t piece, std::uint64_t) {
      if (said || !traces.said(piece)) right.insert(piece);
    });
  }));
  return right;
}

bool any_wrong(const Pieces& found, const Pieces& right) {
  return std::any_of(found.begin(), found.end(), [&](std::size_t piece) { return !right.contains(piece); });
}

std::vector<std::uint64_t> wrong_places(const Places& places, const Pieces& right) {
  std::vector<std::uint64_t> wrong;
  for (const auto& [piece, at] : places.in_file)
    if (!right.contains(piece)) wrong.insert(wrong.end(), at.begin(), at.end());
  return wrong;
}

using Pieces = std::set<std::size_t>;

constexpr std::size_t kRead = std::size_t{1} << 20;

/// Bytes that come in parts: what stands across two of them is found as well.
class Search {
 public:
  explicit Search(const Traces& traces) : traces_(traces) {}

  void take(std::string_view part) {
    bytes_.erase(0, bytes_.size() - std::min(bytes_.size(), Traces::kPiece - 1));
    bytes_ += part;
    traces_.find(bytes_, [this](std::size_t piece, std::uint64_t) { found_.insert(piece); });
  }
  /// Other bytes follow, of which nothing goes on from the former.
  void begin_anew() { bytes_.clear(); }
  Pieces found() && { return std::move(found_); }

 private:
  const Traces& traces_;
  std::string bytes_;
  Pieces found_;
};

bool is_compressed(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  char head[2] = {};
  return file.read(head, sizeof head) && head[0] == '\x1f' && head[1] == '\x8b';
}

// What can be read of an archive that is damaged further on was looked through as well.
void look_through_archive(const std::filesystem::path& path, Search& search) {
  const auto archive = ArchiveReader::open(path);
  if (!archive.ok()) return;
  for (;;) {
    const auto entry = (*archive)->next();
    if (!entry.ok() || !*entry) return;
    search.begin_anew();
    const Status read = (*archive)->read([&](std::string_view bytes) {
      search.take(bytes);
      return Status();
    });
    if (!read.ok()) return;
  }
}

// Responses that are kept for clients which ask for them again.
Status erase_responses(const std::string& workspace, const ErasedMessages& gone) {
  const auto goes = [&](const KeptResponse& one, std::string_view text) {
    return gone.has(SessionId(one.session), one.id) || (gone.before && one.made < *gone.before) || gone.repeats(text);
  };
  const auto removed = KeptResponses(workspace).remove_if(gone.scope, goes);
  return removed.ok() ? Status() : Status(removed.error());
}

// Answers that are kept for calls which are sent again.
Status erase_answers(const std::string& workspace, const ErasedMessages& gone) {
  const auto forgotten = AnswerFiles(workspace).forget(gone.scope, gone.repeats);
  return forgotten.ok() ? Status() : Status(forgotten.error());
}

constexpr std::size_t kMostEvents = 1'000'000;

using Turn = std::pair<SessionId, BlockId>;

// Finds which pieces of erased texts a file has. A file of any size is read a part at a time; an archive, as
// `weft export --archive` writes it, is searched file by file.
Pieces pieces_in(const std::filesystem::path& path, const Traces& traces) {
  Search search(traces);
  if (is_compressed(path)) {
    look_through_archive(path, search);
    return std::move(search).found();
  }
  std::ifstream file(path, std::ios::binary);
  std::string part;
  while (file) {
    part.resize(kRead);
    file.read(part.data(), static_cast<std::streamsize>(kRead));
    search.take(std::string_view(part).substr(0, static_cast<std::size_t>(file.gcount())));
  }
  return std::move(search).found();
}

}  // namespace

// `clean`: pages of the store that hold copies of rows that have moved are cleaned of them.
Status Eraser::look_for_traces(const Traces& traces, bool clean, EraseCheck& check) {
  check.fingerprints = traces.size();
  const std::filesystem::path workspace(core_.config.workspace);
  std::map<std::string, Pieces> files;
  const auto look_at = [&](const std::filesystem::path& file) {
    ++check.files_searched;
    if (auto found = pieces_in(file, traces); !found.empty()) files[file.string()] = std::move(found);
  };
  std::vector<std::filesystem::path> folders{workspace};
  std::error_code failed;
  for (const auto& backup : known_backups(workspace)) {
    if (!backup.lexically_relative(workspace).string().starts_with("..")) continue;
    if (std::filesystem::is_directory(backup, failed))
      folders.push_back(backup);
    else
      look_at(backup);
  }
  for (const auto& folder : folders) {
    for (const auto& file : std::filesystem::recursive_directory_iterator(folder, failed)) {
      if (!file.is_regular_file(failed)) continue;
      if (clean && folder == workspace && is_left_over(file.path(), workspace)) {
        std::filesystem::remove(file.path(), failed);
        continue;
      }
      if (folder != workspace || is_looked_at(file.path(), workspace)) look_at(file.path());
    }
  }
  WEFT_TRY(auto places, places_in_store(*core_.store, traces));
  check.files_searched += 2;
  if (files.empty() && places.in_file.empty() && places.in_log.empty()) return {};
  WEFT_TRY(const Pieces right, pieces_by_right(*core_.store, traces));
  if (const auto wrong = wrong_places(places, right); clean && !wrong.empty()) {
    WEFT_CHECK(core_.store->file().scrub(wrong));
    WEFT_TRY(places, places_in_store(*core_.store, traces));
  }
  if (!wrong_places(places, right).empty()) check.traces.push_back((workspace / "weft.db").string());
  if (any_wrong(places.in_log, right)) check.traces.push_back((workspace / "weft.db-wal").string());
  for (const auto& [path, found] : files)
    if (any_wrong(found, right)) check.traces.push_back(path);
  for (const std::string& path : check.traces)
    log_warning("erase.trace", "a trace of an erased text stands in " + path);
  return {};
}

Status Eraser::remove_traces(const ErasureRecord& record, EraseReceipt& receipt) {
  WEFT_CHECK(core_.store->file().settle());
  EraseCheck check;
  WEFT_CHECK(look_for_traces(record.traces, true, check));
  receipt.files_searched = check.files_searched;
  receipt.traces_found = check.traces.size();
  return {};
}

Result<EraseCheck> Eraser::verify_erasure(const std::string& receipt_id) {
  WEFT_CHECK(check_id(receipt_id, "receipt"));
  const ErasureRecords records(core_.config.workspace);
  WEFT_TRY(const std::string text, records.receipt_text(receipt_id));
  WEFT_TRY(const EraseReceipt receipt, parse_receipt(text));
  const std::unordered_set<std::string> digests(receipt.digests.begin(), receipt.digests.end());
  EraseCheck check;
  check.digests = digests.size();
  WEFT_TRY(const auto scopes, core_.store->streams().scopes());
  for (const ScopeKey& scope : scopes) {
    if (erasure_digest(scope, "scope", "") != receipt.scope_digest) continue;
    WEFT_CHECK(core_.store->messages().scan(scope, true, [&](MessageRow&& row) {
      const std::string digest = receipt.version < 2 ? erasure_digest(scope, "message", row.message.id.str())
                                                     : message_digest(scope, row.session, row.message.id);
      check.found += digests.contains(digest) ? 1 : 0;
    }));
    WEFT_CHECK(core_.store->items().scan_sources(scope, [&](ItemRow&& row) {
      check.found += digests.contains(erasure_digest(scope, "item", row.item.id.str())) ? 1 : 0;
    }));
  }
  WEFT_TRY(const Traces traces, records.traces(receipt_id));
  WEFT_CHECK(core_.store->file().settle());
  WEFT_CHECK(look_for_traces(traces, false, check));
  return check;
}

// The services that an erasure calls: they stop writing, remove what they have stored and forget what is in memory.

Status Eraser::hold(const ScopeKey& scope, const EraseRequest& what) {
  const Status replays = with_.replays.hold(scope);
  const Status runs = with_.runs.hold(scope, what);
  return replays.ok() ? runs : replays;
}

void Eraser::let_go(const ScopeKey& scope) {
  guarded_or_logged("erase.let_go", [&] { with_.runs.let_go(scope); });
  with_.replays.let_go(scope);
}

// Questions before lessons: both name the runs that they are of.
Status Eraser::erase_made(const ErasedMessages& gone) {
  WEFT_CHECK(with_.diaries.erase(gone));
  WEFT_CHECK(with_.knowledge.erase(gone));
  with_.talk_gaps.erase(gone);
  WEFT_CHECK(with_.adaptation.erase(gone));
  WEFT_CHECK(with_.desk.erase(gone, with_.runs.questions_of(gone)));
  WEFT_CHECK(with_.lessons.erase(gone));
  WEFT_CHECK(with_.replays.erase(gone));
  WEFT_CHECK(with_.runs.erase(gone));
  WEFT_CHECK(with_.researches.erase(gone));
  WEFT_CHECK(core_.usage->erase(gone));
  WEFT_CHECK(erase_responses(core_.config.workspace, gone));
  return erase_answers(core_.config.workspace, gone);
}

void Eraser::forget(const ScopeKey& scope) {
  core_.forget(scope);
  with_.states.shelf().forget(scope);
  with_.compactions.forget(scope);
  with_.planner.forget();
  with_.searcher.forget();
  forget_item_words();
  with_.curations.forget(scope);
  with_.session_compactions.forget();
  if (with_.leads != nullptr) with_.leads->forget();
}

// What of a user stands in the memory of groups: it is told, and forgotten on request.

Result<std::vector<GroupTrace>> Eraser::group_traces(const RequestContext& request) {
  if (request.scope.is_group())
    return invalid_argument("group traces: " + request.scope.key().str() + " is a group",
                            "ask as the user, outside of any group");
  const std::string user = request.scope.user().str();
  std::vector<GroupTrace> traces;
  WEFT_TRY(const auto scopes, core_.store->streams().scopes());
  for (const ScopeKey& scope : scopes) {
    const std::string group = parts_of_scope(scope).group;
    if (group.empty()) continue;
    WEFT_TRY(const auto events, core_.store->items().of_kind(scope, ItemKind::kEvent, kMostEvents));
    GroupTrace trace{group, 0, {}};
    std::set<std::pair<SessionId, MessageId>> messages;
    for (const ItemRow& row : events) {
      if (!row.item.event || row.item.event->sender_id != user) continue;
      ++trace.events;
      for (const MessageId& id : row.item.sources) messages.emplace(row.item.session, id);
    }
    // Messages of the user of which no event was made yet count, too, with the answers to them.
    std::set<Turn> asked;
    std::map<Turn, std::vector<MessageId>> answers;
    WEFT_CHECK(core_.store->messages().scan(scope, true, [&](MessageRow&& row) {
      Turn turn(row.session, row.block);
      if (row.message.role != Role::kUser && !row.block.empty()) {
        answers[std::move(turn)].push_back(row.message.id);
      } else if (row.message.sender_id == request.scope.user()) {
        messages.emplace(row.session, row.message.id);
        asked.insert(std::move(turn));
      }
    }));
    for (const Turn& turn : asked)
      for (const MessageId& id : answers[turn]) messages.emplace(turn.first, id);
    if (trace.events == 0 && messages.empty()) continue;
    trace.messages.assign(messages.begin(), messages.end());
    traces.push_back(std::move(trace));
  }
  return traces;
}

Result<std::vector<EraseReceipt>> Eraser::erase_in_groups(const RequestContext& request) {
  WEFT_TRY(const auto traces, group_traces(request));
  std::vector<EraseReceipt> receipts;
  for (const GroupTrace& trace : traces) {
    if (trace.messages.empty()) continue;
    WEFT_TRY(const Scope group, Scope::group_of(GroupId(trace.group_id), request.scope.user()));
    std::map<SessionId, EraseRequest> by_session;
    for (const auto& [session, message] : trace.messages) {
      by_session[session].session = session;
      by_session[session].messages.push_back(message);
    }
    for (const auto& [session, what] : by_session) {
      WEFT_TRY(auto receipt, erase({group, request.deadline, request.cancel, {}, false}, what));
      receipts.push_back(std::move(receipt));
    }
  }
  return receipts;
}

// Views of a group's events stand in their senders' own profiles, too, where that is granted.
Status Eraser::redact_views(const std::map<ScopeKey, std::vector<ItemId>>& views) {
  for (const auto& [scope, ids] : views) {
    const std::string user = parts_of_scope(scope).user;
    if (user.empty()) continue;
    std::vector<std::string> events;
    for (const ItemId& id : ids) events.push_back(id.str());
    WEFT_TRY(const auto files, redact_profile({EntityType::kUser, user}, events));
    static_cast<void>(files);
  }
  return {};
}

}  // namespace weft
