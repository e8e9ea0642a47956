#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace weft {

/// The kinds of failure a caller can act on. The text form (`to_string`) is what HTTP and `--json` show.
enum class ErrorCode {
  kInvalidArgument,  ///< the request is wrong; the same request will always fail
  kNotFound,         ///< what was asked for does not exist in this scope
  kConflict,         ///< an id is already taken by other content, or a lock is held by another process
  kTooLarge,         ///< a configured limit was exceeded
  kUnavailable,      ///< a model, a server or a disk did not answer; trying again may work
  kTimeout,          ///< the deadline passed
  kCancelled,        ///< the caller gave up
  kCorrupt,          ///< stored data is broken
  kPermission,       ///< the file system or an upstream refused
  kInternal,         ///< a defect of Weft
};

/// The stable name of a code, such as "invalid_argument".
std::string_view to_string(ErrorCode code);

/// What went wrong (`message`, with the place where it happened) and what to do about it (`hint`, may be empty).
struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;
  std::string hint;
};

/// Shorthands that read well after `return`.
Error invalid_argument(std::string message, std::string hint = {});
Error not_found(std::string message, std::string hint = {});
Error conflict(std::string message, std::string hint = {});
Error too_large(std::string message, std::string hint = {});
Error unavailable(std::string message, std::string hint = {});
Error timed_out(std::string message, std::string hint = {});
Error cancelled(std::string message, std::string hint = {});
Error corrupt(std::string message, std::string hint = {});
Error permission(std::string message, std::string hint = {});
Error internal(std::string message, std::string hint = {});

/// Success or an Error; with a type, a value or an Error. Its own type because the standard's `expected` needs C++23
/// and no other library's type may stand in a public header. Asking for the side that is not there is a defect and
/// throws std::bad_optional_access.
template <class T>
class Result;

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT: implicit on purpose
  bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  const Error& error() const { return error_.value(); }

 private:
  std::optional<Error> error_;
};

// Two optionals and no variant, for which the compiler would make many more functions for each T.
template <class T>
class [[nodiscard]] Result {
 public:
  using value_type = T;
  Result(T value) : value_(std::in_place, std::move(value)) {}  // NOLINT: implicit on purpose
  Result(Error error) : without_(std::move(error)) {}  // NOLINT: implicit on purpose

  bool ok() const { return without_.ok(); }
  explicit operator bool() const { return ok(); }
  T& value() & { return value_.value(); }
  const T& value() const& { return value_.value(); }
  T&& value() && { return std::move(value_).value(); }
  const Error& error() const { return without_.error(); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  T value_or(T other) const& { return ok() ? value() : std::move(other); }

 private:
  std::optional<T> value_;
  Result<void> without_;  ///< why there is none
};

using Status = Result<void>;

}  // namespace weft

#define WEFT_CONCAT_INNER(a, b) a##b
#define WEFT_CONCAT(a, b) WEFT_CONCAT_INNER(a, b)

/// Returns the error of a Status expression from the surrounding function, if it is one.
#define WEFT_CHECK(expression)                                                          \
  do {                                                                                  \
    if (auto weft_status = (expression); !weft_status.ok()) return weft_status.error(); \
  } while (false)

/// `WEFT_TRY(auto x, f());` assigns the value of a Result or returns its error.
#define WEFT_TRY_INNER(temporary, declaration, expression) \
  auto temporary = (expression);                           \
  if (!temporary.ok()) return temporary.error();           \
  declaration = std::move(temporary).value()
#define WEFT_TRY(declaration, expression) WEFT_TRY_INNER(WEFT_CONCAT(weft_result_, __LINE__), declaration, expression)
