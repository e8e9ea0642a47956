#include "surface/api/cursor.h"

#include <fmt/format.h>
#include <xxhash.h>

#include "base/percent.h"

namespace weft {
namespace {

// Which list it is; places of the next form of cursors are told from these by the first digits.
constexpr std::string_view kForm = "01";
constexpr std::size_t kMarkDigits = 16;

std::string hex_of(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) out += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return out;
}

}  // namespace

// It keeps apart what clients mix up, and is no secret.
std::string mark_of(std::string_view text) { return fmt::format("{:016x}", XXH3_64bits(text.data(), text.size())); }

Error no_cursor() {
  return invalid_argument("\"cursor\" is none that was given",
                          "send the \"next\" of the last answer as it stands, or leave the cursor out to begin anew");
}

std::string cursor_of(std::string_view list, std::string_view place) {
  return std::string(kForm) + mark_of(list) + hex_of(place);
}

Result<std::string> place_of_cursor(std::string_view list, std::string_view cursor, std::size_t most) {
  if (cursor.empty()) return std::string();
  const std::size_t head = kForm.size() + kMarkDigits;
  if (cursor.size() > most || cursor.size() <= head || cursor.size() % 2 != 0 || !cursor.starts_with(kForm))
    return no_cursor();
  std::string place;
  for (std::size_t i = kForm.size(); i < cursor.size(); i += 2) {
    const int high = hex_value(cursor[i]), low = hex_value(cursor[i + 1]);
    if (high < 0 || low < 0) return no_cursor();
    if (i >= head) place += static_cast<char>(high * 16 + low);
  }
  if (cursor.substr(kForm.size(), kMarkDigits) != mark_of(list))
    return invalid_argument("\"cursor\" belongs to another list, or to one with other filters",
                            "ask for its own path with the parameters of the first page, or leave the cursor out");
  return place;
}

}  // namespace weft
