#include "text/weight_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace weft {
const Value& WeightFile::entry(std::string_view name) const {
  if (const Value* found = entries_.find(name)) return *found;
  throw std::logic_error(fmt::format("{}: there is no \"{}\"", path_, name));
}

double WeightFile::number(std::string_view name) const {
  const Value& found = entry(name);
  if (const auto* whole = std::get_if<std::int64_t>(&found.data)) return static_cast<double>(*whole);
  if (const auto* number = std::get_if<double>(&found.data)) return *number;
  throw std::logic_error(fmt::format("{}: \"{}\" is no number", path_, name));
}

const std::string& WeightFile::text(std::string_view name) const {
  if (const std::string* found = entry(name).text()) return *found;
  throw std::logic_error(fmt::format("{}: \"{}\" is no text", path_, name));
}

const ValueList& WeightFile::list(std::string_view name) const {
  if (const ValueList* found = entry(name).list()) return *found;
  throw std::logic_error(fmt::format("{}: \"{}\" is no list", path_, name));
}

std::vector<double> WeightFile::numbers(std::string_view name, std::size_t size) const {
  std::vector<double> values;
  for (const Value& element : list(name)) {
    if (const auto* whole = std::get_if<std::int64_t>(&element.data))
      values.push_back(static_cast<double>(*whole));
    else if (const auto* number = std::get_if<double>(&element.data))
      values.push_back(*number);
  }
  if (values.size() != size || list(name).size() != size)
    throw std::logic_error(fmt::format("{}: \"{}\" does not hold {} numbers", path_, name, size));
  return values;
}

std::vector<float> WeightFile::scaled(std::string_view name, std::string_view step) const {
  const auto size = static_cast<float>(number(step));
  std::vector<float> values;
  for (const Value& element : list(name)) {
    const auto* whole = std::get_if<std::int64_t>(&element.data);
    if (whole == nullptr) throw std::logic_error(fmt::format("{}: \"{}\" holds what is no whole number", path_, name));
    values.push_back(static_cast<float>(*whole) * size);
  }
  return values;
}

Result<WeightFile> read_weight_file(std::string_view source, const std::string& path) {
  WEFT_TRY(Value read, parse_value(source, {}, path));
  if (read.object() == nullptr) return invalid_argument(path + ": not an object");
  return WeightFile(path, std::move(*read.object()));
}

WeightFile shipped_weights(std::string_view id) {
  const ShippedWeights* const end = shipped_weights_list + shipped_weights_count;
  const auto* file = std::find_if(shipped_weights_list, end, [&](const ShippedWeights& one) { return one.id == id; });
  const std::string path = fmt::format("weights/{}.json", id);
  if (file == end) throw std::logic_error(path + ": there is no such file");
  auto read = read_weight_file(file->source, path);
  if (!read.ok()) throw std::logic_error(read.error().message);
  return std::move(*read);
}

}  // namespace weft
