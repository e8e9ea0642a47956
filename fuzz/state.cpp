// Whatever arrives as operations, a state takes all of them or none, its anchors stay unique, and what took effect is
// taken back to the same bytes. The first line is the state, the second the operations.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "flow/memory/state_tree.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

constexpr std::string_view kState =
    R"({"health":{"value":85,"description":"hurt"},"bag":{"_anchor":"bag","items":[{"id":"sword","count":1}]},)"
    R"("hero":{"id":"hero","tags":["a","b"],"weapon":{"id":"axe"}},"grid":[[1],[2]]})";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t line = text.find('\n');
  const bool has_state = line != std::string_view::npos;
  auto tree = weft::StateTree::parse(has_state ? text.substr(0, line) : kState);
  if (!tree.ok()) return 0;
  const std::string before = tree->json();
  const auto change = tree->apply(has_state ? text.substr(line + 1) : text);
  const std::string after = tree->json();
  if (!change.ok()) {
    require(after == before);
    return 0;
  }
  const auto again = weft::StateTree::parse(after);
  require(again.ok() && again->json() == after && again->anchor_count() == tree->anchor_count());
  auto replayed = weft::StateTree::parse(before);
  require(replayed.ok() && replayed->reapply(change->operations).ok() && replayed->json() == after);
  const auto redo = tree->undo(change->undo);
  require(redo.ok() && tree->json() == before);
  require(tree->undo(*redo).ok() && tree->json() == after);
  return 0;
}
