#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "weft/value.h"

namespace weft {

/// The arguments of a tool, made in code. It becomes the JSON schema that `ToolInfo::parameters` and model APIs take.
///
///     ToolInfo tool{"read_file", "Reads a file.", ToolParameters().text("path", "of the file").optional()};
class ToolParameters {
 public:
  ToolParameters& text(std::string_view name, std::string_view description);
  /// One of these words.
  ToolParameters& choice(std::string_view name, std::string_view description, const std::vector<std::string>& words);
  ToolParameters& number(std::string_view name, std::string_view description);
  ToolParameters& integer(std::string_view name, std::string_view description);
  ToolParameters& flag(std::string_view name, std::string_view description);
  /// A list of texts.
  ToolParameters& texts(std::string_view name, std::string_view description);
  /// An argument of this schema.
  ToolParameters& argument(std::string_view name, Value schema);

  /// The argument named last may be left out; all others are needed.
  ToolParameters& optional();

  Value schema() const;
  operator std::string() const { return to_json(schema()); }  // NOLINT: where a tool's schema is wanted as text

 private:
  ToolParameters& add(std::string_view name, std::string_view type, std::string_view description);

  ValueObject properties_;
  std::vector<std::string> required_;
};

}  // namespace weft
