#pragma once

#include <string>
#include <vector>

#include "eval/recall_metrics.h"
#include "weft/ids.h"
#include "weft/message.h"
#include "weft/result.h"

namespace weft {

/// One conversation of a set: its files without their endings.
struct Conversation {
  std::string set, stem;
};

/// A message with the session it was said in.
struct SaidMessage {
  SessionId session;
  Message message;
};

/// All conversations whose files begin with `prefix`, or lie in that folder, in the order of their names: pairs of
/// NAME.messages.jsonl and NAME.queries.jsonl. kNotFound where there is none; `command` begins the error.
Result<std::vector<Conversation>> find_conversations(const std::string& prefix, const std::string& command);

/// Errors name the file and the line.
Result<std::vector<SaidMessage>> read_messages(const Conversation& conversation);
Result<std::vector<LabelledQuestion>> read_questions(const Conversation& conversation);

/// Passages without an order, NAME.passages.jsonl, each a message in a session of its own, and the questions about
/// them.
Result<std::vector<SaidMessage>> read_passages(const std::string& name);
Result<std::vector<LabelledQuestion>> read_passage_questions(const std::string& name);

}  // namespace weft
