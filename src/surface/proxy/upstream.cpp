#include "surface/proxy/upstream.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/call_context.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/strings.h"
#include "base/threads.h"
#include "surface/http/exchange.h"
#include "surface/proxy/anthropic.h"
#include "surface/proxy/chat_answer.h"
#include "surface/proxy/responses.h"
#include "text/json.h"

namespace weft::proxy {
namespace {

constexpr std::array<std::string_view, 8> kOfConnection = {"connection",          "keep-alive", "proxy-authenticate",
                                                           "proxy-authorization", "te",         "trailer",
                                                           "transfer-encoding",   "upgrade"};

/// Besides those of the connection: what is written anew, and what concerns only the client and us. Without
/// Accept-Encoding the answer comes uncompressed and can be read on its way.
constexpr std::array<std::string_view, 8> kNotToUpstream = {"host",   "content-length", "expect",  "accept-encoding",
                                                            "cookie", "origin",         "referer", "proxy-connection"};

constexpr std::array<std::string_view, 5> kNotToClient = {"content-length", "content-type", "date", "server",
                                                          "set-cookie"};

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string from_environment(const std::string& name) {
  if (name.empty()) return {};
  const char* value = std::getenv(name.c_str());
  if (value == nullptr || *value == '\0') {
    log_warning("proxy.key", "the environment variable " + name + " is not set; the client's key is passed on");
    return {};
  }
  return value;
}

/// Headers that a Connection header names belong to the connection, too.
bool named_by_connection(const http::Request& request, std::string_view name) {
  auto list = request.header("connection");
  while (!list.empty()) {
    auto one = list.substr(0, list.find(','));
    list.remove_prefix(std::min(list.size(), one.size() + 1));
    while (one.starts_with(' ')) one.remove_prefix(1);
    while (one.ends_with(' ')) one.remove_suffix(1);
    if (std::equal(one.begin(), one.end(), name.begin(), name.end(), [](char a, char b) { return to_lower(a) == b; })) {
      return true;
    }
  }
  return false;
}

}  // namespace

Upstream upstream_of(const Config& config) {
  Upstream out;
  out.url = config.proxy.upstream;
  auto key_name = config.proxy.api_key_env;
  if (out.url.empty()) {
    const auto role = config.roles.find("main");
    const auto model = role == config.roles.end() ? config.models.end() : config.models.find(role->second);
    if (model == config.models.end() || model->second.provider != ModelProvider::kOpenAi) return out;
    out.url = model->second.url;
    if (key_name.empty()) key_name = model->second.api_key_env;
  }
  while (out.url.ends_with('/')) out.url.pop_back();
  out.key = from_environment(key_name);
  return out;
}

Upstream anthropic_upstream_of(const Config& config) {
  Upstream out;
  out.form = WireForm::kAnthropic;
  out.url = config.proxy.anthropic_upstream;
  while (out.url.ends_with('/')) out.url.pop_back();
  out.key = from_environment(config.proxy.anthropic_key_env);
  return out;
}

HttpRequest request_to(const Upstream& upstream, const Config& config, const http::Request& request,
                       std::string_view path, std::string body) {
  HttpRequest out;
  out.method = request.method == "HEAD" ? "GET" : request.method;
  out.url = upstream.url + std::string(path);
  out.body = std::move(body);
  out.connect_timeout = std::chrono::milliseconds(config.proxy.connect_timeout_ms);
  out.idle_timeout = std::chrono::milliseconds(config.proxy.idle_timeout_ms);
  for (const auto& [name, value] : request.headers) {
    if (contains(kOfConnection, name) || contains(kNotToUpstream, name) || name.starts_with("x-weft-")) continue;
    if (named_by_connection(request, name)) continue;
    if ((name == "authorization" || name == "x-api-key") && !upstream.key.empty()) continue;
    out.headers.emplace_back(name, value);
  }
  // The caller's own trace goes on through us.
  if (const TraceSpan* span = TraceSpan::open()) {
    std::erase_if(out.headers, [](const auto& header) { return header.first == "traceparent"; });
    out.headers.emplace_back("traceparent", span->traceparent());
  }
  if (upstream.key.empty()) return out;
  if (upstream.form == WireForm::kAnthropic)
    out.headers.emplace_back("x-api-key", upstream.key);
  else
    out.headers.emplace_back("authorization", "Bearer " + upstream.key);
  return out;
}

void as_openai(http::Headers& headers) {
  const auto named = [&](std::string_view name) {
    return std::find_if(headers.begin(), headers.end(), [&](const auto& header) { return header.first == name; });
  };
  const auto key = named("x-api-key");
  if (key != headers.end() && named("authorization") == headers.end())
    headers.emplace_back("authorization", "Bearer " + std::string(key->second));
  std::erase_if(headers, [](const auto& header) {
    return header.first == "x-api-key" || header.first.starts_with("anthropic-");
  });
}

std::string path_behind_base(const http::Request& request) {
  std::string path = request.path.substr(std::string_view("/v1").size());
  if (!request.query_text.empty()) path += "?" + request.query_text;
  return path;
}

void pass_headers(const HttpHeaders& headers, http::ResponseWriter& out) {
  for (const auto& [name, value] : headers) {
    if (!contains(kOfConnection, name) && !contains(kNotToClient, name)) out.header(name, value);
  }
}

std::string_view header_of(const HttpHeaders& headers, std::string_view name) {
  for (const auto& [key, value] : headers) {
    if (key == name) return value;
  }
  return {};
}

namespace {

using Json = nlohmann::json;

constexpr std::size_t kLargestList = 32 * 1024 * 1024;
constexpr std::size_t kDepth = 32;
constexpr std::chrono::minutes kBetweenQuestions{2};
constexpr std::chrono::seconds kPatience{20};
constexpr std::int64_t kMostTokens = 1'000'000'000;

// What runs now stands before what the model could do.
constexpr std::array kWindow = {
    "loaded_context_length", "n_ctx",         "max_model_len",   "context_length",   "context_window",
    "max_context_length",    "contextWindow", "inputTokenLimit", "max_input_tokens", "n_ctx_train"};
constexpr std::array kOutput = {"max_completion_tokens", "max_output_tokens", "outputTokenLimit"};
constexpr std::array kInside = {"meta", "top_provider", "model_info", "limits", "capabilities"};

std::int64_t tokens_in(const Json& object, const char* field) {
  if (!object.is_object() || !object.contains(field)) return 0;
  const Json& value = object[field];
  if (!value.is_number()) return 0;
  const double number = value.get<double>();
  return number >= 1 && number <= static_cast<double>(kMostTokens) ? static_cast<std::int64_t>(number) : 0;
}

template <class Fields>
std::int64_t first_of(const Json& model, const Fields& fields) {
  for (const char* field : fields) {
    if (const auto own = tokens_in(model, field); own > 0) return own;
    for (const char* inside : kInside)
      if (model.contains(inside))
        if (const auto deeper = tokens_in(model[inside], field); deeper > 0) return deeper;
  }
  return 0;
}

std::string name_of(const Json& model) {
  for (const char* field : {"id", "name", "model"})
    if (model.contains(field) && model[field].is_string()) return model[field].get<std::string>();
  return {};
}

}  // namespace

std::map<std::string, ModelLesson> read_model_list(std::string_view body) {
  std::map<std::string, ModelLesson> out;
  const auto json = read_json(body, {.max_bytes = kLargestList, .max_depth = kDepth}, "the list of models");
  if (!json.ok()) return out;
  const Json* list = &*json;
  for (const char* field : {"data", "models"})
    if (json->is_object() && json->contains(field) && (*json)[field].is_array()) {
      list = &(*json)[field];
      break;
    }
  if (!list->is_array()) return out;
  for (const Json& model : *list) {
    if (!model.is_object()) continue;
    ModelLesson lesson;
    lesson.window = first_of(model, kWindow);
    lesson.output = first_of(model, kOutput);
    // What a model could write at most is no reserve: so much is kept only where it is a small part.
    if (lesson.output * 4 > lesson.window) lesson.output = 0;
    std::string name = name_of(model);
    if (name.starts_with("models/")) name.erase(0, 7);
    if (lesson.window > 0 && !name.empty()) out[name] = lesson;
  }
  return out;
}

UpstreamModels::UpstreamModels(Engine& engine, HttpClient& client, const Upstream& upstream, const Config& config)
    : engine_(engine), client_(client), upstream_(upstream), config_(config) {
  if (upstream_.url.empty() || !config_.proxy.ask_models) return;
  const Status begun = start_thread(thread_, "asking for models", [this](std::stop_token stop) { run(stop); });
  if (!begun.ok())
    log_error("proxy.models", begun.error().message + "; windows of models come from the settings alone");
}

UpstreamModels::~UpstreamModels() = default;

void UpstreamModels::called(const std::string& model, std::string_view authorization) {
  if (model.empty() || engine_.model_traits(model).window > 0) return;
  const std::lock_guard lock(mutex_);
  if (asked_for_ || std::chrono::steady_clock::now() - last_ < kBetweenQuestions) return;
  asked_for_ = true;
  authorization_ = authorization;
  wanted_.notify_all();
}

void UpstreamModels::learn(std::string_view body) {
  for (const auto& [name, lesson] : read_model_list(body)) engine_.learn_model(name, lesson);
}

void UpstreamModels::run(std::stop_token stop) {
  for (;;) {
    std::string authorization;
    {
      std::unique_lock lock(mutex_);
      if (!wanted_.wait(lock, stop, [this] { return asked_for_; })) return;
      authorization = authorization_;
    }
    guarded_or_logged("proxy.models", [&] { ask(authorization, stop); });
    const std::lock_guard lock(mutex_);
    asked_for_ = false;
    // Without a key the first question may have been in vain; the first call brings one.
    const bool with_key = !upstream_.key.empty() || !authorization.empty();
    last_ = with_key ? std::chrono::steady_clock::now() : std::chrono::steady_clock::time_point{};
  }
}

void UpstreamModels::ask(const std::string& authorization, std::stop_token stop) {
  HttpRequest request;
  request.method = "GET";
  request.url = upstream_.url + "/models";
  request.connect_timeout = std::chrono::milliseconds(config_.proxy.connect_timeout_ms);
  if (!upstream_.key.empty())
    request.headers.emplace_back("authorization", "Bearer " + upstream_.key);
  else if (!authorization.empty())
    request.headers.emplace_back("authorization", authorization);
  const auto answer = client_.send(request, Deadline({}, stop).within(kPatience));
  if (answer.ok() && answer->status == 200) return learn(answer->body);
  log_debug("proxy.models", answer.ok() ? "the list of models was answered with " + std::to_string(answer->status)
                                        : answer.error().message);
}

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
    if (untold && streaming_) end.text = assembler_.text();
    if (whole) end.text = whole->content;
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
