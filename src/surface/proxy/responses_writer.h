#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "surface/proxy/response_object.h"
#include "surface/proxy/translating_writer.h"
#include "weft/result.h"

namespace weft::proxy {

/// Takes an answer of POST /v1/chat/completions, whole or streamed, or an error of it, and hands it on as one of
/// POST /v1/responses: the response with its items, or the events in which it grows. A stream that breaks off ends with
/// `response.failed`. `out` must outlive it. For one thread.
class ResponsesWriter final : public TranslatingWriter {
 public:
  ResponsesWriter(http::ResponseWriter& out, const ResponseTerms& terms, const Clock& clock);
  ~ResponsesWriter() override;

  void send(int status, std::string_view content_type, std::string_view body) override;

 private:
  class Events;

  void take(std::string_view data) override;
  void finish() override;
  std::string taken() override;

  std::unique_ptr<Events> events_;
};

/// The event with which a stream of the Responses API ends that broke off. Behind what has come of it: the event begins
/// with a blank line.
std::string responses_error_event(int status, const Error& error, std::string_view code);

}  // namespace weft::proxy
