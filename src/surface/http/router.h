#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "surface/http/exchange.h"

namespace weft::http {

/// Finds the handler of a request by method and path. Filled before the server starts, then only read.
class Router {
 public:
  /// `pattern` is a path whose segments may be parameters: "/v1/sessions/{id}/messages".
  void add(std::string_view method, std::string_view pattern, Handler handler);

  /// Every path as "METHOD /pattern", in the order they were added.
  std::vector<std::string> paths() const;

  /// The pattern of a request's path; empty where no path is like it.
  std::string pattern_of(const Request& request) const;

  /// Calls the handler, with the path's parameters in `request.params`. Answers 404 for an unknown path and 405, with
  /// Allow, for a known one with another method. HEAD is answered as GET is.
  void dispatch(Request& request, ResponseWriter& out) const;

 private:
  struct Route {
    std::string method, pattern;
    std::vector<std::string> segments;
    Handler handler;
  };

  std::vector<Route> routes_;
};

}  // namespace weft::http
