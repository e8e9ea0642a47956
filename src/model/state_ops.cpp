#include "weft/state_ops.h"

#include <utility>

namespace weft {

StateOps& StateOps::set(std::string_view path, Value value) {
  operations_.emplace_back(ValueList{"SET", std::string(path), std::move(value)});
  return *this;
}

StateOps& StateOps::add(std::string_view path, Value amount) {
  operations_.emplace_back(ValueList{"ADD", std::string(path), std::move(amount)});
  return *this;
}

StateOps& StateOps::push(std::string_view anchor, Value value) {
  operations_.emplace_back(ValueList{"PUSH", std::string(anchor), std::move(value)});
  return *this;
}

StateOps& StateOps::pop(std::string_view anchor) {
  operations_.emplace_back(ValueList{"POP", std::string(anchor)});
  return *this;
}

StateOps& StateOps::pop(std::string_view anchor, Value which) {
  operations_.emplace_back(ValueList{"POP", std::string(anchor), std::move(which)});
  return *this;
}

StateOps& StateOps::remove(std::string_view path) {
  operations_.emplace_back(ValueList{"DELETE", std::string(path)});
  return *this;
}

StateOps& StateOps::by(std::string_view author) {
  author_ = author;
  return *this;
}

StateOps& StateOps::if_version(std::int64_t version) {
  expected_version_ = version;
  return *this;
}

StateOps& StateOps::once(std::string_view request_id) {
  request_id_ = request_id;
  return *this;
}

StateChange StateOps::change() const {
  return {to_json(Value(operations_)), author_, expected_version_, request_id_, {}};
}

}  // namespace weft
