#include "surface/proxy/responses_writer.h"

#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "surface/http/errors.h"
#include "text/json.h"
#include "text/json_lookup.h"

namespace weft::proxy {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kMostCalls = 4096;

std::string thought_of(const Json& said) {
  const std::string usual = text_of(member(said, "reasoning_content"));
  return usual.empty() ? text_of(member(said, "reasoning")) : usual;
}

Json output_of(const Json& said, const ResponseObject& response) {
  Json output = Json::array();
  if (const auto thought = thought_of(said); !thought.empty())
    output.push_back(response.thought_item(output.size(), thought));
  const std::string text = text_of(member(said, "content")), refusal = text_of(member(said, "refusal"));
  const Json& calls = member(said, "tool_calls");
  const bool has_calls = calls.is_array() && !calls.empty();
  if (!text.empty() || !refusal.empty() || !has_calls)
    output.push_back(response.text_item(output.size(), text, refusal));
  if (!has_calls) return output;
  for (const Json& call : calls) {
    const Json& function = member(call, "function");
    output.push_back(response.call_item(output.size(), text_of(member(call, "id")), text_of(member(function, "name")),
                                        text_of(member(function, "arguments"))));
  }
  return output;
}

}  // namespace

/// The events of a streamed answer, made from the pieces of a chat completion as they come.
class ResponsesWriter::Events {
 public:
  Events(const ResponseTerms& terms, std::int64_t created) : response_(terms, created) {}

  ResponseObject& response() { return response_; }

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
    const Json& choices = member(chunk, "choices");
    if (!choices.is_array() || choices.empty()) return;
    const Json& delta = member(choices.front(), "delta");
    grow(Kind::kThought, thought_of(delta));
    grow(Kind::kText, text_of(member(delta, "content")));
    grow(Kind::kRefusal, text_of(member(delta, "refusal")));
    if (const Json& calls = member(delta, "tool_calls"); calls.is_array())
      for (const Json& call : calls) take_call(call);
    const std::string reason = text_of(member(choices.front(), "finish_reason"));
    finished_ = finished_ || !reason.empty();
    response_.set_end(reason);
  }

  void take_call(const Json& call) {
    const Json& function = member(call, "function");
    const std::string id = text_of(member(call, "id"));
    const Json& place = member(call, "index");
    const std::int64_t number = place.is_number_integer() ? place.get<std::int64_t>() : call_ + (id.empty() ? 0 : 1);
    if (number < 0 || number > kMostCalls) return;
    if (kind_ != Kind::kCall || number != call_) {
      close();
      call_ = number;
      call_id_ = id;
      name_ = text_of(member(function, "name"));
      open(Kind::kCall);
    }
    grow(Kind::kCall, text_of(member(function, "arguments")));
  }

  // The item that is open, as it is so far.
  Json item() const {
    const std::size_t place = output_.size();
    switch (kind_) {
      case Kind::kThought: return response_.thought_item(place, grown_);
      case Kind::kRefusal: return response_.text_item(place, "", grown_);
      case Kind::kCall: return response_.call_item(place, call_id_, name_, grown_);
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
    Json done = joined(place, {{names(kind_).field, grown_}});
    if (kind_ == Kind::kText) done["logprobs"] = Json::array();
    if (kind_ == Kind::kCall) done["name"] = name_;
    event(names(kind_).done, done);
    if (kind_ != Kind::kCall) event("response.content_part.done", joined(place, {{"part", made["content"].front()}}));
    event("response.output_item.done", {{"output_index", output_.size()}, {"item", made}});
    output_.push_back(made);
    kind_ = Kind::kNone;
  }

  ResponseObject response_;
  std::string text_, grown_, item_id_, call_id_, name_;
  Json output_ = Json::array();
  Kind kind_ = Kind::kNone;
  std::int64_t number_ = 0;
  std::int64_t call_ = -1;  // of the server's call that is open
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
  if (!choices.is_array() || choices.empty()) {
    const auto error = unavailable("the model's server answered with no chat completion");
    return out_.send(502, "application/json", http::openai_error_json(502, error, "upstream_unavailable"));
  }
  ResponseObject& response = events_->response();
  response.set_model(text_of(member(answer, "model")));
  response.set_usage(member(answer, "usage"));
  response.set_end(text_of(member(choices.front(), "finish_reason")));
  const Json output = output_of(member(choices.front(), "message"), response);
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

}  // namespace weft::proxy
