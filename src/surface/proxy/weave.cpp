#include "surface/proxy/weave.h"

#include <iterator>
#include <utility>

namespace weft::proxy {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

/// Which of the client's messages each woven one is; `kNone` for those the engine made. From the end, because what is
/// dropped is dropped at the beginning; system messages apart, because the engine may have moved them.
std::vector<std::size_t> places_of(const std::vector<Message>& woven, const std::vector<Message>& sent) {
  std::vector<std::size_t> places(woven.size(), kNone);
  for (const bool system : {true, false}) {
    auto end = sent.size();
    for (auto i = woven.size(); i-- > 0;) {
      if (woven[i].raw.empty() || (woven[i].role == Role::kSystem) != system) continue;
      auto at = end;
      while (at > 0 && sent[at - 1].raw != woven[i].raw) --at;
      if (at > 0) places[i] = end = at - 1;
    }
  }
  return places;
}

/// The client's messages in the client's order, each with what the engine put before it.
std::vector<Message> in_order(std::vector<Message> woven, const std::vector<Message>& sent) {
  const auto places = places_of(woven, sent);
  std::vector<std::vector<Message>> before(sent.size() + 1);
  std::vector<bool> kept(sent.size(), false);
  std::vector<Message> made;
  for (std::size_t i = 0; i < woven.size(); ++i) {
    if (places[i] == kNone) {
      made.push_back(std::move(woven[i]));
      continue;
    }
    kept[places[i]] = true;
    before[places[i]] = std::exchange(made, {});
  }
  before[sent.size()] = std::move(made);
  std::vector<Message> out;
  for (std::size_t i = 0; i <= sent.size(); ++i) {
    out.insert(out.end(), std::make_move_iterator(before[i].begin()), std::make_move_iterator(before[i].end()));
    if (i < sent.size() && kept[i]) out.push_back(sent[i]);
  }
  return out;
}

}  // namespace

Result<Woven> weave(Engine& engine, const RequestContext& request, const SessionId& session, const ChatCall& call,
                    const CallLimits& limits) {
  ContextRequest what;
  what.history = call.messages;
  what.model = call.model;
  what.window = limits.window;
  what.output_tokens = limits.output;
  what.other_tokens = limits.other;
  what.system_messages = limits.system_messages;
  WEFT_TRY(auto context, engine.context(request, session, what));
  auto messages = in_order(std::move(context.messages), call.messages);
  // An output of a tool that is too long for the window is sent in part.
  const Message& sent = call.messages.back();
  const bool in_part =
      !messages.empty() && sent.role == Role::kTool && messages.back().tool_call_id == sent.tool_call_id;
  if (messages.empty() || (messages.back().raw != sent.raw && !in_part)) {
    return internal("the woven context does not end with the client's last message");
  }
  return Woven{std::move(messages), context.report.tokens, context.report.window};
}

}  // namespace weft::proxy
