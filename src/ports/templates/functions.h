#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ports/templates/template.h"

namespace weft::templates {

struct Thing;
using Names = std::map<std::string, Thing, std::less<>>;

/// What an expression gives. Values never change and are shared, so none can hold itself.
struct Thing {
  std::shared_ptr<const Value> value;  ///< null: it is not defined
  std::string path = {};               ///< as the template's author wrote it, "state.hp"
  bool markup = false;                 ///< a text that may be written as it is
  std::shared_ptr<Names> space = {};   ///< a namespace, which is no value but has members
};

Thing thing(Value value, bool markup = false);

/// Counts what one rendering does. The first failure stays; who makes a value looks whether there is one.
class Meter {
 public:
  explicit Meter(const TemplateLimits& limits)
      : limits_(limits), end_(std::chrono::steady_clock::now() + limits.max_time) {}

  const std::optional<Error>& failure() const { return failure_; }
  /// Gives what is not defined.
  Thing fail(std::string message, ErrorCode code = ErrorCode::kInvalidArgument);
  /// Whether there is a failure now.
  bool work(std::size_t steps);
  /// A step for each part of a value, and one for each kibibyte of text.
  bool pay(const Value& value, std::size_t depth = 0);
  bool write(std::size_t bytes);
  /// A text that was made.
  Thing text(std::string text, bool markup = false);
  std::size_t most() const { return limits_.max_output; }  ///< bytes of a text

 private:
  const TemplateLimits& limits_;
  std::chrono::steady_clock::time_point end_;
  std::size_t steps_ = 0, written_ = 0, next_look_ = 0;
  std::optional<Error> failure_;
};

/// False for what is not defined.
bool is_true(const Thing& what);

/// A value as it is written; lists and objects fail.
std::string text_of(const Thing& what, Meter& meter);

/// a + b, a in b, and so on.
Thing operate(std::string_view sign, const Thing& a, const Thing& b, Meter& meter);

/// `input | name(given)` and `input.name(given)`. Only "default" takes what is not defined.
Thing filter(std::string_view name, const Thing& input, const std::vector<Thing>& given, Meter& meter);

/// The member of that name, as `path`; not defined where the value has none.
Thing member(const Thing& of, std::string_view name, std::string path);

/// of["name"] or of[0]; from behind below 0.
Thing element(const Thing& of, const Value& key, Meter& meter);

/// What a loop goes over: the elements of a list, or the names of an object's members.
std::vector<Thing> elements(const Thing& of, Meter& meter);

/// Elements of a list or characters of a text; null for an end that is left out.
Thing slice(const Thing& of, const Value& begin, const Value& end, Meter& meter);

/// [a, b]
Thing list_of(const std::vector<Thing>& elements, Meter& meter);

/// range(end), range(begin, end), range(begin, end, step)
Thing range(const std::vector<Thing>& given, Meter& meter);

}  // namespace weft::templates
