#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "weft/result.h"
#include "weft/value.h"

namespace weft {

/// What a schema from outside is used for.
enum class SchemaUse {
  kAnswer,  ///< of a model: short; regular expressions are left unchecked, schemas may be recursive
  kState,   ///< megabytes: regular expressions, unique items and recursion are refused
};

/// A JSON schema of which nothing can end the program or round in a circle when data is held against it: as it came,
/// for answers without "pattern", "patternProperties" and "format", which would be matched by backtracking. `subject`
/// is what errors call the data. kInvalidArgument for what is no JSON object, for references that lead out of the
/// schema or back to themselves, for a "multipleOf" that is not above 0, and for what the use refuses; kTooLarge beyond
/// 256 KB, 64 levels or 10,000 parts with all references written out.
Result<std::string> bounded_schema(std::string_view schema, const std::string& subject, SchemaUse use);

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

/// The arguments of a tool as they are meant, whatever form a model or a client gave them; `schema` is that of the
/// tool's arguments, an object. Clients fill optional fields with "", models write numbers as texts:
///
/// - the whole: nothing, "" and [] are no arguments, a text with a JSON object is that object;
/// - a field that may be left out counts as left out where it is null or blank text, and "null" where no text is
/// wanted;
/// - "3" and 3.0 are numbers where a number is wanted, "true" and "false" flags;
/// - a text with a JSON list or object is read where such is wanted; one value alone is a list of one, and words of a
///   fixed choice may stand with commas between.
///
/// What fits no rule stays as it is, for the reader to refuse by name. Texts of a list are never left out; fields of
/// objects in a list are where the schema takes no blank text, so that the empty content of a message stays.
Value arguments_as_meant(const Value& given, const Value& schema);

}  // namespace weft
