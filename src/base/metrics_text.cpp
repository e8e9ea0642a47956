#include "base/metrics_text.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>

namespace weft {
namespace {

void add_label(std::string_view name, std::string_view value, std::string& into) {
  if (!into.empty()) into += ',';
  into += name;
  into += "=\"";
  for (const char c : value) {
    if (c == '\\' || c == '"') into += '\\';
    if (c == '\n')
      into += "\\n";
    else
      into += c;
  }
  into += '"';
}

// Whole numbers in full: counts of tokens have more digits than a short form shows.
std::string number_text(double value) {
  constexpr double kExact = 9007199254740992.0;  // 2^53: from here on a double holds no whole number for certain
  const bool small = value > -kExact && value < kExact;
  if (small && value == static_cast<double>(static_cast<std::int64_t>(value)))
    return fmt::format("{}", static_cast<std::int64_t>(value));
  return fmt::format("{}", value);
}

}  // namespace

std::string label_text(std::initializer_list<std::pair<std::string_view, std::string_view>> labels) {
  std::string out;
  for (const auto& [name, value] : labels) add_label(name, value, out);
  return out;
}

std::string label_text(std::span<const std::string> names, std::span<const std::string> values) {
  std::string out;
  for (std::size_t i = 0; i < names.size() && i < values.size(); ++i) add_label(names[i], values[i], out);
  return out;
}

void MetricsText::labelled(std::string_view name, std::string_view help, std::string_view type, std::string_view labels,
                           double value) {
  declare(name, help, type);
  this->value(name, "", labels, value);
}

void MetricsText::histogram(std::string_view name, std::string_view help, std::string_view labels,
                            const Histogram& values) {
  declare(name, help, "histogram");
  const std::string more = labels.empty() ? "" : std::string(labels) + ",";
  std::uint64_t count = 0;
  for (std::size_t i = 0; i <= Histogram::kBounds.size(); ++i) {
    count += values.count(i);
    const std::string bound = i < Histogram::kBounds.size() ? fmt::format("{}", Histogram::kBounds[i]) : "+Inf";
    value(name, "_bucket", more + label_text({{"le", bound}}), static_cast<double>(count));
  }
  value(name, "_sum", labels, values.seconds());
  value(name, "_count", labels, static_cast<double>(count));
}

void MetricsText::declare(std::string_view name, std::string_view help, std::string_view type) {
  if (name == last_) return;
  last_ = name;
  text_ += fmt::format("# HELP {0}{1} {2}\n# TYPE {0}{1} {3}\n", prefix_, name, help, type);
}

void MetricsText::value(std::string_view name, std::string_view part, std::string_view labels, double value) {
  text_ += fmt::format("{}{}{}{} {}\n", prefix_, name, part, labels.empty() ? "" : fmt::format("{{{}}}", labels),
                       number_text(value));
}

}  // namespace weft
