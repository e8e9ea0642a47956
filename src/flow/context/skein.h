#pragma once

#include <string>
#include <vector>

#include "weft/message.h"

namespace weft {

/// What a prompt for a plain model is woven from.
struct SkeinParts {
  std::string instruction;       ///< as plain text
  std::string automation_block;  ///< of stream A: Filament, escaped already
  std::string curation_block;    ///< of stream B: Filament, escaped already
  std::vector<Message> history;  ///< oldest first
  std::string user_input;        ///< as plain text
};

/// The parts as one text for models without a chat form: `<root>` with `<system>` (instruction, automation block,
/// curation block), `<chat_history>` (a `<message role="…">` each, with its calls of tools) and `<user_input>`, in that
/// order. Text is escaped, so nothing in it closes one of these tags or forges a message. Empty blocks leave no trace;
/// the three sections always stand. Pure and linear. Ends with a line break.
std::string skein_text(const SkeinParts& parts);

}  // namespace weft
