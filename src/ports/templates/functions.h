#pragma once

#include <jinja/runtime.h>

#include <string>
#include <utility>
#include <vector>

namespace weft::templates {

/// A value that stands in a template's tree: what was run already need not run twice.
struct Constant : jinja::expression {
  jinja::value held;
  explicit Constant(jinja::value value) : held(std::move(value)) { pos = 0; }
  jinja::value execute_impl(jinja::context&) const override { return held; }
};

/// The function of that name that templates may call; null where there is none.
jinja::value find_function(const std::string& name);

/// Calls a function or a bound method: `input` is null for the first. Ours stand in for those of the engine that would
/// not end, not be linear, or change a variable. Throws Fault.
jinja::value call_function(jinja::context& context, const jinja::value& function,
                           const std::vector<jinja::value>& arguments);

/// `input | name(arguments)`.
jinja::value apply_filter(jinja::context& context, std::string name, const jinja::value& input,
                          const std::vector<jinja::value>& arguments);

/// Whether a filter takes a value that is not defined.
bool takes_undefined(const std::string& filter);

/// Throws Fault where the engine's test of that name would fail in a way that cannot be caught.
void check_test(const std::string& name, const std::vector<jinja::value>& arguments);

}  // namespace weft::templates
