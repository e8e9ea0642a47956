#include "surface/api/list_operation.h"

#include "surface/api/cursor.h"

namespace weft {
namespace {

// What follows from these alone is another page of the same list.
bool moves_only(const std::string& name) { return name == "limit" || name == "cursor"; }

// Whose list it is, and all that decides what is in it. Names are told apart from values by signs that stand in none.
std::string list_name(const Call& call, const std::string& operation) {
  std::string name = operation + '\n' + call.context.scope.key().str() + '\n' + call.context.world +
                     (call.context.of_world ? "\x1f\n" : "\n");
  for (const auto& [part, value] : call.request.params) name += part + '\x1f' + value + '\n';
  for (const auto& [part, value] : call.request.query)
    if (!moves_only(part) && part != "user" && part != "group" && part != "world") name += part + '\x1f' + value + '\n';
  return name;
}

Parameter page_limit(std::size_t limit) {
  Parameter made = limit_parameter();
  made.doc = "how many at most";
  for (auto& [name, value] : *made.schema.object())
    if (name == "default") value = static_cast<std::int64_t>(limit);
  return made;
}

Parameter cursor_parameter() {
  return {"cursor", "the \"next\" of the page before; the first page if left out",
          ValueObject{{"type", "string"}, {"maxLength", static_cast<std::int64_t>(kMaxCursor)}}};
}

// Of a bare list: what has a name describes its own.
Value with_next_in(Value schema) {
  Value* properties = schema.find("properties");
  if (properties != nullptr && properties->object() != nullptr)
    properties->object()->emplace_back("next", ValueObject{{"type", "string"}, {"description", kNextDoc}});
  return schema;
}

}  // namespace

std::string with_next(std::string list, const std::string& next) {
  if (next.empty()) return list;
  list.pop_back();  // the object's end
  return list + ",\"next\":\"" + next + "\"}";
}

Result<PageWanted> page_wanted(const Call& call, const std::string& operation, std::size_t limit) {
  PageWanted wanted;
  WEFT_TRY(wanted.limit, call.limit(limit));
  WEFT_TRY(wanted.after, place_of_cursor(list_name(call, operation), call.text("cursor")));
  return wanted;
}

std::string next_cursor(const Call& call, const std::string& operation, const std::string& place) {
  return place.empty() ? std::string() : cursor_of(list_name(call, operation), place);
}

Operation listing(Operation made, std::size_t limit) {
  made.lists = true;
  made.query.push_back(page_limit(limit));
  made.query.push_back(cursor_parameter());
  made.answer = [whole = std::move(made.answer)](SchemaBook& book) { return with_next_in(whole(book)); };
  return made;
}

}  // namespace weft
