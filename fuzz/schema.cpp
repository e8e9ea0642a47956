// Whatever is given as a schema is one or an error, and whatever is held against it gets a verdict. The first line is
// the schema, the rest what is checked: as a state and as an answer.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "flow/memory/state_tree.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t line = text.find('\n');
  const std::string_view checked = line == std::string_view::npos ? std::string_view("{}") : text.substr(line + 1);
  const auto state = weft::StateSchema::compile(text.substr(0, line));
  if (const auto tree = weft::StateTree::parse(checked); state.ok() && tree.ok()) (void)state->check(tree->root());
  if (const auto answer = weft::SchemaCheck::compile(text.substr(0, line)); answer.ok()) (void)answer->check(checked);
  return 0;
}
