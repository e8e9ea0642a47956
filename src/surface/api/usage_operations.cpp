// What calls of models have cost: a user's own, and the whole workspace's for who looks after it.
#include "base/strings.h"
#include "surface/api/cursor.h"
#include "surface/api/list_operation.h"
#include "text/plain_words.h"

namespace weft {
namespace {

Result<UsageQuery> query_of(const Call& call) {
  UsageQuery query;
  query.from = call.text("from");
  query.to = call.text("to");
  const std::string by = call.text("by");
  if (by.empty()) return query;
  query.by.clear();
  std::string read;
  for (const std::string_view one : split_list(by, ',')) {
    read += (read.empty() ? "" : ",") + std::string(one);
    query.by.emplace_back(one);
  }
  if (read != by) return invalid_argument("by: names with commas between them, and nothing else", "by=day,model");
  return query;
}

Result<std::vector<UsageRow>> own_usage(const Call& call) {
  WEFT_TRY(UsageQuery query, query_of(call));
  query.scope = call.context.scope.key().str();
  return call.engine.upkeep().usage(query);
}

Result<std::vector<UsageRow>> all_usage(const Call& call) {
  WEFT_TRY(const UsageQuery query, query_of(call));
  return call.engine.upkeep().usage(query);
}

std::string key_of(const UsageRow& row) {
  return mark_of(row.day + '\n' + row.scope + '\n' + row.key + '\n' + row.role + '\n' + row.model);
}

// Names of dimensions with commas between them.
Parameter by_parameter() {
  Parameter by =
      text_parameter("by",
                     "what totals are told apart by: day, scope, key, role, model, with commas between; left "
                     "out: day,role,model");
  constexpr std::string_view kName = "(day|scope|key|role|model)";
  by.schema =
      ValueObject{{"type", "string"}, {"pattern", "^(" + std::string(kName) + "(," + std::string(kName) + ")*)?$"}};
  return by;
}

std::vector<Parameter> bounds() {
  return {day_parameter("from", "first day, in UTC, such as 2026-11-26"), day_parameter("to", "last day, in UTC"),
          by_parameter()};
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
