#include "surface/hook/hook.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <utility>

#include "base/log.h"
#include "base/strings.h"
#include "flow/context/fence.h"
#include "growth/claude_transcript.h"
#include "ports/files/file_system.h"
#include "text/json.h"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostBytes = 16 * 1024 * 1024;      // of a call
constexpr std::size_t kMostTranscript = 256 * 1024 * 1024;
constexpr std::size_t kHead = 64 * 1024;                  // of a session file, where its first message stands
constexpr std::size_t kLookedBack = 40;                   // messages that the chat shows
constexpr std::size_t kPreambleLines = 2;                 // of a block of memories
constexpr std::size_t kMostOrigins = 8, kMostKept = 100'000;
constexpr std::chrono::milliseconds kPatience{400};       // somebody waits to see an answer

SessionId session_of(const HookCall& call) { return SessionId("claude-code:" + call.session); }

std::string text_member(std::string_view object, std::string_view name) {
  return json_text(json_member(object, name)).value_or({});
}

std::string added_context(const HookCall& call, const std::string& text) {
  if (trimmed(text).empty()) return {};
  return write_json(Json{{"hookSpecificOutput", {{"hookEventName", call.event}, {"additionalContext", text}}}});
}

void add_block(std::string& text, std::string_view block) {
  if (!block.empty()) text += (text.empty() ? "" : "\n") + std::string(block);
}

ProfileHead head_of(const Profile& profile) {
  return {profile.name, profile.entity.type == EntityType::kGroup, profile.updated_at};
}

// The profile was told when the session began. After that, what other sessions have changed in it since the session's
// last prompt.
Result<std::string> what_changed(const Engine& engine, const RequestContext& request, const HookCall& call,
                                 std::size_t most_bytes) {
  WEFT_TRY(const auto history, engine.session(request, session_of(call)).history(kLookedBack));
  const auto last = std::find_if(history.rbegin(), history.rend(), [](const StoredMessage& one) {
    return one.message.role == Role::kUser && one.message.time.has_value();
  });
  const auto profile = engine.profiles(request).read();
  if (last == history.rend() || !profile.ok()) return std::string();
  WEFT_TRY(const auto versions, engine.profiles(request).history());
  // Versions were put aside at whole seconds.
  constexpr std::int64_t kSecond = 1000;
  const Time prompt = *last->message.time;
  const ProfileVersion* then = nullptr;  // what stood there at that time
  for (const ProfileVersion& one : versions)
    if (one.taken.ms + kSecond > prompt.ms && (then == nullptr || one.version < then->version)) then = &one;
  const bool sure = then != nullptr && then->taken > prompt;
  if (!sure && (profile->updated_at <= prompt || (then == nullptr && !versions.empty()))) return std::string();
  std::string before;
  if (then != nullptr) {
    WEFT_TRY(const Profile earlier, engine.profiles(request).version(then->version));
    before = earlier.body;
  }
  return tell_profile_changes(head_of(*profile), before, profile->body, session_of(call).str(), most_bytes);
}

// Without the blocks of a tag, which nothing within them can close.
std::string without_blocks(std::string text, const std::string& tag) {
  const std::string open = "<" + tag + ">", close = "</" + tag + ">";
  for (auto at = text.find(open); at != std::string::npos; at = text.find(open, at)) {
    const auto end = text.find(close, at);
    if (end == std::string::npos) break;
    text.erase(at, end + close.size() - at);
  }
  return text;
}

// Memories without the messages of this session that the chat shows; days and gaps go with their last line.
std::string without_what_the_chat_shows(const std::string& text, std::span<const StoredMessage> chat) {
  if (!text.starts_with("<memory>")) return text;
  const auto is_shown = [&](std::string_view line) {
    return std::any_of(chat.begin(), chat.end(), [&](const StoredMessage& one) {
      const auto said = lines_of(trimmed(one.message.content));
      return !said.empty() && line.size() > said.front().size() && line.ends_with(escape_text(trimmed(said.front())));
    });
  };
  std::string kept, headings;
  bool shown = false, any = false;
  std::size_t number = 0;
  for (const std::string_view line : lines_of(text)) {
    const bool goes_on = line.starts_with(' '), item = line.starts_with("- ");
    if (item) shown = is_shown(line);
    if (number++ < kPreambleLines || (!item && !goes_on && line.starts_with("</"))) {
      kept.append(line).append("\n");
    } else if (!item && !goes_on) {
      headings = line.starts_with("…") && !headings.empty() ? headings : std::string(line) + "\n";
    } else if (!shown) {
      kept.append(std::exchange(headings, {})).append(line).append("\n");
      any = true;
    }
  }
  return any ? kept : std::string();
}

// What is known before anything was asked: whoever begins to work should not have to ask for it.
Result<std::string> what_is_known(const Engine& engine, const RequestContext& request, std::size_t most_bytes) {
  std::string text;
  std::size_t suspects = 0;
  if (const auto profile = engine.profiles(request).read(); profile.ok())
    add_block(text, tell_profile(head_of(*profile), profile->body, most_bytes));
  if (const auto file = engine.memory(request).knowledge(); file.ok()) {
    const ToldFile told = tell_knowledge(file->text, most_bytes);
    suspects += told.suspects;
    add_block(text, told.text);
  }
  WEFT_TRY(const auto days, engine.memory(request).days());
  const auto day = days.empty() ? Result<Day>(Day{}) : engine.memory(request).day(days.back());
  if (day.ok()) {
    const ToldFile told = tell_day(day->date, day->text, most_bytes);
    suspects += told.suspects;
    add_block(text, told.text);
  }
  if (suspects > 0)
    log_warning("hook.suspect",
                fmt::format("{} lines read as if they gave orders and are announced as such", suspects));
  return text;
}

// What was woven in beside the prompt itself.
Result<std::string> what_it_needs(const Engine& engine, const RequestContext& request, const HookCall& call,
                                  const std::string& prompt, std::size_t most_bytes) {
  RequestContext hurried = request;
  hurried.deadline = std::chrono::steady_clock::now() + kPatience;
  ContextRequest what;
  what.history = {Message::user(prompt)};
  what.observe = false;
  WEFT_TRY(const auto woven, engine.session(hurried, session_of(call)).context(what));
  WEFT_TRY(std::string text, what_changed(engine, request, call, most_bytes));
  WEFT_TRY(const auto chat, engine.session(request, session_of(call)).history(kLookedBack));
  for (const Message& message : woven.messages) {
    std::string part = message.role == Role::kSystem ? without_blocks(message.content, "profile") : message.content;
    if (message.role == Role::kUser && part.ends_with(prompt)) part.resize(part.size() - prompt.size());
    if (message.role != Role::kSystem && message.role != Role::kUser) continue;
    add_block(text, trimmed(without_what_the_chat_shows(part, chat)));
  }
  return text;
}

bool is_one_of(std::string_view event, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), event) != names.end();
}

// What was said in a line as messages of ours.
std::vector<Message> messages_of(const Json& line) {
  auto read = parse_message(write_json(line["message"]));
  if (!read.ok()) return {};
  const Json& stamp = member(line, "timestamp");
  const auto time = parse_time(stamp.is_string() ? stamp.get<std::string>() : std::string());
  for (Message& one : *read) {
    // Claude Code writes a line for each block of an answer, all under the answer's id.
    one.id = {};
    one.raw.clear();
    if (time.ok()) one.time = *time;
  }
  return std::move(read).value();
}

/// A session file as it is taken in.
struct TranscriptRead {
  std::vector<Message> messages;
  std::set<std::string> origins;  ///< sessions from which lines may have been copied
  bool went_back = false;  ///< the person went back to an earlier prompt
};

// A session that was resumed or branched off is a file of its own that begins with copies of the lines of another, with
// the same `uuid`s. Some versions name the other session in these lines.
std::set<std::string> named_origins(const Json& line) {
  std::set<std::string> names;
  for (const Json& name : {member(line, "sessionId"), member(member(line, "forkedFrom"), "sessionId")})
    if (name.is_string()) names.insert(name.get<std::string>());
  return names;
}

// Others do not: then the other file stands in the same folder.
std::set<std::string> files_that_begin_with(const std::string& uuid, const std::filesystem::path& transcript) {
  std::set<std::string> sessions;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(transcript.parent_path(), failed)) {
    if (sessions.size() >= kMostOrigins || entry.path().extension() != ".jsonl") continue;
    std::ifstream in(entry.path(), std::ios::binary);
    std::string head(kHead, '\0');
    in.read(head.data(), static_cast<std::streamsize>(head.size()));
    head.resize(static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0)));
    if (head.find('"' + uuid + '"') != std::string::npos) sessions.insert(entry.path().stem().string());
  }
  return sessions;
}

TranscriptRead read_transcript(std::string_view lines, const std::filesystem::path& file) {
  ClaudeTranscript transcript(lines);
  TranscriptRead read;
  for (const std::string_view whole : lines_of(lines)) {
    const std::string_view line = trimmed(whole);
    if (!line.starts_with('{') || !check_json(line, {.max_bytes = kMostBytes, .max_depth = 256}, "a line").ok())
      continue;
    const auto said = transcript.said(Json::parse(line, nullptr, false));
    if (!said) continue;
    read.origins.merge(named_origins(*said));
    const Json& uuid = member(*said, "uuid");
    if (read.messages.empty() && uuid.is_string())
      read.origins.merge(files_that_begin_with(uuid.get<std::string>(), file));
    auto some = messages_of(*said);
    std::move(some.begin(), some.end(), std::back_inserter(read.messages));
  }
  for (const auto& [kind, count] : transcript.left_out())
    log_debug("hook.left_out", fmt::format("{} × {}", count, kind));
  read.went_back = transcript.left_out().contains("branch that was left");
  return read;
}

bool is_same(const Message& said, const Message& kept) {
  return said.role == kept.role && trimmed(said.content) == trimmed(kept.content);
}

// How many of the messages another session said before this one went on from them.
Result<std::size_t> copied(const Engine& engine, const RequestContext& request, const HookCall& call,
                           const TranscriptRead& read) {
  std::size_t most = 0;
  for (const std::string& origin : read.origins) {
    const SessionId other("claude-code:" + origin);
    if (origin == call.session || !check_id(other.str(), "session").ok()) continue;
    WEFT_TRY(const auto kept, engine.session(request, other).history(read.messages.size() + kMostKept));
    std::size_t same = 0;
    while (same < kept.size() && same < read.messages.size() && is_same(read.messages[same], kept[same].message))
      ++same;
    most = std::max(most, same);
  }
  return most;
}

// After a rewind to the very first prompt only the new prompt comes again, which was
// taken in when it was sent: what followed the first one is taken back, and that one where the new one is an edit of
// it.
Status go_back_to_start(const Session& session, std::span<const Message> history) {
  WEFT_TRY(const auto kept, session.history(kMostKept));
  const auto is_first = [&](const StoredMessage& one) { return is_same(history[0], one.message); };
  if (kept.empty() || std::any_of(kept.begin(), std::prev(kept.end()), is_first)) return {};
  if (kept.size() == 1 && is_first(kept.front())) return {};
  const std::vector<Message> first{kept.front().message};
  WEFT_CHECK(session.sync(first));
  WEFT_CHECK(session.sync(history.first(1)));
  return {};
}

Status take_transcript(const Engine& engine, const RequestContext& request, const HookCall& call) {
  if (call.transcript.empty()) return {};
  std::error_code error;
  const auto size = std::filesystem::file_size(call.transcript, error);
  if (error) return not_found("the transcript " + call.transcript + " cannot be read: " + error.message());
  if (size > kMostTranscript) return too_large("the transcript " + call.transcript + " is larger than 256 MB");
  WEFT_TRY(const std::string text, read_file(call.transcript));
  const TranscriptRead read = read_transcript(text, call.transcript);
  WEFT_TRY(const std::size_t before, copied(engine, request, call, read));
  const auto own = std::span<const Message>(read.messages).subspan(before);
  if (own.empty()) return {};
  const Session session = engine.session(request, session_of(call));
  if (read.went_back) WEFT_CHECK(go_back_to_start(session, own));
  WEFT_CHECK(session.sync(own));
  return {};
}

}  // namespace

Result<HookCall> read_hook_call(std::string_view json) {
  if (json.starts_with("\xEF\xBB\xBF")) json.remove_prefix(3);
  WEFT_CHECK(check_json(json, {.max_bytes = kMostBytes}, "what the hook was given"));
  json.remove_prefix(std::min(json.find_first_not_of(kBlanks), json.size()));
  if (!json.starts_with('{')) return invalid_argument("what the hook was given is no JSON object");
  HookCall call{text_member(json, "hook_event_name"), text_member(json, "session_id"),
                text_member(json, "transcript_path"), text_member(json, "prompt")};
  if (call.event.empty() || call.session.empty())
    return invalid_argument("what the hook was given has no hook_event_name or no session_id",
                            "`weft hook` is for the hooks of Claude Code, which give both");
  WEFT_CHECK(check_id("claude-code:" + call.session, "session"));
  return call;
}

Result<std::string> answer_hook(const Engine& engine, const RequestContext& request, const HookCall& call,
                                const HookLimits& limits) {
  if (call.event == "SessionStart") {
    WEFT_TRY(const std::string known, what_is_known(engine, request, limits.known_bytes));
    return added_context(call, known);
  }
  if (call.event == "UserPromptSubmit") {
    const std::string typed = typed_prompt(call.prompt);
    if (typed.empty()) return std::string();
    WEFT_TRY(const std::string needed, what_it_needs(engine, request, call, typed, limits.known_bytes));
    WEFT_CHECK(engine.session(request, session_of(call)).observe(Message::user(typed)));
    return added_context(call, needed);
  }
  if (is_one_of(call.event, {"Stop", "SubagentStop", "PreCompact", "SessionEnd"}))
    WEFT_CHECK(take_transcript(engine, request, call));
  if (is_one_of(call.event, {"PreCompact", "SessionEnd"})) {
    WEFT_TRY(const auto saved, engine.session(request, session_of(call)).save());
    (void)saved;
  }
  return std::string();
}

namespace {

// What `answer_hook` does something at.
constexpr std::array<const char*, 6> kEvents = {"SessionStart", "UserPromptSubmit", "Stop",
                                                "SubagentStop", "PreCompact",       "SessionEnd"};
constexpr int kTimeoutSeconds = 10;

// The first two words of a command line, without quotes.
std::pair<std::string, std::string> first_words(const std::string& line) {
  std::array<std::string, 2> words;
  std::size_t at = 0;
  char quote = 0;
  for (const char c : trimmed(line)) {
    if (quote != 0 ? c == quote : c == '\'' || c == '"') {
      quote = quote != 0 ? '\0' : c;
    } else if (c == ' ' && quote == 0) {
      if (words[at].empty()) continue;
      if (++at == words.size()) break;
    } else {
      words[at] += c;
    }
  }
  return {words[0], words[1]};
}

bool is_ours(const Json& hook) {
  if (!hook.is_object() || !hook.contains("command") || !hook["command"].is_string()) return false;
  const auto [program, verb] = first_words(hook["command"].get<std::string>());
  return std::filesystem::path(program).filename() == "weft" && verb == "hook";
}

Result<Json> read_settings(std::string_view text) {
  if (trimmed(text).empty()) return Json(Json::object());
  WEFT_CHECK(check_json(text, {.max_bytes = text.size()}, "the settings"));
  Json settings = Json::parse(text);
  if (!settings.is_object())
    return invalid_argument("the settings are no JSON object", "mend the file, or move it away");
  if (settings.contains("hooks") && !settings["hooks"].is_object())
    return invalid_argument("\"hooks\" is no object", "mend the file by hand");
  return settings;
}

// Takes Weft's out of an event's list of matchers; what holds nothing any more goes.
void take_out(Json& matchers) {
  for (auto matcher = matchers.begin(); matcher != matchers.end();) {
    if (!matcher->is_object() || !matcher->contains("hooks") || !(*matcher)["hooks"].is_array()) {
      ++matcher;
      continue;
    }
    Json& hooks = (*matcher)["hooks"];
    const std::size_t before = hooks.size();
    for (auto hook = hooks.begin(); hook != hooks.end();) hook = is_ours(*hook) ? hooks.erase(hook) : hook + 1;
    matcher = hooks.empty() && before > 0 ? matchers.erase(matcher) : matcher + 1;
  }
}

void take_out_all(Json& settings) {
  if (!settings.contains("hooks")) return;
  Json left = Json::object();
  for (auto& [event, matchers] : settings["hooks"].items()) {
    const bool held = matchers.is_array() && !matchers.empty();
    if (held) take_out(matchers);
    if (!held || !matchers.empty()) left[event] = std::move(matchers);
  }
  if (left.empty())
    settings.erase("hooks");
  else
    settings["hooks"] = std::move(left);
}

std::string written(const Json& settings) { return settings.dump(2) + "\n"; }

}  // namespace

Result<std::string> with_weft_hooks(std::string_view text, const std::string& command) {
  WEFT_TRY(Json settings, read_settings(text));
  const Json ours = {{"type", "command"}, {"command", command}, {"timeout", kTimeoutSeconds}};
  take_out_all(settings);
  for (const char* event : kEvents) {
    Json& matchers = settings["hooks"][event];
    if (!matchers.is_null() && !matchers.is_array())
      return invalid_argument("\"hooks." + std::string(event) + "\" is no array", "mend the file by hand");
    matchers.push_back(Json{{"hooks", Json::array({ours})}});
  }
  return written(settings);
}

Result<std::string> without_weft_hooks(std::string_view text) {
  if (trimmed(text).empty()) return std::string(text);
  WEFT_TRY(Json settings, read_settings(text));
  const Json before = settings;
  take_out_all(settings);
  return settings == before ? std::string(text) : written(settings);
}

std::string shell_word(const std::string& word) {
  const auto plain = [](char c) {
    return is_letter(c) || is_digit(c) || std::string_view("-_./:@%+=,").find(c) != std::string_view::npos;
  };
  bool quoted = word.empty();
  for (const char c : word) quoted = quoted || !plain(c);
  if (!quoted) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace weft
