#include "text/value.h"

#include <unordered_map>

#include <nlohmann/json.hpp>

namespace weft {
namespace {

// Builds the tree as the parser reads. The parser's own ordered objects look every name up among all before it.
class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  Value take() { return std::move(done_); }

  bool null() override { return add(Value()); }
  bool boolean(bool flag) override { return add(flag); }
  bool number_integer(number_integer_t number) override { return add(Value(std::int64_t{number})); }
  bool number_unsigned(number_unsigned_t number) override {
    if (number <= static_cast<std::uint64_t>(INT64_MAX)) return add(static_cast<std::int64_t>(number));
    return add(static_cast<double>(number));
  }
  bool number_float(number_float_t number, const string_t&) override { return add(number); }
  bool string(string_t& text) override { return add(std::move(text)); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(ValueObject()); }
  bool start_array(std::size_t) override { return open(ValueList()); }
  bool key(string_t& name) override {
    names_.back() = std::move(name);
    return true;
  }
  bool end_object() override {
    keep_last_of_each(*open_.back().object());
    return close();
  }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

 private:
  static void keep_last_of_each(ValueObject& members) {
    std::unordered_map<std::string_view, std::size_t> last;
    for (std::size_t i = 0; i < members.size(); ++i) last[members[i].first] = i;
    if (last.size() == members.size()) return;
    ValueObject kept;
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (last[members[i].first] == i) kept.emplace_back(members[i].first, std::move(members[i].second));
    }
    members = std::move(kept);
  }
  bool open(Value container) {
    open_.push_back(std::move(container));
    names_.emplace_back();
    return true;
  }
  bool close() {
    Value ready = std::move(open_.back());
    open_.pop_back();
    names_.pop_back();
    return add(std::move(ready));
  }
  bool add(Value value) {
    if (open_.empty()) {
      done_ = std::move(value);
    } else if (ValueList* list = open_.back().list()) {
      list->push_back(std::move(value));
    } else {
      open_.back().object()->emplace_back(std::move(names_.back()), std::move(value));
    }
    return true;
  }

  std::vector<Value> open_;
  std::vector<std::string> names_;  // of the member being read, one for each open container
  Value done_;
};

nlohmann::ordered_json as_json(const Value& value) {
  return std::visit(
      [](const auto& held) -> nlohmann::ordered_json {
        using Held = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<Held, ValueList>) {
          auto list = nlohmann::ordered_json::array();
          for (const Value& element : held) list.push_back(as_json(element));
          return list;
        } else if constexpr (std::is_same_v<Held, ValueObject>) {
          // Filled from behind the map's back: looking each name up would be quadratic.
          nlohmann::ordered_json::object_t members;
          for (const auto& [name, member] : held) {
            static_cast<std::vector<std::pair<const std::string, nlohmann::ordered_json>>&>(members).emplace_back(
                name, as_json(member));
          }
          return members;
        } else {
          return held;
        }
      },
      value.data);
}

}  // namespace

const Value* Value::find(std::string_view name) const {
  const ValueObject* members = object();
  if (members == nullptr) return nullptr;
  for (const auto& [key, member] : *members) {
    if (key == name) return &member;
  }
  return nullptr;
}

Value* Value::find(std::string_view name) { return const_cast<Value*>(std::as_const(*this).find(name)); }

Result<Value> parse_value(std::string_view json, const JsonLimits& limits, std::string_view what) {
  WEFT_CHECK(check_json(json, limits, what));
  Builder builder;
  if (!nlohmann::json::sax_parse(json, &builder)) return invalid_argument(std::string(what) + ": not JSON");
  return builder.take();
}

Result<Value> parse_value(std::string_view json) { return parse_value(json, {}, "JSON"); }

std::string to_json(const Value& value) { return write_json(as_json(value)); }

}  // namespace weft
