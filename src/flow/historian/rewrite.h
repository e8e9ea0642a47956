#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/metrics.h"
#include "flow/historian/absolutise.h"
#include "ports/chat/chat_model.h"
#include "text/words.h"
#include "weft/block.h"
#include "weft/choices.h"
#include "weft/config.h"

namespace weft {

enum class GateKind { kPronoun, kTime, kPlace };

/// A word that a stranger could not understand in a year.
struct GateHit {
  GateKind kind = GateKind::kPronoun;
  std::string word;        ///< as it is written
  std::size_t offset = 0;  ///< byte of the text
};

/// Finds the words that an absolute text may not hold, in order. In the balanced mode quotations, titles, code,
/// addresses and `names` are passed over, as are words that merely contain a listed one (其他, 本地化, 最近的车站) and
/// uses that refer to nothing ("it is raining", "there is"). Reflexives of the third person may stay, as 自己 may.
/// A word whose meaning stands behind it in brackets ("he [Tom]", 他[李雷]) is resolved, with those of its kind that
/// follow in the sentence (of the speaker and hearer: in the text); "the one concerned" and the like resolve nothing
/// and are hits themselves. Linear. Safe from any thread.
std::vector<GateHit> check(std::string_view text, GateMode mode, const std::vector<std::string>& names = {});

/// What a rewritten text must still hold of its draft: numbers, dates and times digit by digit, words with digits in
/// them (ids), addresses, quotations, names, and those of `names` that the draft has. In the order of the draft, each
/// once.
std::vector<std::string> facts_to_keep(std::string_view draft, const std::vector<std::string>& names);

/// Those of the facts that the text does not hold.
std::vector<std::string> missing_facts(const std::vector<std::string>& facts, std::string_view text);

/// Numbers, dates, ids and names of a text that `said` does not hold, in digits or in words. Months may be named where
/// `said` has their number.
std::vector<std::string> added_facts(std::string_view said, const std::vector<std::string>& names,
                                     std::string_view text);

/// What is to be put in words that need no circumstances.
struct RewriteInput {
  std::string did_what, new_info;  ///< as the agent said them
  Speech action, info;  ///< the circumstances of each: the agent speaks in the first, the sender in the second
  std::string head;  ///< when and where, absolute: what the canonical text begins with
  std::vector<std::string> names;  ///< of all who take part
  Language language = Language::kEnglish;
};

/// The same in words that mean the same to a stranger in a year.
struct Rewritten {
  std::string did_what, new_info, canonical_text;
  MadeBy by = MadeBy::kFloor;
  Writing writing;  ///< of `canonical_text`
  std::vector<GateHit> left;  ///< words that still need the circumstances: the text is kept all the same, marked
  std::vector<TextSpan> did_annotations, info_annotations;  ///< of `did_what` and `new_info`
  int model_calls = 0, rejected = 0;  ///< answers asked for, and those that were not taken
  std::string why_floor;  ///< why the model's answer was not taken, for the log
};

struct RewriteTerms {
  ChatModel* model = nullptr;  ///< null: the deterministic way alone
  GateMode gate = GateMode::kBalanced;  ///< kLiteral also replaces words where kBalanced annotates them
  int max_rewrites = 2;  ///< after the first answer
};

/// As configured.
RewriteTerms rewrite_terms(const Config& config, ChatModel* model);

/// Leaves out a part of what was written, `did_what` or `new_info`, of the canonical text as well.
void leave_out(const RewriteInput& input, std::string Rewritten::* part, Rewritten& written);

/// First the deterministic draft, then, where there is a model, its wording of the draft: bound to a schema, holding
/// every name, number, date and id of the draft, none that stands neither there nor in what was said, and without a
/// word that the gate refuses; what is refused goes back with the reason, at most `max_rewrites` times. Whatever the
/// model does, the draft stands in where it fails.
Rewritten rewrite(const RewriteInput& input, const RewriteTerms& terms, const Deadline& deadline);

/// The circumstances of one message of a topic: who said it to whom, when, and what had been said before. Speakers
/// without a name are "the user" and "the assistant".
/// Words are annotated or replaced as the gate that is configured wants them; who said it stands before an event's
/// line.
Speech speech_of(const std::vector<LogicalBlock>& blocks, std::size_t block, const Message& message,
                 const Config& config);

/// Whether nothing is said in a block: greetings, thanks, confirmations on both sides, and no tool was used.
bool is_empty_talk(const LogicalBlock& block);

/// A model's words for a message, and how they came about.
struct Worded {
  std::string text;
  std::string model, prompt;
};

/// A model's words for messages of a topic, by message.
using Wording = std::unordered_map<std::string, Worded>;

/// Asks the model of `terms` to word what was said in each block, starting from the grammar's draft. A message that is
/// longer than historian.verbatim_tokens is not asked for: of it only sentences are kept. What the model does not
/// answer, or answers wrongly, is left out, so that the draft stands in. Counts calls and refusals. The caller must
/// hold no lock: a model takes its time.
Wording reword_blocks(const std::vector<LogicalBlock>& blocks, const RewriteTerms& terms, const Config& config,
                      Metrics& metrics, const Deadline& deadline);

}  // namespace weft
