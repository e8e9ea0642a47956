#include "weft/result.h"

namespace weft {

std::string_view to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument: return "invalid_argument";
    case ErrorCode::kNotFound: return "not_found";
    case ErrorCode::kConflict: return "conflict";
    case ErrorCode::kTooLarge: return "too_large";
    case ErrorCode::kUnavailable: return "unavailable";
    case ErrorCode::kTimeout: return "timeout";
    case ErrorCode::kCancelled: return "cancelled";
    case ErrorCode::kCorrupt: return "corrupt";
    case ErrorCode::kPermission: return "permission";
    case ErrorCode::kInternal: return "internal";
  }
  return "internal";
}

namespace {

Error make(ErrorCode code, std::string&& message, std::string&& hint) {
  return Error{code, std::move(message), std::move(hint)};
}

}  // namespace

Error invalid_argument(std::string message, std::string hint) {
  return make(ErrorCode::kInvalidArgument, std::move(message), std::move(hint));
}
Error not_found(std::string message, std::string hint) {
  return make(ErrorCode::kNotFound, std::move(message), std::move(hint));
}
Error conflict(std::string message, std::string hint) {
  return make(ErrorCode::kConflict, std::move(message), std::move(hint));
}
Error too_large(std::string message, std::string hint) {
  return make(ErrorCode::kTooLarge, std::move(message), std::move(hint));
}
Error unavailable(std::string message, std::string hint) {
  return make(ErrorCode::kUnavailable, std::move(message), std::move(hint));
}
Error timed_out(std::string message, std::string hint) {
  return make(ErrorCode::kTimeout, std::move(message), std::move(hint));
}
Error cancelled(std::string message, std::string hint) {
  return make(ErrorCode::kCancelled, std::move(message), std::move(hint));
}
Error corrupt(std::string message, std::string hint) {
  return make(ErrorCode::kCorrupt, std::move(message), std::move(hint));
}
Error permission(std::string message, std::string hint) {
  return make(ErrorCode::kPermission, std::move(message), std::move(hint));
}
Error internal(std::string message, std::string hint) {
  return make(ErrorCode::kInternal, std::move(message), std::move(hint));
}

}  // namespace weft
