#include "surface/mcp/people.h"

namespace weft::mcp {
namespace {

constexpr std::chrono::minutes kPatience{10};  // of a person before a form

PersonReply reply_of(const Value& told) {
  PersonReply reply;
  reply.accepted = text_of(told, "action") == "accept";
  if (const Value* content = told.find("content"); reply.accepted && content != nullptr) reply.content = *content;
  return reply;
}

}  // namespace

Result<std::variant<PersonReply, InputNeeded>> ask_person(const Exchange& exchange, InputNeeded form) {
  if (is_stateless(exchange.client.revision)) {
    const Value* replies = exchange.params().find("inputResponses");
    const Value* reply = replies == nullptr ? nullptr : replies->find(form.key);
    // What makes no sense is asked for again.
    if (reply == nullptr || text_of(*reply, "action").empty()) return std::variant<PersonReply, InputNeeded>(form);
    return std::variant<PersonReply, InputNeeded>(reply_of(*reply));
  }
  ValueObject params{{"message", form.message}, {"requestedSchema", form.schema}};
  if (exchange.client.revision >= Revision::k2025_11_25) params.insert(params.begin(), {"mode", "form"});
  WEFT_TRY(const Value told, exchange.peer.ask("elicitation/create", Value(std::move(params)), kPatience));
  return std::variant<PersonReply, InputNeeded>(reply_of(told));
}

}  // namespace weft::mcp
