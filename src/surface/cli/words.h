#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/record.h"

namespace CLI {
class App;
}

/// Options of commands that are fields of described structs: their names, help and checks come from the description.
namespace weft::cli {

/// Words as the JSON that a field of that kind is read from.
std::string json_of_words(FieldKind kind, const std::vector<std::string>& words);

/// "--not-session" for "not_session", where the field has no option of its own.
std::string option_of(std::string_view name, const FieldRule& rule);

/// What was given on the command line of a struct, whose type `Words` knows.
class GivenWords {
 public:
  /// Adds an option for each of the fields to a command. What cannot be read is refused with the command's usage.
  void offer(CLI::App& command, std::initializer_list<std::string_view> fields);
  /// Adds an option for every field that a command line can say, but for those.
  void offer_all_but(CLI::App& command, std::initializer_list<std::string_view> left_out);

 protected:
  /// Whether a field of a new struct can be read from this.
  using Probe = Status (*)(const RecordField& field, std::string_view json, const std::string& place);

  /// `record` must outlive it.
  GivenWords(const RecordFields& record, Probe probe) : record_(record), probe_(probe) {}
  Status put_into(void* of) const;

 private:
  void offer_field(CLI::App& command, const RecordField& field);
  void take(const RecordField& field, const std::vector<std::string>& words);

  const RecordFields& record_;
  const Probe probe_;
  std::vector<std::pair<const RecordField*, std::string>> given_;
};

/// What was given of a struct on the command line.
template <class T>
class Words : public GivenWords {
 public:
  Words()
      : GivenWords(record<T>(), [](const RecordField& field, std::string_view json, const std::string& place) {
          T probe{};
          return record<T>().read_field(field, json, place, probe);
        }) {}

  /// Puts what was given into a struct, over what stands there.
  Status apply(T& into) const { return put_into(&into); }

  /// A struct with what was given, and the defaults.
  Result<T> made() const {
    T value{};
    WEFT_CHECK(apply(value));
    return value;
  }
};

}  // namespace weft::cli
