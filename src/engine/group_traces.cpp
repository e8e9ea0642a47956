// What of a user stands in the memory of groups: it is told, and forgotten on request.
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "engine/engine_core.h"
#include "engine/eraser.h"
#include "model/scope_key.h"

namespace weft {
namespace {

constexpr std::size_t kMostEvents = 1'000'000;

using Turn = std::pair<SessionId, BlockId>;

}  // namespace

Result<std::vector<GroupTrace>> Eraser::group_traces(const RequestContext& request) {
  if (request.scope.is_group())
    return invalid_argument("group traces: " + request.scope.key().str() + " is a group",
                            "ask as the user, outside of any group");
  const std::string user = request.scope.user().str();
  std::vector<GroupTrace> traces;
  WEFT_TRY(const auto scopes, core_.store->streams().scopes());
  for (const ScopeKey& scope : scopes) {
    const std::string group = parts_of_scope(scope).group;
    if (group.empty()) continue;
    WEFT_TRY(const auto events, core_.store->items().of_kind(scope, ItemKind::kEvent, kMostEvents));
    GroupTrace trace{group, 0, {}};
    std::set<std::pair<SessionId, MessageId>> messages;
    for (const ItemRow& row : events) {
      if (!row.item.event || row.item.event->sender_id != user) continue;
      ++trace.events;
      for (const MessageId& id : row.item.sources) messages.emplace(row.item.session, id);
    }
    // Messages of the user of which no event was made yet count, too, with the answers to them.
    std::set<Turn> asked;
    std::map<Turn, std::vector<MessageId>> answers;
    WEFT_CHECK(core_.store->messages().scan(scope, true, [&](MessageRow&& row) {
      Turn turn(row.session, row.block);
      if (row.message.role != Role::kUser && !row.block.empty()) {
        answers[std::move(turn)].push_back(row.message.id);
      } else if (row.message.sender_id == request.scope.user()) {
        messages.emplace(row.session, row.message.id);
        asked.insert(std::move(turn));
      }
    }));
    for (const Turn& turn : asked)
      for (const MessageId& id : answers[turn]) messages.emplace(turn.first, id);
    if (trace.events == 0 && messages.empty()) continue;
    trace.messages.assign(messages.begin(), messages.end());
    traces.push_back(std::move(trace));
  }
  return traces;
}

Result<std::vector<EraseReceipt>> Eraser::erase_in_groups(const RequestContext& request) {
  WEFT_TRY(const auto traces, group_traces(request));
  std::vector<EraseReceipt> receipts;
  for (const GroupTrace& trace : traces) {
    if (trace.messages.empty()) continue;
    WEFT_TRY(const Scope group, Scope::group_of(GroupId(trace.group_id), request.scope.user()));
    std::map<SessionId, EraseRequest> by_session;
    for (const auto& [session, message] : trace.messages) {
      by_session[session].session = session;
      by_session[session].messages.push_back(message);
    }
    for (const auto& [session, what] : by_session) {
      WEFT_TRY(auto receipt, erase({group, request.deadline, request.cancel, {}, false}, what));
      receipts.push_back(std::move(receipt));
    }
  }
  return receipts;
}

// Views of a group's events stand in their senders' own profiles, too, where that is granted.
Status Eraser::redact_views(const std::map<ScopeKey, std::vector<ItemId>>& views) {
  for (const auto& [scope, ids] : views) {
    const std::string user = parts_of_scope(scope).user;
    if (user.empty()) continue;
    std::vector<std::string> events;
    for (const ItemId& id : ids) events.push_back(id.str());
    WEFT_TRY(const auto files, redact_profile({EntityType::kUser, user}, events));
    static_cast<void>(files);
  }
  return {};
}

}  // namespace weft
