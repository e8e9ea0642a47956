#pragma once

#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "weft/ids.h"
#include "weft/scope.h"

namespace weft::proxy {

/// Whose the responses are that a server makes in the background: what they say is remembered when their client asks
/// for them. The newest some thousands, until the program ends. Safe from any thread.
class ResponsesLater {
 public:
  struct Place {
    Scope scope;
    SessionId session;
  };

  /// Notes whose a response is, by its JSON; one that is over already is not noted.
  void note(std::string_view response, const Scope& scope, const SessionId& session);

  std::optional<Place> find(std::string_view id) const;
  void forget(std::string_view id);

 private:
  static constexpr std::size_t kMost = 4096;

  mutable std::mutex mutex_;
  std::deque<std::pair<std::string, Place>> open_;
};

}  // namespace weft::proxy
