#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "ports/net/sse.h"
#include "surface/proxy/chat_answer.h"
#include "weft/message.h"

namespace weft::proxy {

/// What a model's server says of its answer beside the message.
struct ReplyCounts {
  std::string model, finish;  ///< why it ended, in the server's word
  std::int64_t input_tokens = -1, output_tokens = -1;  ///< -1: not said
};

/// Puts the assistant's message together from the pieces of a streamed answer: text, thought and tool calls of the
/// first choice, of a stream in OpenAI's form or in Anthropic's; of the Responses API the message of the response that
/// it ends with, whose id is the message's. Bytes may be cut anywhere. For one thread.
class ReplyAssembler {
 public:
  void feed(std::string_view bytes);

  bool done() const { return done_; }            ///< the mark of the end has been seen
  bool complete() const { return (done_ || finished_) && !broken_; }  ///< the model had finished
  bool broken() const { return broken_; }        ///< something that is no piece of an answer came
  bool failed() const { return failed_; }        ///< the server itself reported an error

  /// The message; nothing where the answer is not complete or has no content at all.
  std::optional<Message> message() const;
  const ReplyCounts& counts() const { return counts_; }
  /// Something of the answer itself has come: text, thought, or a call.
  bool begun() const { return begun_; }
  /// What has come of the answer's text, complete or not.
  const std::string& text() const { return message_.content; }

 private:
  void take(const SseEvent& event);
  void take_anthropic(const nlohmann::ordered_json& event);
  void take_response(std::string_view type, const SseEvent& event);

  SseReader reader_;
  Message message_;
  ChatAnswerReader chat_{false};
  std::map<std::int64_t, ToolCall> calls_;  // of Anthropic's form
  ReplyCounts counts_;
  std::string items_;  // of a response, as they were done
  bool started_ = false, begun_ = false, finished_ = false, done_ = false, broken_ = false, failed_ = false;
};

/// The assistant's message in a whole answer of any of the forms; nothing where there is none. Of a response it has the
/// response's id; one that is not over yet has no message.
std::optional<Message> reply_in(std::string_view json);

/// The counts of a whole answer of any of the forms.
ReplyCounts counts_in(std::string_view json);

}  // namespace weft::proxy
