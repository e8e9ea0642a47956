#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "flow/compaction/material.h"
#include "ports/chat/chat_model.h"
#include "text/token_counter.h"
#include "weft/compaction.h"
#include "weft/result.h"

namespace weft {

/// How long and how often a model is asked.
struct CallLimits {
  std::chrono::milliseconds timeout{60'000};  ///< of all attempts together
  int retries = 1;                            ///< after the first attempt
  std::chrono::milliseconds backoff{500};     ///< before the first retry; doubles each time
};

/// Asks a model until `accept` takes the answer's text, at most `retries` more times. `accept` gives an error for an
/// answer that is nonsense; it goes back to the model with the reason. Errors: the last one of model or `accept`;
/// kTimeout when the time is over, kCancelled at once when the caller gave up. Waiting between attempts ends with both.
Status ask_model(ChatModel& model, ChatRequest request, const CallLimits& limits, const Deadline& deadline,
                 const std::function<Status(const std::string&)>& accept);

/// The messages as JSON data for a model, oldest first, with their ids; long ones are cut so that the whole stays
/// within `max_tokens`. Errors: kTooLarge when there are too many messages for that.
Result<std::string> transcript(const std::vector<const Message*>& messages, std::int64_t max_tokens);

/// Fills the lists of a summary from the material without a model, within `budget` tokens as rendered.
///
/// Takes    statements by weight: what must stand first, then what says most for its length; no list takes the room of
///          the others. Then the key facts that are in none of them and not in `elsewhere` (what is sent beside the
///          summary), packed into lines of names and values; then again statements, while there is room.
/// Promises the same material gives the same bytes; statements are verbatim, oldest first in each list; the budget is
///          kept. A budget of nothing gives an empty summary.
/// Cost     n log n in the number of statements; 100,000 tokens take some tens of milliseconds with the material.
void summarise(const Material& material, const FactSet& elsewhere, std::int64_t budget, const TokenCounter& tokens,
               Summary& into);

/// Lines of key facts for the list of facts, "name: value" where the name is known, joined by commas; oldest first.
std::vector<std::string> fact_lines(std::vector<const RankedFact*> facts);

/// Tokens of a summary as it stands in the prompt.
std::int64_t rendered_tokens(const Summary& summary, const TokenCounter& tokens);

/// Lets a model write the lists of a summary, bound to a schema, at most `budget` tokens. `known` holds every key fact
/// the model was shown: statements with other addresses, paths or ids, and rules turned into their opposite, are taken
/// out and named in `removed`; an answer of which less than half is left, or that is empty, counts as nonsense and is
/// asked for again. On an error `into` is unchanged.
Status summarise_by_model(ChatModel& model, const MaterialSource& source, const Material& material,
                          const FactSet& known, std::int64_t budget, const CallLimits& limits, const Deadline& deadline,
                          Summary& into, std::vector<std::string>& removed);

/// What a summary is held against.
struct VerifyTerms {
  const Material& material;
  const FactSet& elsewhere;  ///< key facts of what is sent beside the summary
  std::string_view sent_beside;  ///< the text of it: kept turns and the system prompt
  const std::vector<std::string>& anchors;  ///< rules that have to stand in what is sent
  std::int64_t budget = 0;  ///< tokens of the summary as rendered
  const TokenCounter& tokens;
};

/// What a check found.
struct Verified {
  std::vector<std::string> restored;  ///< what was missing and is in the summary now, in the original's words
  std::vector<std::string> missing;  ///< what did not find room
};

/// Puts back what a summary lost: every anchor, constraint, open item and goal, then every key fact that somebody said,
/// is looked for by content in the summary and in what is sent beside it. A statement counts as standing where its own
/// words do, or where one statement has nearly all of them with every number and the same negation. For constraints
/// without room, statements of less weight make place (done, then risks, decisions, facts). The order is fixed, so the
/// same input gives the same bytes.
Verified verify(const VerifyTerms& terms, Summary& summary);

/// Takes out of a model's summary what is not so: statements with an address, a path or an id that `known` does not
/// hold, and statements that say a rule of the material with its negation turned round. Gives what was taken out.
std::vector<std::string> remove_untrue(const Material& material, const FactSet& known, Summary& summary);

}  // namespace weft
