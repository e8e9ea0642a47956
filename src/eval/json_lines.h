#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "weft/result.h"

namespace weft {

/// What is done with a line: its JSON and its number, from 1.
using TakeLine = std::function<Status(const nlohmann::json& json, std::size_t number)>;

/// Gives each line of a file of JSON Lines that is not empty to `take`, in order, until it fails. kNotFound where the
/// file cannot be read. All other errors begin with FILE:LINE, those of `take` too, also where it lets an exception of
/// the JSON library through; `needed` says what a line must hold and is the hint of errors without one.
Status each_json_line(const std::string& path, const TakeLine& take, std::string_view needed = {});

}  // namespace weft
