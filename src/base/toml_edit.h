#pragma once

#include <string>
#include <string_view>

#include "weft/result.h"

namespace weft {

/// TOML text with one text setting of a table, such as `model` of `[embedding]`, set to `value`. Everything else stays
/// as it is, comments too; the table is added at the end if it is missing. The result has been read again:
/// kInvalidArgument where the setting stands in a form that this does not change, such as an inline table, or where the
/// text is no TOML.
Result<std::string> set_toml_text(std::string_view toml, std::string_view table, std::string_view key,
                                  std::string_view value);

}  // namespace weft
