#include "ports/store/sqlite/row_readers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "text/json.h"

namespace weft::sqlite {

std::string json_list(std::span<const std::int64_t> numbers) { return fmt::format("[{}]", fmt::join(numbers, ",")); }

std::string json_list(std::span<const std::string_view> texts) {
  nlohmann::json list = nlohmann::json::array();
  for (const std::string_view text : texts) list.push_back(text);
  return write_json(list);
}

}  // namespace weft::sqlite
