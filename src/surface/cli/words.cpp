#include "surface/cli/words.h"

namespace weft::cli {
namespace {

bool is_number(std::string_view word) {
  return !word.empty() && word.find_first_not_of("-+.eE0123456789") == std::string_view::npos;
}

}  // namespace

std::string json_of_words(FieldKind kind, const std::vector<std::string>& words) {
  if (kind == FieldKind::kFlag) return "true";
  if (kind == FieldKind::kNumber && is_number(words.front())) return words.front();
  JsonWriter out;
  if (kind != FieldKind::kTexts) {
    out.text(words.front());
    return out.take();
  }
  out.begin('[');
  for (const std::string& word : words) out.text(word);
  out.end(']');
  return out.take();
}

std::string option_of(std::string_view name, const FieldRule& rule) {
  if (!rule.option.empty()) return std::string(rule.option);
  std::string option = "--" + std::string(name);
  std::replace(option.begin(), option.end(), '_', '-');
  return option;
}

}  // namespace weft::cli
