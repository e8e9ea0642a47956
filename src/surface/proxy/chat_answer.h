#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ports/net/http_client.h"
#include "surface/http/exchange.h"
#include "weft/message.h"

namespace weft::proxy {

/// A piece of a tool call. Pieces of one call come together: one that `begins` ends the call before it.
struct CallPiece {
  bool begins = false;
  std::string id, name;   ///< of the call, in every piece
  std::string arguments;  ///< what is new of the JSON text
};

/// The content of a choice of a chat completion, or of a piece of a streamed one.
struct ChatPiece {
  std::string thought, text, refusal;
  std::vector<CallPiece> calls;
  std::string finish;  ///< why the answer ended, where this piece says so: see `finish_word`
};

/// Reads the first choice of chat completions as servers really write them: arguments as text or as an object, calls
/// without index or id or several under one index, pieces of several calls in turn, the former "function_call", content
/// in parts, thoughts under several names. For one answer and one thread.
class ChatAnswerReader {
 public:
  /// With `gives_ids` calls without one get one, since clients of other forms need it to answer them.
  explicit ChatAnswerReader(bool gives_ids) : gives_ids_(gives_ids) {}

  /// A whole answer. Every call that it has is complete.
  ChatPiece read_whole(const nlohmann::ordered_json& answer);
  /// The next piece of a streamed one. Of calls whose pieces come in turn all but the first are held back.
  ChatPiece read_piece(const nlohmann::ordered_json& chunk);
  /// What was held back, when the stream has ended.
  std::vector<CallPiece> rest();

  bool has_calls() const { return !calls_.empty(); }

 private:
  struct Call {
    std::string id, name, arguments;
    std::size_t given = 0;  // bytes of the arguments that were handed out
    bool begun = false;
  };

  ChatPiece read_said(const nlohmann::ordered_json& said, bool whole);
  ChatPiece read_message_piece(const nlohmann::ordered_json& message);
  void take_call(const nlohmann::ordered_json& call, bool whole);
  Call* call_of(const nlohmann::ordered_json& call, const std::string& id, const std::string& name, bool whole);
  std::vector<CallPiece> give(bool all);

  const bool gives_ids_;
  bool has_deltas_ = false;
  std::string text_;  // of the messages that a server streams instead of deltas
  std::string answer_id_;
  std::vector<Call> calls_;
  std::map<long long, std::size_t> by_index_;
  std::size_t current_ = 0;  // the call whose pieces are handed out
};

/// Why an answer ended, in OpenAI's word, whatever word its server uses: "stop", "length", "tool_calls" or
/// "content_filter". An answer with calls ends for them, also where its server says "stop" or nothing.
std::string finish_word(std::string_view said, bool has_calls);

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

  bool done() const { return done_; }  ///< the mark of the end has been seen
  bool complete() const { return (done_ || finished_) && !broken_; }  ///< the model had finished
  bool broken() const { return broken_; }  ///< something that is no piece of an answer came
  bool failed() const { return failed_; }  ///< the server itself reported an error

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

/// Takes an answer of POST /v1/chat/completions, whole or streamed, or an error of it, and hands it on in another form:
/// what is derived from it says how a whole answer (`send`) and how the events of a streamed one look there. For one
/// thread.
class TranslatingWriter : public http::PassingWriter {
 public:
  using PassingWriter::PassingWriter;

  bool begin(int status, std::string_view content_type) override;
  bool write(std::string_view bytes) override;
  void end() override;

 protected:
  /// Data of one event of the chat completion.
  virtual void take(std::string_view data) = 0;
  /// The stream has ended, complete or not.
  virtual void finish() = 0;
  /// What is to be sent, which is then forgotten.
  virtual std::string taken() = 0;

 private:
  SseReader reader_;
};

}  // namespace weft::proxy
