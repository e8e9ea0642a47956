#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "surface/http/exchange.h"
#include "surface/proxy/request.h"
#include "weft/choices.h"
#include "weft/engine.h"
#include "weft/message.h"
#include "weft/result.h"
#include "weft/task.h"

namespace weft::proxy {

/// What the template of a model wants of the messages that it gets.
struct TemplateNeeds {
  bool system_first = false;  ///< one system message, at the head
  bool no_system = false;     ///< none at all
  bool in_turn = false;       ///< user and assistant by turns

  bool any() const { return system_first || no_system || in_turn; }
};

/// Why a model's server refused a call, as far as Weft can do something about it.
struct Refusal {
  enum class Kind {
    kOther,
    kTooLong,         ///< prompt and answer do not fit the window
    kSystemMessages,  ///< the model's template takes the system messages, or the order of roles, otherwise
  };
  Kind kind = Kind::kOther;
  TemplateNeeds needs;      ///< of `kSystemMessages`
  std::int64_t window = 0;  ///< that the answer names; 0: none
  std::int64_t prompt = 0;  ///< tokens of the prompt as the server counted them; 0: not said
};

/// Reads an answer with an error: the forms of OpenAI, Anthropic, Gemini, Mistral, vLLM, llama.cpp, Ollama, LM Studio
/// and others that speak like them.
Refusal read_refusal(int status, std::string_view body);

/// The messages as a template wants them: system messages joined at the head or put before what the user says first,
/// and neighbours of one role joined. What need not change goes as it came.
std::vector<Message> fitted(const std::vector<Message>& messages, TemplateNeeds needs);

/// What a call leaves of its model's window.
struct CallLimits {
  std::int64_t window = 0;      ///< 0: as the engine knows of the model
  std::int64_t output = 0;      ///< kept for the answer; 0: as configured
  std::int64_t other = 0;       ///< of what goes along with the messages: tools, a schema
  SystemMessages system_messages = SystemMessages::kUnknown;
  bool named = false;           ///< the client itself named the window
};

/// The headers X-Weft-Window and X-Weft-Output come first, then what the body asks for (`max_completion_tokens`,
/// `max_tokens`, `max_output_tokens`), then what is known of the model. kInvalidArgument for a header that is no number
/// of tokens.
Result<CallLimits> limits_of_call(const http::Request& request, const ChatCall& call, const ModelTraits& known);

/// What a call takes of a window, by estimate, as its budget counts it: messages with their images and files, and what
/// goes along with them.
std::int64_t tokens_of(const ChatCall& call);

/// A window in which the call is to be made once more: the one that the refusal names, or a smaller one than was
/// `used`; smaller still where the server counts more tokens than we did (`counted`).
std::int64_t smaller_window(const Refusal& refusal, std::int64_t used, std::int64_t counted);

/// The tools that the body of a chat call, or of one of the Responses API, offers, in its order; empty where it has
/// none, or one of them cannot be read. `body` is a valid JSON object.
std::vector<ToolInfo> tools_in(std::string_view body);

/// The body with those of its tools alone that are named, each byte for byte as it came. Tools that are no functions (a
/// server's own), and one that "tool_choice" asks for, stay. The body as it is where nothing would be left.
std::string with_tools(std::string body, const std::vector<std::string>& names);

/// What goes to the model instead of what the client sent.
struct Woven {
  std::vector<Message> messages;  ///< those of the client carry `raw`
  std::int64_t tokens = 0;
  std::vector<std::string> tools;  ///< names of those the model is offered; empty: all that the client sent
  std::int64_t window = 0;  ///< that it was made for
};

/// Has the engine weave the context of a call. The client's messages go through untouched and in their order. Fails
/// where the result would not end as the client's conversation does.
Result<Woven> weave(Engine& engine, const RequestContext& request, const SessionId& session, ChatCall& call,
                    const CallLimits& limits);

/// What a call has to do with memory.
enum class CallMemory : std::uint8_t {
  kOn,  ///< memories are woven in, what is said is kept
  kRecord,  ///< nothing is woven in, what is said is kept
  kOff,  ///< neither: the call goes through as if Weft were not there
};

/// What the call's header `X-Weft-Memory` says ("on", "record" or "off"), else `otherwise`. kInvalidArgument for any
/// other word: whoever wrote "no" must not find the talk remembered.
Result<CallMemory> memory_of_call(const http::Request& request, CallMemory otherwise);

/// The sessions of calls whose clients name none: the engine tells which conversation a history belongs to. While a
/// call is being answered its session is its own: two chats that begin alike, or one history that several models are
/// asked with, do not run into each other. Safe from any thread.
class SessionFinder {
 public:
  explicit SessionFinder(Engine& engine) : engine_(engine) {}

  /// A session that is a call's own as long as this lives, or until `release`. Copies share it.
  class Held {
   public:
    const SessionId& session() const { return session_; }
    /// The answer is there: the next call of the conversation may come at any moment.
    void release() { place_.reset(); }

   private:
    friend class SessionFinder;
    SessionId session_;
    std::shared_ptr<void> place_;
  };

  /// `history`: what memory has of the call's messages.
  Result<Held> find(const RequestContext& request, const std::vector<Message>& history);

  /// A session that the client names; nobody's own.
  static Held named(SessionId session);

 private:
  Status wait_for_answer(const RequestContext& request, const std::vector<Message>& history);
  std::vector<SessionId> busy_in(const ScopeKey& scope) const;

  Engine& engine_;
  std::mutex finding_;  ///< held from asking for a session until it is the call's own
  mutable std::mutex mutex_;
  std::condition_variable released_;
  std::multimap<ScopeKey, SessionId> busy_;  // by scope
};

/// Whether a session's name is one that was given to a conversation whose client named none.
bool is_found_session(const SessionId& session);

/// The session that the headers or the body name, else the one that `finder` finds. Fails for an id that is none.
Result<SessionFinder::Held> session_of_call(const RequestContext& request, const Names& headers, ChatCall& call,
                                            SessionFinder& finder);

/// One call with everything that was found out about it.
struct Turn {
  ChatCall call = {};
  CallMemory memory = CallMemory::kOn;
  RequestContext request;
  SessionFinder::Held held;
  SessionId session;
  std::vector<Message> messages = {};  ///< what the model gets, once woven
  CallLimits limits;
  std::int64_t context_tokens = 0;
  std::vector<std::string> tools = {};  ///< that the model is offered; empty: all
  std::int64_t window = 0;  ///< that the context was made for
  std::uint64_t opening = 0;  ///< of its conversation, see `Recorder::opening_of`
  bool remembered = false;  ///< its conversation is with the engine, or on the way
  bool woven = false;
  TemplateNeeds needs = {};  ///< of the model's template, as far as refusals have told them
  bool shortened = false, joined = false;  ///< what a refusal has changed
  std::string retried = {};  ///< why the call was made once more; empty: it was not
};

}  // namespace weft::proxy
