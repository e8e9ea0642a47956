#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "base/clock.h"
#include "ports/chat/chat_model.h"
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

}  // namespace weft
