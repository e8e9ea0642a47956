// A chat of SillyTavern: a line a message, in the order in which they are shown. Of several answers to one message
// ("swipes") the one that is shown stands in "mes"; what was hidden from the model stays out, and is counted.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/strings.h"
#include "surface/imports/foreign_readers.h"
#include "text/json.h"
#include "text/json_lookup.h"

namespace weft {
namespace {

using Json = nlohmann::json;

constexpr JsonLimits kLine{64 * 1024 * 1024, 64};

std::string text_of_line(const Json& line) {
  std::string text = text_of(member(line, "mes"));
  const Json &swipes = member(line, "swipes"), &shown = member(line, "swipe_id");
  if (text.empty() && swipes.is_array() && shown.is_number_unsigned() && shown.get<std::size_t>() < swipes.size())
    text = text_of(swipes[shown.get<std::size_t>()]);
  return text;
}

// A chat is known by what its first line says of it, since its file may be named otherwise each time; without that by
// its first message. A branch has that line of the chat it came from, and is known by its own name.
std::string id_of(const Json& header, std::string_view name) {
  const Json& metadata = member(header, "chat_metadata");
  const std::string who = text_of(member(header, "character_name")), when = text_of(member(header, "create_date"));
  if (!text_of(member(metadata, "main_chat")).empty()) return who + " " + std::filesystem::path(name).stem().string();
  if (std::string known = text_of(member(metadata, "integrity")); !known.empty()) return known;
  return who.empty() || when.empty() ? std::string() : who + " " + when;
}

void leave_out_parts(const Json& line, ChatReader& into) {
  const Json& extra = member(line, "extra");
  for (const auto& [name, kind] : {std::pair{"image", "image"}, {"video", "video"}, {"reasoning", "thought"}})
    if (!text_of(member(extra, name)).empty()) into.leave_out(kind);
  for (const Json& one : list_in(extra, "media"))
    into.leave_out(text_of(member(one, "type")) == "video" ? "video" : "image");
  if (member(extra, "file").is_object()) into.leave_out("file", text_of(member(member(extra, "file"), "name")));
  for (const Json& one : list_in(extra, "files")) into.leave_out("file", text_of(member(one, "name")));
  for (std::size_t i = 1; i < list_in(line, "swipes").size(); ++i) into.leave_out("answer that is not shown");
}

}  // namespace

bool is_sillytavern(const Json& first_line) {
  return first_line.is_object() && (first_line.contains("mes") || first_line.contains("chat_metadata") ||
                                    (first_line.contains("user_name") && first_line.contains("character_name")));
}

ForeignFile read_sillytavern(std::string_view text, std::string_view name) {
  ForeignFile file{"sillytavern", {}, {}, {}, {}, {}};
  const auto lines = lines_of(text);
  const Json first = lenient_json<Json>(lines.empty() ? std::string_view() : lines.front());
  const Json header = first.is_object() && !first.contains("mes") ? first : Json();
  ChatReader into(file, 1, {id_of(header, name), text_of(member(header, "character_name")), {}, {}});
  std::size_t number = 0;
  for (const std::string_view line : lines) {
    ++number;
    if (trimmed(line).empty()) continue;
    const auto json = read_json(line, kLine, fmt::format("line {}", number));
    if (!json.ok() || !json->is_object()) {
      complain(file, json.ok() ? fmt::format("line {}: no JSON object", number) : json.error().message);
      continue;
    }
    if (!(json->contains("mes") || json->contains("swipes"))) continue;
    if (member(*json, "is_system") == true) {
      into.leave_out("hidden message");
      continue;
    }
    leave_out_parts(*json, into);
    into.add({{},
              member(*json, "is_user") == true ? "user" : "assistant",
              text_of(member(*json, "name")),
              text_of_line(*json),
              foreign_time_of(member(*json, "send_date"))});
  }
  into.finish(ChatOrder::kAsGiven);
  return file;
}

}  // namespace weft
