#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/trace.h"
#include "surface/http/exchange.h"
#include "surface/proxy/chat_answer.h"
#include "surface/proxy/relay.h"
#include "surface/proxy/request.h"
#include "weft/engine.h"

namespace weft::proxy {

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
