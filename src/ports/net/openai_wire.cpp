#include "ports/net/openai_wire.h"

#include <nlohmann/json.hpp>

#include "base/call_context.h"
#include "text/json.h"
#include "text/utf8.h"

namespace weft::openai {
namespace {

constexpr std::size_t kMaxQuote = 500;

std::string words_in(const nlohmann::json& json) {
  if (json.is_string()) return json.get<std::string>();
  if (!json.is_object()) return {};
  for (const char* key : {"error", "message", "detail"}) {
    const auto found = json.find(key);
    if (found == json.end()) continue;
    std::string words = words_in(*found);
    if (!words.empty()) return words;
  }
  return {};
}

}  // namespace

HttpRequest post(const std::string& base_url, std::string_view path, const std::string& api_key, std::string json) {
  HttpRequest request;
  request.url = base_url;
  while (request.url.ends_with('/')) request.url.pop_back();
  request.url += path;
  request.headers = {{"Content-Type", "application/json"}};
  if (!api_key.empty()) request.headers.emplace_back("Authorization", "Bearer " + api_key);
  if (const TraceSpan* span = TraceSpan::open()) request.headers.emplace_back("traceparent", span->traceparent());
  request.body = std::move(json);
  return request;
}

std::string error_text(std::string_view body) {
  const nlohmann::json json = lenient_json<nlohmann::json>(body);
  std::string words = json.is_discarded() ? std::string() : words_in(json);
  if (words.empty()) words = repair_utf8(body.substr(0, 4 * kMaxQuote));
  return preview(words, kMaxQuote);
}

Error error_of(const HttpResponse& response, const std::string& url) {
  const std::string words = error_text(response.body);
  std::string text =
      server_of(url) + " answered " + std::to_string(response.status) + (words.empty() ? "" : ": " + words);
  switch (response.status) {
    case 401:
    case 403: return permission(std::move(text), "check the key and what it may do");
    case 404: return not_found(std::move(text), "check the model's name and that the base URL ends in /v1");
    case 408:
    case 425:
    case 429: return unavailable(std::move(text), "the server asks for patience");
    default: return response.status >= 500 ? unavailable(std::move(text)) : invalid_argument(std::move(text));
  }
}

}  // namespace weft::openai
