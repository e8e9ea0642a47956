#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/call_context.h"
#include "base/clock.h"
#include "surface/http/exchange.h"
#include "surface/proxy/chat_answer.h"
#include "surface/proxy/request.h"
#include "surface/proxy/upstream.h"
#include "weft/engine.h"

namespace weft::proxy {

/// Hands what was said to the engine behind the client's back, so that nobody waits for it: in order, on one thread.
/// Safe from any thread.
class Recorder {
 public:
  explicit Recorder(Engine& engine);
  ~Recorder();  ///< first hands over what is left, without waiting for vectors
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// Hands over the model's answer to a call whose history begins so; see `opening_of`. Only scope and `said_at` of
  /// `request` are used.
  void observe_later(const RequestContext& request, const SessionId& session, Message message, std::uint64_t opening);
  /// A whole conversation, as `Session::sync` takes it.
  void sync_later(const RequestContext& request, const SessionId& session, std::vector<Message> messages);

  /// A digest of the first message that is said in a conversation; 0: nothing is known of it.
  static std::uint64_t opening_of(std::span<const Message> messages);

  /// What a call shows of its conversation.
  struct Conversation {
    SessionId session = {};                    ///< that the client names; empty: none
    MessageId previous = {};                   ///< that the call goes on from; empty: none
    std::span<const Message> history = {};
  };
  /// Waits until the engine has what was given of this conversation before the call: of its session, the message that
  /// it goes on from, and where no session is named whatever begins as its history does or has its last message there.
  /// Other conversations of the scope are not waited for. False: the deadline passed. Answers that the history holds
  /// and that still wait are then dropped, since they come with the history.
  bool wait_for(const Scope& scope, const Conversation& conversation, const Deadline& deadline);

 private:
  struct Entry {
    Scope scope;
    std::optional<std::chrono::steady_clock::time_point> said_at;
    ScopeKey owner;
    SessionId session;
    MessageId id;  ///< of an answer that has one
    std::uint64_t opening, last;  ///< digests of the conversation's first and of the entry's last message
    bool is_answer;
    std::uint64_t number = 0;  ///< in the order in which they were given
    CallContext context;  ///< of the request that said it
    std::function<Status(const RequestContext&)> hand_over;
  };
  void add(Entry entry);
  void hand_over(const Entry& entry, bool ending);
  void run();

  Engine& engine_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::list<Entry> entries_;  // the first one stays while it is handed over
  std::uint64_t added_ = 0;
  bool handing_ = false, ending_ = false;
  std::thread thread_;
};

/// Accounts for one call that is passed on to a model's server, when it is over: whose it was, what it cost, how it
/// ended. For one thread.
class CallMeter {
 public:
  /// `scope` is the key of whose call it is, empty: nobody's; `key` the name of the server's key that it came with. The
  /// engine must outlive it.
  CallMeter(Engine& engine, std::string scope, std::string key, std::string model);

  /// What the model is used for, where that is not "proxy".
  void set_role(std::string role) { call_.role = std::move(role); }
  /// What the model is asked with, for counting where its server tells no numbers. It is called at the end, if at all.
  void asked_with(std::function<std::string()> text) { input_ = std::move(text); }
  /// To be called once.
  void end(const RelayEnd& end) const;

 private:
  Engine& engine_;
  ModelCall call_;
  std::function<std::string()> input_;
};

/// The words of a prompt, for counting its tokens.
std::string words_of(const std::vector<Message>& messages);

/// A meter for a call that goes on without memory; the call must outlive it.
CallMeter meter_of(Engine& engine, const Config& config, const http::Request& request, const ChatCall& call);

/// Whether a model answers such a request, which is passed on unread.
bool is_metered_unread(const http::Request& request);

/// A meter for one. Reads of its body no more than accounts need, which is a work for when it is over. The request and
/// the settings must outlive it.
CallMeter meter_of_unread(Engine& engine, const Config& config, const http::Request& request);

/// Sends a call on with nothing done to it or its answer, and accounts for it.
void relay_metered(HttpClient& client, HttpRequest request, const ChatCall& call, const CallMeter& meter,
                   http::ResponseWriter& out);

/// Whose call it is, for accounts: the key of the scope that headers and body name; empty where they name none that the
/// caller may mean.
std::string account_scope(const http::Request& request, const Names& body, const Config& config);

/// The call of a model's server as a step of its request, in the names of OpenTelemetry's conventions for generative
/// AI. Of what is said it tells only where the sink takes it, and of the server only host and port. For one thread.
class ModelSpan {
 public:
  ModelSpan(const ChatCall& call, const std::string& url);

  bool takes_content() const { return span_.takes_content(); }
  void tell_input(const std::vector<Message>& messages);
  void tell_output(const Message& reply);

  /// What became of it; status 0: no answer came.
  void end(int status, const ReplyCounts& counts);

 private:
  TraceSpan span_;
};

}  // namespace weft::proxy
