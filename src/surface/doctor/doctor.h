#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/engine_impl.h"
#include "model/records.h"
#include "ports/net/http_client.h"
#include "text/record.h"
#include "weft/config.h"

namespace weft::doctor {

/// How grave a finding is.
enum class Grade {
  kOk,     ///< as it should be
  kLook,   ///< it goes on with less, or will not for long
  kWrong,  ///< something cannot be kept, found or reached
};
std::string_view to_string(Grade grade);

/// One thing that was looked at.
struct Finding {
  std::string check;  ///< stable: "disk", "lock", "settings", "door", "time_zones", "model", "index", "server", …
  Grade grade = Grade::kOk;
  std::string what;    ///< how it is
  std::string where;   ///< the file, setting or address; empty: the whole
  std::string advice;  ///< what to do; empty where all is well
};

/// All of them.
struct Report {
  std::vector<Finding> findings;
  std::optional<EngineStatus> status;  ///< of the engine, where it could be opened

  bool well() const;

  void ok(std::string check, std::string what, std::string where = {}) {
    findings.push_back({std::move(check), Grade::kOk, std::move(what), std::move(where), {}});
  }
  void look(std::string check, std::string what, std::string where, std::string advice) {
    findings.push_back({std::move(check), Grade::kLook, std::move(what), std::move(where), std::move(advice)});
  }
  void wrong(std::string check, std::string what, std::string where, std::string advice) {
    findings.push_back({std::move(check), Grade::kWrong, std::move(what), std::move(where), std::move(advice)});
  }
  /// An error as a finding, with its own hint as the advice.
  void wrong(std::string check, const Error& error, std::string where);
};

}  // namespace weft::doctor

namespace weft {

inline constexpr std::array kDoctorGrades{doctor::Grade::kOk, doctor::Grade::kLook, doctor::Grade::kWrong};
template <>
inline constexpr std::span<const doctor::Grade> kEnumValues<doctor::Grade>{kDoctorGrades};

WEFT_DESCRIBED(doctor::Finding);
WEFT_DESCRIBED(doctor::Report);

}  // namespace weft

/// What runs, or could be opened: models in memory, the queue, the index against the rows.
namespace weft::doctor {

/// The models: whether they are loaded and give vectors. Waits for nothing.
void look_at_models(Engine& engine, Report& report);

/// The health of the engine, as `/healthz` tells it, without what was looked at otherwise.
void look_at_health(const EngineStatus& status, Report& report);

/// The index, shelf by shelf; with `mend` what is wrong in it is made anew.
void look_at_index(EngineImpl& engine, bool mend, Report& report);

// What of the machine Weft stands on: the disk, who holds the workspace, the time zones.

/// The workspace's folder: space, rights, and whether what is written is there when it was flushed. A workspace that is
/// not there is fine where it can be made.
void look_at_disk(const std::filesystem::path& workspace, const HealthSettings& health, Report& report);

/// Whether the command may open the workspace, as far as the lock says. `here`: this process holds it and serves it.
/// False where another process holds it that takes no commands, and has not let go of it within `patience`.
bool look_at_holder(const std::filesystem::path& workspace, bool here, std::chrono::milliseconds patience,
                    Report& report);

/// The data of time zones, by what is known of some.
void look_at_time_zones(Report& report);

// What is configured, and what stands behind it: files, keys, servers of models.

/// Settings that make no sense together, or lead nowhere. `serving`: those that the running server has; null where
/// there is none.
void look_at_settings(const Config& config, const Config* serving, Report& report);

/// Who may come in: keys, certificate, address.
void look_at_door(const Config& config, Report& report);

/// The files of models, each whether it is there and whole.
void look_at_model_files(const Config& config, Report& report);

/// The servers of others that are configured, asked whether they are there and take the key. What is asked costs
/// nothing: the list of their models. Each has `patience` to answer.
void look_at_others(const Config& config, HttpClient& client, std::chrono::milliseconds patience, Report& report);

/// The running server, asked at the address that it told; it has `patience` to answer.
void look_at_server(const std::string& address, HttpClient& client, std::chrono::milliseconds patience, Report& report);

}  // namespace weft::doctor
