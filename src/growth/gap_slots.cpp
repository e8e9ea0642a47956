#include "growth/gap_slots.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/ascii.h"
#include "text/json_lookup.h"
#include "text/lexicon.h"
#include "text/plain_words.h"
#include "text/time_expressions.h"

namespace weft {
namespace {

using Json = nlohmann::json;

/// What an argument takes, as far as its schema tells.
enum class Slot { kTime, kMail, kLink, kPath, kNumber, kMatter, kName };

std::set<Term> terms_of(std::string_view text) {
  const auto all = index_terms(text);
  return {all.begin(), all.end()};
}

std::string spaced(std::string name) {
  std::string out;
  for (const char c : name) {
    if (is_upper(c) && !out.empty()) out += ' ';
    out += c == '_' || c == '-' || c == '.' ? ' ' : to_lower(c);
  }
  return out;
}

std::string text_at(const Json& schema, const char* name) {
  const auto at = schema.find(name);
  return at != schema.end() && at->is_string() ? at->get<std::string>() : std::string();
}

bool names_one_of(const std::set<Term>& name, std::string_view words) {
  const auto wanted = terms_of(words);
  return std::any_of(name.begin(), name.end(), [&](Term term) { return wanted.contains(term); });
}

Slot slot_of(const std::string& name, const Json& schema) {
  const auto words = terms_of(spaced(name));
  const std::string format = text_at(schema, "format"), type = text_at(schema, "type");
  if (format.starts_with("date") || format == "time" ||
      names_one_of(words, "date time day when deadline start end begin until since 日期 时间"))
    return Slot::kTime;
  if (format == "email" || names_one_of(words, "email mail 邮箱")) return Slot::kMail;
  if (format == "uri" || format == "url" || names_one_of(words, "url link uri 网址")) return Slot::kLink;
  if (names_one_of(words, "path file filename folder directory 路径 文件")) return Slot::kPath;
  if (type == "number" || type == "integer") return Slot::kNumber;
  // What a call is about is what the task says as a whole.
  if (names_one_of(words,
                   "query text content message topic title body subject question prompt code command task input "
                   "description summary data keyword expression pattern 内容 主题 问题 标题"))
    return Slot::kMatter;
  return Slot::kName;
}

// A capital inside a sentence, something in quotes, or a word behind a Chinese preposition of place or person.
bool holds_a_name(std::string_view text) {
  for (const std::string_view quote : {"\"", "“", "「", "《", "‘"})
    if (text.find(quote) != std::string_view::npos) return true;
  for (std::size_t i = 2; i < text.size(); ++i)
    if (is_upper(text[i]) && text[i - 1] == ' ' && text[i - 2] != '.' && text[i - 2] != '!' && text[i - 2] != '?' &&
        i + 1 < text.size() && is_letter(text[i + 1]))
      return true;
  for (const std::string_view before : {"在", "到", "给", "向", "叫", "去", "从"}) {
    const auto at = text.find(before);
    if (at != std::string_view::npos && at + 3 * before.size() <= text.size()) return true;
  }
  return false;
}

bool is_said(const std::string& name, const Json& schema, const std::string& text, const std::set<Term>& said) {
  if (const auto choices = schema.find("enum"); choices != schema.end() && choices->is_array())
    return std::any_of(choices->begin(), choices->end(), [&](const Json& one) {
      return one.is_string() && names_one_of(said, spaced(one.get<std::string>()));
    });
  switch (slot_of(name, schema)) {
    case Slot::kTime: return !find_time_expressions(text, {}).empty();
    case Slot::kMail: return text.find('@') != std::string::npos;
    case Slot::kLink: return text.find("://") != std::string::npos || text.find("www.") != std::string::npos;
    case Slot::kPath: return text.find('/') != std::string::npos || text.find('.') + 1 < text.size();
    case Slot::kNumber: {
      const auto words = plain_words(text);
      return std::any_of(words.begin(), words.end(), [](const PlainWord& w) { return w.kind == WordKind::kNumber; });
    }
    case Slot::kMatter: return true;
    case Slot::kName: return holds_a_name(text) || names_one_of(said, spaced(name));
  }
  return true;
}

// A task speaks of a tool with two of its words, or with all of its name.
bool is_spoken_of(const ToolInfo& tool, const std::set<Term>& said) {
  const auto name = terms_of(spaced(tool.name));
  const auto all = tool_terms(tool);
  const auto has = [&](Term term) { return said.contains(term); };
  return (!name.empty() && std::all_of(name.begin(), name.end(), has)) ||
         std::count_if(all.begin(), all.end(), has) >= 2;
}

}  // namespace

std::set<Term> tool_terms(const ToolInfo& tool) { return terms_of(spaced(tool.name) + " " + tool.description); }

std::vector<Gap> missing_arguments(std::string_view task, std::span<const std::string> known,
                                   std::span<const ToolInfo> tools) {
  static const std::set<Term> researchable = [] {
    std::set<Term> terms;
    for (const std::string_view word : lexicon_both("curiosity", "researchable"))
      for (const Term term : index_terms(word)) terms.insert(term);
    return terms;
  }();
  std::vector<Gap> gaps;
  const std::set<Term> asked = terms_of(task);
  std::string text(task);
  for (const std::string& one : known) text += "\n" + one;
  const std::set<Term> said = terms_of(text);
  for (const ToolInfo& tool : tools) {
    if (tool.parameters.empty() || !is_spoken_of(tool, asked)) continue;
    const Json schema = lenient_json<Json>(tool.parameters);
    if (!schema.is_object() || !schema.contains("required") || !schema["required"].is_array()) continue;
    const Json properties = schema.value("properties", Json::object());
    for (const Json& required : schema["required"]) {
      if (!required.is_string() || !properties.is_object()) continue;
      const auto name = required.get<std::string>();
      const Json one = properties.value(name, Json::object());
      if (!one.is_object() || one.contains("default") || is_said(name, one, text, said)) continue;
      Gap gap;
      const std::string description = text_at(one, "description");
      gap.what = tool.name + ": " + (description.empty() ? spaced(name) : spaced(name) + " (" + description + ")");
      const auto words = terms_of(spaced(name));
      gap.ask = std::none_of(words.begin(), words.end(), [&](Term term) { return researchable.contains(term); });
      if (const auto choices = one.find("enum"); choices != one.end() && choices->is_array())
        for (const Json& choice : *choices)
          if (choice.is_string()) gap.choices.push_back(choice.get<std::string>());
      if (!gap.choices.empty()) gap.question = QuestionKind::kDecision;
      gaps.push_back(std::move(gap));
    }
  }
  return gaps;
}

}  // namespace weft
