#pragma once

#include <chrono>
#include <filesystem>

#include "surface/doctor/finding.h"
#include "weft/config.h"

/// What of the machine Weft stands on: the disk, who holds the workspace, the time zones.
namespace weft::doctor {

/// The workspace's folder: space, rights, and whether what is written is there when it was flushed. A workspace that is
/// not there is fine where it can be made.
void look_at_disk(const std::filesystem::path& workspace, const HealthSettings& health, Report& report);

/// Whether the command may open the workspace, as far as the lock says. `here`: this process holds it and serves it.
/// False where another process holds it that takes no commands, and has not let go of it within `patience`.
bool look_at_holder(const std::filesystem::path& workspace, bool here, std::chrono::milliseconds patience,
                    Report& report);

/// The data of time zones, by what is known of some.
void look_at_time_zones(Report& report);

}  // namespace weft::doctor
