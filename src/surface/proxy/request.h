#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "surface/api/scope_of_request.h"
#include "weft/config.h"
#include "weft/message.h"
#include "weft/result.h"

namespace weft::proxy {

/// Whose form calls and answers have.
enum class WireForm {
  kOpenAi,     ///< chat completions
  kAnthropic,  ///< Anthropic's Messages API
  kResponses,  ///< OpenAI's Responses API
};

/// Whose memory a call is made with, and in which of their conversations.
struct ResponsePlace {
  ScopeKey scope;  ///< empty: not known, or none
  std::string session;
};

/// What is special about a call of the Responses API.
struct ResponsesPart {
  std::string previous;      ///< id of the response that it goes on from; empty: of none
  std::string conversation;  ///< that the server keeps and it goes on, by id; empty: none
  std::string id;            ///< of the answer, where we make it; empty: as its server says
  bool kept = true;          ///< the answer is to be kept for calls that go on from it ("store")
  bool known_only = false;  ///< it may go on only from what is known to be its scope's: its key is not for everybody
  bool background = false;  ///< nobody waits for the answer: its client asks for it later
  std::string asked;        ///< the call as it came, where it was made one of chat completions
  std::shared_ptr<ResponsePlace> place;  ///< is told where the call stands, once that is known; may be null
  bool as_chat = false;  ///< the model's server is to get it as a chat completion
  std::size_t held = 0;  ///< messages behind the system prompt that the server has already and the client did not send
};

/// What a translation has no place for, by its type: how often it was left out.
using LeftOut = std::map<std::string, int>;

/// A call's messages as memory stores them: a user's message as the person typed it (see text/typed_words.h), an
/// output as the tool gave it, without reminders. Memory stores nothing of "/save" and the answers that Weft itself
/// gave to it, nor of what only the client's program says.
struct Remembered {
  std::vector<Message> messages;  ///< in order
  std::map<std::size_t, std::string>
      texts;  ///< by place in the call: texts that memory has otherwise; empty: not stored
};

/// A body of POST /chat/completions, of /messages or of /responses, taken apart as far as Weft needs it.
struct ChatCall {
  std::string body;  ///< as the client sent it
  std::size_t messages_begin = 0;  ///< where the value of "messages" stands in `body`
  std::size_t messages_end = 0;
  std::vector<Message> messages;  ///< one for one; `raw` holds each exactly as sent. Empty where they cannot be read
  std::string unreadable;  ///< why they cannot; such a call is passed on and not remembered
  std::string model;
  bool stream = false;
  bool include_usage = false;  ///< a streamed answer ends with the counts of tokens
  Names names;  ///< whom the body names
  std::string_view
      helper;  ///< what the client asks for itself (`helper_kind`); empty: somebody said what the call holds
  WireForm form = WireForm::kOpenAi;
  bool translated = false;  ///< it came in another form than it has
  LeftOut left_out;  ///< what was left out then
  ResponsesPart responses;

  /// `messages` as memory stores them. Computed once: call `forget_remembered` after changing them.
  const Remembered& remembered();
  void forget_remembered() { remembered_.reset(); }

 private:
  std::shared_ptr<const Remembered> remembered_;
};

/// Reads a call. Fails only where the body is not JSON, or where what it says about whose memory is meant is wrong: the
/// rest is for the model's server to judge.
Result<ChatCall> parse_call(std::string body, const Config& config);

/// What calls of all forms but chat completions begin with: the body is a JSON object, within the limits on depth; its
/// model, and whether a stream is asked for.
Result<ChatCall> begin_call(std::string body, WireForm form, const Config& config);

/// The conversation ends with the user's message "/save".
bool asks_to_save(const ChatCall& call);

/// The body, in OpenAI's form, with other messages, every byte outside of them as it was. Messages that came from the
/// client go as they came.
std::string body_with(const ChatCall& call, const std::vector<Message>& messages);

}  // namespace weft::proxy
