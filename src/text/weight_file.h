#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/json.h"

namespace weft {

/// Fitted numbers, as a file of weights/ holds them: one flat JSON object, whose README says what is in each. A reader
/// asks by name; where the file has no such entry or one of another kind, the file or the reader is wrong, which their
/// test finds: std::logic_error, naming both.
class WeightFile {
 public:
  /// `path` is for errors.
  WeightFile(std::string path, ValueObject entries) : path_(std::move(path)), entries_(std::move(entries)) {}

  double number(std::string_view name) const;
  const std::string& text(std::string_view name) const;
  const ValueList& list(std::string_view name) const;
  /// The numbers of a list that has so many.
  std::vector<double> numbers(std::string_view name, std::size_t size) const;
  /// The whole numbers of a list, each times the number `step`.
  std::vector<float> scaled(std::string_view name, std::string_view step) const;

 private:
  const Value& entry(std::string_view name) const;

  std::string path_;
  Value entries_;
};

/// A file of weights that people have fitted themselves; `path` is for errors. kInvalidArgument where it is no flat
/// JSON object.
Result<WeightFile> read_weight_file(std::string_view source, const std::string& path);

/// A file of weights/, as the build put it into the library. Reads it anew each time: keep what is made from it.
/// std::logic_error where there is none of that id ("topics") or it is no JSON object.
WeightFile shipped_weights(std::string_view id);

/// A file of weights/, as the build put it into the library.
struct ShippedWeights {
  std::string_view id, source;
};

/// The first of `shipped_weights_count`, sorted by id. Written by cmake/weft_embed.cmake.
extern const ShippedWeights shipped_weights_list[];
extern const unsigned shipped_weights_count;

}  // namespace weft
