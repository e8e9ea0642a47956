#include "surface/proxy/responses_writer.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "surface/http/errors.h"
#include "surface/proxy/chat_answer.h"
#include "surface/proxy/responses_chat.h"
#include "text/json.h"
#include "text/json_lookup.h"

namespace weft::proxy {
namespace {

using Json = nlohmann::ordered_json;

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

}  // namespace weft::proxy
