#include "flow/memory/state_tree.h"

#include <cmath>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "flow/memory/state_naming.h"
#include "flow/memory/state_path.h"
#include "flow/memory/state_transaction.h"
#include "text/utf8.h"

namespace weft {
namespace {

// What could not be written as JSON and read again.
Status check_plain(const Value& value) {
  const auto* number = std::get_if<double>(&value.data);
  if (number != nullptr && !std::isfinite(*number)) return invalid_argument("state: a number that is not finite");
  const std::string* text = value.text();
  if (text != nullptr && find_invalid_utf8(*text)) return invalid_argument("state: a text that is not UTF-8");
  if (const ValueObject* members = value.object()) {
    for (const auto& [name, member] : *members) {
      if (find_invalid_utf8(name)) return invalid_argument("state: a name that is not UTF-8");
    }
  }
  for (std::size_t i = 0; i < child_count(value); ++i) WEFT_CHECK(check_plain(child_at(value, i)));
  return {};
}

}  // namespace

Result<StateTree> StateTree::from(Value root, const StateLimits& limits) {
  if (root.object() == nullptr) {
    return invalid_argument("state: not an object", "a state is a JSON object, as in {\"health\":85}");
  }
  const auto too_deep = [&] { return too_large(fmt::format("state: nested deeper than {} levels", limits.max_depth)); };
  if (depth_of(root, limits.max_depth) > limits.max_depth) return too_deep();
  WEFT_CHECK(check_plain(root));
  WEFT_CHECK(check_own_anchors(root, ""));
  StateTree tree;
  tree.limits_ = limits;
  AnchorGiver(tree.index_).give_root(root);
  if (depth_of(root, limits.max_depth) > limits.max_depth) return too_deep();
  tree.root_ = std::move(root);
  if (tree.index_.add(tree.root_, {})) return internal("state: an anchor was given twice");
  tree.bytes_ = size_of(tree.root_);
  WEFT_CHECK(tree.check_size());
  return tree;
}

Result<StateTree> StateTree::parse(std::string_view json, const StateLimits& limits) {
  WEFT_TRY(Value root, parse_value(json, {.max_bytes = 2 * limits.max_bytes}, "state"));
  return from(std::move(root), limits);
}

const Value* StateTree::find(std::string_view anchor) const {
  const auto path = index_.locate(root_, anchor);
  return path ? value_at(root_, *path) : nullptr;
}

Result<const Value*> StateTree::at(std::string_view path) const {
  WEFT_TRY(const StateTarget target, StatePathReader(root_, index_).read(path));
  if (!target.exists)
    return not_found(fmt::format("state: there is no \"{}\"", path.substr(0, 120)),
                     fmt::format("\"{}\" is not there yet; SET makes it", target.new_member));
  return value_at(root_, target.path);
}

Status StateTree::check_size() const {
  if (bytes_ > limits_.max_bytes) {
    return too_large(fmt::format("state: about {} bytes, at most {} are kept", bytes_, limits_.max_bytes));
  }
  if (index_.size() > limits_.max_anchors) {
    return too_large(fmt::format("state: {} anchors, at most {} are kept", index_.size(), limits_.max_anchors));
  }
  return {};
}

Result<AppliedChange> StateTree::apply(std::string_view operations, const StateCheck& check) {
  return apply(operations, limits_.change, check);
}

Result<AppliedChange> StateTree::reapply(std::string_view operations) {
  return apply(operations, {.max_operations = SIZE_MAX, .max_bytes = SIZE_MAX}, {});
}

Result<AppliedChange> StateTree::apply(std::string_view operations, const StateChangeLimits& limits,
                                       const StateCheck& check) {
  WEFT_TRY(auto parsed, parse_state_operations(operations, limits));
  StateTransaction transaction(*this);
  for (std::size_t i = 0; i < parsed.size(); ++i) {
    Status done = transaction.run(parsed[i]);
    if (done.ok()) continue;
    transaction.revert();
    Error error = done.error();
    error.message = fmt::format("operation {}: {}", i + 1, error.message);
    return error;
  }
  Status accepted = check_size();
  if (accepted.ok() && check) accepted = check(root_);
  if (!accepted.ok()) {
    transaction.revert();
    return accepted.error();
  }
  return AppliedChange{.operations = to_json(parsed), .undo = to_json(transaction.undo())};
}

Result<std::string> StateTree::undo(std::string_view record) {
  WEFT_TRY(auto edits, parse_state_edits(record));
  StateTransaction transaction(*this);
  for (StateEdit& edit : edits) {
    Status done = transaction.edit(std::move(edit));
    if (done.ok()) continue;
    transaction.revert();
    return done.error();
  }
  return to_json(transaction.undo());
}

}  // namespace weft
