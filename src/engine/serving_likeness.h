#pragma once

#include <chrono>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flow/memory/likeness.h"

namespace weft {

struct EngineCore;

/// By the embedding model that serves now; by words where there is none, or where it does not answer in time. `core`
/// must outlive it.
class ServingLikeness final : public Likeness {
 public:
  ServingLikeness(const EngineCore& core, std::chrono::milliseconds limit) : core_(core), limit_(limit) {}
  std::vector<double> to_all(std::string_view text, std::span<const std::string> others) const override;
  TextVectors vectors(std::span<const std::string> texts) const override;
  bool by_meaning() const override;

 private:
  const EngineCore& core_;
  std::chrono::milliseconds limit_;
};

}  // namespace weft
