#include "surface/mcp/prompts.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/prompts.h"
#include "flow/context/fence.h"
#include "surface/api/search.h"
#include "surface/mcp/rpc.h"
#include "text/words.h"

namespace weft::mcp {
namespace {

constexpr std::size_t kHits = 12;
constexpr std::size_t kMostLooked = 1000;  // messages looked through for names

struct Argument {
  std::string_view name, description;
  bool required = false;
};
struct Told {
  std::string_view name, title, description;
  std::vector<Argument> arguments;
};

constexpr Argument kLanguage{"language", "en or zh; the language of what is asked about where it is left out", false};

const std::vector<Told>& prompts() {
  static const std::vector<Told> all{{"recall",
                                      "Recall · 回忆",
                                      "What is remembered about somebody or something · 回忆某人或某事",
                                      {{"about", "a name, a matter, a question", true}, kLanguage}},
                                     {"end_session",
                                      "End of session · 结束会话",
                                      "Keeps what is worth keeping of this session · 记下本次会话值得保留的内容",
                                      {kLanguage}}};
  return all;
}

std::string argument_of(const Value& arguments, std::string_view name) { return text_of(arguments, name); }

std::string_view language_of(const Value& arguments, std::string_view text) {
  const std::string given = argument_of(arguments, "language");
  if (given == "zh" || given == "en") return given == "zh" ? "zh" : "en";
  return weft::language_of(text) == Language::kChinese ? "zh" : "en";
}

Value message_of(std::string text) {
  return ValueObject{{"role", "user"}, {"content", ValueObject{{"type", "text"}, {"text", std::move(text)}}}};
}

// What is recalled is data: it stands between marks that it cannot hold itself.
std::string fenced(const CompactResult& found) {
  std::string out = "<memory>\n";
  for (const CompactHit& hit : found.hits) {
    const std::string who = hit.who + (hit.warning.empty() ? "" : " " + hit.warning);
    std::string line = hit.date + (who.empty() ? " " : " " + who + ": ") + hit.text;
    if (!hit.until.empty()) line += " (until " + hit.until + ")";
    std::replace(line.begin(), line.end(), '\n', ' ');
    out += escape_text(line);
    out += '\n';
  }
  return out + "</memory>";
}

Result<Value> recall(Engine& engine, const RequestContext& context, const Value& arguments) {
  const std::string about = argument_of(arguments, "about");
  if (about.empty()) return invalid_argument("\"about\" is missing: what is to be recalled");
  const auto language = language_of(arguments, about);
  SearchRequest what;
  what.query = about;
  what.top_k = kHits;
  WEFT_TRY(const auto found, engine.memory(context).search(what));
  const CompactResult compact = compact_result(found);
  const Prompt told =
      shipped_prompt(compact.known && !compact.hits.empty() ? "recall_about" : "recall_nothing", language);
  std::string text(told.text);
  if (const auto at = text.find("{about}"); at != std::string::npos) text.replace(at, 7, about);
  if (compact.known && !compact.hits.empty()) text += "\n\n" + fenced(compact);
  return Value(ValueObject{{"description", "Recall: " + about}, {"messages", ValueList{message_of(std::move(text))}}});
}

Value end_session(const Value& arguments) {
  const Prompt told = shipped_prompt("end_session", language_of(arguments, ""));
  return ValueObject{{"description", "End of session"}, {"messages", ValueList{message_of(std::string(told.text))}}};
}

// Who is known: the profile's name and tags, and who speaks under a name of their own.
Result<std::vector<std::string>> names_known(Engine& engine, const RequestContext& context) {
  std::set<std::string> names;
  if (const auto profile = engine.profiles(context).read(); profile.ok()) {
    names.insert(profile->name);
    names.insert(profile->tags.begin(), profile->tags.end());
  }
  WEFT_TRY(const auto said, engine.memory(context).items(ItemKind::kMessage, kMostLooked));
  for (const Item& one : said) names.insert(one.who);
  for (const char* role : {"", "user", "assistant", "tool", "system"}) names.erase(role);
  return std::vector<std::string>(names.begin(), names.end());
}

const Told* find(std::string_view name) {
  for (const Told& one : prompts())
    if (one.name == name) return &one;
  return nullptr;
}

Error no_prompt(std::string_view name) {
  return invalid_argument("there is no prompt \"" + std::string(name.substr(0, 80)) + "\"",
                          "prompts/list tells which there are");
}

}  // namespace

Value prompt_list() {
  ValueList all;
  for (const Told& one : prompts()) {
    ValueList arguments;
    for (const Argument& argument : one.arguments)
      arguments.push_back(ValueObject{{"name", std::string(argument.name)},
                                      {"description", std::string(argument.description)},
                                      {"required", argument.required}});
    all.push_back(ValueObject{{"name", std::string(one.name)},
                              {"title", std::string(one.title)},
                              {"description", std::string(one.description)},
                              {"arguments", std::move(arguments)}});
  }
  return all;
}

Result<Value> get_prompt(Engine& engine, const RequestContext& context, const std::string& name,
                         const Value& arguments) {
  if (name == "recall") return recall(engine, context, arguments);
  if (name == "end_session") return end_session(arguments);
  return no_prompt(name);
}

Result<std::vector<std::string>> complete_prompt(Engine& engine, const RequestContext& context, std::string_view name,
                                                 std::string_view argument, std::string_view begin) {
  const Told* told = find(name);
  if (told == nullptr) return no_prompt(name);
  const bool known = std::any_of(told->arguments.begin(), told->arguments.end(),
                                 [&](const Argument& one) { return one.name == argument; });
  if (!known) return invalid_argument("the prompt has no argument \"" + std::string(argument.substr(0, 80)) + "\"");
  std::vector<std::string> values{"en", "zh"};
  if (argument == "about") {
    WEFT_TRY(values, names_known(engine, context));
  }
  std::erase_if(values, [&](const std::string& one) { return !one.starts_with(begin); });
  return values;
}

}  // namespace weft::mcp
