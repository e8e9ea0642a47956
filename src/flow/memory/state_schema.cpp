#include "flow/memory/state_schema.h"

namespace weft {

Result<StateSchema> StateSchema::compile(std::string_view json) {
  WEFT_TRY(auto check, SchemaCheck::compile(json, "the state", SchemaUse::kState));
  return StateSchema(std::move(check));
}

Status StateSchema::check(const Value& root) const { return check_.check(to_json(root)); }

}  // namespace weft
