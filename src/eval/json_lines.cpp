#include "eval/json_lines.h"

#include <fstream>
#include <nlohmann/json.hpp>

#include "text/json.h"

namespace weft {
namespace {

Status take_line(const std::string& line, std::size_t number, const TakeLine& take) {
  WEFT_TRY(const nlohmann::json json, read_json(line, {.max_bytes = line.size()}, "the line"));
  try {
    return take(json, number);
  } catch (const nlohmann::json::exception& error) {
    return invalid_argument(error.what());
  }
}

}  // namespace

Status each_json_line(const std::string& path, const TakeLine& take, std::string_view needed) {
  std::ifstream file(path);
  if (!file) return not_found("cannot read " + path);
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    if (line.empty()) continue;
    const Status taken = take_line(line, number, take);
    if (taken.ok()) continue;
    Error wrong = taken.error();
    wrong.message = path + ":" + std::to_string(number) + ": " + wrong.message;
    if (wrong.hint.empty()) wrong.hint = needed;
    return wrong;
  }
  return {};
}

}  // namespace weft
