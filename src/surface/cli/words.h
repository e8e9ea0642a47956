#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/record.h"

/// Options of commands that are fields of described structs: their names, help and checks come from the description.
namespace weft::cli {

/// Words as the JSON that a field of that kind is read from.
std::string json_of_words(FieldKind kind, const std::vector<std::string>& words);

/// "--not-session" for "not_session", where the field has no option of its own.
std::string option_of(std::string_view name, const FieldRule& rule);

/// What was given of a struct on the command line.
template <class T>
class Words {
 public:
  /// Adds an option for each of the fields to a command. What cannot be read is refused with the command's usage.
  void offer(CLI::App& command, std::initializer_list<std::string_view> fields) {
    for (const std::string_view name : fields) offer(command, *record<T>().find(name));
  }

  /// Adds an option for every field that a command line can say, but for those.
  void offer_all_but(CLI::App& command, std::initializer_list<std::string_view> left_out) {
    for (const auto& field : record<T>().fields()) {
      const bool wanted = std::find(left_out.begin(), left_out.end(), field.name) == left_out.end();
      if (wanted && field.read && field.kind != FieldKind::kOther) offer(command, field);
    }
  }

  /// Puts what was given into a struct, over what stands there.
  Status apply(T& into) const {
    for (const auto& [field, json] : given_) WEFT_CHECK(field->read(json, field->name, into));
    return {};
  }

  /// A struct with what was given, and the defaults.
  Result<T> made() const {
    T value{};
    WEFT_CHECK(apply(value));
    return value;
  }

 private:
  using Field = typename Record<T>::Field;

  void offer(CLI::App& command, const Field& field) {
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

  void take(const Field& field, const std::vector<std::string>& words) {
    std::string json = json_of_words(field.kind, words);
    T probe{};
    if (const Status read = field.read(json, option_of(field.name, field.rule), probe); !read.ok())
      throw CLI::ValidationError(read.error().message);
    given_.emplace_back(&field, std::move(json));
  }

  std::vector<std::pair<const Field*, std::string>> given_;
};

}  // namespace weft::cli
