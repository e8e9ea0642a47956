#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "ports/chat/chat_model.h"
#include "weft/result.h"

/// Requests and answers of `POST /chat/completions`.
namespace weft::openai {

/// How a schema is asked for.
enum class SchemaForm {
  kJsonSchema,  ///< response_format json_schema, strict
  kJsonObject,  ///< response_format json_object, the schema as a last system message
};

/// The body of a request. Messages carry only what the interface defines: no ids, times or reasoning. kInvalidArgument
/// where a tool or the schema is no JSON.
Result<std::string> chat_body(const ChatRequest& request, const std::string& model, bool streamed, SchemaForm form);

/// Reads the body of an answer that was not streamed. The error, kUnavailable, says what is wrong with it.
Result<ChatReply> read_chat_answer(std::string_view body);

/// Puts a streamed answer together. Not safe for several threads.
class ChatAnswerBuilder {
 public:
  /// Takes the data of one event, and hands new text to `on_text`. False when `on_text` or a broken event ends the
  /// stream: see `status`.
  bool take(const std::string& data, const std::function<bool(std::string_view)>& on_text);

  /// What ended the stream early: kCancelled by `on_text`, kUnavailable by a broken event or an error in the stream.
  const Status& status() const { return status_; }

  /// Whether the answer is complete: "[DONE]" or a finish reason came.
  bool complete() const { return done_ || !reply_.finish_reason.empty(); }

  /// The answer, taken out.
  ChatReply finish();

 private:
  bool fail(Error error);

  ChatReply reply_;
  Status status_;
  bool done_ = false;
};

}  // namespace weft::openai
