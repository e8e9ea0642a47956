#pragma once

#include <string_view>

namespace weft {

/// Whether a tool's output says that the call failed, in English or Chinese: an error member of a JSON object, an exit
/// code other than zero, the first or last line of a known form. Linear in the text; long ones are judged by their
/// ends.
bool says_failed(std::string_view output);

}  // namespace weft
