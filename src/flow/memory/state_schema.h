#pragma once

#include <string_view>

#include "flow/memory/state_tree.h"
#include "text/schema_check.h"
#include "weft/result.h"

namespace weft {

/// A JSON schema (draft 7) that a state has to keep to: of the whole tree as it is read, with its anchors in it. A
/// change that would break it is refused. Safe from any thread; copies share the schema.
class StateSchema {
 public:
  /// What a schema may hold, and the errors: see `bounded_schema`.
  static Result<StateSchema> compile(std::string_view json);

  /// The error (kInvalidArgument) says where the tree is wrong. Costs the size of the tree.
  Status check(const Value& root) const;

 private:
  explicit StateSchema(SchemaCheck check) : check_(std::move(check)) {}
  SchemaCheck check_;
};

}  // namespace weft
