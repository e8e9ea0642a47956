#pragma once

#include <string>
#include <string_view>

#include "ports/net/http_client.h"
#include "weft/result.h"

/// What all calls of an OpenAI-compatible server share.
namespace weft::openai {

/// A POST of JSON to `path` under the base URL (with or without a slash at its end), with the key as bearer token if
/// there is one.
HttpRequest post(const std::string& base_url, std::string_view path, const std::string& api_key, std::string json);

/// The error that an answer of status 400 or more stands for, with the server's own words: kPermission for 401 and 403,
/// kNotFound for 404, kUnavailable for 408, 425, 429 and from 500 on, else kInvalidArgument.
Error error_of(const HttpResponse& response, const std::string& url);

/// The words of an error body: "error.message", "error", "message" or "detail" of JSON, else the beginning of the text.
std::string error_text(std::string_view body);

}  // namespace weft::openai
