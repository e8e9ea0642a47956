#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/deadline.h"
#include "flow/memory/said_facts.h"
#include "model/rows.h"
#include "ports/chat/chat_model.h"

namespace weft {

/// What a model found users to state of themselves.
struct FactsOfModel {
  std::map<std::int64_t, std::vector<SaidFact>> facts;  ///< by the number of the message that says it
  std::string prompt;  ///< by name and version, as Writing has it
  std::string why_floor;  ///< why the answer was not taken, for the log
};

/// Asks a model, once, which lasting facts and standing wishes users state in these messages. Each must name the
/// message that says it and quote its words; what holds a number, a name or an id that stands neither there nor in the
/// speaker's name is left out, as is what the quote does not bear. At most 40 messages are shown, the newest. The
/// caller must hold no lock.
FactsOfModel facts_by_model(ChatModel& model, std::span<const MessageRow> messages,
                            const std::function<std::string(const MessageRow&)>& speaker, const Deadline& deadline);

}  // namespace weft
