#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "weft/ids.h"
#include "weft/time.h"

namespace weft {

/// The end of an agent's turn, as the tool `end` reports it. Where both texts are empty the turn only ends.
struct EndRequest {
  std::string action_summary;  ///< what the agent did in this turn
  std::string new_info;  ///< one new thing that the user's message says; at most one for a message
  std::string summary;  ///< the old field: taken as `action_summary` where that is empty
  bool force = false;  ///< ends although calls of tools are still unanswered
  bool task_done = false;  ///< the session's task is ended, too; else it stays for the next turn

  std::string request_id;  ///< empty: the id of the session's last user message
  std::string agent;  ///< the agent's name; empty: as configured
  std::string sender_id, sender_name;  ///< who wrote the user's message; empty: as the scope and the message say
  std::string location;  ///< where the message came from, such as "Berlin"; empty: not known
  std::string timezone;  ///< name or offset; empty: the offset of `time`
  std::optional<Time> time;  ///< empty: that of the user's message
  std::vector<MessageId> message_ids;  ///< empty: the user's message
};

/// What became of the end of a turn.
struct EndReport {
  bool queued = false;
  JobId job;
  std::string event_id;  ///< "REQUEST:SEQ"; empty where nothing was queued
  std::vector<std::string> notices;  ///< such as that a field is deprecated
};

}  // namespace weft
