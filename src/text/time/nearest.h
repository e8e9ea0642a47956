#pragma once

#include <string_view>

namespace weft::timex {

/// Whether 最近 is near in space, not in time: 最近的车站, 离酒店最近. Takes what stands before and behind it.
bool means_nearest(std::string_view before, std::string_view behind);

}  // namespace weft::timex
