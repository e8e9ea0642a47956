#pragma once

#include <string>
#include <string_view>

namespace weft {

/// Whether YAML reads the text back as this very text when it stands without quotes as a value in block style.
/// Cautious: what older readers take for a date, a time, "yes" or "off" counts as something else too.
bool is_plain_yaml(std::string_view text);

/// Whether it also may stand without quotes as a key, or inside { }.
bool is_plain_yaml_key(std::string_view text);

/// Appends the text in double quotes, with escapes for what may not stand there.
void append_quoted_yaml(std::string& out, std::string_view text);

}  // namespace weft
