#include "surface/proxy/relay.h"

#include "base/clock.h"
#include "base/log.h"
#include "surface/http/errors.h"
#include "surface/proxy/anthropic.h"
#include "surface/proxy/chat_answer.h"
#include "surface/proxy/responses_answer.h"
#include "surface/proxy/upstream.h"

namespace weft::proxy {
namespace {

constexpr double kMsPerSecond = 1000;
constexpr std::size_t kLongestLine = 16 * 1024 * 1024;
constexpr std::size_t kLargestBody = 256 * 1024 * 1024;

/// One answer on its way through.
class Relay {
 public:
  Relay(http::ResponseWriter& out, const RelayHooks& hooks) : out_(out), hooks_(hooks) {}

  bool on_head(const HttpResponse& head) {
    status_ = head.status;
    content_type_ = header_of(head.headers, "content-type");
    headers_ = head.headers;
    streaming_ = status_ >= 200 && status_ < 300 && content_type_.starts_with("text/event-stream");
    if (!streaming_) return true;
    begin_answer();
    return out_.begin(status_, content_type_);
  }

  bool on_bytes(std::string_view bytes) { return streaming_ ? pass(bytes) : collect(bytes); }

  /// The request that is to be sent instead, where the answer was an error that something can be done about.
  std::optional<HttpRequest> instead(const Result<HttpResponse>& result) {
    if (!hooks_.on_refusal || !result.ok() || status_ < 400 || out_.client_gone()) return std::nullopt;
    return hooks_.on_refusal(status_, held_);
  }

  void finish(const Result<HttpResponse>& result) {
    if (hooks_.on_end) tell_end(result);
    if (out_.client_gone()) return;
    if (streaming_) return finish_stream(result);
    begin_answer();
    if (!result.ok()) return report(result.error());
    if (hooks_.on_reply && status_ >= 200 && status_ < 300) hand_over(reply_in(held_));
    if (hooks_.on_body && status_ == 200) hooks_.on_body(held_);
    out_.send(status_, content_type_, held_);
  }

 private:
  void begin_answer() {
    if (hooks_.before_answer) hooks_.before_answer();
    pass_headers(headers_, out_);
  }

  /// Only whole lines go on: what is left of a broken line could not be told from the error that follows it.
  bool pass(std::string_view bytes) {
    if (hooks_.on_reply || hooks_.on_end) {
      assembler_.feed(bytes);
      if (first_ < 0 && assembler_.begun()) first_ = clock_.ms() / kMsPerSecond;
      if (assembler_.done()) hand_over(assembler_.message());
    }
    held_ += bytes;
    const auto end = held_.find_last_of("\r\n");
    if (end == std::string::npos) return held_.size() <= kLongestLine;
    const bool taken = out_.write(std::string_view(held_).substr(0, end + 1));
    held_.erase(0, end + 1);
    return taken;
  }

  void tell_end(const Result<HttpResponse>& result) const {
    RelayEnd end{status_, {}, streaming_ ? assembler_.counts() : counts_in(held_)};
    Status line = result.ok() ? Status() : Status(result.error());
    if (out_.client_gone()) line = cancelled("the client has left");
    if (line.ok() && (end.counts.finish == "failed" || (streaming_ && !assembler_.complete())))
      line = unavailable("the stream broke off");
    end.outcome = outcome_of(status_, line);
    const bool untold = end.counts.output_tokens < 0;
    const std::optional<Message> whole = untold && !streaming_ ? reply_in(held_) : std::nullopt;
    if (untold) end.text = streaming_ ? std::string_view(assembler_.text()) : whole ? whole->content : "";
    end.seconds = clock_.ms() / kMsPerSecond;
    end.first_token_seconds = first_;
    hooks_.on_end(end);
  }

  bool collect(std::string_view bytes) {
    held_ += bytes;
    return held_.size() <= kLargestBody;
  }

  void finish_stream(const Result<HttpResponse>& result) {
    const bool whole = result.ok() && (!hooks_.on_reply || assembler_.complete() || assembler_.broken());
    if (whole) {
      hand_over(assembler_.message());
      out_.write(held_);
    } else {
      const auto error = result.ok()
                             ? unavailable("the model's server closed the stream before the answer was complete")
                             : result.error();
      const int status = error.code == ErrorCode::kTimeout ? 504 : 502;
      log_warning("proxy.stream", error.message);
      // The blank line ends an event that may be open.
      out_.write(error_event(status, error));
    }
    out_.end();
  }

  void report(const Error& error) {
    log_warning("proxy.upstream", error.message);
    const int status = error.code == ErrorCode::kTimeout ? 504 : 502;
    const Error told{error.code, "the model's server failed: " + error.message, error.hint};
    if (hooks_.form == WireForm::kAnthropic)
      return out_.send(status, "application/json", anthropic_error_json(status, told.message));
    http::send_openai_error(out_, status, told, code_of(error));
  }

  std::string error_event(int status, const Error& error) const {
    if (hooks_.form == WireForm::kAnthropic)
      return "\n\nevent: error\ndata: " + anthropic_error_json(status, error.message) + "\n\n";
    if (hooks_.form == WireForm::kResponses) return responses_error_event(status, error, code_of(error));
    return "\ndata: " + http::openai_error_json(status, error, code_of(error)) + "\n\n";
  }

  static std::string_view code_of(const Error& error) {
    return error.code == ErrorCode::kTimeout ? "upstream_timeout" : "upstream_unavailable";
  }

  void hand_over(std::optional<Message> reply) {
    if (!reply || handed_over_ || !hooks_.on_reply) return;
    handed_over_ = true;
    hooks_.on_reply(std::move(*reply));
  }

  http::ResponseWriter& out_;
  const RelayHooks& hooks_;
  ReplyAssembler assembler_;
  const Stopwatch clock_;
  double first_ = -1;  // seconds until the first piece of a stream
  int status_ = 0;
  std::string content_type_;
  HttpHeaders headers_;
  std::string held_;  // the whole body, or what is not yet a whole line of a stream
  bool streaming_ = false, handed_over_ = false;
};

}  // namespace

std::string outcome_of(int status, const Status& line) {
  if (!line.ok() && line.error().code == ErrorCode::kCancelled) return "cancelled";
  if (!line.ok() && line.error().code == ErrorCode::kTimeout) return "timeout";
  if (status >= 200 && status < 300) return line.ok() ? "answered" : "broken_off";
  if (status == 401 || status == 403) return "permission";
  if (status == 429) return "rate_limited";
  if (status == 0) return "unavailable";
  return status < 500 ? "refused" : "server_error";
}

void relay(HttpClient& client, HttpRequest request, http::ResponseWriter& out, const RelayHooks& hooks) {
  for (;;) {
    Relay relay(out, hooks);
    const HttpSink sink{[&](const HttpResponse& head) { return relay.on_head(head); },
                        [&](std::string_view bytes) { return relay.on_bytes(bytes); }};
    Result<HttpResponse> result = internal("not asked");
    out.while_waiting([&] { result = client.stream(request, Deadline(std::nullopt, out.cancel()), sink); });
    auto instead = relay.instead(result);
    if (!instead) return relay.finish(result);
    request = std::move(*instead);
  }
}

}  // namespace weft::proxy
