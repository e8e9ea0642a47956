#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "ports/templates/template.h"

namespace weft::templates {

/// What ends a rendering. Not a std::exception on purpose: the engine's nodes catch those and wrap them in pages of
/// text.
struct Fault {
  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);
  ErrorCode code = ErrorCode::kInvalidArgument;
  std::string message;
  std::size_t at = kNowhere;  ///< byte of the source; the innermost node fills it in
};

/// Counts what one rendering does, and ends it with a Fault where that is too much. One at a time in a thread.
class Meter {
 public:
  /// `scope_cost`: steps that entering a scope takes, since the engine copies all variables into it.
  Meter(const TemplateLimits& limits, std::size_t scope_cost);
  ~Meter();
  Meter(const Meter&) = delete;
  Meter& operator=(const Meter&) = delete;

  /// That of the rendering under way in this thread; there must be one.
  static Meter& current();

  void work(std::size_t steps);
  /// Work on so many bytes.
  void handle(std::size_t bytes) { work(bytes / 1024); }
  /// Bytes that the template writes.
  void write(std::size_t bytes);
  void enter_scopes(std::size_t count);
  std::size_t max_output() const { return limits_.max_output; }

  /// A node inside a node, for as long as it lives.
  class Inside {
   public:
    explicit Inside(Meter& meter);
    ~Inside() { --meter_.depth_; }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;

   private:
    Meter& meter_;
  };

 private:
  const TemplateLimits& limits_;
  std::size_t scope_cost_, steps_ = 0, written_ = 0, depth_ = 0, next_look_ = 0;
  std::chrono::steady_clock::time_point end_;
  Meter* outer_;
};

}  // namespace weft::templates
