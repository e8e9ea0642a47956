#include "text/time_zone.h"

#include <unicode/timezone.h>

#include <memory>
#include <optional>

#include "base/strings.h"

namespace weft {
namespace {

constexpr std::int32_t kMinuteMs = 60'000;
constexpr std::int32_t kMostMinutes = 14 * 60;  // the largest offset in use

// "+8", "+08:00", "-0330".
std::optional<std::int32_t> read_offset(std::string_view text) {
  if (text.size() < 2 || (text[0] != '+' && text[0] != '-')) return std::nullopt;
  const bool west = text[0] == '-';
  std::string digits;
  for (const char c : text.substr(1)) {
    if (is_digit(c)) digits += c;
    if (!is_digit(c) && c != ':') return std::nullopt;
  }
  if (digits.empty() || digits.size() > 4) return std::nullopt;
  const bool minutes = digits.size() > 2;
  const std::int32_t hours = std::stoi(digits.substr(0, minutes ? digits.size() - 2 : digits.size()));
  const std::int32_t rest = minutes ? std::stoi(digits.substr(digits.size() - 2)) : 0;
  const std::int32_t offset = hours * 60 + rest;
  if (rest > 59 || offset > kMostMinutes) return std::nullopt;
  return west ? -offset : offset;
}

}  // namespace

Result<std::int32_t> zone_offset(std::string_view zone, std::int64_t ms) {
  std::string_view offset = zone;
  for (const std::string_view prefix : {"UTC", "GMT"})
    if (offset.starts_with(prefix)) offset.remove_prefix(prefix.size());
  if (zone == "Z" || zone == "UTC" || zone == "GMT") return 0;
  if (const auto minutes = read_offset(offset)) return *minutes;
  const auto id = icu::UnicodeString::fromUTF8(icu::StringPiece(zone.data(), static_cast<std::int32_t>(zone.size())));
  const std::unique_ptr<icu::TimeZone> known(icu::TimeZone::createTimeZone(id));
  icu::UnicodeString found;
  if (known == nullptr || known->getID(found) != id || *known == icu::TimeZone::getUnknown())
    return invalid_argument("there is no time zone \"" + std::string(zone.substr(0, 80)) + "\"",
                            "use a name such as Asia/Shanghai or an offset such as +08:00");
  std::int32_t raw = 0, summer = 0;
  UErrorCode error = U_ZERO_ERROR;
  known->getOffset(static_cast<double>(ms), 0, raw, summer, error);
  return (raw + summer) / kMinuteMs;
}

std::string zone_data_version() {
  UErrorCode error = U_ZERO_ERROR;
  const char* const version = icu::TimeZone::getTZDataVersion(error);
  return U_SUCCESS(error) && version != nullptr ? version : "";
}

std::string zone_of(Time time) {
  const std::string text = format_time(time);
  constexpr std::size_t kOffset = 6;  // "+08:00"
  return text.ends_with('Z') ? "UTC" : text.substr(text.size() - kOffset);
}

}  // namespace weft
