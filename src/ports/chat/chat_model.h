#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
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
  /// The model says nothing: it gives its hidden state where it would go on behind `answer_start`. Only for models that
  /// have a state space.
  bool wants_state = false;
  std::string answer_start;  ///< what its answer begins with, as if it had said so; for `wants_state`
};

struct ChatReply {
  Message message;  ///< role assistant
  std::string finish_reason;  ///< "stop", "length", "tool_calls"
  std::int64_t prompt_tokens = 0, completion_tokens = 0;
  int attempts = 1;
  std::vector<float> state;  ///< the hidden state that was wanted, as the model has it: of any length
};

/// Where the hidden states of a model lie: those of two models never meet.
struct StateSpace {
  std::string model;  ///< the trained model, as its file names it; empty: no states are given
  std::size_t dimensions = 0;

  bool given() const { return !model.empty(); }
};

/// A chat model. All functions may be called from many threads at once; implementations put calls in order if they
/// must.
class ChatModel {
 public:
  virtual ~ChatModel() = default;

  virtual std::string name() const = 0;

  /// Context window in tokens, 0 where unknown.
  virtual std::int64_t window() const = 0;

  /// Where the states lie that it gives, see `ChatRequest::wants_state`. Endpoints hand out none.
  virtual StateSpace state_space() const { return {}; }

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

/// Stands where a model has to, and none is asked: every call is kUnavailable.
class NoModel final : public ChatModel {
 public:
  std::string name() const override { return "none"; }
  std::int64_t window() const override { return 0; }
  Result<ChatReply> complete(const ChatRequest&, const Deadline&,
                             const std::function<bool(std::string_view)>&) override {
    return unavailable("no chat model is configured", "name one under [models] and [roles] in weft.toml");
  }
  std::int64_t count_tokens(std::string_view) const override { return -1; }
};

}  // namespace weft
