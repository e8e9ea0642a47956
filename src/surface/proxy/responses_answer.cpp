#include "surface/proxy/responses.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <random>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/threads.h"
#include "surface/http/exchange.h"
#include "surface/proxy/chat_answer.h"
#include "text/json.h"

namespace weft::proxy {
namespace {

using Json = nlohmann::ordered_json;

std::int64_t number_of(const Json& value) { return value.is_number_integer() ? value.get<std::int64_t>() : 0; }

// "msg_…" for the response "resp_…".
std::string id_of_item(std::string_view kind, const std::string& response, std::size_t place) {
  const auto mark = response.find('_');
  return fmt::format("{}_{}_{}", kind, mark == std::string::npos ? response : response.substr(mark + 1), place);
}

// What the object repeats of the call, with what holds where the call says nothing.
Json repeated(const Json& asked) {
  Json out = Json::object();
  const auto add = [&](const char* name, Json otherwise) {
    const Json& value = member(asked, name);
    out[name] = value.is_null() ? std::move(otherwise) : value;
  };
  add("instructions", nullptr);
  add("max_output_tokens", nullptr);
  add("metadata", Json::object());
  add("parallel_tool_calls", true);
  add("previous_response_id", nullptr);
  add("reasoning", {{"effort", nullptr}, {"summary", nullptr}});
  add("store", true);
  add("temperature", 1.0);
  add("text", {{"format", {{"type", "text"}}}});
  add("tool_choice", "auto");
  add("tools", Json::array());
  add("top_p", 1.0);
  add("truncation", "disabled");
  add("user", nullptr);
  return out;
}

}  // namespace

struct ResponseObject::Body {
  Json repeated;
  bool background = false;
};

std::string fresh_response_id() {
  static thread_local std::random_device chance;
  return fmt::format("resp_{:08x}{:08x}{:08x}{:08x}", chance(), chance(), chance(), chance());
}

ResponseObject::ResponseObject(const ResponseTerms& terms, std::int64_t created)
    : id_(terms.id), created_(created), body_(std::make_unique<Body>()) {
  const Json asked = Json::parse(terms.body, nullptr, false);
  model_ = text_of(member(asked, "model"));
  body_->repeated = repeated(asked);
  body_->background = member(asked, "background") == true;
}

ResponseObject::~ResponseObject() = default;

Json ResponseObject::thought_item(std::size_t place, std::string_view text) const {
  return {{"id", id_of_item("rs", id_, place)},
          {"type", "reasoning"},
          {"summary", Json::array()},
          {"content", {{{"type", "reasoning_text"}, {"text", text}}}}};
}

Json ResponseObject::text_item(std::size_t place, std::string_view text, std::string_view refusal) const {
  Json content = Json::array();
  if (!text.empty() || refusal.empty())
    content.push_back({{"type", "output_text"}, {"text", text}, {"annotations", Json::array()}});
  if (!refusal.empty()) content.push_back({{"type", "refusal"}, {"refusal", refusal}});
  return {{"id", id_of_item("msg", id_, place)},
          {"type", "message"},
          {"status", status_ == "completed" ? "completed" : "incomplete"},
          {"role", "assistant"},
          {"content", std::move(content)}};
}

Json ResponseObject::call_item(std::size_t place, std::string_view call_id, std::string_view name,
                               std::string_view arguments) const {
  return {{"id", id_of_item("fc", id_, place)},
          {"type", "function_call"},
          {"status", "completed"},
          {"call_id", call_id},
          {"name", name},
          {"arguments", arguments}};
}

void ResponseObject::set_model(const std::string& model) {
  if (!model.empty()) model_ = model;
}

void ResponseObject::set_usage(const Json& usage) {
  if (!usage.is_object()) return;
  counted_ = true;
  input_ = number_of(member(usage, "prompt_tokens"));
  output_ = number_of(member(usage, "completion_tokens"));
  cached_ = number_of(member(member(usage, "prompt_tokens_details"), "cached_tokens"));
  thought_ = number_of(member(member(usage, "completion_tokens_details"), "reasoning_tokens"));
}

void ResponseObject::set_end(const std::string& finish_reason) {
  if (finish_reason == "length") why_ = "max_output_tokens";
  if (finish_reason == "content_filter") why_ = "content_filter";
  if (!why_.empty()) status_ = "incomplete";
}

void ResponseObject::fail(std::string_view code, std::string_view message) {
  status_ = "failed";
  error_code_ = code;
  error_ = message;
}

Json ResponseObject::with(const Json& output, bool running) const {
  Json out = {{"id", id_},
              {"object", "response"},
              {"created_at", created_},
              {"status", running ? "in_progress" : status_},
              {"background", body_->background},
              {"error", nullptr},
              {"incomplete_details", nullptr},
              {"model", model_},
              {"output", output}};
  if (!running && !error_code_.empty()) out["error"] = {{"code", error_code_}, {"message", error_}};
  if (!running && !why_.empty()) out["incomplete_details"] = {{"reason", why_}};
  out.update(body_->repeated);
  out["usage"] = nullptr;
  if (!running && counted_)
    out["usage"] = {{"input_tokens", input_},
                    {"input_tokens_details", {{"cached_tokens", cached_}}},
                    {"output_tokens", output_},
                    {"output_tokens_details", {{"reasoning_tokens", thought_}}},
                    {"total_tokens", input_ + output_}};
  return out;
}

namespace {

// The free text that a function stands for has as its "input".
std::string input_of(const std::string& arguments) {
  const Json read = Json::parse(arguments, nullptr, false);
  return member(read, "input").is_string() ? text_of(member(read, "input")) : arguments;
}

// The item of a call of the tool as the client knows it.
Json call_item(const ResponseObject& response, std::size_t place, const CallPiece& call, const ToolNames& names) {
  Json item = response.call_item(place, call.id, call.name, call.arguments);
  const auto known = names.find(call.name);
  if (known == names.end()) return item;
  item["name"] = known->second.name;
  if (!known->second.space.empty()) item["namespace"] = known->second.space;
  if (!known->second.custom) return item;
  item["type"] = "custom_tool_call";
  item.erase("arguments");
  item["input"] = input_of(call.arguments);
  return item;
}

Json output_of(const ChatPiece& said, const ResponseObject& response, const ToolNames& names) {
  Json output = Json::array();
  if (!said.thought.empty()) output.push_back(response.thought_item(output.size(), said.thought));
  if (!said.text.empty() || !said.refusal.empty() || said.calls.empty())
    output.push_back(response.text_item(output.size(), said.text, said.refusal));
  for (const CallPiece& call : said.calls) output.push_back(call_item(response, output.size(), call, names));
  return output;
}

}  // namespace

/// The events of a streamed answer, made from the pieces of a chat completion as they come.
class ResponsesWriter::Events {
 public:
  Events(const ResponseTerms& terms, std::int64_t created)
      : response_(terms, created), names_(tool_names_of(terms.body)) {}

  ResponseObject& response() { return response_; }
  const ToolNames& tool_names() const { return names_; }

  void take(std::string_view data) {
    if (ended_) return;
    if (data == "[DONE]") return finish();
    const Json chunk = lenient_json<Json>(data);
    if (const Json& error = member(chunk, "error"); !error.is_null()) {
      const std::string code = text_of(member(error, "code"));
      return fail(code.empty() ? "server_error" : code, text_of(error.is_object() ? member(error, "message") : error));
    }
    if (chunk.is_object()) take_chunk(chunk);
  }

  void fail(std::string_view code, std::string_view message) {
    if (ended_) return;
    begin();
    response_.fail(code, message);
    ended_ = true;
    close();
    event("response.failed", {{"response", response_.with(output_)}});
  }

  void finish() {
    if (ended_) return;
    begin();
    for (const CallPiece& call : reader_.rest()) take_call(call);
    close();
    ended_ = true;
    if (output_.empty()) {
      open(Kind::kText);
      close();
    }
    event(("response." + response_.status()).c_str(), {{"response", response_.with(output_)}});
  }

  bool finished() const { return finished_; }
  bool ended() const { return ended_; }
  std::string whole() const { return write_json(response_.with(output_)); }

  /// What is to be sent, which is then forgotten.
  std::string taken() { return std::exchange(text_, {}); }

 private:
  enum class Kind { kNone, kThought, kText, kRefusal, kCall };

  void event(const char* type, const Json& rest) {
    Json json = {{"type", type}, {"sequence_number", number_++}};
    json.update(rest);
    text_.append("event: ").append(type).append("\ndata: ").append(write_json(json)).append("\n\n");
  }

  void begin() {
    if (begun_) return;
    begun_ = true;
    for (const char* type : {"response.created", "response.in_progress"})
      event(type, {{"response", response_.with(Json::array(), true)}});
  }

  void take_chunk(const Json& chunk) {
    response_.set_model(text_of(member(chunk, "model")));
    begin();
    response_.set_usage(member(chunk, "usage"));
    const ChatPiece piece = reader_.read_piece(chunk);
    grow(Kind::kThought, piece.thought);
    grow(Kind::kText, piece.text);
    grow(Kind::kRefusal, piece.refusal);
    for (const CallPiece& call : piece.calls) take_call(call);
    finished_ = finished_ || !piece.finish.empty();
    if (!piece.finish.empty()) response_.set_end(piece.finish);
  }

  void take_call(const CallPiece& call) {
    // What comes of a call behind other text has no item any more; it gets one more rather than being lost.
    if (call.begins || kind_ != Kind::kCall) {
      close();
      call_ = {true, call.id, call.name, {}};
      const auto known = names_.find(call.name);
      custom_ = known != names_.end() && known->second.custom;
      open(Kind::kCall);
    }
    call_.arguments += call.arguments;
    if (custom_)
      grown_ = call_.arguments;  // its text is known when all is there
    else
      grow(Kind::kCall, call.arguments);
  }

  // The item that is open, as it is so far.
  Json item() const {
    const std::size_t place = output_.size();
    switch (kind_) {
      case Kind::kThought: return response_.thought_item(place, grown_);
      case Kind::kRefusal: return response_.text_item(place, "", grown_);
      case Kind::kCall: return call_item(response_, place, {true, call_.id, call_.name, grown_}, names_);
      default: return response_.text_item(place, grown_, "");
    }
  }

  // An item has no content yet when it is announced.
  Json empty_item() const {
    Json made = item();
    if (made.contains("content")) made["content"] = Json::array();
    if (made.contains("status")) made["status"] = "in_progress";
    return made;
  }

  Json place_of_part() const {
    Json place = {{"item_id", item_id_}, {"output_index", output_.size()}};
    if (kind_ != Kind::kCall) place["content_index"] = 0;
    return place;
  }

  static Json joined(Json place, const Json& more) {
    place.update(more);
    return place;
  }

  void open(Kind kind) {
    close();
    kind_ = kind;
    grown_.clear();
    const Json made = item();
    item_id_ = made["id"].get<std::string>();
    event("response.output_item.added", {{"output_index", output_.size()}, {"item", empty_item()}});
    if (kind == Kind::kCall) return;
    const Json part = kind == Kind::kRefusal ? Json{{"type", "refusal"}, {"refusal", ""}} : made["content"].front();
    event("response.content_part.added", joined(place_of_part(), {{"part", part}}));
  }

  void grow(Kind kind, const std::string& text) {
    if (text.empty()) return;
    if (kind_ != kind) open(kind);
    grown_ += text;
    Json rest = joined(place_of_part(), {{"delta", text}});
    if (kind == Kind::kText) rest["logprobs"] = Json::array();
    event(names(kind).delta, rest);
  }

  struct Names {
    const char *delta, *done, *field;
  };
  static Names names(Kind kind) {
    switch (kind) {
      case Kind::kThought: return {"response.reasoning_text.delta", "response.reasoning_text.done", "text"};
      case Kind::kRefusal: return {"response.refusal.delta", "response.refusal.done", "refusal"};
      case Kind::kCall:
        return {"response.function_call_arguments.delta", "response.function_call_arguments.done", "arguments"};
      default: return {"response.output_text.delta", "response.output_text.done", "text"};
    }
  }

  void close() {
    if (kind_ == Kind::kNone) return;
    const Json made = item();
    const Json place = place_of_part();
    if (kind_ == Kind::kCall && custom_) {
      event("response.custom_tool_call_input.delta", joined(place, {{"delta", made["input"]}}));
      event("response.custom_tool_call_input.done", joined(place, {{"input", made["input"]}}));
    } else {
      Json done = joined(place, {{names(kind_).field, grown_}});
      if (kind_ == Kind::kText) done["logprobs"] = Json::array();
      if (kind_ == Kind::kCall) done["name"] = made["name"];
      event(names(kind_).done, done);
    }
    if (kind_ != Kind::kCall) event("response.content_part.done", joined(place, {{"part", made["content"].front()}}));
    event("response.output_item.done", {{"output_index", output_.size()}, {"item", made}});
    output_.push_back(made);
    kind_ = Kind::kNone;
  }

  ResponseObject response_;
  const ToolNames names_;
  ChatAnswerReader reader_{true};
  std::string text_, grown_, item_id_;
  CallPiece call_;       // that is open
  bool custom_ = false;  // it takes free text
  Json output_ = Json::array();
  Kind kind_ = Kind::kNone;
  std::int64_t number_ = 0;
  bool begun_ = false, finished_ = false, ended_ = false;
};

ResponsesWriter::ResponsesWriter(http::ResponseWriter& out, const ResponseTerms& terms, std::int64_t created,
                                 OnMade on_made)
    : TranslatingWriter(out), events_(std::make_unique<Events>(terms, created)), on_made_(std::move(on_made)) {}

ResponsesWriter::~ResponsesWriter() = default;

void ResponsesWriter::send(int status, std::string_view content_type, std::string_view body) {
  const Json answer = lenient_json<Json>(body);
  const Json& choices = member(answer, "choices");
  if (status < 200 || status >= 300) return out_.send(status, content_type, body);  // errors have the same form
  if (const Json& told = member(answer, "error"); !told.is_null() || !choices.is_array() || choices.empty()) {
    std::string why = text_of(told.is_object() ? member(told, "message") : told);
    if (why.empty()) why = "the model's server answered with no chat completion";
    const auto error = unavailable(std::move(why));
    return out_.send(502, "application/json", http::openai_error_json(502, error, "upstream_unavailable"));
  }
  ResponseObject& response = events_->response();
  response.set_model(text_of(member(answer, "model")));
  response.set_usage(member(answer, "usage"));
  const ChatPiece said = ChatAnswerReader(true).read_whole(answer);
  response.set_end(said.finish);
  const Json output = output_of(said, response, events_->tool_names());
  const std::string object = write_json(response.with(output));
  if (on_made_) on_made_(object, response.status());
  out_.send(status, "application/json", object);
}

void ResponsesWriter::take(std::string_view data) {
  events_->take(data);
  made();
}

// Once, when the last event is there.
void ResponsesWriter::made() {
  if (!on_made_ || !events_->ended()) return;
  std::exchange(on_made_, {})(events_->whole(), events_->response().status());
}

void ResponsesWriter::finish() {
  if (events_->finished())
    events_->finish();
  else
    events_->fail("server_error", "the model's server closed the stream before the answer was complete");
  made();
}

std::string ResponsesWriter::taken() { return events_->taken(); }

std::string responses_error_event(int status, const Error& error, std::string_view code) {
  // Official clients look for "error" in events, others know the event of the type "error" by its own fields.
  Json json = {
      {"type", "error"}, {"sequence_number", 0}, {"code", code}, {"message", error.message}, {"param", nullptr}};
  json.update(Json::parse(http::openai_error_json(status, error, code)));
  return "\n\nevent: error\ndata: " + write_json(json) + "\n\n";
}

namespace {

constexpr const char* kBrokenOff = "Weft was ended before this response was complete; make the call again";

std::string message_of(int status, const std::string& answer) {
  const Json json = Json::parse(answer, nullptr, false);
  const std::string told = text_of(member(member(json, "error"), "message"));
  if (!told.empty()) return told;
  return status == 0 ? "there was no answer" : "the model's server answered with the status " + std::to_string(status);
}

}  // namespace

std::string ended_response(const std::string& object, const std::string& status, const std::string& why) {
  Json json = Json::parse(object, nullptr, false);
  if (!json.is_object()) return object;
  json["status"] = status;
  if (!why.empty()) json["error"] = {{"code", "server_error"}, {"message", why}};
  return write_json(json);
}

void recover_responses(KeptResponses& kept) {
  const Status done = kept.recover([](KeptResponse& one) {
    one.status = "failed";
    one.object = ended_response(one.object, one.status, kBrokenOff);
  });
  if (!done.ok()) log_warning("responses.recover", done.error().message);
}

ResponsesLater::ResponsesLater(KeptResponses& kept, const Clock& clock, std::size_t most)
    : kept_(kept), clock_(clock), most_(most) {}

ResponsesLater::~ResponsesLater() {
  std::map<std::string, std::unique_ptr<Job>> jobs;
  {
    const std::lock_guard lock(mutex_);
    jobs.swap(jobs_);
  }
  for (const auto& [id, job] : jobs) job->stop.request_stop();
  for (const auto& [id, job] : jobs) job->thread.join();
}

void ResponsesLater::let_go_of_done() {
  for (auto one = jobs_.begin(); one != jobs_.end();) one = one->second->over ? jobs_.erase(one) : std::next(one);
}

Result<KeptResponse> ResponsesLater::begin(const ResponseTerms& terms, const ScopeKey& scope,
                                           const std::string& session, Work work) {
  const Time now = clock_.now();
  const std::string object = write_json(ResponseObject(terms, now.ms / 1000).with(Json::array(), true));
  KeptResponse response{terms.id, scope, session, now, "queued", true, true, ended_response(object, "queued")};
  const std::lock_guard lock(mutex_);
  let_go_of_done();
  if (jobs_.size() >= most_)
    return unavailable(std::to_string(most_) + " responses are being made in the background already",
                       "ask again when some of them are complete");
  WEFT_CHECK(kept_.put(response, true));
  Job& job = *(jobs_[terms.id] = std::make_unique<Job>());
  const Status begun = start_thread(job.thread, "a response", [this, &job, response, terms, work = std::move(work)] {
    const AtEnd over([&] {
      const std::lock_guard done(mutex_);
      job.over = true;
    });
    if (!guarded_or_logged("responses.later", [&] { run(job, response, terms, work); }))
      guarded_or_logged("responses.later", [&] { settle(job, response, 0, {}); });
  });
  if (begun.ok()) return response;
  jobs_.erase(terms.id);
  if (const auto gone = kept_.remove(scope, terms.id); !gone.ok()) log_warning("responses.later", gone.error().message);
  return begun.error();
}

void ResponsesLater::run(Job& job, KeptResponse response, const ResponseTerms& terms, const Work& work) {
  {
    const std::lock_guard lock(mutex_);
    if (job.settled) return;
    response.status = "in_progress";
    response.object = ended_response(response.object, response.status);
    if (!kept_.replace(response).ok()) return;  // nobody wants it any more
  }
  http::KeptAnswer answer(job.stop.get_token());
  const Status worked = guarded("making the response", [&] {
    ResponsesWriter told(answer, terms, response.made.ms / 1000);
    work(told);
    return Status();
  });
  if (!worked.ok()) http::send_openai_error(answer, http::status_of(worked.error().code), worked.error());
  settle(job, std::move(response), answer.status, answer.body);
}

void ResponsesLater::settle(Job& job, KeptResponse response, int status, const std::string& answer) {
  const std::lock_guard lock(mutex_);
  if (job.settled) return;
  job.settled = true;
  if (status >= 200 && status < 300) {
    response.object = answer;
    response.status = text_of(member(Json::parse(answer, nullptr, false), "status"));
  } else {
    response.status = "failed";
    const bool ended = status == 0 && job.stop.stop_requested();
    response.object = ended_response(response.object, response.status, ended ? kBrokenOff : message_of(status, answer));
  }
  const Status kept = kept_.replace(response);
  if (!kept.ok() && kept.error().code != ErrorCode::kNotFound) log_error("responses.later", kept.error().message);
}

Result<KeptResponse> ResponsesLater::cancel(const KeptResponse& response) {
  const std::lock_guard lock(mutex_);
  // It may have become complete meanwhile.
  WEFT_TRY(KeptResponse now, kept_.find(response.scope, response.id));
  if (!now.background)
    return invalid_argument("Cannot cancel a synchronous response.", "those made with \"background\": true can be");
  if (!now.unfinished()) return now;
  if (const auto job = jobs_.find(now.id); job != jobs_.end()) {
    job->second->settled = true;
    job->second->stop.request_stop();
  }
  now.status = "cancelled";
  now.object = ended_response(now.object, now.status);
  WEFT_CHECK(kept_.replace(now));
  return now;
}

void ResponsesLater::drop(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto job = jobs_.find(id);
  if (job == jobs_.end()) return;
  job->second->settled = true;
  job->second->stop.request_stop();
}

}  // namespace weft::proxy
