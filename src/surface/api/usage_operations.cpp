// What calls of models have cost: a user's own, and the whole workspace's for who looks after it.
#include "base/strings.h"
#include "surface/api/cursor.h"
#include "surface/api/list_operation.h"
#include "text/plain_words.h"

namespace weft {
namespace {

UsageQuery query_of(const Call& call) {
  UsageQuery query;
  query.from = call.text("from");
  query.to = call.text("to");
  const std::string by = call.text("by");
  if (by.empty()) return query;
  query.by.clear();
  for (const std::string_view one : split_list(by, ','))
    if (const auto name = trimmed(one); !name.empty()) query.by.emplace_back(name);
  return query;
}

Result<std::vector<UsageRow>> own_usage(const Call& call) {
  UsageQuery query = query_of(call);
  query.scope = call.context.scope.key().str();
  return call.engine.upkeep().usage(query);
}

Result<std::vector<UsageRow>> all_usage(const Call& call) { return call.engine.upkeep().usage(query_of(call)); }

std::string key_of(const UsageRow& row) {
  return mark_of(row.day + '\n' + row.scope + '\n' + row.key + '\n' + row.role + '\n' + row.model);
}

std::vector<Parameter> bounds() {
  return {text_parameter("from", "first day, in UTC, such as 2026-11-26"), text_parameter("to", "last day, in UTC"),
          text_parameter("by",
                         "what totals are told apart by: day, scope, key, role, model, with commas between; left "
                         "out: day,role,model")};
}

}  // namespace

std::vector<Operation> usage_operations() {
  std::vector<Operation> all{
      list_operation("usage", "GET /v1/usage",
                     "what calls of models for a user or a group have cost: calls, tokens, time", Whose::kScope,
                     ListOrder::kAsGiven, own_usage, key_of, bounds()),
      list_operation("usage_of_all", "GET /v1/usage/all", "the same of the whole workspace", Whose::kNobody,
                     ListOrder::kAsGiven, all_usage, key_of, bounds()),
  };
  all.back().right = Right::kAdmin;
  return all;
}

}  // namespace weft
