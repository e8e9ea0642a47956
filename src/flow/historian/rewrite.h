#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "flow/historian/absolutise.h"
#include "flow/historian/gate.h"
#include "ports/chat/chat_model.h"
#include "text/words.h"
#include "weft/config.h"
#include "weft/made_by.h"

namespace weft {

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

}  // namespace weft
