#include "surface/http/errors.h"

#include <nlohmann/json.hpp>

#include "base/call_context.h"

namespace weft::http {
namespace {

using nlohmann::ordered_json;

std::string dump(const ordered_json& json) { return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace); }

// By it the lines of the log are found that belong to the error.
void name_request(ordered_json& error) {
  if (const auto& request = CallContext::current().request; !request.empty()) error["request_id"] = request;
}

std::string_view openai_type(int status) {
  switch (status) {
    case 401: return "authentication_error";
    case 403: return "permission_error";
    case 429: return "rate_limit_error";
    case 502:
    case 503:
    case 504: return "upstream_error";
    default: return status < 500 ? "invalid_request_error" : "server_error";
  }
}

}  // namespace

int status_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument: return 400;
    case ErrorCode::kNotFound: return 404;
    case ErrorCode::kConflict: return 409;
    case ErrorCode::kTooLarge: return 413;
    case ErrorCode::kUnavailable: return 503;
    case ErrorCode::kTimeout: return 504;
    case ErrorCode::kCancelled: return 499;
    case ErrorCode::kPermission: return 403;
    case ErrorCode::kCorrupt:
    case ErrorCode::kInternal: return 500;
  }
  return 500;
}

std::string error_json(const Error& error) {
  ordered_json told = {{"code", to_string(error.code)}, {"message", error.message}, {"hint", error.hint}};
  name_request(told);
  return dump({{"error", std::move(told)}});
}

std::string openai_error_json(int status, const Error& error, std::string_view code) {
  const auto text = error.hint.empty() ? error.message : error.message + " (" + error.hint + ")";
  ordered_json told = {{"message", text},
                       {"type", openai_type(status)},
                       {"param", nullptr},
                       {"code", code.empty() ? to_string(error.code) : code}};
  name_request(told);
  return dump({{"error", std::move(told)}});
}

void send_error(ResponseWriter& out, const Error& error) {
  out.send(status_of(error.code), "application/json", error_json(error));
}

void send_openai_error(ResponseWriter& out, int status, const Error& error, std::string_view code) {
  out.send(status, "application/json", openai_error_json(status, error, code));
}

bool speaks_openai(std::string_view path) {
  for (const std::string_view begin : {"/v1/chat/", "/v1/models/", "/v1/responses/", "/v1/conversations/"})
    if (path.starts_with(begin) || path == begin.substr(0, begin.size() - 1)) return path != "/v1/chat";
  return false;
}

}  // namespace weft::http
