// A chat of SillyTavern: a line a message. Of several answers to one message ("swipes") the one that is shown stands in
// "mes"; what was hidden from the model stays out.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/strings.h"
#include "surface/imports/foreign_readers.h"
#include "text/json_lookup.h"

namespace weft {
namespace {

using Json = nlohmann::json;

std::string text_of_line(const Json& line) {
  std::string text = text_of(member(line, "mes"));
  const Json &swipes = member(line, "swipes"), &shown = member(line, "swipe_id");
  if (text.empty() && swipes.is_array() && shown.is_number_unsigned() && shown.get<std::size_t>() < swipes.size())
    text = text_of(swipes[shown.get<std::size_t>()]);
  return text;
}

}  // namespace

bool is_sillytavern(const Json& first_line) {
  return first_line.is_object() && (first_line.contains("mes") || first_line.contains("chat_metadata") ||
                                    (first_line.contains("user_name") && first_line.contains("character_name")));
}

ForeignFile read_sillytavern(std::string_view text, std::string_view name) {
  ForeignFile file{"sillytavern", {}, {}, {}};
  ForeignChat chat{std::string(name), {}, {}};
  std::size_t number = 0;
  for (const std::string_view line : lines_of(text)) {
    ++number;
    if (trimmed(line).empty()) continue;
    const Json json = lenient_json<Json>(line);
    if (!json.is_object()) {
      complain(file, fmt::format("line {}: no JSON object", number));
      continue;
    }
    if (json.contains("character_name")) chat.title = text_of(member(json, "character_name"));
    if (!(json.contains("mes") || json.contains("swipes")) || member(json, "is_system") == true) continue;
    add(chat, {member(json, "is_user") == true ? "user" : "assistant", text_of(member(json, "name")),
               text_of_line(json), foreign_time_of(member(json, "send_date"))});
  }
  keep(file, std::move(chat), 1);
  return file;
}

}  // namespace weft
