#include "surface/api/handlers.h"

#include <charconv>

#include "surface/api/scope_of_request.h"
#include "surface/api/world_of_request.h"

namespace weft {
namespace {

constexpr std::int64_t kDefaultLimit = 100;
constexpr std::int64_t kMaxLimit = 10000;

}  // namespace

Result<RequestContext> context_of(const Engine& engine, const http::Request& request, const http::ResponseWriter& out) {
  WEFT_TRY(auto scope, scope_of_request(request, engine.config().server.default_user));
  WEFT_TRY(auto world, world_of_request(request));
  return RequestContext{std::move(scope), std::nullopt, out.cancel(), std::move(world), false};
}

Result<SessionId> session_of(const http::Request& request) {
  const auto& id = request.params.at("id");
  WEFT_CHECK(check_id(id, "session"));
  return SessionId(id);
}

Result<std::int64_t> number_of(const http::Request& request, std::string_view name, std::int64_t otherwise) {
  const auto given = request.query.find(std::string(name));
  if (given == request.query.end()) return otherwise;
  const auto& text = given->second;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0)
    return invalid_argument(std::string(name) + " must be a whole number");
  return value;
}

Result<std::size_t> limit_of(const http::Request& request) {
  const auto value = number_of(request, "limit", kDefaultLimit);
  if (!value.ok() || *value == 0 || *value > kMaxLimit)
    return invalid_argument("limit must be a whole number from 1 to " + std::to_string(kMaxLimit));
  return static_cast<std::size_t>(*value);
}

}  // namespace weft
