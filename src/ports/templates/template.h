#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/value.h"
#include "weft/result.h"

namespace weft {

/// Bounds on what one rendering may do. A step is a node of the template that is run, an element that is looped over,
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

/// A Jinja2 template. It reads no file, changes no variable of its caller, and ends: statements that name other
/// templates are refused, and loops, recursion, and growth of text are bounded.
///
/// Everything that `{{ }}` writes is escaped for markup (`&`, `<`, `>`; characters that deceive are left out), except
/// what `yaml` and `xml` give, what macros give, and ready text. Stored text is data: template syntax in it is never
/// run. Filters besides Jinja's own: `yaml`, a value as YAML (argument: spaces before each line), and `xml`, escaped
/// text. Errors name template, line and variable. Safe from any thread.
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
