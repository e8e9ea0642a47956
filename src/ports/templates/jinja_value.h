#pragma once

#include <jinja/value.h>

#include <string>
#include <string_view>

#include "text/value.h"

namespace weft::templates {

// Text that is markup already, against text that has to be escaped: the engine carries one mark with each part of a
// string, through joining, cutting and changes of case. It calls the mark "input"; here it says "escaped".

/// Text that may be written as it is.
jinja::value escaped_text(std::string text);

/// The string's parts as markup: what is not marked is escaped. Empty for what is no string.
std::string as_markup(const jinja::value& value);

/// A tree for the engine. Throws Fault where it is nested too deeply.
jinja::value to_jinja(const Value& value);

/// And back; functions and undefined values become null. The value must have been weighed.
Value from_jinja(const jinja::value& value);

/// Counts everything in a value, so that what was built by the template stays small and ends. Throws Fault where it is
/// too large, nested too deeply, or contains `forbidden`, which would make it contain itself.
void weigh(const jinja::value& value, const jinja::value_t* forbidden = nullptr);

}  // namespace weft::templates
