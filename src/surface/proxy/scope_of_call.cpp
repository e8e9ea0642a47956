#include "surface/proxy/scope_of_call.h"

#include <algorithm>

#include <fmt/format.h>

namespace weft::proxy {
namespace {

constexpr std::size_t kMostRemembered = 4096;           // entries of each cache; it is only a cache
constexpr std::size_t kWholeHistory = 1'000'000;
constexpr std::int64_t kAnswerAgainMs = 10 * 60 * 1000;  // so long a repeated first message asks for another answer

/// FNV-1a: the same on every machine and in every version, since session ids are made of it.
std::uint64_t hash_of(std::string_view text, std::uint64_t seed = 0xcbf29ce484222325ULL) {
  for (const char c : text) seed = (seed ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return (seed ^ 0xff) * 0x100000001b3ULL;  // so that "ab" + "c" differs from "a" + "bc"
}

std::string_view trim_end(std::string_view text) { return text.substr(0, text.find_last_not_of(" \t\r\n") + 1); }

std::uint64_t hash_of(const Message& reply) {
  auto hash = hash_of(trim_end(reply.content));
  for (const auto& call : reply.tool_calls) hash = hash_of(call.arguments, hash_of(call.name, hash));
  return hash == 0 ? 1 : hash;
}

/// The hash of the first answer in a conversation; 0 where there is none yet.
std::uint64_t first_reply(const std::vector<Message>& messages) {
  const auto found =
      std::find_if(messages.begin(), messages.end(), [](const Message& m) { return m.role == Role::kAssistant; });
  return found == messages.end() ? 0 : hash_of(*found);
}

std::string base_of(const Scope& scope, const std::vector<Message>& messages) {
  const auto found =
      std::find_if(messages.begin(), messages.end(), [](const Message& m) { return m.role == Role::kUser; });
  const auto& first = found == messages.end() ? messages.front() : *found;
  return fmt::format("chat-{:016x}", hash_of(first.content, hash_of(scope.key())));
}

SessionId session_at(const std::string& base, std::size_t number) {
  return SessionId(number == 1 ? base : fmt::format("{}-{}", base, number));
}

template <class Map, class Value>
void keep(Map& map, const std::string& key, Value value) {
  if (map.size() >= kMostRemembered) map.clear();
  map[key] = value;
}

}  // namespace

Result<SessionId> SessionFinder::find(const RequestContext& request, const std::vector<Message>& messages) {
  const auto base = base_of(request.scope, messages);
  const auto reply = first_reply(messages);
  WEFT_TRY(const auto count, count_sessions(request, base));
  if (count == 0) return session_at(base, 1);
  if (reply != 0) return count == 1 ? session_at(base, 1) : match_reply(request, base, count, reply);
  WEFT_TRY(const bool over, is_over(request, session_at(base, count)));
  if (!over) return session_at(base, count);
  keep(*counts_.lock(), base, count + 1);
  return session_at(base, count + 1);
}

Result<std::size_t> SessionFinder::count_sessions(const RequestContext& request, const std::string& base) {
  if (auto counts = counts_.lock(); counts->contains(base)) return counts->at(base);
  std::size_t count = 0;
  for (;; ++count) {
    WEFT_TRY(const auto newest, engine_.history(request, session_at(base, count + 1), 1));
    if (newest.empty()) break;
  }
  if (count > 0) keep(*counts_.lock(), base, count);
  return count;
}

Result<bool> SessionFinder::is_over(const RequestContext& request, const SessionId& session) {
  WEFT_TRY(const auto stored, engine_.history(request, session, 4));
  std::size_t others = 0;
  std::optional<Time> answered;
  for (const auto& entry : stored) {
    if (entry.message.role == Role::kSystem) continue;
    ++others;
    if (entry.message.role == Role::kAssistant) answered = entry.message.time;
  }
  if (others > 2) return true;
  return answered && clock_.now().ms - answered->ms > kAnswerAgainMs;
}

Result<SessionId> SessionFinder::match_reply(const RequestContext& request, const std::string& base, std::size_t count,
                                             std::uint64_t reply) {
  for (const bool fresh : {false, true}) {
    for (auto number = count; number > 0; --number) {
      WEFT_TRY(const auto known, first_reply_of(request, session_at(base, number), fresh));
      if (known == reply) return session_at(base, number);
    }
  }
  return session_at(base, count);  // the first answer was edited: the newest one is the likeliest
}

Result<std::uint64_t> SessionFinder::first_reply_of(const RequestContext& request, const SessionId& session,
                                                    bool fresh) {
  const auto key = request.scope.key() + '\n' + session.str();
  if (auto replies = replies_.lock(); !fresh && replies->contains(key)) return replies->at(key);
  WEFT_TRY(const auto stored, engine_.history(request, session, kWholeHistory));
  std::vector<Message> messages;
  for (const auto& entry : stored) {
    messages.push_back(entry.message);
    if (entry.message.role == Role::kAssistant) break;
  }
  const auto reply = first_reply(messages);
  if (reply != 0) keep(*replies_.lock(), key, reply);
  return reply;
}

Result<SessionId> session_of_call(const RequestContext& request, const Names& headers, const ChatCall& call,
                                  SessionFinder& finder) {
  const auto& named = headers.session.empty() ? call.names.session : headers.session;
  if (named.empty()) return finder.find(request, call.messages);
  WEFT_CHECK(check_id(named, "session"));
  return SessionId(named);
}

}  // namespace weft::proxy
