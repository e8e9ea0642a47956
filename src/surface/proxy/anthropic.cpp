#include "surface/proxy/anthropic.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/call_context.h"
#include "surface/api/bodies.h"
#include "surface/proxy/chat_answer.h"
#include "text/json.h"

namespace weft::proxy {
namespace {

using Json = nlohmann::ordered_json;

std::string data_url(const Json& source) {
  return "data:" + text_of(member(source, "media_type")) + ";base64," + text_of(member(source, "data"));
}

Json text_part(std::string text) { return {{"type", "text"}, {"text", std::move(text)}}; }

/// What is said in blocks, as parts of a chat message.
class Parts {
 public:
  explicit Parts(LeftOut& left_out) : left_out_(left_out) {}

  void add(const Json& content) {
    if (content.is_string()) return put(text_part(content.get<std::string>()));
    if (!content.is_array()) return;
    for (const Json& block : content) add_block(block, text_of(member(block, "type")));
  }

  bool empty() const { return parts_.empty(); }
  /// A text where all is text, else the list.
  Json content() const {
    if (has_media_) return parts_;
    std::string text;
    for (const Json& part : parts_) text += (text.empty() ? "" : "\n") + text_of(member(part, "text"));
    return text;
  }

 private:
  void put(Json part) { parts_.push_back(std::move(part)); }
  void put_media(Json part) {
    has_media_ = true;
    put(std::move(part));
  }

  void add_block(const Json& block, const std::string& type) {
    if (type == "text") return put(text_part(text_of(member(block, "text"))));
    if (type == "image") return add_image(member(block, "source"));
    if (type == "document") return add_document(block);
    if (type == "search_result") return add_search_result(block);
    if (type == "tool_reference") return put(text_part("[tool] " + text_of(member(block, "tool_name"))));
    // Calls and their results have messages of their own, thoughts have no place.
    if (type == "tool_use" || type == "tool_result" || type == "thinking") return;
    ++left_out_[type];
  }

  // {"type":"base64","media_type":…,"data":…} or {"type":"url","url":…}; one that is kept at Anthropic's has an id.
  void add_image(const Json& source) {
    const std::string type = text_of(member(source, "type"));
    if (type == "file") return void(++left_out_["image of a file"]);
    const std::string url = type == "url" ? text_of(member(source, "url")) : data_url(source);
    put_media({{"type", "image_url"}, {"image_url", {{"url", url}}}});
  }

  void add_document(const Json& block) {
    const Json& source = member(block, "source");
    const std::string type = text_of(member(source, "type")), title = text_of(member(block, "title"));
    if (type == "file") return void(++left_out_["document of a file"]);
    if (type == "base64") {
      Json file = {{"filename", title.empty() ? "document.pdf" : title}, {"file_data", data_url(source)}};
      return put_media({{"type", "file"}, {"file", std::move(file)}});
    }
    for (const std::string& head : {title, text_of(member(block, "context"))})
      if (!head.empty()) put(text_part(head));
    if (type == "text") return put(text_part(text_of(member(source, "data"))));
    if (type == "url") return put(text_part("[file] " + text_of(member(source, "url"))));
    add(member(source, "content"));
  }

  void add_search_result(const Json& block) {
    std::string head = text_of(member(block, "title"));
    if (const std::string from = text_of(member(block, "source")); !from.empty())
      head += (head.empty() ? "" : ", ") + from;
    if (!head.empty()) put(text_part(head));
    add(member(block, "content"));
  }

  LeftOut& left_out_;
  Json parts_ = Json::array();
  bool has_media_ = false;
};

// The result of a tool with that id among the blocks of a message, the `number`th that has it.
const Json& result_of(const Json& content, std::size_t number) {
  static const Json none;
  if (content.is_array())
    for (const Json& block : content)
      if (member(block, "type") == "tool_result" && number-- == 0) return block;
  return none;
}

Json system_message(const Json& system) {
  std::string text = text_of(system);
  if (system.is_array())
    for (const Json& block : system)
      if (member(block, "type") == "text") text += (text.empty() ? "" : "\n\n") + text_of(member(block, "text"));
  return {{"role", "system"}, {"content", text}};
}

Status add_messages(std::string_view array, const MessageLimits& limits, Json& into, LeftOut& left_out) {
  std::size_t number = 0;
  for (const std::string_view element : json_elements(array)) {
    auto read = parse_message(element, limits);
    const std::string place = "messages[" + std::to_string(number++) + "]";
    if (!read.ok()) return {Error{read.error().code, place + ": " + read.error().message, read.error().hint}};
    const Json asked = Json::parse(element);
    const Json& content = member(asked, "content");
    std::size_t results = 0;
    for (const Message& message : *read) {
      Json one = Json::parse(to_chat_json(message));
      Parts parts(left_out);
      parts.add(message.role == Role::kTool ? member(result_of(content, results++), "content") : content);
      // Where all that was said is left out, its kinds stand as the text.
      if (!parts.empty()) one["content"] = parts.content();
      if (parts.empty() && !message.tool_calls.empty()) one["content"] = nullptr;
      into.push_back(std::move(one));
    }
  }
  return {};
}

// Tools that Anthropic runs itself have a type of their own and no schema: nobody here could run them.
Json tools_of(const Json& tools, LeftOut& left_out) {
  Json made = Json::array();
  for (const Json& tool : tools) {
    const Json& schema = member(tool, "input_schema");
    if (!schema.is_object()) {
      ++left_out[text_of(member(tool, "type"))];
      continue;
    }
    Json function = {{"name", member(tool, "name")}};
    if (const Json& text = member(tool, "description"); text.is_string()) function["description"] = text;
    function["parameters"] = schema;
    made.push_back({{"type", "function"}, {"function", std::move(function)}});
  }
  return made;
}

Json choice_of(const Json& choice) {
  const std::string type = text_of(member(choice, "type"));
  if (type == "any") return "required";
  if (type == "tool") return {{"type", "function"}, {"function", {{"name", member(choice, "name")}}}};
  return type == "none" ? "none" : "auto";
}

// What form the answer is to have.
void add_format(const Json& asked, Json& body) {
  const Json& outer = member(member(asked, "output_config"), "format");
  const Json& format = outer.is_null() ? member(asked, "output_format") : outer;
  if (member(format, "type") != "json_schema") return;
  body["response_format"] = {{"type", "json_schema"},
                             {"json_schema", {{"name", "answer"}, {"schema", member(format, "schema")}}}};
}

void add_wishes(const Json& asked, Json& body, LeftOut& left_out) {
  add_format(asked, body);
  static constexpr std::array<std::pair<const char*, const char*>, 5> kSame = {{{"max_tokens", "max_tokens"},
                                                                                {"temperature", "temperature"},
                                                                                {"top_p", "top_p"},
                                                                                {"top_k", "top_k"},
                                                                                {"stop_sequences", "stop"}}};
  for (const auto& [theirs, ours] : kSame)
    if (const Json& value = member(asked, theirs); !value.is_null()) body[ours] = value;
  if (const Json& tools = member(asked, "tools"); tools.is_array())
    if (Json made = tools_of(tools, left_out); !made.empty()) {
      body["tools"] = std::move(made);
      if (const Json& choice = member(asked, "tool_choice"); choice.is_object()) {
        body["tool_choice"] = choice_of(choice);
        if (member(choice, "disable_parallel_tool_use") == true) body["parallel_tool_calls"] = false;
      }
    }
  if (member(asked, "stream") != true) return;
  body["stream"] = true;
  body["stream_options"] = {{"include_usage", true}};
}

}  // namespace

Result<std::string> chat_body_of(std::string_view body, const MessageLimits& limits, LeftOut& left_out) {
  WEFT_CHECK(check_json(body, {.max_bytes = body.size(), .max_depth = limits.max_depth}, "the body"));
  const auto array =
      body.find_first_not_of(" \t\r\n") != std::string_view::npos && body[body.find_first_not_of(" \t\r\n")] == '{'
          ? json_member(body, "messages")
          : std::string_view();
  if (!array.starts_with('[')) return invalid_argument("messages is missing", "send an array of messages");
  const Json asked = Json::parse(body);
  Json made = {{"model", member(asked, "model")}};
  made["messages"] = Json::array();
  if (const Json& system = member(asked, "system"); !system.is_null() && !system.empty())
    made["messages"].push_back(system_message(system));
  WEFT_CHECK(add_messages(array, limits, made["messages"], left_out));
  add_wishes(asked, made, left_out);
  return write_json(made);
}

namespace {

bool has_media(const Json& content) {
  return content.is_array() &&
         std::any_of(content.begin(), content.end(), [](const Json& part) { return member(part, "type") != "text"; });
}

// Takes what is no text out of an output; in its place stands where to look for it.
void take_media(Json& output, Json& media) {
  const std::string id = text_of(member(output, "tool_call_id"));
  media.push_back(text_part("From the output of the call " + id + ":"));
  std::string text;
  for (const Json& part : output["content"]) {
    if (member(part, "type") == "text")
      text += (text.empty() ? "" : "\n") + text_of(member(part, "text"));
    else
      media.push_back(part);
  }
  output["content"] = text.empty() ? "(see the next message)" : text;
}

// A user's message with parts before what it says.
Json with_parts_before(Json message, Json parts) {
  const Json& content = member(message, "content");
  if (content.is_array())
    for (const Json& part : content) parts.push_back(part);
  else
    parts.push_back(text_part(text_of(content)));
  message["content"] = std::move(parts);
  return message;
}

}  // namespace

std::string with_media_behind(std::string body) {
  const std::string_view array = json_member(body, "messages");
  if (!array.starts_with('[') || array.find("\"tool\"") == std::string_view::npos) return body;
  Json messages = Json::array(), media = Json::array();
  bool moved = false;
  const auto put_media = [&](Json* next) {
    Json message = next == nullptr ? Json{{"role", "user"}, {"content", std::exchange(media, Json::array())}}
                                   : with_parts_before(std::move(*next), std::exchange(media, Json::array()));
    messages.push_back(std::move(message));
  };
  Json all = Json::parse(array);
  for (Json& message : all) {
    const std::string role = text_of(member(message, "role"));
    if (role == "tool" && has_media(member(message, "content"))) {
      take_media(message, media);
      moved = true;
    }
    if (role != "tool" && !media.empty()) {
      put_media(role == "user" ? &message : nullptr);
      if (role == "user") continue;
    }
    messages.push_back(std::move(message));
  }
  if (!media.empty()) put_media(nullptr);
  if (!moved) return body;
  return body.replace(static_cast<std::size_t>(array.data() - body.data()), array.size(), write_json(messages));
}

namespace {

std::string json_string(std::string_view text) { return write_json(Json(text)); }

std::string string_member(std::string_view object, std::string_view name) {
  return json_text(json_member(object, name)).value_or({});
}

bool is_result(std::string_view block) {
  return block.starts_with('{') && json_member(block, "type") == R"("tool_result")";
}

// A content as a list of blocks, without its brackets.
std::string blocks_in(std::string_view content) {
  if (content.starts_with('[')) return std::string(content.substr(1, content.size() - 2));
  return content.starts_with('"') && content != R"("")" ? R"({"type":"text","text":)" + std::string(content) + "}" : "";
}

// What the user said beside the outputs of tools, as a message of its own.
std::string without_results(std::string_view element) {
  std::string kept;
  for (const std::string_view block : json_elements(json_member(element, "content"))) {
    if (is_result(block)) continue;
    kept += (kept.empty() ? "" : ",") + std::string(block);
  }
  return R"({"role":"user","content":[)" + kept + "]}";
}

Status read_element(std::string_view element, const MessageLimits& limits, std::vector<Message>& into) {
  WEFT_TRY(auto read, parse_message(element, limits));
  const bool several = read.size() > 1 || (!read.empty() && read.front().role == Role::kTool);
  for (Message& message : read) {
    if (!several) message.raw = std::string(element);
    if (several && message.role == Role::kUser) message.raw = without_results(element);
    into.push_back(std::move(message));
  }
  return {};
}

Message kept_system(std::string_view system) {
  Message message;
  message.role = Role::kSystem;
  message.raw = R"({"role":"system","content":)" + std::string(system) + "}";
  if (system.starts_with('"')) message.content = json_text(system).value_or({});
  if (system.starts_with('['))
    for (const std::string_view block : json_elements(system))
      if (block.starts_with('{') && json_member(block, "type") == R"("text")")
        message.content += (message.content.empty() ? "" : "\n\n") + string_member(block, "text");
  return message;
}

std::string result_block(const Message& message) {
  if (!message.raw.empty()) return message.raw;
  Json block = {{"type", "tool_result"}, {"tool_use_id", message.tool_call_id}, {"content", message.content}};
  if (message.failed) block["is_error"] = true;
  return write_json(block);
}

std::string assistant_element(const Message& message) {
  if (!message.raw.empty()) return message.raw;
  Json blocks = Json::array();
  if (!message.content.empty()) blocks.push_back({{"type", "text"}, {"text", message.content}});
  for (const ToolCall& call : message.tool_calls) {
    const Json input = lenient_json<Json>(call.arguments);
    blocks.push_back({{"type", "tool_use"},
                      {"id", call.id},
                      {"name", call.name},
                      {"input", input.is_object() ? input : Json::object()}});
  }
  return write_json(Json{{"role", "assistant"}, {"content", blocks}});
}

std::string user_content(const Message& message) {
  return message.raw.empty() ? json_string(message.content) : std::string(json_member(message.raw, "content"));
}

// Puts the messages into the two places that a call has for them.
class Writer {
 public:
  void add(const Message& message) {
    if (message.role == Role::kSystem) return add_system(message);
    if (message.role == Role::kTool) return add_block(result_block(message));
    if (message.role == Role::kUser && !open_.empty()) return close_with(blocks_in(user_content(message)));
    close();
    add_element(message.role == Role::kAssistant ? assistant_element(message)
                : message.raw.empty()            ? R"({"role":"user","content":)" + json_string(message.content) + "}"
                                                 : message.raw);
  }

  std::string system() const { return parts_ == 1 ? only_ : "[" + system_ + "]"; }
  bool has_system() const { return parts_ > 0; }
  std::string messages() {
    close();
    return "[" + elements_ + "]";
  }

 private:
  void add_system(const Message& message) {
    const std::string content = user_content(message);
    const std::string blocks = blocks_in(content);
    if (blocks.empty()) return;
    only_ = content;
    ++parts_;
    system_ += (system_.empty() ? "" : ",") + blocks;
  }
  void add_block(const std::string& block) { open_ += (open_.empty() ? "" : ",") + block; }
  void close_with(const std::string& blocks) {
    if (!blocks.empty()) add_block(blocks);
    close();
  }
  void close() {
    if (open_.empty()) return;
    add_element(R"({"role":"user","content":[)" + open_ + "]}");
    open_.clear();
  }
  void add_element(const std::string& element) { elements_ += (elements_.empty() ? "" : ",") + element; }

  std::string elements_, open_, system_, only_;
  std::size_t parts_ = 0;
};

}  // namespace

Result<ChatCall> parse_anthropic_call(std::string body, const Config& config) {
  WEFT_TRY(ChatCall call, begin_call(std::move(body), WireForm::kAnthropic, config));
  const auto limits = message_limits(config);
  const auto array = json_member(call.body, "messages");
  if (!array.starts_with('[')) {
    call.unreadable = "there is no array of messages";
    return call;
  }
  const auto system = json_member(call.body, "system");
  if (system.size() > 2 && system != "null") call.messages.push_back(kept_system(system));
  for (const std::string_view element : json_elements(array)) {
    if (const Status read = read_element(element, limits, call.messages); !read.ok()) {
      call.unreadable = read.error().message;
      call.messages.clear();
      return call;
    }
  }
  if (call.messages.empty()) call.unreadable = "there are no messages";
  return call;
}

std::string anthropic_body_with(const ChatCall& call, const std::vector<Message>& messages) {
  Writer writer;
  for (const Message& message : messages) writer.add(message);
  std::string body = call.body;
  const auto array = json_member(body, "messages");
  body.replace(static_cast<std::size_t>(array.data() - body.data()), array.size(), writer.messages());
  if (!writer.has_system()) return body;
  const auto system = json_member(body, "system");
  if (!system.empty())
    return body.replace(static_cast<std::size_t>(system.data() - body.data()), system.size(), writer.system());
  return body.insert(body.find('{') + 1, R"("system":)" + writer.system() + ",");
}

namespace {

std::int64_t number_of(const Json& value) { return value.is_number_integer() ? value.get<std::int64_t>() : 0; }

std::string_view error_type(int status) {
  switch (status) {
    case 400: return "invalid_request_error";
    case 401: return "authentication_error";
    case 403: return "permission_error";
    case 404: return "not_found_error";
    case 413: return "request_too_large";
    case 429: return "rate_limit_error";
    case 503: return "overloaded_error";
    case 504: return "timeout_error";
    default: return status < 500 ? "invalid_request_error" : "api_error";
  }
}

std::string reason_of(const std::string& finish) {
  if (finish == "length") return "max_tokens";
  if (finish == "tool_calls") return "tool_use";
  return finish == "content_filter" ? "refusal" : "end_turn";
}

std::string fresh_id() {
  static std::atomic<std::uint64_t> counter{0};
  return "msg_weft_" + std::to_string(++counter);
}

// Arguments as the model wrote them; what is no object stands as one all the same.
Json input_of(const std::string& arguments) {
  Json read = lenient_json<Json>(arguments.empty() ? "{}" : arguments);
  return read.is_object() ? read : Json{{"arguments", arguments}};
}

Json blocks_of(const ChatPiece& said) {
  Json blocks = Json::array();
  if (!said.thought.empty()) blocks.push_back({{"type", "thinking"}, {"thinking", said.thought}, {"signature", ""}});
  if (const std::string text = said.text + said.refusal; !text.empty())
    blocks.push_back({{"type", "text"}, {"text", text}});
  for (const CallPiece& call : said.calls)
    blocks.push_back({{"type", "tool_use"}, {"id", call.id}, {"name", call.name}, {"input", input_of(call.arguments)}});
  return blocks;
}

std::string message_json(const Json& answer, const std::string& model) {
  const ChatPiece said = ChatAnswerReader(true).read_whole(answer);
  const Json& usage = member(answer, "usage");
  const std::string named = text_of(member(answer, "model"));
  return write_json(Json{{"id", fresh_id()},
                         {"type", "message"},
                         {"role", "assistant"},
                         {"model", named.empty() ? model : named},
                         {"content", blocks_of(said)},
                         {"stop_reason", reason_of(said.finish)},
                         {"stop_sequence", nullptr},
                         {"usage",
                          {{"input_tokens", number_of(member(usage, "prompt_tokens"))},
                           {"output_tokens", number_of(member(usage, "completion_tokens"))}}}});
}

}  // namespace

std::string anthropic_error_json(int status, std::string_view message) {
  Json told = {{"type", "error"}, {"error", {{"type", error_type(status)}, {"message", message}}}};
  if (const auto& request = CallContext::current().request; !request.empty()) told["request_id"] = request;
  return write_json(told);
}

/// The events of a streamed answer, made from OpenAI's pieces as they come.
class AnthropicWriter::Events {
 public:
  explicit Events(std::string model) : model_(std::move(model)) {}

  void take(std::string_view data) {
    if (ended_) return;
    if (data == "[DONE]") return finish();
    const Json chunk = lenient_json<Json>(data);
    if (const Json& error = member(chunk, "error"); !error.is_null()) return fail(text_of(member(error, "message")));
    if (chunk.is_object()) take_chunk(chunk);
  }

  void finish() {
    if (ended_) return;
    ended_ = true;
    if (!begun_) begin(Json());
    for (const CallPiece& call : reader_.rest()) take_call(call);
    close_block();
    const std::string reason = reason_of(finish_word(finish_, reader_.has_calls()));
    event("message_delta", {{"delta", {{"stop_reason", reason}, {"stop_sequence", nullptr}}},
                            {"usage", {{"input_tokens", input_tokens_}, {"output_tokens", output_tokens_}}}});
    event("message_stop", Json::object());
  }

  /// What is to be sent, which is then forgotten.
  std::string taken() { return std::exchange(text_, {}); }

 private:
  enum class Block { kNone, kText, kThinking, kTool };

  void event(std::string_view type, const Json& rest) {
    Json json = {{"type", type}};
    json.update(rest);
    text_.append("event: ").append(type).append("\ndata: ").append(write_json(json)).append("\n\n");
  }

  void fail(const std::string& message) {
    ended_ = true;
    event("error", {{"error", {{"type", "api_error"}, {"message", message}}}});
  }

  void begin(const Json& chunk) {
    begun_ = true;
    const std::string id = text_of(member(chunk, "id")), model = text_of(member(chunk, "model"));
    event("message_start", {{"message",
                             {{"id", id.empty() ? fresh_id() : "msg_" + id},
                              {"type", "message"},
                              {"role", "assistant"},
                              {"model", model.empty() ? model_ : model},
                              {"content", Json::array()},
                              {"stop_reason", nullptr},
                              {"stop_sequence", nullptr},
                              {"usage", {{"input_tokens", 0}, {"output_tokens", 0}}}}}});
  }

  void take_chunk(const Json& chunk) {
    if (!begun_) begin(chunk);
    if (const Json& usage = member(chunk, "usage"); usage.is_object()) {
      input_tokens_ = number_of(member(usage, "prompt_tokens"));
      output_tokens_ = number_of(member(usage, "completion_tokens"));
    }
    const ChatPiece piece = reader_.read_piece(chunk);
    take_thought(piece.thought);
    take_text(piece.text + piece.refusal);
    for (const CallPiece& call : piece.calls) take_call(call);
    if (!piece.finish.empty()) finish_ = piece.finish;
  }

  void take_thought(const std::string& thought) {
    if (thought.empty()) return;
    if (open_ != Block::kThinking) open(Block::kThinking, {{"type", "thinking"}, {"thinking", ""}, {"signature", ""}});
    grow("thinking_delta", "thinking", thought);
  }

  void take_text(const std::string& text) {
    if (text.empty()) return;
    if (open_ != Block::kText) open(Block::kText, {{"type", "text"}, {"text", ""}});
    grow("text_delta", "text", text);
  }

  void take_call(const CallPiece& call) {
    // What comes of a call behind other text has no block any more; it is opened once more rather than lost.
    if (call.begins || open_ != Block::kTool)
      open(Block::kTool, {{"type", "tool_use"}, {"id", call.id}, {"name", call.name}, {"input", Json::object()}});
    if (!call.arguments.empty()) grow("input_json_delta", "partial_json", call.arguments);
  }

  void open(Block kind, const Json& start) {
    close_block();
    open_ = kind;
    event("content_block_start", {{"index", ++index_}, {"content_block", start}});
  }

  void grow(const char* type, const char* field, const std::string& text) {
    event("content_block_delta", {{"index", index_}, {"delta", {{"type", type}, {field, text}}}});
  }

  void close_block() {
    if (open_ == Block::kNone) return;
    event("content_block_stop", {{"index", index_}});
    open_ = Block::kNone;
  }

  std::string model_, text_;
  Block open_ = Block::kNone;
  std::int64_t index_ = -1;  // of the open block
  ChatAnswerReader reader_{true};
  std::string finish_;
  std::int64_t input_tokens_ = 0, output_tokens_ = 0;
  bool begun_ = false, ended_ = false;
};

AnthropicWriter::AnthropicWriter(http::ResponseWriter& out, std::string model)
    : TranslatingWriter(out), model_(std::move(model)), events_(std::make_unique<Events>(model_)) {}

AnthropicWriter::~AnthropicWriter() = default;

void AnthropicWriter::send(int status, std::string_view, std::string_view body) {
  const Json answer = lenient_json<Json>(body);
  const Json& error = member(answer, "error");
  const Json& choices = member(answer, "choices");
  if (status >= 200 && status < 300 && error.is_null() && choices.is_array() && !choices.empty())
    return out_.send(status, "application/json", message_json(answer, model_));
  std::string message = text_of(error.is_object() ? member(error, "message") : error);
  if (message.empty()) message = text_of(member(answer, "message"));
  if (message.empty()) message = "the model's server answered with " + std::to_string(status);
  const int told = status < 400 ? 502 : status;
  out_.send(told, "application/json", anthropic_error_json(told, message));
}

void AnthropicWriter::take(std::string_view data) { events_->take(data); }
void AnthropicWriter::finish() { events_->finish(); }
std::string AnthropicWriter::taken() { return events_->taken(); }

}  // namespace weft::proxy
