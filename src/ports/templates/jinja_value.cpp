#include "ports/templates/jinja_value.h"

#include "ports/templates/meter.h"
#include "text/markup.h"

namespace weft::templates {
namespace {

constexpr std::size_t kMaxDepth = 64;

jinja::value convert(const Value& value, std::size_t depth) {
  if (depth > kMaxDepth) throw Fault{ErrorCode::kInvalidArgument, "a variable is nested more than 64 deep"};
  if (const auto* flag = std::get_if<bool>(&value.data)) return jinja::mk_val<jinja::value_bool>(*flag);
  if (const auto* whole = std::get_if<std::int64_t>(&value.data)) return jinja::mk_val<jinja::value_int>(*whole);
  if (const auto* number = std::get_if<double>(&value.data)) return jinja::mk_val<jinja::value_float>(*number);
  if (const std::string* text = value.text()) return jinja::mk_val<jinja::value_string>(*text);
  if (const ValueList* list = value.list()) {
    auto array = jinja::mk_val<jinja::value_array>();
    for (const Value& element : *list) array->push_back(convert(element, depth + 1));
    return array;
  }
  if (const ValueObject* members = value.object()) {
    auto object = jinja::mk_val<jinja::value_object>();
    for (const auto& [name, member] : *members) object->insert(name, convert(member, depth + 1));
    return object;
  }
  return jinja::mk_val<jinja::value_none>();
}

void weigh_within(const jinja::value& value, const jinja::value_t* forbidden, std::size_t depth) {
  Meter& meter = Meter::current();
  if (depth > kMaxDepth) throw Fault{ErrorCode::kTooLarge, "a value is nested more than 64 deep"};
  if (value.get() == forbidden) throw Fault{ErrorCode::kInvalidArgument, "an object cannot contain itself"};
  if (const auto* array = jinja::cast_val<jinja::value_array>(value)) {
    meter.work(1 + array->val_arr.size());
    for (const jinja::value& element : array->val_arr) weigh_within(element, forbidden, depth + 1);
  } else if (const auto* object = jinja::cast_val<jinja::value_object>(value)) {
    meter.work(1 + object->val_obj.size());
    for (const auto& [key, member] : object->val_obj) weigh_within(member, forbidden, depth + 1);
  } else if (jinja::is_val<jinja::value_string>(value)) {
    meter.handle(value->val_str.length());
  } else if (const auto* argument = jinja::cast_val<jinja::value_kwarg>(value)) {
    weigh_within(argument->val, forbidden, depth + 1);
  }
}

}  // namespace

jinja::value escaped_text(std::string text) {
  auto value = jinja::mk_val<jinja::value_string>();
  value->val_str.parts.push_back({true, std::move(text)});
  return value;
}

std::string as_markup(const jinja::value& value) {
  std::string out;
  if (!jinja::is_val<jinja::value_string>(value)) return out;
  for (const jinja::string_part& part : value->val_str.parts) out += part.is_input ? part.val : escape_markup(part.val);
  return out;
}

jinja::value to_jinja(const Value& value) { return convert(value, 0); }

Value from_jinja(const jinja::value& value) {
  if (jinja::is_val<jinja::value_bool>(value)) return value->as_bool();
  if (jinja::is_val<jinja::value_int>(value)) return std::int64_t{value->as_int()};
  if (jinja::is_val<jinja::value_float>(value)) return value->as_float();
  if (jinja::is_val<jinja::value_string>(value)) return value->as_string().str();
  if (const auto* array = jinja::cast_val<jinja::value_array>(value)) {
    ValueList list;
    for (const jinja::value& element : array->val_arr) list.push_back(from_jinja(element));
    return list;
  }
  if (const auto* object = jinja::cast_val<jinja::value_object>(value)) {
    ValueObject members;
    for (const auto& [key, member] : object->val_obj) members.emplace_back(key->as_string().str(), from_jinja(member));
    return members;
  }
  return {};
}

void weigh(const jinja::value& value, const jinja::value_t* forbidden) { weigh_within(value, forbidden, 0); }

}  // namespace weft::templates
