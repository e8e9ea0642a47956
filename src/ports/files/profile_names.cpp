#include "ports/files/profile_names.h"

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "ports/files/file_system.h"
#include "weft/scope.h"

namespace weft {
namespace {

bool is_device(std::string_view name) {
  name = name.substr(0, name.find('.'));
  std::string folded(name);
  std::transform(folded.begin(), folded.end(), folded.begin(), to_lower<char>);
  constexpr std::array kDevices{std::string_view("con"), std::string_view("prn"), std::string_view("aux"),
                                std::string_view("nul")};
  if (std::find(kDevices.begin(), kDevices.end(), folded) != kDevices.end()) return true;
  return folded.size() == 4 && (folded.starts_with("com") || folded.starts_with("lpt")) && folded[3] >= '0' &&
         folded[3] <= '9';
}

}  // namespace

Result<std::string> profile_file_name(std::string_view id) {
  WEFT_CHECK(check_id(id, "the id of the profile"));
  std::string name = encode_file_name(id);
  if (!is_device(name)) return name;
  constexpr std::string_view kHex = "0123456789ABCDEF";
  const auto first = static_cast<unsigned char>(name.front());
  return std::string{'%', kHex[first >> 4], kHex[first & 15]} + name.substr(1);
}

std::optional<std::string> profile_id_of(std::string_view file_name) {
  std::string id;
  for (std::size_t i = 0; i < file_name.size(); ++i) {
    if (file_name[i] != '%') {
      id += file_name[i];
      continue;
    }
    if (i + 2 >= file_name.size()) return std::nullopt;
    const int high = hex_value(file_name[i + 1]), low = hex_value(file_name[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    id += static_cast<char>(high * 16 + low);
    i += 2;
  }
  const auto name = profile_file_name(id);
  return name.ok() && *name == file_name ? std::optional(id) : std::nullopt;
}

}  // namespace weft
