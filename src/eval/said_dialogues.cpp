#include "eval/said_dialogues.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "eval/json_lines.h"

namespace weft {
namespace {

using Json = nlohmann::json;
using Dialogues = std::map<std::string, SaidDialogue>;

SaidTurn said(const Json& json) {
  const auto text = [&](const char* key) {
    return json.contains(key) && json[key].is_string() ? json[key].get<std::string>() : std::string();
  };
  SaidTurn out{text("role"), text("name"), json.contains("content") ? text("content") : text("text")};
  const bool plain = out.role == "user" || out.role == "assistant" || out.role == "tool" || out.role == "system";
  if (!plain && out.name.empty()) out.name = out.role;
  if (out.name == "user" || out.name == "assistant") out.name.clear();
  return out;
}

// Messages a line with their session, or dialogues a line with their turns.
Result<Dialogues> read_source(const std::string& path) {
  if (!std::filesystem::exists(path))
    return not_found("cannot read " + path, "name the folder of the data with --data");
  Dialogues all;
  WEFT_CHECK(each_json_line(path, [&](const Json& json, std::size_t) -> Status {
    if (json.contains("session")) {
      all[json["session"].get<std::string>()].push_back(said(json));
      return {};
    }
    SaidDialogue& dialogue = all[json.value("id", "")];
    for (const Json& turn : json.contains("turns") ? json["turns"] : json.value("messages", Json::array()))
      dialogue.push_back(said(turn));
    return {};
  }));
  return all;
}

}  // namespace

Result<const SaidDialogue*> SaidDialogues::find(const std::string& source, const std::string& dialogue,
                                                std::size_t turn) {
  auto at = sources_.find(source);
  if (at == sources_.end()) {
    WEFT_TRY(auto dialogues, read_source(data_ + "/" + source));
    at = sources_.emplace(source, std::move(dialogues)).first;
  }
  const auto found = at->second.find(dialogue);
  if (found == at->second.end() || found->second.size() <= turn)
    return not_found("there is no turn " + std::to_string(turn) + " of \"" + dialogue + "\" in " + source);
  return &found->second;
}

std::string set_of_source(std::string_view source) {
  const std::string_view path = source.substr(source.find('/') + 1);
  return std::string(path.substr(0, path.find_first_of("/.")));
}

}  // namespace weft
