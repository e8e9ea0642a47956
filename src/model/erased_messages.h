#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "weft/ids.h"
#include "weft/time.h"

namespace weft {

/// What an erasure takes out of a scope, told to those who keep what was made of its messages.
struct ErasedMessages {
  ScopeKey scope;  ///< its key
  std::map<SessionId, std::map<std::string, Time>> messages;  ///< ids, and when they were said
  bool everything = false;
  std::optional<Time> before;  ///< all that was said before this moment
  /// Whether a text holds words of these messages. Words that fit into twelve bytes are not known by it.
  std::function<bool(std::string_view text)> repeats = [](std::string_view) { return false; };

  bool has(const SessionId& session, const std::string& message) const {
    if (everything) return true;
    const auto of = messages.find(session);
    return of != messages.end() && of->second.contains(message);
  }
  /// The sources of what was made of single messages: "SESSION/MESSAGE".
  std::set<std::string> sources() const {
    std::set<std::string> all;
    for (const auto& [session, ids] : messages)
      for (const auto& [id, time] : ids) all.insert(session.str() + "/" + id);
    return all;
  }
};

/// Task reports and reflections that go with erased messages, by their ids, told to those who learnt from them.
struct ErasedLessons {
  std::string owner;        ///< whose they are
  bool everything = false;  ///< all that was learnt from the owner goes
  std::set<std::string> reports, reflections;
  std::set<std::string> tasks;  ///< of the reports, as they were asked for
  std::function<bool(std::string_view text)> repeats = [](std::string_view) { return false; };

  bool empty() const { return !everything && reports.empty() && reflections.empty(); }
};

}  // namespace weft
