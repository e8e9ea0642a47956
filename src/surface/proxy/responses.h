#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "ports/files/kept_answers.h"
#include "surface/http/exchange.h"
#include "surface/proxy/chat_answer.h"
#include "surface/proxy/request.h"
#include "weft/message.h"
#include "weft/result.h"

namespace weft::proxy {

/// Reads the "input" of a call of OpenAI's Responses API, a string or a list of items. What the model gave in one go
/// (thoughts, text, calls) makes one message, as `reply_of_output` makes one of an answer, so that an answer is
/// recognised when it is sent again; outputs of tools are messages by the id of their call. `raw` of a message holds
/// its items exactly as sent, with commas between; of a string it is an item that says the same. Ids of items are left
/// out: servers give the same to different ones. `input` must have passed `check_json`. kInvalidArgument names the item
/// that cannot be read.
Result<std::vector<Message>> read_items(std::string_view input, const MessageLimits& limits);

/// The assistant's message that the "output" of a response is; nothing where it says nothing.
std::optional<Message> reply_of_output(std::string_view output);

/// The items of a message that came in no such form.
std::string items_of(const Message& message);

/// An output of a tool with more text at its end. One that is a picture or a structure stays as it is, and an item of
/// the developer with the text follows it. `raw` is the item.
std::string output_with(std::string_view raw, std::string_view text);

/// What a tool that stands in a namespace is called in chat completions, which know none.
std::string name_in_chat(std::string_view space, std::string_view name);

/// An item of the developer that says this.
std::string developer_item(std::string_view text);

/// Reads a body of OpenAI's POST /v1/responses: its "instructions" stand as the first message, its "input" behind them
/// (see `read_items`). Fails where the body is no JSON object or names whose memory is meant wrongly.
Result<ChatCall> parse_responses_call(std::string body, const Config& config);

/// Puts what led to a call behind its system prompt: what its server has and the client did not send again.
void put_before(std::vector<Message> held, ChatCall& call);

/// The body with other messages, every byte outside of "instructions" and "input" as it was. What was added to the
/// system prompt goes into the instructions, and where a prompt kept at the server might be replaced by them, into an
/// item of the developer. Items of the client go as they came. What the server has already is not sent.
std::string responses_body_with(const ChatCall& call, const std::vector<Message>& messages);

/// The same for a server that shall not go on from what it has, since that is too long: everything is sent, as items.
std::string detached_body_with(const ChatCall& call, const std::vector<Message>& messages);

/// A call of the Responses API, with what led to it put before, as one of chat completions: instructions, messages with
/// images and files, calls and their outputs, tools on offer, what is asked of the answer. Tools in a namespace and
/// such that take free text become functions (see `ToolNames`). What has no place there is left out: thoughts, what
/// concerns only who keeps the answer (`include`, `truncation`, `metadata`), and, counted in `left_out`, tools that run
/// at the server, what they did, and parts of other kinds. kInvalidArgument, naming the field, for conversations and
/// prompts that the server keeps, and for answers in the background that nobody keeps.
Result<ChatCall> chat_call_of(const ChatCall& call, const Config& config);

/// What a function of a chat completion is in the Responses API, where it is not a function of the same name.
struct ToolName {
  std::string name, space;  ///< with the namespace that it stands in; empty: none
  bool custom = false;  ///< it takes free text, which the function has as its "input"
};
/// Those that a call of the Responses API offers, by the function's name.
using ToolNames = std::map<std::string, ToolName>;
ToolNames tool_names_of(std::string_view body);

/// What an answer in the form of the Responses API repeats of its call.
struct ResponseTerms {
  std::string id;  ///< of the response
  std::string body;  ///< of the call; valid JSON
};

/// An id for a response that nothing else has: "resp_" and 32 hexadecimal digits.
std::string fresh_response_id();

/// A response of OpenAI's Responses API while it is made from an answer of chat completions: the object that stands in
/// whole answers and, as far as it has come, in events. For one thread.
class ResponseObject {
 public:
  /// `created`: seconds since 1970.
  ResponseObject(const ResponseTerms& terms, std::int64_t created);
  ~ResponseObject();

  /// Items of the kinds that a chat completion has; each gets an id of its own, by its place.
  nlohmann::ordered_json thought_item(std::size_t place, std::string_view text) const;
  nlohmann::ordered_json text_item(std::size_t place, std::string_view text, std::string_view refusal) const;
  nlohmann::ordered_json call_item(std::size_t place, std::string_view call_id, std::string_view name,
                                   std::string_view arguments) const;

  void set_model(const std::string& model);
  /// The counts of a chat completion ("usage").
  void set_usage(const nlohmann::ordered_json& usage);
  /// How a chat completion ended ("finish_reason"): as a response it is complete, or not, and says why.
  void set_end(const std::string& finish_reason);
  void fail(std::string_view code, std::string_view message);

  /// The object with these items; `running`: in progress, whatever has been said of its end.
  nlohmann::ordered_json with(const nlohmann::ordered_json& output, bool running = false) const;

  /// "completed", "incomplete" or "failed".
  const std::string& status() const { return status_; }

 private:
  struct Body;

  std::string id_, model_, status_ = "completed", why_, error_code_, error_;
  std::int64_t created_, input_ = 0, cached_ = 0, output_ = 0, thought_ = 0;
  bool counted_ = false;
  std::unique_ptr<Body> body_;
};

/// Takes an answer of POST /v1/chat/completions, whole or streamed, or an error of it, and hands it on as one of
/// POST /v1/responses: the response with its items, or the events in which it grows. A stream that breaks off ends with
/// `response.failed`. `created`: when the response was begun, in seconds since 1970. `out` must outlive it. For one
/// thread.
class ResponsesWriter final : public TranslatingWriter {
 public:
  /// Gets the whole response, and its status, before the client does.
  using OnMade = std::function<void(const std::string& object, const std::string& status)>;

  ResponsesWriter(http::ResponseWriter& out, const ResponseTerms& terms, std::int64_t created, OnMade on_made = {});
  ~ResponsesWriter() override;

  void send(int status, std::string_view content_type, std::string_view body) override;

 private:
  class Events;

  void take(std::string_view data) override;
  void finish() override;
  std::string taken() override;

  void made();

  std::unique_ptr<Events> events_;
  OnMade on_made_;
};

/// The event with which a stream of the Responses API ends that broke off. Behind what has come of it: the event begins
/// with a blank line.
std::string responses_error_event(int status, const Error& error, std::string_view code);

/// Makes responses while nobody waits for them ("background"): each on a thread of its own, which mostly waits for its
/// model. What becomes of one is kept, and whoever asks for it finds it there; what was being made when the program
/// ended is kept as failed, at its end or, where it was killed, by the next one's start. Safe from any thread.
class ResponsesLater {
 public:
  /// Answers as a chat completion does, to a client that is gone as soon as nobody wants the answer any more.
  using Work = std::function<void(http::ResponseWriter& out)>;

  /// At most `most` are made at once. What is given must outlive it.
  ResponsesLater(KeptResponses& kept, const Clock& clock, std::size_t most);
  ~ResponsesLater();
  ResponsesLater(const ResponsesLater&) = delete;
  ResponsesLater& operator=(const ResponsesLater&) = delete;

  /// Keeps the response of these terms as queued in a scope and a session, and begins with it. Gives it as its client
  /// is told of it.
  Result<KeptResponse> begin(const ResponseTerms& terms, const ScopeKey& scope, const std::string& session, Work work);

  /// Stops one that is being made, if it still is. Gives it as it is kept then.
  Result<KeptResponse> cancel(const KeptResponse& response);

  /// Stops one of which nothing shall be kept any more.
  void drop(const std::string& id);

 private:
  struct Job {
    std::stop_source stop;
    std::jthread thread;
    bool settled = false;  ///< what is kept of it is its last word
    bool over = false;
  };

  void run(Job& job, KeptResponse response, const ResponseTerms& terms, const Work& work);
  void settle(Job& job, KeptResponse response, int status, const std::string& answer);
  void let_go_of_done();

  KeptResponses& kept_;
  const Clock& clock_;
  const std::size_t most_;
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<Job>> jobs_;  // by the response's id
};

/// A response as it is after an end that its model has not told: cancelled, or failed for the reason given.
std::string ended_response(const std::string& object, const std::string& status, const std::string& why = {});

/// Ends what a former run of the program was making.
void recover_responses(KeptResponses& kept);

}  // namespace weft::proxy
