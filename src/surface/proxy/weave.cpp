#include "surface/proxy/weave.h"

#include "surface/proxy/chosen_tools.h"

namespace weft::proxy {

Result<Woven> weave(Engine& engine, const RequestContext& request, const SessionId& session, ChatCall& call,
                    const CallLimits& limits) {
  ContextRequest what;
  what.history = call.messages;
  what.said = call.remembered().texts;
  what.observe = false;  // it was, when the call came in
  what.model = call.model;
  if (engine.config().proxy.tools == ProxyTools::kChosen) {
    what.tools = tools_in(call.body);
    what.describe_tools = false;
  }
  what.window = limits.window;
  what.output_tokens = limits.output;
  what.other_tokens = limits.other;
  what.system_messages = to_string(limits.system_messages);
  WEFT_TRY(auto context, engine.session(request, session).context(what));
  const Message& sent = call.messages.back();
  const auto& woven = context.messages;
  if (woven.empty() || woven.back().role != sent.role || woven.back().tool_call_id != sent.tool_call_id)
    return internal("the woven context does not end with the client's last message");
  return Woven{std::move(context.messages), context.report.tokens, std::move(context.tools), context.report.window};
}

}  // namespace weft::proxy
