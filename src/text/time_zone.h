#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "weft/result.h"
#include "weft/time.h"

namespace weft {

/// The offset from UTC in minutes that a zone has at a moment. A zone is a name of the tz database ("Asia/Shanghai"),
/// "UTC", "Z", or an offset ("+08:00", "UTC+8"). kInvalidArgument for what names no zone.
Result<std::int32_t> zone_offset(std::string_view zone, std::int64_t ms);

/// Of which edition of the tz database the zones are, such as "2025b"; empty where there is none.
std::string zone_data_version();

/// The zone that a time was given in, as far as its offset tells: "UTC", "+08:00".
std::string zone_of(Time time);

}  // namespace weft
