#include "surface/imports/foreign_readers.h"

#include <charconv>
#include <ctime>
#include <nlohmann/json.hpp>

#include "base/strings.h"
#include "text/json_lookup.h"

namespace weft {
namespace {

constexpr std::size_t kMostProblems = 100;

// Since 1970.
Time time_of_number(double number) {
  constexpr double kSecondsUntilMillis = 1e11;  // the year 5138
  constexpr double kMostMillis = 2.5e14;        // the year 9892
  if (!(number > 0)) return {};
  const double ms = number < kSecondsUntilMillis ? number * 1000 : number;
  return {ms < kMostMillis ? static_cast<std::int64_t>(ms) : 0, 0};
}

// As SillyTavern has written it over the years; month names are English whatever the place of its user.
Time time_as_shown(const std::string& text) {
  for (const char* form : {"%B %d, %Y %I:%M%p", "%Y-%m-%d@%Hh%Mm%Ss", "%Y-%m-%d @%Hh %Mm %Ss", "%Y-%m-%d %H:%M:%S"}) {
    std::tm parts{};
    const char* end = ::strptime(text.c_str(), form, &parts);
    if (end != nullptr) return {std::int64_t{::timegm(&parts)} * 1000, 0};
  }
  return {};
}

}  // namespace

Time foreign_time(std::string_view text) {
  double number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed == std::errc() && end == text.data() + text.size()) return time_of_number(number);
  const auto written = parse_time(text);
  return written.ok() ? *written : time_as_shown(std::string(text));
}

Time foreign_time_of(const nlohmann::json& value) {
  return value.is_number() ? time_of_number(value.get<double>()) : foreign_time(text_of(value));
}

void complain(ForeignFile& file, std::string what) {
  if (file.problems.size() < kMostProblems) file.problems.push_back(std::move(what));
}

void add(ForeignChat& chat, ForeignMessage message) {
  if (!trimmed(message.text).empty()) chat.messages.push_back(std::move(message));
}

void keep(ForeignFile& file, ForeignChat chat, std::size_t number) {
  if (chat.id.empty()) chat.id = std::to_string(number);
  if (!chat.messages.empty()) file.chats.push_back(std::move(chat));
}

}  // namespace weft
