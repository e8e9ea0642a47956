#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "surface/http/errors.h"
#include "surface/http/router.h"
#include "weft/engine.h"

/// What the handlers of the API share.
namespace weft {

/// Whose memory a request means, and that its client still waits.
Result<RequestContext> context_of(const Engine& engine, const http::Request& request, const http::ResponseWriter& out);

/// The session in the path, {id}.
Result<SessionId> session_of(const http::Request& request);

/// ?limit=, a whole number from 1 to 10000; 100 where it is left out.
Result<std::size_t> limit_of(const http::Request& request);

/// A whole number in the query, `otherwise` where it is left out.
Result<std::int64_t> number_of(const http::Request& request, std::string_view name, std::int64_t otherwise);

/// Answers a path with what `work` gives as JSON, or with its error.
template <class Work>
void add_handler(http::Router& router, Engine& engine, std::string_view method, std::string_view path, Work work) {
  router.add(method, path, [&engine, work](const http::Request& request, http::ResponseWriter& out) {
    const Result<std::string> json = work(engine, request, out);
    if (!json.ok()) return http::send_error(out, json.error());
    out.send(200, "application/json", *json);
  });
}

}  // namespace weft
