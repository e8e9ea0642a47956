#include "engine/diaries.h"

#include <algorithm>
#include <limits>

#include "base/log.h"
#include "engine/engine_core.h"
#include "flow/context/told_file.h"
#include "flow/historian/members.h"
#include "ports/files/file_system.h"
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

}  // namespace weft
