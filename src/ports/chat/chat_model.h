#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/deadline.h"
#include "weft/message.h"
#include "weft/result.h"

namespace weft {

/// One call of a chat model.
struct ChatRequest {
  std::vector<Message> messages;
  std::string json_schema;  ///< if set, the answer is bound to it: by grammar locally, by response_format remotely
  double temperature = 0;
  std::int64_t max_tokens = 1024;
  std::uint64_t seed = 0;
  std::vector<std::string> tools;  ///< JSON of each tool offered, in OpenAI form
  /// If any, the model says nothing: it tells how likely each of these texts is as the beginning of its answer. Only
  /// for models that weigh answers; none may be empty.
  std::vector<std::string> answers;
};

struct ChatReply {
  Message message;  ///< role assistant
  std::string finish_reason;  ///< "stop", "length", "tool_calls"
  std::int64_t prompt_tokens = 0, completion_tokens = 0;
  int attempts = 1;
  std::vector<double> answer_logs;  ///< of each of `answers`, the natural logarithm of its probability
};

/// A chat model. All functions may be called from many threads at once; implementations put calls in order if they
/// must.
class ChatModel {
 public:
  virtual ~ChatModel() = default;

  virtual std::string name() const = 0;

  /// Context window in tokens, 0 where unknown.
  virtual std::int64_t window() const = 0;

  /// Whether it can tell how likely given answers are, see `ChatRequest::answers`: it must see the probabilities of all
  /// tokens, which endpoints do not hand out.
  virtual bool weighs_answers() const { return false; }

  /// Asks the model. `on_text`, if given, gets the answer's text as it comes, on the calling thread; returning false
  /// from it ends the call with kCancelled. An answer that does not match `json_schema` is asked for again, then an
  /// error (kUnavailable) that says where: an answer that reaches the caller is valid. With `on_text` nothing is
  /// repeated once text has come. Other errors: kInvalidArgument and kTooLarge for a request that can never work,
  /// kPermission, kNotFound, kTimeout, kCancelled.
  virtual Result<ChatReply> complete(const ChatRequest& request, const Deadline& deadline,
                                     const std::function<bool(std::string_view)>& on_text = {}) = 0;

  /// Exact number of tokens of the text where a vocabulary is at hand, else -1.
  virtual std::int64_t count_tokens(std::string_view text) const = 0;
};

}  // namespace weft
