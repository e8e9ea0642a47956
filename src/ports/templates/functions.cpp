#include "ports/templates/functions.h"

#include <cmath>
#include <limits>

#include "ports/templates/jinja_value.h"
#include "ports/templates/meter.h"
#include "text/markup.h"
#include "text/yaml_writer.h"

namespace weft::templates {
namespace {

using jinja::value;

[[noreturn]] void refuse(std::string message) { throw Fault{ErrorCode::kInvalidArgument, std::move(message)}; }

bool is_defined(const value& v) { return !v->is_undefined(); }
bool is_text(const value& v) { return jinja::is_val<jinja::value_string>(v); }
bool is_list(const value& v) { return jinja::is_val<jinja::value_array>(v); }
bool is_whole(const value& v) { return jinja::is_val<jinja::value_int>(v); }
bool is_number(const value& v) { return is_whole(v) || jinja::is_val<jinja::value_float>(v); }
std::size_t size_of(const value& v) { return is_text(v) ? v->val_str.length() : 0; }

std::size_t times(std::size_t a, std::size_t b) {
  return b != 0 && a > std::numeric_limits<std::size_t>::max() / b ? std::numeric_limits<std::size_t>::max() : a * b;
}

// The engine's way would fill the memory before anybody counts.
value range(const jinja::func_args& arguments) {
  arguments.ensure_count(1, 3);
  for (const value& argument : arguments.get_args()) {
    if (!is_whole(argument)) refuse("range() takes whole numbers");
  }
  const bool from_zero = arguments.count() == 1;
  const std::int64_t begin = from_zero ? 0 : arguments.get_pos(0)->as_int();
  const std::int64_t end = arguments.get_pos(from_zero ? 0 : 1)->as_int();
  const std::int64_t step = arguments.count() == 3 ? arguments.get_pos(2)->as_int() : 1;
  if (step == 0) refuse("range() cannot go in steps of 0");
  const long double distance =
      (static_cast<long double>(end) - static_cast<long double>(begin)) / static_cast<long double>(step);
  const std::size_t count = distance <= 0     ? 0
                            : distance > 1e9L ? 1'000'000'000
                                              : static_cast<std::size_t>(std::ceil(distance));
  Meter::current().work(count);
  auto list = jinja::mk_val<jinja::value_array>();
  for (std::size_t i = 0; i < count; ++i) {
    list->push_back(jinja::mk_val<jinja::value_int>(begin + static_cast<std::int64_t>(i) * step));
  }
  return list;
}

value yaml(const jinja::func_args& arguments) {
  const value input = arguments.get_pos(0);
  const value indent = arguments.get_kwarg_or_pos("indent", 1);
  weigh(input);
  YamlOptions options{.harmless = true};
  if (is_defined(indent)) {
    if (!is_whole(indent) || indent->as_int() < 0 || indent->as_int() > 100)
      refuse("yaml: `indent` is a number from 0 to 100");
    options.indent = static_cast<std::size_t>(indent->as_int());
  }
  auto text = write_yaml(from_jinja(input), options);
  if (!text.ok()) refuse("yaml: " + text.error().message);
  // It stands where the template has a line break of its own.
  text->pop_back();
  return escaped_text(as_markup(jinja::mk_val<jinja::value_string>(*text)));
}

value xml(const jinja::func_args& arguments) {
  const value input = arguments.get_pos(0);
  if (is_list(input) || jinja::is_val<jinja::value_object>(input))
    refuse("xml: a list or an object needs `yaml` or `tojson`");
  Meter::current().handle(size_of(input));
  const std::string text = input->is_none() ? std::string() : input->as_string().str();
  return escaped_text(escape_attribute(text));
}

value default_value(const jinja::func_args& arguments) {
  const value input = arguments.get_pos(0);
  const bool also_empty = arguments.get_kwarg_or_pos("boolean", 2)->as_bool();
  if (is_defined(input) && !(also_empty && !input->as_bool())) return input;
  const value other = arguments.get_kwarg_or_pos("default_value", 1);
  return is_defined(other) ? other : jinja::mk_val<jinja::value_string>("");
}

// Sorting by an order that contradicts itself ends in memory that is not ours.
void check_order(const value& list, const value& attribute) {
  std::size_t numbers = 0, texts = 0;
  for (value element : list->val_arr) {
    if (is_text(attribute) && jinja::is_val<jinja::value_object>(element)) {
      value none = jinja::mk_val<jinja::value_undefined>();
      element = element->at(attribute, none);
    } else if (is_defined(attribute)) {
      refuse("sort: `attribute` needs a list of objects and the name of a member");
    }
    if (is_number(element) && std::isfinite(element->as_float())) ++numbers;
    if (is_text(element)) ++texts;
    Meter::current().work(32 + size_of(element) / 64);
  }
  const std::size_t count = list->val_arr.size();
  if (numbers != count && texts != count) refuse("sort: all elements must be numbers, or all must be text");
}

void check_dictsort(const value& object, const value& by) {
  const bool by_value = is_text(by) && by->as_string().str() == "value";
  auto list = jinja::mk_val<jinja::value_array>();
  for (const auto& [key, member] : object->val_obj) list->push_back(by_value ? member : key);
  check_order(list, jinja::mk_val<jinja::value_undefined>());
}

// Before a method of the engine runs: work that is not seen in its arguments' sizes is counted, and what could not be
// stopped is refused. Line numbers in the middle of the engine are no use: each check is named by what it protects.
void check_method(const std::string& name, const jinja::func_args& arguments) {
  Meter& meter = Meter::current();
  const value input = arguments.get_pos(0);
  const std::size_t size = size_of(input);
  if (name == "append" || name == "pop") refuse("'" + name + "' would change a list: build a new one with +");
  if (name == "safe") refuse("'safe' is not available: text is always escaped, and `yaml` and `xml` need no mark");
  if (name == "replace") {
    const std::size_t other = arguments.count() > 2 ? size_of(arguments.get_pos(2)) : 0;
    meter.work(times(size, size + other) / 16384);
    if (times(size + 1, other) > meter.max_output())
      refuse("replace: the result could be over the limit of the output");
  } else if (name == "split" || name == "rsplit") {
    meter.work(times(size, size) / 16384 + size / 16);
  } else if (name == "indent" || name == "tojson") {
    const value width = arguments.get_kwarg_or_pos(name == "indent" ? "width" : "indent", name == "indent" ? 1 : 2);
    if (is_defined(width) && (!is_whole(width) || width->as_int() < 0 || width->as_int() > 100)) {
      refuse(name + ": the width is a number from 0 to 100");
    }
    if (name == "tojson" && is_defined(arguments.get_kwarg_or_pos("separators", 3)))
      refuse("tojson: no `separators` here");
    weigh(input);
    meter.handle(times(size, 1 + (is_defined(width) ? static_cast<std::size_t>(width->as_int()) : 4)));
  } else if (name == "join" && is_list(input)) {
    weigh(input);
    meter.handle(times(input->val_arr.size(), size_of(arguments.get_kwarg_or_pos("d", 1))));
  } else if (name == "sort" && is_list(input)) {
    check_order(input, arguments.get_kwarg_or_pos("attribute", 3));
  } else if (name == "dictsort" && jinja::is_val<jinja::value_object>(input)) {
    check_dictsort(input, arguments.get_kwarg_or_pos("by", 2));
  } else {
    weigh(input);
  }
}

// What a method gives back. Replaced text is no longer markup, whatever it was made from.
value check_result(const std::string& name, value result) {
  if (name == "replace" && is_text(result)) {
    for (jinja::string_part& part : result->val_str.parts) part.is_input = false;
  }
  weigh(result);
  return result;
}

const jinja::func_builtins& our_filters() {
  static const jinja::func_builtins filters{
      {"yaml", yaml}, {"xml", xml}, {"escape", xml}, {"e", xml}, {"default", default_value}, {"d", default_value}};
  return filters;
}

}  // namespace

value find_function(const std::string& name) {
  static const jinja::func_builtins functions{{"range", range},
                                              {"dict", jinja::global_builtins().at("dict")},
                                              {"namespace", jinja::global_builtins().at("namespace")}};
  const auto at = functions.find(name);
  if (at == functions.end()) return nullptr;
  return jinja::mk_val<jinja::value_func>(name, at->second);
}

value call_function(jinja::context& context, const value& function, const std::vector<value>& arguments) {
  const auto* target = jinja::cast_val<jinja::value_func>(function);
  if (target == nullptr) refuse("what is called here is no function: " + function->type());
  jinja::func_args passed(context);
  passed.func_name = target->name;
  for (const value& argument : arguments) passed.push_back(argument);
  if (target->arg0 == nullptr) {
    Meter::current().enter_scopes(1);
    // dict() and namespace() look for each name among all before it.
    for (const value& argument : arguments)
      Meter::current().work(times(argument->val_arr.size(), argument->val_arr.size()) / 64);
    value result = target->invoke(passed);
    weigh(result);
    return result;
  }
  jinja::func_args with_input(passed);
  with_input.push_front(target->arg0);
  check_method(target->name, with_input);
  return check_result(target->name, target->invoke(passed));
}

value apply_filter(jinja::context& context, std::string name, const value& input, const std::vector<value>& arguments) {
  jinja::func_args passed(context);
  passed.func_name = name;
  passed.push_back(input);
  for (const value& argument : arguments) passed.push_back(argument);
  if (const auto ours = our_filters().find(name); ours != our_filters().end()) return ours->second(passed);
  check_method(name, passed);
  auto call_name = std::make_unique<jinja::identifier>(name);
  call_name->pos = 0;
  jinja::statements constants;
  for (const value& argument : arguments) constants.push_back(std::make_unique<Constant>(argument));
  auto call = std::make_unique<jinja::call_expression>(std::move(call_name), std::move(constants));
  call->pos = 0;
  const jinja::filter_expression filter(std::make_unique<Constant>(input), std::move(call));
  return check_result(name, filter.execute_impl(context));
}

bool takes_undefined(const std::string& filter) { return filter == "default" || filter == "d"; }

void check_test(const std::string& name, const std::vector<value>& arguments) {
  if (name != "divisibleby") return;
  const bool fine = arguments.size() == 2 && is_whole(arguments[0]) && is_whole(arguments[1]) &&
                    arguments[1]->as_int() != 0 && arguments[1]->as_int() != -1;
  if (!fine) refuse("'divisibleby' takes a whole number other than 0 and -1");
}

}  // namespace weft::templates
