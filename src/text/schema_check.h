#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "text/schema_bounds.h"
#include "weft/result.h"

namespace weft {

/// A JSON schema (draft 7) against which data is checked. Safe from any thread; copies share the schema.
class SchemaCheck {
 public:
  /// Errors as `bounded_schema`, which the schema goes through first, and kInvalidArgument for what is no schema.
  static Result<SchemaCheck> compile(std::string_view schema, std::string subject = "the answer",
                                     SchemaUse use = SchemaUse::kAnswer);

  /// Whether the text is JSON that the schema allows; the error (kInvalidArgument) says where it is not, such as
  /// "at <root>[items][2]: …". No more than a schema can say is checked: formats such as "date-time" are not.
  Status check(std::string_view json) const;

 private:
  struct State;
  explicit SchemaCheck(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

}  // namespace weft
