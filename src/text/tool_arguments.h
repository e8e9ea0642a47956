#pragma once

#include "weft/value.h"

namespace weft {

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
