#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "surface/proxy/response_object.h"
#include "surface/proxy/translating_writer.h"
#include "weft/result.h"

namespace weft::proxy {

/// Takes an answer of POST /v1/chat/completions, whole or streamed, or an error of it, and hands it on as one of
/// POST /v1/responses: the response with its items, or the events in which it grows. A stream that breaks off ends with
/// `response.failed`. `created`: when the response was begun, in seconds since 1970. `out` must outlive it. For one
/// thread.
class ResponsesWriter final : public TranslatingWriter {
 public:
  /// Gets the whole response, and its status, before the client does.
  using OnMade = std::function<void(const std::string& object, const std::string& status)>;

  ResponsesWriter(http::ResponseWriter& out, const ResponseTerms& terms, std::int64_t created, OnMade on_made = {});
  ~ResponsesWriter() override;

  void send(int status, std::string_view content_type, std::string_view body) override;

 private:
  class Events;

  void take(std::string_view data) override;
  void finish() override;
  std::string taken() override;

  void made();

  std::unique_ptr<Events> events_;
  OnMade on_made_;
};

/// The event with which a stream of the Responses API ends that broke off. Behind what has come of it: the event begins
/// with a blank line.
std::string responses_error_event(int status, const Error& error, std::string_view code);

}  // namespace weft::proxy
