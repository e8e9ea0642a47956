#include "flow/memory/state_history.h"

#include <optional>
#include <utility>

#include <fmt/format.h>

namespace weft {
namespace {

constexpr std::string_view kRollback = "ROLLBACK";

std::optional<std::int64_t> read_rollback(std::string_view operations) {
  if (operations.find(kRollback) == std::string_view::npos) return std::nullopt;
  const auto value = parse_value(operations, {}, "operations");
  if (!value.ok() || value->list() == nullptr || value->list()->size() != 1) return std::nullopt;
  const ValueList* parts = value->list()->front().list();
  if (parts == nullptr || parts->size() != 2 || parts->front() != Value(std::string(kRollback))) return std::nullopt;
  const auto* to = std::get_if<std::int64_t>(&parts->back().data);
  return to != nullptr ? std::optional(*to) : std::nullopt;
}

Error broken(std::int64_t version, const Error& error) {
  return corrupt(fmt::format("state version {}: {}", version, error.message));
}

}  // namespace

Result<StateTree> replay(const StateSnapshot& snapshot, std::span<const StateRecord> records,
                         const StateLimits& limits) {
  WEFT_TRY(StateTree tree, StateTree::parse(snapshot.json, limits));
  for (std::size_t i = 0; i < records.size(); ++i) {
    const StateVersion& version = records[i].version;
    if (version.version != snapshot.version + static_cast<std::int64_t>(i) + 1) {
      return corrupt(fmt::format("state: version {} follows version {}", version.version,
                                 snapshot.version + static_cast<std::int64_t>(i)));
    }
    const auto to = read_rollback(version.operations);
    if (to && *to < snapshot.version) {
      return corrupt(
          fmt::format("state version {}: it goes back to version {}, before the snapshot", version.version, *to));
    }
    const auto done = to ? roll_back(tree, records.first(i), *to) : tree.reapply(version.operations);
    if (!done.ok()) return broken(version.version, done.error());
  }
  return tree;
}

Result<AppliedChange> roll_back(StateTree& tree, std::span<const StateRecord> records, std::int64_t to) {
  const std::int64_t last = records.empty() ? to : records.back().version.version;
  const bool reaches = !records.empty() && records.front().version.version <= to + 1;
  if (to > last || to < 0 || (to < last && !reaches)) {
    return not_found(fmt::format("state: there is no way back from version {} to version {}", last, to));
  }
  StateTree changed = tree;
  std::vector<StateEdit> again;
  for (std::size_t i = records.size(); i-- > 0 && records[i].version.version > to;) {
    auto record = changed.undo(records[i].undo);
    if (!record.ok()) return broken(records[i].version.version, record.error());
    WEFT_TRY(auto edits, parse_state_edits(*record));
    // What is undone last is brought in again first.
    edits.insert(edits.end(), std::make_move_iterator(again.begin()), std::make_move_iterator(again.end()));
    again = std::move(edits);
  }
  tree = std::move(changed);
  return AppliedChange{.operations = fmt::format("[[\"{}\",{}]]", kRollback, to), .undo = to_json(again)};
}

}  // namespace weft
