#include "flow/context/tool_text.h"

#include <algorithm>
#include <vector>

#include "flow/context/fence.h"
#include "flow/context/tool_schema.h"
#include "text/sentences.h"
#include "text/utf8.h"

namespace weft {
namespace {

constexpr std::size_t kMaxName = 128, kMaxParameterName = 64, kMaxType = 48;  // characters
constexpr std::size_t kMaxSentence = 200;
constexpr std::size_t kMaxParameters = 24;     // a line of more is no short form
constexpr std::size_t kReadDescription = 4096; // bytes

/// On one line, at most so many characters, then escaped, so that no escape is cut in two.
std::string safe(std::string_view text, std::size_t most) {
  std::string line = preview(repair_utf8(cut_bytes(text, kReadDescription)), most);
  std::replace(line.begin(), line.end(), '\t', ' ');
  return escape_text(line);
}

struct ShortForm {
  std::string name;
  std::vector<std::string> required, optional;
  std::string sentence;  ///< not escaped yet
  bool more = false;     ///< parameters were left out
};

ShortForm short_form_of(const ToolInfo& tool) {
  ShortForm form;
  form.name = safe(tool.name, kMaxName);
  for (const ToolParameter& parameter : tool_parameters(tool.parameters)) {
    if (parameter.depth > 0) continue;
    if (form.required.size() + form.optional.size() >= kMaxParameters) {
      form.more = true;
      break;
    }
    std::string text = safe(parameter.name, kMaxParameterName);
    if (!parameter.type.empty()) text += ": " + safe(parameter.type, kMaxType);
    (parameter.required ? form.required : form.optional).push_back(std::move(text));
  }
  const auto all = sentences(cut_bytes(tool.description, kReadDescription));
  if (!all.empty()) form.sentence = preview(repair_utf8(all.front()), kMaxSentence);
  return form;
}

std::string write(const ShortForm& form, std::size_t sentence) {
  std::string text = form.name + "(";
  auto next = [&text, first = true](const std::string& part) mutable {
    if (!first) text += ", ";
    first = false;
    text += part;
  };
  for (const std::string& one : form.required) next(one);
  for (const std::string& one : form.optional) next("[" + one + "]");
  if (form.more) next("…");
  text += ")";
  if (sentence > 0 && !form.sentence.empty()) text += " – " + safe(form.sentence, sentence);
  return text;
}

}  // namespace

std::string tool_text(const ToolInfo& tool, std::int64_t max_tokens, const TokenCounter& tokens) {
  if (max_tokens <= 0) return {};
  ShortForm form = short_form_of(tool);
  std::size_t sentence = kMaxSentence;
  const auto fits = [&](const std::string& text) { return tokens.count(text) <= max_tokens; };
  std::string text = write(form, sentence);
  while (!fits(text)) {
    if (!form.optional.empty()) {
      form.optional.pop_back();
      form.more = true;
    } else if (sentence > 0) {
      sentence = sentence > 20 ? sentence / 2 : 0;
    } else if (!form.required.empty()) {
      form.required.pop_back();
      form.more = true;
    } else {
      break;
    }
    text = write(form, sentence);
  }
  for (std::size_t most = kMaxName; most > 1 && !fits(text); most /= 2) text = safe(tool.name, most / 2);
  return fits(text) ? text : std::string();
}

}  // namespace weft
