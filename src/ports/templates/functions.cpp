#include "ports/templates/functions.h"

#include <algorithm>
#include <cmath>

#include "base/strings.h"
#include "text/markup.h"
#include "text/utf8.h"
#include "text/yaml_value.h"

namespace weft::templates {
namespace {

constexpr std::size_t kMaxDepth = 64;
constexpr std::size_t kLookEvery = 64;  // steps between two looks at the clock

const std::int64_t* whole_of(const Value& value) { return std::get_if<std::int64_t>(&value.data); }
double number_of(const Value& value) {
  return whole_of(value) != nullptr ? static_cast<double>(*whole_of(value)) : std::get<double>(value.data);
}
bool are_numbers(const Value& a, const Value& b) { return a.is_number() && b.is_number(); }
bool is_equal(const Value& a, const Value& b) { return are_numbers(a, b) ? number_of(a) == number_of(b) : a == b; }
bool is_less(const Value& a, const Value& b) { return a.text() ? *a.text() < *b.text() : number_of(a) < number_of(b); }
bool have_order(const Value& a, const Value& b) {
  return (a.text() && b.text()) || (are_numbers(a, b) && !std::isnan(number_of(a) + number_of(b)));
}

using Given = std::vector<Thing>;

const Value* argument(const Given& given, std::size_t place) {
  return place < given.size() ? given[place].value.get() : nullptr;
}

Thing calculate(char sign, const Value& a, const Value& b, Meter& meter) {
  const std::int64_t *x = whole_of(a), *y = whole_of(b);
  if (x != nullptr && y != nullptr && sign != '/') {
    std::int64_t whole = 0;
    const bool over = sign == '+'   ? __builtin_add_overflow(*x, *y, &whole)
                      : sign == '-' ? __builtin_sub_overflow(*x, *y, &whole)
                                    : __builtin_mul_overflow(*x, *y, &whole);
    return over ? meter.fail("a number has more than 64 bits") : thing(whole);
  }
  const double p = number_of(a), q = number_of(b);
  if (sign == '/' && q == 0) return meter.fail("a division by 0");
  return thing(sign == '+' ? p + q : sign == '-' ? p - q : sign == '*' ? p * q : p / q);
}

Thing repeat(const Thing& text, std::int64_t times, Meter& meter) {
  const std::string& piece = *text.value->text();
  if (times > 0 && piece.size() > meter.most() / static_cast<std::size_t>(times))
    return meter.fail("a text repeated so often is too long", ErrorCode::kTooLarge);
  std::string out;
  for (std::int64_t i = 0; i < times && !piece.empty(); ++i) out += piece;
  return meter.text(std::move(out), text.markup);
}

Thing is_in(const Value& a, const Value& b, Meter& meter) {
  if (const ValueList* list = b.list())
    return thing(std::any_of(list->begin(), list->end(), [&](const Value& one) { return is_equal(one, a); }));
  if (a.text() && b.object()) return thing(b.find(*a.text()) != nullptr);
  if (a.text() && b.text()) return thing(b.text()->find(*a.text()) != std::string::npos);
  return meter.fail("'in' takes a list, an object or a text");
}

Thing sorted(ValueList list, Meter& meter) {
  for (const Value& one : list) {
    if (!have_order(one, list[0])) return meter.fail("sort: all must be numbers, or all must be texts");
    if (meter.work(32 + (one.text() ? one.text()->size() / 64 : 0))) return {};
  }
  std::stable_sort(list.begin(), list.end(), is_less);
  return thing(std::move(list));
}

Thing joined(const ValueList& list, const Given& given, Meter& meter) {
  const Thing between = given.empty() ? thing("") : given[0];
  std::string out;
  for (std::size_t i = 0; i < list.size() && out.size() <= meter.most(); ++i) {
    const std::string text = text_of(thing(list[i]), meter);
    out += (i > 0 ? text_of(between, meter) : "") + (between.markup ? escape_markup(text) : text);
  }
  return meter.text(std::move(out), between.markup);
}

Thing replaced(const std::string& text, const Given& given, Meter& meter) {
  const Value *old = argument(given, 0), *fresh = argument(given, 1);
  if (old == nullptr || fresh == nullptr || !old->text() || !fresh->text() || old->text()->empty())
    return meter.fail("replace takes a text to look for and one to put there");
  std::string out;
  std::size_t at = 0, found = 0;
  while ((found = text.find(*old->text(), at)) != std::string::npos && out.size() <= meter.most()) {
    out.append(text, at, found - at).append(*fresh->text());
    at = found + old->text()->size();
  }
  return meter.text(out.append(text, at, std::string::npos));
}

Thing as_yaml(const Value& input, const Given& given, Meter& meter) {
  const Value* indent = argument(given, 0);
  const std::int64_t* spaces = indent != nullptr ? whole_of(*indent) : nullptr;
  if (indent != nullptr && (spaces == nullptr || *spaces < 0 || *spaces > 100))
    return meter.fail("yaml: `indent` is a number from 0 to 100");
  auto text =
      write_yaml(input, {.indent = spaces != nullptr ? static_cast<std::size_t>(*spaces) : 0, .harmless = true});
  if (!text.ok()) return meter.fail("yaml: " + text.error().message);
  text->pop_back();  // it stands where the template has a line break of its own
  return meter.text(escape_markup(*text), true);
}

Thing of_object(std::string_view part, const ValueObject& object) {
  ValueList list;
  for (const auto& [key, value] : object)
    list.push_back(part == "keys" ? Value(key) : part == "values" ? value : Value(ValueList{key, value}));
  return thing(std::move(list));
}

std::string uppered(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), to_upper<char>);
  return text;
}

std::string trimmed(const std::string& text) {
  constexpr const char* kSpaces = " \t\r\n";
  const std::size_t begin = std::min(text.find_first_not_of(kSpaces), text.size());
  return text.substr(begin, text.find_last_not_of(kSpaces) + 1 - begin);
}

// As Jinja has it, with a blank behind commas and colons.
std::string as_json(const Value& value) {
  std::string out;
  const auto between = [&] { return std::string(out.size() > 1 ? ", " : ""); };
  if (const ValueList* list = value.list()) {
    out = "[";
    for (const Value& one : *list) out += between() + as_json(one);
    return out + "]";
  }
  if (value.object() == nullptr) return to_json(value);
  out = "{";
  for (const auto& [key, one] : *value.object()) out += between() + to_json(Value(key)) + ": " + as_json(one);
  return out + "}";
}

Thing no_filter(std::string_view name, Meter& meter) {
  return meter.fail("there is no filter '" + std::string(name) + "' for this value");
}

// Where each character begins.
std::vector<std::size_t> characters(const std::string& text) {
  std::vector<std::size_t> begins;
  for (std::size_t at = 0; at < text.size(); (void)next_code_point(text, at)) begins.push_back(at);
  return begins;
}

}  // namespace

Thing thing(Value value, bool markup) { return {std::make_shared<const Value>(std::move(value)), {}, markup}; }

Thing Meter::fail(std::string message, ErrorCode code) {
  if (!failure_) failure_ = Error{code, std::move(message), {}};
  return {};
}

bool Meter::work(std::size_t steps) {
  steps_ += std::min(steps, limits_.max_steps + 1);
  if (steps_ > limits_.max_steps)
    fail("it does not end within " + std::to_string(limits_.max_steps) + " steps (an endless or very large loop?)",
         ErrorCode::kTooLarge);
  if (steps_ < next_look_) return failure_.has_value();
  next_look_ = steps_ + kLookEvery;
  if (std::chrono::steady_clock::now() > end_)
    fail("it does not end within " + std::to_string(limits_.max_time.count()) + " ms", ErrorCode::kTooLarge);
  return failure_.has_value();
}

bool Meter::pay(const Value& value, std::size_t depth) {
  if (depth > kMaxDepth) fail("a value is nested more than 64 deep", ErrorCode::kTooLarge);
  if (work(1 + (value.text() ? value.text()->size() / 1024 : 0))) return true;
  if (const ValueList* list = value.list())
    return std::any_of(list->begin(), list->end(), [&](const Value& one) { return pay(one, depth + 1); });
  const ValueObject* object = value.object();
  return object != nullptr &&
         std::any_of(object->begin(), object->end(), [&](const auto& one) { return pay(one.second, depth + 1); });
}

bool Meter::write(std::size_t bytes) {
  written_ += std::min(bytes, most() + 1);
  if (written_ > most()) fail("its output is over " + std::to_string(most()) + " bytes", ErrorCode::kTooLarge);
  return work(bytes / 1024);
}

Thing Meter::text(std::string text, bool markup) {
  if (text.size() > most()) return fail("a text is over " + std::to_string(most()) + " bytes", ErrorCode::kTooLarge);
  return work(text.size() / 1024) ? Thing() : thing(std::move(text), markup);
}

bool is_true(const Thing& what) {
  if (what.value == nullptr || what.value->is_null()) return false;
  const Value& value = *what.value;
  if (value.is_number()) return number_of(value) != 0;
  if (value.text() != nullptr) return !value.text()->empty();
  if (value.list() != nullptr) return !value.list()->empty();
  return value.object() != nullptr ? !value.object()->empty() : std::get<bool>(value.data);
}

std::string text_of(const Thing& what, Meter& meter) {
  const Value& value = *what.value;
  if (value.text() != nullptr) return *value.text();
  if (const auto* flag = std::get_if<bool>(&value.data)) return *flag ? "True" : "False";
  if (value.is_number()) return to_json(value);
  if (!value.is_null()) meter.fail("'" + what.path + "' is no text: write it with the filter `yaml` or `tojson`");
  return {};
}

Thing operate(std::string_view sign, const Thing& first, const Thing& second, Meter& meter) {
  const Value &a = *first.value, &b = *second.value;
  if (sign == "~" || (sign == "+" && a.text() && b.text())) {
    const std::string x = text_of(first, meter), y = text_of(second, meter);
    if (!first.markup && !second.markup) return meter.text(x + y);
    return meter.text((first.markup ? x : escape_markup(x)) + (second.markup ? y : escape_markup(y)), true);
  }
  if (sign == "in") return is_in(a, b, meter);
  if (sign == "==" || sign == "!=") return thing(is_equal(a, b) == (sign == "=="));
  if (sign[0] == '<' || sign[0] == '>') {
    if (!have_order(a, b)) return meter.fail("only two numbers or two texts have an order");
    return thing((sign == "<" || sign == ">=" ? is_less(a, b) : is_less(b, a)) == (sign.size() == 1));
  }
  if (are_numbers(a, b)) return calculate(sign[0], a, b, meter);
  if (sign == "*" && a.text() && whole_of(b)) return repeat(first, *whole_of(b), meter);
  if (sign != "+" || !a.list() || !b.list())
    return meter.fail("'" + std::string(sign) + "' does not go with these values");
  if (meter.pay(a) || meter.pay(b)) return {};
  ValueList list = *a.list();
  list.insert(list.end(), b.list()->begin(), b.list()->end());
  return thing(std::move(list));
}

Thing filter(std::string_view name, const Thing& input, const Given& given, Meter& meter) {
  if (name == "default" || name == "d") {
    const Value* empty = argument(given, 1);
    const bool keep = input.value != nullptr && (is_true(input) || empty == nullptr || !is_true(thing(*empty)));
    return keep ? input : given.empty() ? thing("") : given[0];
  }
  const Value& value = *input.value;
  const ValueList* list = value.list();
  if (meter.pay(value)) return {};
  if (name == "yaml") return as_yaml(value, given, meter);
  if (name == "tojson") return meter.text(as_json(value));
  if (name == "length" && value.text()) return thing(static_cast<std::int64_t>(characters(*value.text()).size()));
  if (name == "length" && value.object()) return thing(static_cast<std::int64_t>(value.object()->size()));
  if (value.object() && (name == "items" || name == "keys" || name == "values"))
    return of_object(name, *value.object());
  if (list != nullptr && name == "length") return thing(static_cast<std::int64_t>(list->size()));
  if (list != nullptr && name == "sort") return sorted(*list, meter);
  if (list != nullptr && name == "join") return joined(*list, given, meter);
  if (list != nullptr && !list->empty() && (name == "first" || name == "last"))
    return thing(name == "first" ? list->front() : list->back());
  if (name == "round" && value.is_number()) return thing(std::round(number_of(value)));
  if (list != nullptr || value.object() != nullptr) return no_filter(name, meter);
  const std::string text = text_of(input, meter);
  if (name == "xml" || name == "escape" || name == "e") return meter.text(escape_attribute(text), true);
  if (name == "lower") return meter.text(lowered(text));
  if (name == "upper") return meter.text(uppered(text));
  if (name == "trim") return meter.text(trimmed(text));
  if (name == "replace") return replaced(text, given, meter);
  return no_filter(name, meter);
}

Thing member(const Thing& of, std::string_view name, std::string path) {
  const Value* found = of.value->find(name);
  return {found == nullptr ? nullptr : std::shared_ptr<const Value>(of.value, found), std::move(path)};
}

Thing element(const Thing& of, const Value& key, Meter& meter) {
  if (key.text() != nullptr) return member(of, *key.text(), of.path + "[\"" + *key.text() + "\"]");
  const ValueList* list = of.value->list();
  if (list == nullptr || whole_of(key) == nullptr)
    return meter.fail("[ ] takes the name of a member or a place in a list");
  const std::int64_t at = *whole_of(key);
  const auto place = static_cast<std::size_t>(at < 0 ? at + static_cast<std::int64_t>(list->size()) : at);
  std::string path = of.path + "[" + std::to_string(at) + "]";
  return {place < list->size() ? std::shared_ptr<const Value>(of.value, &(*list)[place]) : nullptr, std::move(path)};
}

std::vector<Thing> elements(const Thing& of, Meter& meter) {
  std::vector<Thing> all;
  const ValueList* list = of.value->list();
  const ValueObject* object = of.value->object();
  if (list == nullptr && object == nullptr) meter.fail("'" + of.path + "' is nothing to loop over");
  for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) all.push_back({{of.value, &(*list)[i]}});
  for (std::size_t i = 0; object != nullptr && i < object->size(); ++i) all.push_back(thing((*object)[i].first));
  meter.work(all.size());
  return all;
}

Thing slice(const Thing& of, const Value& begin, const Value& end, Meter& meter) {
  const ValueList* list = of.value->list();
  const std::string* text = of.value->text();
  if (list == nullptr && text == nullptr) return meter.fail("[ : ] takes a list or a text");
  if (meter.pay(*of.value)) return {};
  const std::vector<std::size_t> begins = text != nullptr ? characters(*text) : std::vector<std::size_t>();
  const auto size = static_cast<std::int64_t>(list != nullptr ? list->size() : begins.size());
  const auto place = [&](const Value& given, std::int64_t other) {
    const std::int64_t* at = whole_of(given);
    return at == nullptr ? other : std::clamp<std::int64_t>(*at < 0 ? *at + size : *at, 0, size);
  };
  const std::int64_t first = place(begin, 0), last = std::max(first, place(end, size));
  if (list != nullptr) return thing(ValueList(list->begin() + first, list->begin() + last));
  const auto byte = [&](std::int64_t at) { return at < size ? begins[static_cast<std::size_t>(at)] : text->size(); };
  return meter.text(text->substr(byte(first), byte(last) - byte(first)), of.markup);
}

Thing list_of(const std::vector<Thing>& elements, Meter& meter) {
  ValueList list;
  for (const Thing& one : elements) {
    if (meter.pay(*one.value, 1)) return {};
    list.push_back(*one.value);
  }
  return thing(std::move(list));
}

Thing range(const Given& given, Meter& meter) {
  std::vector<std::int64_t> numbers;
  for (const Thing& one : given)
    if (const std::int64_t* whole = whole_of(*one.value)) numbers.push_back(*whole);
  if (numbers.size() == 1) numbers.insert(numbers.begin(), 0);
  if (numbers.size() == 2) numbers.push_back(1);
  if (numbers.size() != 3 || numbers[2] == 0)
    return meter.fail("range takes up to three whole numbers, and no step of 0");
  ValueList list;
  for (std::int64_t at = numbers[0]; numbers[2] > 0 ? at < numbers[1] : at > numbers[1];) {
    if (meter.work(1)) return {};
    list.emplace_back(at);
    if (__builtin_add_overflow(at, numbers[2], &at)) break;
  }
  return thing(std::move(list));
}

}  // namespace weft::templates
