// The functions of weft.h.
#include <cstdlib>
#include <cstring>

#include "surface/embedded/embedded.h"
#include "surface/http/exchange.h"
#include "weft.h"

struct weft_engine {
  std::unique_ptr<weft::EmbeddedApi> api;
};

namespace {

std::string_view text_of(const char* given) { return given == nullptr ? std::string_view() : std::string_view(given); }

// C has no strings with a length: what is handed out is the caller's to free.
char* handed_out(const std::string& text) {
  auto* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy != nullptr) std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

char* of_session(weft_engine* engine, const char* user, const char* session, const char* what, const char* body) {
  const std::string id = weft::http::percent_encode(session == nullptr ? "default" : session);
  return weft_call(engine, "POST", ("/v1/sessions/" + id + what).c_str(), user, nullptr, body, nullptr);
}

}  // namespace

const char* weft_version(void) { return WEFT_VERSION; }

weft_engine* weft_open(const char* workspace, const char* settings, char** error) {
  if (error != nullptr) *error = nullptr;
  auto api = weft::EmbeddedApi::open(text_of(workspace), text_of(settings));
  if (api.ok()) return new weft_engine{std::move(api).value()};
  if (error != nullptr) *error = handed_out(weft::http::error_json(api.error()));
  return nullptr;
}

void weft_close(weft_engine* engine) { delete engine; }

char* weft_call(weft_engine* engine, const char* method, const char* path, const char* user, const char* group,
                const char* body, int* status) {
  weft::EmbeddedAnswer answer{400, weft::http::error_json(weft::invalid_argument("there is no engine"))};
  if (engine != nullptr)
    answer = engine->api->call(text_of(method), text_of(path), text_of(user), text_of(group), text_of(body));
  if (status != nullptr) *status = answer.status;
  return handed_out(answer.body);
}

char* weft_observe(weft_engine* engine, const char* user, const char* session, const char* messages) {
  return of_session(engine, user, session, "/messages", messages);
}

char* weft_context(weft_engine* engine, const char* user, const char* session, const char* request) {
  return of_session(engine, user, session, "/context", request);
}

char* weft_end(weft_engine* engine, const char* user, const char* session, const char* report) {
  return of_session(engine, user, session, "/end", report);
}

char* weft_search(weft_engine* engine, const char* user, const char* request) {
  return weft_call(engine, "POST", "/v1/search", user, nullptr, request, nullptr);
}

void weft_free(char* text) { std::free(text); }
