#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "flow/compaction/probes.h"
#include "weft/message.h"

namespace weft {

/// Probes that a run itself gives, by rules that know nothing of any compaction: identifiers, paths and numbers of the
/// user's messages, what the user forbade or wished, errors that tools reported, decisions. Questions are the sentence
/// with its value left out. At most some dozens a run, in the order they were said.
std::vector<Probe> probes_of_messages(const std::vector<Message>& messages, const std::string& trace);

/// Decisions stated in the messages, as sentences, in order.
std::vector<std::string> decisions_of(const std::vector<Message>& messages);

/// A value that a call to come needs and that was known before: losing it means asking again.
struct KnownValue {
  std::string value, tool;
  bool from_user = false;  ///< the user gave it; else the assistant used it in an earlier call
};

/// For each of the next `turns` steps of the assistant in `after`, the values in its calls' arguments that `before`
/// already has, from the user or from the calls. A value that the user gives again in `after` counts as not needed.
std::vector<std::vector<KnownValue>> values_of_next_turns(const std::vector<Message>& before,
                                                          const std::vector<Message>& after, std::size_t turns);

}  // namespace weft
