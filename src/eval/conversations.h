#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "eval/recall_metrics.h"
#include "flow/recall/query.h"
#include "flow/recall/ranking.h"
#include "flow/recall/recipes.h"
#include "ports/embedding/embedder.h"
#include "text/words.h"
#include "weft/config.h"
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

/// One memory with the questions that it answers: its messages indexed as the engine does it, without topics.
struct EvalMemory {
  explicit EvalMemory(const LanguageMeans& means) : index(means) {}

  std::string set;
  Language language = Language::kEnglish;  ///< of most messages
  ScopeIndex index;
  std::unordered_map<std::int64_t, std::string> ids;  ///< of the messages, by row
  std::vector<LabelledQuestion> questions;
};

/// Adds messages to an empty memory. Without an embedder words alone.
Status fill_memory(EvalMemory& memory, const LimitsSettings& limits, const std::vector<SaidMessage>& messages,
                   Embedder* embedder);

/// A question as the engine puts it, with its vector.
RecallQuery query_for(const EvalMemory& memory, const std::string& text, Embedder* embedder);

/// The messages that rows belong to, the best first, each once.
std::vector<std::string> messages_of(const EvalMemory& memory, const std::vector<ScoredRow>& rows);

}  // namespace weft
