#pragma once

#include <string>
#include <string_view>

#include "surface/http/exchange.h"
#include "weft/result.h"

namespace weft::http {

/// The HTTP status that a failure is answered with.
int status_of(ErrorCode code);

/// {"error":{"code","message","hint"}}, with "request_id" where the thread works for a request, see `CallContext`.
std::string error_json(const Error& error);

/// {"error":{"message","type","param","code"}}, as OpenAI's clients read it, with "request_id" likewise. `code` stands
/// for the error's own name.
std::string openai_error_json(int status, const Error& error, std::string_view code = {});

/// Sends the error with its status.
void send_error(ResponseWriter& out, const Error& error);

/// Sends the error in OpenAI's form.
void send_openai_error(ResponseWriter& out, int status, const Error& error, std::string_view code = {});

/// Which of the two forms a path answers with.
bool speaks_openai(std::string_view path);

/// Why a request goes no further.
struct Refusal {
  int status = 403;
  Error error;
  Headers headers = {};  ///< of the answer
  std::string_view reason = "malformed";  ///< one of few words, for metrics
};

}  // namespace weft::http
