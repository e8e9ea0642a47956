#pragma once

#include <string>
#include <vector>

#include "base/trace.h"
#include "surface/proxy/assemble_reply.h"
#include "surface/proxy/request.h"

namespace weft::proxy {

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
