#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "flow/recall/fusion.h"
#include "flow/recall/query.h"
#include "ports/embedding/embedder.h"
#include "text/words.h"
#include "weft/config.h"
#include "weft/ids.h"
#include "weft/message.h"
#include "weft/result.h"
#include "weft/time.h"

namespace weft {

/// A question about a conversation with the messages that answer it.
struct LabelledQuestion {
  std::string id, query, category;
  /// Pieces of evidence: of each group any one message is enough.
  std::vector<std::vector<std::string>> groups;
  std::optional<Time> asked = {};
  std::vector<std::string> answers = {};  ///< words that a complete answer holds: one of them, of a list all
  std::vector<std::string> stale = {};    ///< words of what does not hold any more
  std::string answer = {};    ///< as a person would give it; empty: see `answers`, else not given in words
  bool unanswerable = false;  ///< by its category: what is asked for was never said
};

/// Shares of the evidence that were found, as means over questions.
struct RecallScore {
  static constexpr std::array<std::size_t, 3> kCuts{5, 10, 25};

  std::size_t questions = 0;
  std::array<double, 3> recall{};  ///< share of the groups with a message among the first 5, 10, 25
  double any = 0;                  ///< some group among the first 5
  double all = 0;                  ///< all groups among the first 5
};

/// Sums scores of questions; `mean` of none is all zero.
class RecallTally {
 public:
  /// `ranked`: message ids, the best first; repetitions count as one place.
  void add(const LabelledQuestion& question, const std::vector<std::string>& ranked);

  RecallScore mean() const;
  std::map<std::string, RecallScore> mean_by_category() const;

 private:
  RecallScore all_;
  std::map<std::string, RecallScore> by_category_;
};

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
