#include "surface/hook/hook_settings.h"

#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/ascii.h"
#include "base/strings.h"
#include "text/json.h"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

// What `answer_hook` does something at.
constexpr std::array<const char*, 6> kEvents = {"SessionStart", "UserPromptSubmit", "Stop",
                                                "SubagentStop", "PreCompact",       "SessionEnd"};
constexpr int kTimeoutSeconds = 10;

// The first two words of a command line, without quotes.
std::pair<std::string, std::string> first_words(const std::string& line) {
  std::array<std::string, 2> words;
  std::size_t at = 0;
  char quote = 0;
  for (const char c : trimmed(line)) {
    if (quote != 0 ? c == quote : c == '\'' || c == '"') {
      quote = quote != 0 ? '\0' : c;
    } else if (c == ' ' && quote == 0) {
      if (words[at].empty()) continue;
      if (++at == words.size()) break;
    } else {
      words[at] += c;
    }
  }
  return {words[0], words[1]};
}

bool is_ours(const Json& hook) {
  if (!hook.is_object() || !hook.contains("command") || !hook["command"].is_string()) return false;
  const auto [program, verb] = first_words(hook["command"].get<std::string>());
  return std::filesystem::path(program).filename() == "weft" && verb == "hook";
}

Result<Json> read_settings(std::string_view text) {
  if (trimmed(text).empty()) return Json(Json::object());
  WEFT_CHECK(check_json(text, {.max_bytes = text.size()}, "the settings"));
  Json settings = Json::parse(text);
  if (!settings.is_object())
    return invalid_argument("the settings are no JSON object", "mend the file, or move it away");
  if (settings.contains("hooks") && !settings["hooks"].is_object())
    return invalid_argument("\"hooks\" is no object", "mend the file by hand");
  return settings;
}

// Takes Weft's out of an event's list of matchers; what holds nothing any more goes.
void take_out(Json& matchers) {
  for (auto matcher = matchers.begin(); matcher != matchers.end();) {
    if (!matcher->is_object() || !matcher->contains("hooks") || !(*matcher)["hooks"].is_array()) {
      ++matcher;
      continue;
    }
    Json& hooks = (*matcher)["hooks"];
    const std::size_t before = hooks.size();
    for (auto hook = hooks.begin(); hook != hooks.end();) hook = is_ours(*hook) ? hooks.erase(hook) : hook + 1;
    matcher = hooks.empty() && before > 0 ? matchers.erase(matcher) : matcher + 1;
  }
}

void take_out_all(Json& settings) {
  if (!settings.contains("hooks")) return;
  Json left = Json::object();
  for (auto& [event, matchers] : settings["hooks"].items()) {
    const bool held = matchers.is_array() && !matchers.empty();
    if (held) take_out(matchers);
    if (!held || !matchers.empty()) left[event] = std::move(matchers);
  }
  if (left.empty())
    settings.erase("hooks");
  else
    settings["hooks"] = std::move(left);
}

std::string written(const Json& settings) { return settings.dump(2) + "\n"; }

}  // namespace

Result<std::string> with_weft_hooks(std::string_view text, const std::string& command) {
  WEFT_TRY(Json settings, read_settings(text));
  const Json ours = {{"type", "command"}, {"command", command}, {"timeout", kTimeoutSeconds}};
  take_out_all(settings);
  for (const char* event : kEvents) {
    Json& matchers = settings["hooks"][event];
    if (!matchers.is_null() && !matchers.is_array())
      return invalid_argument("\"hooks." + std::string(event) + "\" is no array", "mend the file by hand");
    matchers.push_back(Json{{"hooks", Json::array({ours})}});
  }
  return written(settings);
}

Result<std::string> without_weft_hooks(std::string_view text) {
  if (trimmed(text).empty()) return std::string(text);
  WEFT_TRY(Json settings, read_settings(text));
  const Json before = settings;
  take_out_all(settings);
  return settings == before ? std::string(text) : written(settings);
}

std::string shell_word(const std::string& word) {
  const auto plain = [](char c) {
    return is_letter(c) || is_digit(c) || std::string_view("-_./:@%+=,").find(c) != std::string_view::npos;
  };
  bool quoted = word.empty();
  for (const char c : word) quoted = quoted || !plain(c);
  if (!quoted) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace weft
