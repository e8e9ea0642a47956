#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/records.h"
#include "text/record.h"

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
