#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "surface/http/exchange.h"
#include "weft/engine.h"

namespace weft {

/// What an operation gave, as HTTP would have answered.
struct EmbeddedAnswer {
  int status = 0;
  std::string body;
};

/// The operations of the HTTP interface within a program, without a server. Safe from many threads.
class EmbeddedApi {
 public:
  /// `settings` is a JSON object of settings by their keys, or empty. Errors as `Engine::open`, and kInvalidArgument
  /// for a setting that there is not.
  static Result<std::unique_ptr<EmbeddedApi>> open(std::string_view workspace, std::string_view settings);

  /// `target` is a path with or without a query; `user` and `group` may be empty.
  EmbeddedAnswer call(std::string_view method, std::string_view target, std::string_view user, std::string_view group,
                      std::string_view body) const;

 private:
  explicit EmbeddedApi(std::unique_ptr<Engine> engine);

  std::unique_ptr<Engine> engine_;
  http::Router router_;
};

}  // namespace weft
