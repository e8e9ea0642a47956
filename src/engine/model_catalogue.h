#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/sync.h"
#include "model/model_families.h"
#include "weft/config.h"
#include "weft/model_traits.h"

namespace weft {

/// What is known of the models that are called, by name: what a refusal taught, then weft.toml, then what the upstream
/// lists, then the shipped families. Safe from any thread.
class ModelCatalogue {
 public:
  explicit ModelCatalogue(const Config& config) : config_(config) {}

  ModelTraits of(const std::string& name) const;
  void learn(const std::string& name, const ModelLesson& lesson);

 private:
  static constexpr std::size_t kMost = 4096;  ///< names that are kept; they come from outside

  const Config& config_;
  mutable Sync<std::map<std::string, ModelLesson>> lessons_;
};

}  // namespace weft
