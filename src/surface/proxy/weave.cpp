#include "surface/proxy/weave.h"

#include <span>

namespace weft::proxy {
namespace {

std::string join_content(std::span<const Message> messages) {
  std::string out;
  for (const auto& message : messages) out += (out.empty() ? "" : "\n\n") + message.content;
  return out;
}

/// The engine takes the system prompt as one text. Where it gives that text back, the messages that it was made of take
/// its place again.
std::vector<Message> restore_system(std::vector<Message> woven, std::span<const Message> system) {
  if (system.empty()) return woven;
  const auto text = join_content(system);
  std::vector<Message> out;
  bool restored = false;
  for (auto& message : woven) {
    if (!restored && message.role == Role::kSystem && message.raw.empty() && message.content == text) {
      out.insert(out.end(), system.begin(), system.end());
      restored = true;
    } else {
      out.push_back(std::move(message));
    }
  }
  return out;
}

}  // namespace

Result<Woven> weave(Engine& engine, const RequestContext& request, const SessionId& session, const ChatCall& call) {
  const auto system = std::span(call.messages).first(count_leading_system(call.messages));
  const auto history = std::span(call.messages).subspan(system.size());
  if (history.empty()) return invalid_argument("there is nothing but a system prompt");
  ContextRequest what;
  what.system = join_content(system);
  what.history.assign(history.begin(), history.end());
  what.model = call.model;
  WEFT_TRY(auto context, engine.context(request, session, what));
  auto messages = restore_system(std::move(context.messages), system);
  if (messages.empty() || messages.back().raw != call.messages.back().raw) {
    return internal("the woven context does not end with the client's last message");
  }
  return Woven{std::move(messages), context.report.tokens};
}

}  // namespace weft::proxy
