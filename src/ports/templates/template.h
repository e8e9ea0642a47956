#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/json.h"
#include "weft/result.h"

namespace weft {

/// Bounds on what one rendering may do. A step is a piece of the template that is read, an element that is looped over,
/// or a kibibyte that is handled. Which bound ends a template first depends on the template alone; `max_time` is the
/// net below, for a machine that is far slower than thought.
struct TemplateLimits {
  std::size_t max_output = 16 * 1024 * 1024;  ///< bytes written by the template, in all
  std::size_t max_steps = 1'000'000;
  std::chrono::milliseconds max_time{2000};
};

/// Text that is markup already and goes into the output as it is. `name` must be a variable's name.
struct ReadyText {
  std::string_view name, text;
};

/// A template in a small part of Jinja2. It reads no file, changes no variable of its caller, and ends: there are no
/// macros and no other templates, and loops and growth of text are bounded.
///
/// - Statements: `if`, `elif`, `else`; `for a in x`, `for a, b in x.items()`, with `if` and `else`, and `loop.index`,
///   `index0`, `first`, `last`, `length`; `set a = x`, and `set n.a = x` of a `namespace(a=x)`, which outlives a loop.
/// - Expressions: texts, numbers, lists, `x.a`, `x["a"]`, `x[0]`, `x[0:2]`, `range(…)`, `+ - * / ~`, comparisons, `in`,
/// `and`,
///   `or`, `not`, `is defined`, `is undefined`, `is none`, `a if b else c`.
/// - Filters: `default`, `length`, `join`, `sort`, `first`, `last`, `items`, `keys`, `values`, `upper`, `lower`,
/// `trim`,
///   `replace`, `round`, `tojson`; `yaml`, a value as YAML (argument: spaces before each line); `xml`, escaped text.
///
/// White space is as with trim_blocks and lstrip_blocks. Everything that `{{ }}` writes is escaped for markup (`&`,
/// `<`,
/// `>`; characters that deceive are left out), except what `yaml` and `xml` give, and ready text. Stored text is data:
/// template syntax in it is never run. Errors name template, line and variable. Safe from any thread.
class Template {
 public:
  /// kInvalidArgument where the source is no template, or asks for what it may not have.
  static Result<Template> compile(std::string name, std::string_view source);

  /// `variables` is an object. kInvalidArgument where a variable is not defined or a value is of the wrong kind;
  /// kTooLarge where a limit is exceeded. Broken UTF-8 becomes U+FFFD.
  Result<std::string> render(const Value& variables, const std::vector<ReadyText>& ready = {},
                             const TemplateLimits& limits = {}) const;

  /// Whether the source names that variable: what is expensive to prepare need not be where it does not.
  bool mentions(std::string_view variable) const;

 private:
  struct State;
  explicit Template(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

}  // namespace weft
