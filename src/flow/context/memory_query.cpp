#include "flow/context/memory_query.h"

#include <cstddef>

#include "text/utf8.h"

namespace weft {
namespace {

constexpr std::size_t kQueryBytes = 4096;  // of what memory is asked with

}  // namespace

std::string memory_query(std::string_view input, const TaskState& task) {
  std::string query(input);
  if (!task.description.empty()) query += (query.empty() ? "" : "\n") + task.description;
  if (!task.current.empty()) query += "\n" + task.current;
  return std::string(cut_bytes(query, kQueryBytes));
}

}  // namespace weft
