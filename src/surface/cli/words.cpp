#include "surface/cli/words.h"

#include <CLI/CLI.hpp>
#include <algorithm>

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

void GivenWords::offer(CLI::App& command, std::initializer_list<std::string_view> fields) {
  for (const std::string_view name : fields) offer_field(command, *record_.find(name));
}

void GivenWords::offer_all_but(CLI::App& command, std::initializer_list<std::string_view> left_out) {
  for (const RecordField& field : record_.fields()) {
    const bool wanted = std::find(left_out.begin(), left_out.end(), field.name) == left_out.end();
    if (wanted && field.read && field.kind != FieldKind::kOther) offer_field(command, field);
  }
}

Status GivenWords::put_into(void* of) const {
  for (const auto& [field, json] : given_) WEFT_CHECK(field->read(json, field->name, of));
  return {};
}

void GivenWords::offer_field(CLI::App& command, const RecordField& field) {
  const std::string option = option_of(field.name, field.rule);
  CLI::Option* added = nullptr;
  if (field.kind == FieldKind::kFlag)
    added = command.add_flag_callback(option, [this, &field] { take(field, {}); }, field.doc);
  else if (field.kind == FieldKind::kTexts)
    added = command.add_option_function<std::vector<std::string>>(
        option, [this, &field](const std::vector<std::string>& words) { take(field, words); }, field.doc);
  else
    added = command.add_option_function<std::string>(
        option, [this, &field](const std::string& word) { take(field, {word}); }, field.doc);
  if (field.rule.required && !option.starts_with('-')) added->required();
}

void GivenWords::take(const RecordField& field, const std::vector<std::string>& words) {
  std::string json = json_of_words(field.kind, words);
  if (const Status read = probe_(field, json, option_of(field.name, field.rule)); !read.ok())
    throw CLI::ValidationError(read.error().message);
  given_.emplace_back(&field, std::move(json));
}

}  // namespace weft::cli
