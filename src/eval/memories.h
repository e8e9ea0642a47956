#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "eval/conversations.h"
#include "flow/recall/query.h"
#include "flow/recall/ranking.h"
#include "flow/recall/recipes.h"
#include "ports/embedding/embedder.h"
#include "text/words.h"
#include "weft/config.h"

namespace weft {

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
