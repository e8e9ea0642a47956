#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "eval/conversations.h"
#include "ports/chat/chat_model.h"
#include "weft/config.h"
#include "weft/engine.h"
#include "weft/result.h"

namespace weft {

/// What a model reads, for asking whether it holds what a message said.
class WovenText {
 public:
  explicit WovenText(std::string_view prompt);

  /// Whether sentences that make up half of the message's words (of a long message 100 words) stand there word by word.
  /// Escapes count as what they stand for.
  bool holds(std::string_view message) const;

 private:
  std::string words_;  ///< of the whole text, each between blanks
};

struct AnswersOptions {
  /// Tokens of memory (`context.memory_tokens`) that prompts are measured at beside the configured ones.
  std::vector<std::int64_t> budgets;
  std::string replayed;  ///< folder that keeps the replayed messages; where it exists they are not replayed again
  std::string details;  ///< file for what each question found and was given, one JSON object a line; empty: none
  std::size_t questions = 0;  ///< of each conversation at most, spread evenly; 0: all
  ChatModel* reader = nullptr;  ///< answers the questions from the prompts at the configured budget; null: nobody
  ChatModel* judge = nullptr;  ///< judges its answers; null: words are compared
};

/// Measures what a prompt makes answerable, through the calls that programs make.
///
/// Every conversation (see `find_conversations`) is replayed in a scope of its own, its sessions are saved, and each
/// question is the input of a prompt in a new session. Reported for each set, at the configured budget and at each of
/// `budgets`:
///  - complete, gold: questions all of whose evidence stands in the prompt's memory, and the mean share of it. Evidence
///    stands there if half of the words of one of its messages do (see `WovenText`), notes taken away;
///  - tokens, items, noise (share of the items that are no evidence and no neighbour of it), nothing (prompts without
///    any memory);
///  - ranked: complete and gold if the ranking's messages filled the budget, the best first;
///  - lost: the share of the pieces of evidence that went at each step: not found, each reason of the report;
///  - answers: where a question has its answer in words (`LabelledQuestion::answers`): how many stand in the prompt on
///  a
///    line that is not marked as outdated, and where words of an old value stand unmarked;
///  - unknown: questions about things that were never said, and how many are given anything;
///  - reader: its answers from the prompt, from the gold messages, from the best messages by words within the budget
///  and
///    from the whole conversation, with their scores (see `AnswerReader`). Prompts are woven for that model's window;
///  - far: questions of another set of the same language, asked here: how many are given anything, and its tokens.
///
/// Gives one line of JSON. Takes as long as embedding all messages does; progress is logged at level info.
Result<std::string> run_eval_answers(const Config& config, const std::vector<std::string>& sets,
                                     const AnswersOptions& options);

/// The scope in which a conversation is replayed.
Result<RequestContext> scope_of(const Conversation& conversation);

}  // namespace weft
