#include "surface/proxy/responses.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "model/message_reader.h"
#include "surface/api/bodies.h"
#include "text/json.h"

namespace weft::proxy {
namespace {

using Json = nlohmann::ordered_json;

bool is_one_of(std::string_view type, std::initializer_list<std::string_view> types) {
  return std::find(types.begin(), types.end(), type) != types.end();
}

std::string type_of(std::string_view item) {
  std::string type = json_text(json_member(item, "type")).value_or({});
  if (type.empty() && !json_member(item, "role").empty()) type = "message";
  return type;
}

std::string text_member(std::string_view item, std::string_view name) {
  return json_text(json_member(item, name)).value_or({});
}

void add_line(std::string& text, std::string_view more) {
  if (more.empty()) return;
  if (!text.empty()) text += '\n';
  text += more;
}

// A screenshot, which an output of a computer is.
bool is_picture(std::string_view value) {
  return value.starts_with('{') &&
         (!json_member(value, "image_url").empty() || type_of(value) == "computer_screenshot");
}

// What a command of a shell gave.
void add_streams(std::string_view part, std::string& text) {
  for (const char* stream : {"stdout", "stderr"}) add_line(text, text_member(part, stream));
  const std::string_view outcome = json_member(part, "outcome");
  const std::string_view code = json_member(outcome.starts_with('{') ? outcome : part, "exit_code");
  if (!code.empty() && code != "0" && code != "null") add_line(text, "exit code " + std::string(code));
  if (outcome.starts_with('{') && type_of(outcome) == "timeout") add_line(text, "[timeout]");
}

// A picture, a file or a sound stands by its kind; of parts that are not known nothing gets lost.
std::string text_of_part(std::string_view part) {
  const std::string type = type_of(part);
  if (const std::string_view own = json_member(part, "text"); own.starts_with('"')) return json_text(own).value_or({});
  if (type.find("image") != std::string::npos || is_picture(part)) return "[image]";
  if (type.find("audio") != std::string::npos) return "[audio]";
  if (type.find("file") != std::string::npos) return "[file]";
  std::string text;
  add_streams(part, text);
  const bool shell = !json_member(part, "stdout").empty() || !json_member(part, "stderr").empty();
  return text.empty() && !shell ? compact_json(part) : text;
}

// What a list of parts says.
std::string text_of_parts(std::string_view value) {
  if (value.starts_with('"')) return json_text(value).value_or({});
  std::string text;
  if (is_picture(value)) return "[image]";
  if (!value.starts_with('[')) return value.starts_with('{') ? text_of_part(value) : compact_json(value);
  for (const std::string_view part : json_elements(value))
    add_line(text, part.starts_with('{') ? text_of_part(part) : json_text(part).value_or({}));
  return text;
}

// What a thought of the model says, as far as the server shows it.
std::string thought_in(std::string_view item) {
  std::string text;
  for (const char* list : {"content", "summary"}) {
    const std::string_view parts = json_member(item, list);
    if (text.empty() && parts.starts_with('[')) text = text_of_parts(parts);
  }
  return text;
}

// A call that the client is to carry out: of a function, or of a tool that has a name of its own ("shell_call").
std::optional<ToolCall> call_in(std::string_view item, std::string_view type) {
  if (type == "mcp_approval_request")
    return ToolCall{text_member(item, "id"), text_member(item, "name"), text_member(item, "arguments")};
  std::string id = text_member(item, "call_id");
  // Others that have no more than an id of their own were carried out by the server.
  if (id.empty() && is_one_of(type, {"local_shell_call", "shell_call", "function_call", "custom_tool_call"}))
    id = text_member(item, "id");
  if (id.empty() || !type.ends_with("_call")) return std::nullopt;
  ToolCall call{id, text_member(item, "name"), {}};
  if (const std::string space = text_member(item, "namespace"); !space.empty())
    call.name = name_in_chat(space, call.name);
  if (type == "custom_tool_call") {
    call.arguments = write_json(Json{{"input", text_member(item, "input")}});
    return call;
  }
  if (call.name.empty()) call.name = std::string(type.substr(0, type.size() - std::string_view("_call").size()));
  for (const char* field : {"arguments", "input", "action", "operation"}) {
    const std::string_view value = json_member(item, field);
    if (value.empty() || !call.arguments.empty()) continue;
    call.arguments = value.starts_with('"') ? json_text(value).value_or({}) : compact_json(value);
  }
  return call;
}

std::optional<Message> output_in(std::string_view item, std::string_view type) {
  if (type == "mcp_approval_response") {
    const bool yes = json_member(item, "approve") == "true";
    return Message::output(text_member(item, "approval_request_id"), yes ? "approved" : "denied");
  }
  if (!type.ends_with("_output")) return std::nullopt;
  std::string id = text_member(item, "call_id");
  if (id.empty()) id = text_member(item, "id");
  std::string_view output = json_member(item, "output");
  for (const char* field : {"tools", "result", "content"})
    if (output.empty() || output == "null") output = json_member(item, field);
  std::string text = output.empty() || output == "null" ? std::string() : text_of_parts(output);
  add_streams(item, text);
  return Message::output(id, std::move(text));
}

/// Puts items together to messages.
class Items {
 public:
  explicit Items(const MessageLimits& limits) : limits_(limits) {}

  Status add(std::string_view item, std::size_t number) {
    const std::string place = "input[" + std::to_string(number) + "]";
    if (!item.starts_with('{')) return invalid_argument(place + " is no object", "send items such as messages");
    const std::string type = type_of(item);
    if (type.empty()) return invalid_argument(place + ".type is missing", "send \"message\", \"function_call\" or so");
    if (type == "message") return add_message(item, place);
    if (auto output = output_in(item, type)) {
      output->tool_call_id =
          call_of(output->tool_call_id, type == "mcp_approval_response" || !text_member(item, "call_id").empty());
      output->raw = std::string(item);
      return put(std::move(*output));
    }
    // What the client's program adds is said by nobody, such as tools that it has found meanwhile.
    if (const std::string role = text_member(item, "role"); role == "developer" || role == "system") {
      Message added;
      added.role = Role::kSystem;
      added.content = "[" + type.substr(0, 40) + "]";
      added.raw = std::string(item);
      return put(std::move(added));
    }
    return add_step(item, type, place);
  }

  std::vector<Message> taken() {
    close();
    return std::move(messages_);
  }

 private:
  Status add_message(std::string_view item, const std::string& place) {
    auto read = parse_message(item, limits_);
    if (!read.ok()) return {Error{read.error().code, place + ": " + read.error().message, read.error().hint}};
    if (read->size() != 1) return invalid_argument(place + " has outputs of tools", "send items of the type output");
    Message& message = read->front();
    message.id = {};
    message.time.reset();
    if (message.role != Role::kAssistant) return put(std::move(message));
    add_line(step().content, message.content);
    return grow(item);
  }

  Status add_step(std::string_view item, const std::string& type, const std::string& place) {
    if (type == "reasoning") {
      add_line(step().reasoning, thought_in(item));
    } else if (auto call = call_in(item, type)) {
      if (step().tool_calls.size() >= limits_.max_tool_calls)
        return too_large(place + ": more than " + std::to_string(limits_.max_tool_calls) + " tool calls in one step",
                         "send fewer or raise limits.max_tool_calls");
      last_call_ = call->id;
      const std::string own = text_member(item, "id");
      call_of_item_[own.empty() ? call->id : own] = call->id;
      step().tool_calls.push_back(std::move(*call));
    } else {
      add_line(kinds_, "[" + type.substr(0, 40) + "]");
    }
    return grow(item);
  }

  // An output names its call by the call's id, by the id of the item, or not at all where it follows it.
  std::string call_of(const std::string& id, bool sure) const {
    if (sure) return id;
    const auto known = call_of_item_.find(id);
    if (known != call_of_item_.end()) return known->second;
    const bool of_call =
        std::any_of(call_of_item_.begin(), call_of_item_.end(), [&](const auto& item) { return item.second == id; });
    return of_call || last_call_.empty() ? id : last_call_;
  }

  Message& step() {
    if (!open_) open_ = Message::assistant({});
    return *open_;
  }

  Status grow(std::string_view item) {
    std::string& raw = step().raw;
    if (!raw.empty()) raw += ',';
    raw += item;
    return {};
  }

  Status put(Message message) {
    close();
    messages_.push_back(std::move(message));
    return {};
  }

  // What the server did by itself is told by its kind only where nothing else is said.
  void close() {
    if (!open_) return;
    if (open_->content.empty() && open_->tool_calls.empty()) open_->content = kinds_;
    if (open_->content.empty() && open_->tool_calls.empty()) open_->content = "[reasoning]";
    kinds_.clear();
    messages_.push_back(std::move(*open_));
    open_.reset();
  }

  const MessageLimits limits_;
  std::vector<Message> messages_;
  std::optional<Message> open_;  // what the model gave, to which further items belong
  std::string kinds_;
  std::map<std::string, std::string> call_of_item_;
  std::string last_call_;
};

}  // namespace

Result<std::vector<Message>> read_items(std::string_view input, const MessageLimits& limits) {
  if (input.starts_with('"')) {
    WEFT_TRY(std::string text, json_text(input));
    Message message = Message::user(std::move(text));
    message.raw = R"({"role":"user","content":)" + std::string(input) + "}";
    return std::vector<Message>{std::move(message)};
  }
  if (!input.starts_with('[')) return invalid_argument("input is neither a text nor a list", "send one of both");
  Items items(limits);
  std::size_t number = 0;
  for (const std::string_view item : json_elements(input)) WEFT_CHECK(items.add(item, number++));
  return items.taken();
}

std::optional<Message> reply_of_output(std::string_view output) {
  if (!output.starts_with('[')) return std::nullopt;
  Items items({.max_bytes = output.size()});
  std::size_t number = 0;
  for (const std::string_view item : json_elements(output))
    if (!items.add(item, number++).ok()) return std::nullopt;
  // What tools of the server gave stands between the parts of the answer; calls that have an output are over.
  Message reply = Message::assistant({});
  for (Message& message : items.taken()) {
    if (message.role == Role::kTool) {
      std::erase_if(reply.tool_calls, [&](const ToolCall& call) { return call.id == message.tool_call_id; });
      continue;
    }
    if (message.role != Role::kAssistant) return std::nullopt;
    add_line(reply.content, message.content);
    add_line(reply.reasoning, message.reasoning);
    std::move(message.tool_calls.begin(), message.tool_calls.end(), std::back_inserter(reply.tool_calls));
  }
  if (reply.content.empty() && reply.reasoning.empty() && reply.tool_calls.empty()) return std::nullopt;
  return reply;
}

std::string name_in_chat(std::string_view space, std::string_view name) {
  constexpr std::size_t kLongest = 64;
  std::string whole = std::string(space) + (space.empty() || space.ends_with('_') ? "" : "__") + std::string(name);
  return whole.size() <= kLongest ? whole : std::string(name);
}

std::string developer_item(std::string_view text) {
  return R"({"type":"message","role":"developer","content":)" + write_json(Json(text)) + "}";
}

std::string items_of(const Message& message) {
  if (message.role == Role::kTool)
    return write_json(
        Json{{"type", "function_call_output"}, {"call_id", message.tool_call_id}, {"output", message.content}});
  if (message.role == Role::kSystem) return developer_item(message.content);
  std::string items;
  const auto add = [&items](const Json& item) { items += (items.empty() ? "" : ",") + write_json(item); };
  if (!message.content.empty() || message.tool_calls.empty())
    add({{"type", "message"}, {"role", to_string(message.role)}, {"content", message.content}});
  for (const ToolCall& call : message.tool_calls)
    add({{"type", "function_call"}, {"call_id", call.id}, {"name", call.name}, {"arguments", call.arguments}});
  return items;
}

std::string output_with(std::string_view raw, std::string_view text) {
  const std::string_view output = json_member(raw, "output");
  const bool grows = type_of(raw) == "function_call_output" || type_of(raw) == "custom_tool_call_output";
  if (!grows || !(output.starts_with('"') || output.starts_with('[')))
    return std::string(raw) + "," + developer_item(text);
  // The one who lets texts grow knows messages: for a moment the output is one.
  const std::string grown = with_text_after(R"({"content":)" + std::string(output) + "}", text);
  const std::string_view made = json_member(grown, "content");
  std::string item(raw);
  return item.replace(static_cast<std::size_t>(output.data() - raw.data()), output.size(), made);
}

namespace {

std::string json_string(std::string_view text) { return write_json(nlohmann::json(text)); }

std::string string_member(std::string_view object, std::string_view name) {
  return json_text(json_member(object, name)).value_or({});
}

// An id, or an object that has one.
std::string id_in(std::string_view value) {
  if (value.starts_with('{')) value = json_member(value, "id");
  return json_text(value).value_or({});
}

bool has_instructions(const ChatCall& call) { return json_member(call.body, "instructions").starts_with('"'); }

// The client's own system messages at the head, which the engine joins to one.
std::size_t leading(const ChatCall& call) {
  std::size_t count = 0;
  while (count < call.messages.size() && call.messages[count].role == Role::kSystem) ++count;
  return count;
}

std::string joined(const std::vector<Message>& messages, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += (i == 0 ? "" : "\n\n") + messages[i].content;
  return text;
}

void set_member(std::string& body, std::string_view name, const std::string& value) {
  const std::string_view old = json_member(body, name);
  if (!old.empty()) {
    body.replace(static_cast<std::size_t>(old.data() - body.data()), old.size(), value);
    return;
  }
  const auto place = body.find('{') + 1;
  const bool alone = json_members(body).empty();
  body.insert(place, "\"" + std::string(name) + "\":" + value + (alone ? "" : ","));
}

/// Writes woven messages into the two places that a call has for them.
class Body {
 public:
  Body(const ChatCall& call, const std::vector<Message>& woven) : call_(call), woven_(woven) {}

  /// `from`: the first of the woven messages behind the system prompt that is sent.
  std::string write(std::size_t from) {
    const bool head = !woven_.empty() && woven_.front().role == Role::kSystem;
    if (head) take_head(woven_.front());
    const std::size_t first = std::max(from, static_cast<std::size_t>(head));
    for (std::size_t i = first; i < woven_.size(); ++i) add(item_of(woven_[i]));
    std::string body = call_.body;
    if (instructions_) set_member(body, "instructions", json_string(*instructions_));
    set_member(body, "input", input(first));
    return body;
  }

 private:
  // What is ours stands behind what the client said at the head, which goes as it came.
  void take_head(const Message& head) {
    const std::size_t count = leading(call_);
    const std::string own = joined(call_.messages, count);
    const bool kept = head.content.starts_with(own);
    std::string_view ours = kept ? std::string_view(head.content).substr(own.size()) : std::string_view(head.content);
    const std::size_t first = has_instructions(call_) ? 1 : 0;
    const std::string said = first == 1 && kept ? call_.messages.front().content : std::string();
    if (said.empty())
      while (ours.starts_with('\n')) ours.remove_prefix(1);
    if (!ours.empty()) {
      if (first == 0 && !json_member(call_.body, "prompt").empty())
        add(developer_item(ours));
      else
        instructions_ = said + std::string(ours);
    }
    for (std::size_t i = first; kept && i < count; ++i) add(call_.messages[i].raw);
  }

  std::string item_of(const Message& message) const {
    if (message.role != Role::kTool) return message.raw.empty() ? items_of(message) : message.raw;
    const auto sent = std::find_if(call_.messages.begin(), call_.messages.end(), [&](const Message& one) {
      return one.role == Role::kTool && one.tool_call_id == message.tool_call_id;
    });
    if (sent == call_.messages.end() || sent->raw.empty()) return items_of(message);
    if (sent->content == message.content) return sent->raw;
    if (!message.content.starts_with(sent->content))
      return sent->raw.find("\"function_call_output\"") == std::string::npos ? sent->raw : items_of(message);
    return output_with(sent->raw, std::string_view(message.content).substr(sent->content.size()));
  }

  void add(std::string_view item) {
    if (item.empty()) return;
    items_ += items_.empty() ? "" : ",";
    items_ += item;
    ++count_;
  }

  // A text that is still nothing but a text goes as one.
  std::string input(std::size_t first) const {
    const bool text = json_member(call_.body, "input").starts_with('"');
    const bool alone = count_ == 1 && first + 1 == woven_.size() && woven_.back().role == Role::kUser;
    return text && alone ? json_string(woven_.back().content) : "[" + items_ + "]";
  }

  const ChatCall& call_;
  const std::vector<Message>& woven_;
  std::optional<std::string> instructions_;
  std::string items_;
  std::size_t count_ = 0;
};

// Where in the woven messages those begin that the client sent in this call; nothing where they do not stand there as
// they were.
std::optional<std::size_t> new_in(const ChatCall& call, const std::vector<Message>& woven) {
  const std::size_t known = leading(call) + call.responses.held;
  const std::size_t count = call.messages.size() - std::min(call.messages.size(), known);
  if (count == 0 || count > woven.size()) return std::nullopt;
  std::size_t at = woven.size(), own = call.messages.size();
  while (own > known) {
    if (at == 0) return std::nullopt;
    --at;
    // Between them may stand what is ours.
    const Message &ours = woven[at], &theirs = call.messages[own - 1];
    const bool same = ours.role == theirs.role && ours.tool_call_id == theirs.tool_call_id &&
                      (ours.role != Role::kSystem || ours.content == theirs.content);
    if (!same && ours.role != Role::kSystem) return std::nullopt;
    if (same) --own;
  }
  while (at > 1 && woven[at - 1].role == Role::kSystem) --at;
  return at;
}

}  // namespace

Result<ChatCall> parse_responses_call(std::string body, const Config& config) {
  WEFT_TRY(ChatCall call, begin_call(std::move(body), WireForm::kResponses, config));
  WEFT_TRY(call.names, names_in_body(call.body));
  call.responses.previous = string_member(call.body, "previous_response_id");
  call.responses.conversation = id_in(json_member(call.body, "conversation"));
  call.responses.kept = json_member(call.body, "store") != "false";
  call.responses.background = json_member(call.body, "background") == "true";
  if (has_instructions(call)) {
    Message system;
    system.role = Role::kSystem;
    system.content = string_member(call.body, "instructions");
    call.messages.push_back(std::move(system));
  }
  auto read = read_items(json_member(call.body, "input"), message_limits(config));
  if (!read.ok()) call.unreadable = read.error().message;
  if (read.ok() && read->empty()) call.unreadable = "there is no input";
  if (!call.unreadable.empty()) {
    call.messages.clear();
    return call;
  }
  std::move(read->begin(), read->end(), std::back_inserter(call.messages));
  return call;
}

void put_before(std::vector<Message> held, ChatCall& call) {
  std::erase_if(held, [](const Message& message) { return message.role == Role::kSystem; });
  call.responses.held = held.size();
  const auto place = call.messages.begin() + (has_instructions(call) ? 1 : 0);
  call.messages.insert(place, std::make_move_iterator(held.begin()), std::make_move_iterator(held.end()));
  call.forget_remembered();
}

std::string responses_body_with(const ChatCall& call, const std::vector<Message>& messages) {
  if (call.responses.held == 0) return Body(call, messages).write(0);
  if (const auto from = new_in(call, messages)) return Body(call, messages).write(*from);
  return call.body;
}

std::string detached_body_with(const ChatCall& call, const std::vector<Message>& messages) {
  ChatCall alone = call;
  for (const char* name : {"previous_response_id", "conversation"})
    if (!json_member(alone.body, name).empty()) set_member(alone.body, name, "null");
  return Body(alone, messages).write(0);
}

namespace {

Error only_there(const std::string& what) {
  return invalid_argument(what +
                              " needs a model's server that speaks the Responses API, and this one speaks chat "
                              "completions only",
                          "leave it out, or set proxy.upstream to such a server");
}

// A part of what a user says; nothing where chat completions know no such part.
std::optional<Json> part_of(const Json& part) {
  const std::string type = text_of(member(part, "type"));
  if (type == "input_text" || type == "output_text" || type == "text")
    return Json{{"type", "text"}, {"text", text_of(member(part, "text"))}};
  if (type == "image_url" || type == "input_audio" || type == "file") return part;
  if (type == "input_image" && member(part, "image_url").is_string()) {
    Json image = {{"url", member(part, "image_url")}};
    if (const Json& detail = member(part, "detail"); detail.is_string()) image["detail"] = detail;
    return Json{{"type", "image_url"}, {"image_url", std::move(image)}};
  }
  if (type == "input_file" && member(part, "file_url").is_string())
    return Json{{"type", "text"}, {"text", "[file] " + text_of(member(part, "file_url"))}};
  if (type == "input_file") {
    Json file = Json::object();
    for (const char* name : {"filename", "file_data", "file_id"})
      if (const Json& value = member(part, name); value.is_string()) file[name] = value;
    return Json{{"type", "file"}, {"file", std::move(file)}};
  }
  return std::nullopt;
}

// Parts of several kinds; null where all is text. Kinds that have no place are counted.
Json parts_of(const Json& content, LeftOut& left_out) {
  if (!content.is_array()) return nullptr;
  Json parts = Json::array();
  bool all_text = true;
  for (const Json& part : content) {
    auto made = part_of(part);
    if (!made) {
      ++left_out[text_of(member(part, "type"))];
      continue;
    }
    all_text = all_text && member(*made, "type") == "text";
    parts.push_back(std::move(*made));
  }
  return all_text ? Json(nullptr) : parts;
}

// An output of a tool: a text, a list of parts, or a screenshot.
Json output_parts(const Json& raw, LeftOut& left_out) {
  const Json& output = member(raw, "output");
  if (!output.is_object() || !member(output, "image_url").is_string()) return parts_of(output, left_out);
  return parts_of(Json::array({{{"type", "input_image"}, {"image_url", member(output, "image_url")}}}), left_out);
}

// Arguments as chat completions want them: the text of an object.
void mend_arguments(Json& message) {
  if (!message.contains("tool_calls")) return;
  for (Json& call : message["tool_calls"]) {
    Json& arguments = call["function"]["arguments"];
    const std::string text = text_of(arguments);
    const Json read = Json::parse(text.empty() ? "{}" : text, nullptr, false);
    if (text.empty() || !read.is_object()) arguments = read.is_object() ? "{}" : write_json(Json{{"input", text}});
  }
}

// Whether all items of a message are such that have no place: what the server has done or keeps by itself. They are
// counted, but for thoughts and for tools, which are taken elsewhere.
bool has_no_place(const Message& message, LeftOut& left_out) {
  const Json items = Json::parse("[" + message.raw + "]", nullptr, false);
  if (message.raw.empty() || !items.is_array()) return false;
  bool any = false;
  for (const Json& item : items) {
    const std::string type = text_of(member(item, "type"));
    const bool known = type.empty() || type == "message" || type.ends_with("_output") ||
                       type == "mcp_approval_request" || type == "mcp_approval_response" ||
                       (type.ends_with("_call") && member(item, "call_id").is_string());
    any = any || known;
    if (!known && type != "reasoning" && type != "additional_tools" && type != "item_reference") ++left_out[type];
  }
  return !any;
}

Json message_of(const Message& message, LeftOut& left_out) {
  Json made = Json::parse(to_chat_json(message));
  mend_arguments(made);
  if (message.raw.empty() || (message.role != Role::kUser && message.role != Role::kTool)) return made;
  const Json raw = Json::parse(message.raw, nullptr, false);
  Json parts = message.role == Role::kTool ? output_parts(raw, left_out) : parts_of(member(raw, "content"), left_out);
  if (!parts.is_null()) made["content"] = std::move(parts);
  return made;
}

Json messages_of(const ChatCall& call, LeftOut& left_out) {
  Json messages = Json::array();
  for (const Message& message : call.messages) {
    if (!has_no_place(message, left_out)) messages.push_back(message_of(message, left_out));
  }
  return messages;
}

// Made here, it is kept until its client asks for it.
Status check_background(const Json& asked) {
  if (member(asked, "store") == false)
    return {invalid_argument("background needs \"store\": true: what is not kept cannot be asked for later")};
  return member(asked, "stream") == true ? Status(only_there("background together with stream")) : Status();
}

// What an item says that only its server has cannot be told to another one. Thoughts are left out anyway.
Status check_references(const Json& input) {
  if (!input.is_array()) return {};
  for (std::size_t i = 0; i < input.size(); ++i) {
    const bool thought = text_of(member(input[i], "id")).starts_with("rs_");
    if (member(input[i], "type") == "item_reference" && !thought)
      return {only_there("input[" + std::to_string(i) + "] of the type \"item_reference\"")};
  }
  return {};
}

Status check_wishes(const Json& asked) {
  for (const char* name : {"conversation", "prompt"})
    if (!member(asked, name).is_null()) return {only_there(name)};
  if (member(asked, "background") == true) WEFT_CHECK(check_background(asked));
  return check_references(member(asked, "input"));
}

Json function_tool(const std::string& name, const Json& tool) {
  Json function = {{"name", name}};
  for (const char* field : {"description", "parameters", "strict"})
    if (const Json& value = member(tool, field); !value.is_null()) function[field] = value;
  return {{"type", "function"}, {"function", std::move(function)}};
}

// A tool that takes free text as a function of one argument. The grammar of the text is told in words.
Json custom_tool(const std::string& name, const Json& tool) {
  std::string about = text_of(member(tool, "description"));
  const Json& format = member(tool, "format");
  if (const std::string grammar = text_of(member(format, "definition")); !grammar.empty())
    about += (about.empty() ? "" : "\n\n") +
             ("The input follows this grammar (" + text_of(member(format, "syntax")) + "):\n" + grammar);
  Json function = {{"name", name}};
  if (!about.empty()) function["description"] = about;
  function["parameters"] = {{"type", "object"},
                            {"properties", {{"input", {{"type", "string"}}}}},
                            {"required", {"input"}},
                            {"additionalProperties", false}};
  return {{"type", "function"}, {"function", std::move(function)}};
}

/// Calls `take(name, tool, space)` for every tool that can be a function, `name` being that of the function, and
/// `leave(type)` for every other one.
template <class Take, class Leave>
void for_each_tool(const Json& tools, const std::string& space, const Take& take, const Leave& leave) {
  if (!tools.is_array()) return;
  for (const Json& tool : tools) {
    const std::string type = text_of(member(tool, "type")), name = text_of(member(tool, "name"));
    if (type == "namespace" && space.empty())
      for_each_tool(member(tool, "tools"), name, take, leave);
    else if ((type == "function" || type == "custom") && !name.empty())
      take(name_in_chat(space, name), tool, space);
    else
      leave(type);
  }
}

// The tools of a call, and those that stand among its items.
template <class Take, class Leave>
void for_each_tool(const Json& asked, const Take& take, const Leave& leave) {
  for_each_tool(member(asked, "tools"), "", take, leave);
  const Json& input = member(asked, "input");
  if (!input.is_array()) return;
  for (const Json& item : input)
    if (member(item, "type") == "additional_tools") for_each_tool(member(item, "tools"), "", take, leave);
}

Json tools_of(const Json& asked, LeftOut& left_out) {
  Json made = Json::array();
  for_each_tool(
      asked,
      [&](const std::string& name, const Json& tool, const std::string&) {
        made.push_back(member(tool, "type") == "custom" ? custom_tool(name, tool) : function_tool(name, tool));
      },
      [&](const std::string& type) { ++left_out[type]; });
  return made;
}

// Those that the choice allows, which is then how many of them are to be called.
void narrow(const Json& choice, Json& body) {
  Json kept = Json::array();
  for (const Json& tool : body["tools"])
    for (const Json& allowed : member(choice, "tools"))
      if (member(member(tool, "function"), "name") == member(allowed, "name")) kept.push_back(tool);
  if (kept.empty()) return;
  body["tools"] = std::move(kept);
  body["tool_choice"] = member(choice, "mode");
}

void add_choice(const Json& choice, Json& body) {
  const std::string type = text_of(member(choice, "type"));
  if (choice.is_string()) body["tool_choice"] = choice;
  if (type == "function" || type == "custom")
    body["tool_choice"] = {
        {"type", "function"},
        {"function", {{"name", name_in_chat(text_of(member(choice, "namespace")), text_of(member(choice, "name")))}}}};
  if (type == "allowed_tools" && member(choice, "tools").is_array()) narrow(choice, body);
}

void add_format(const Json& format, Json& body) {
  const std::string type = text_of(member(format, "type"));
  if (type == "json_object") body["response_format"] = {{"type", type}};
  if (type != "json_schema") return;
  Json schema = Json::object();
  for (const char* name : {"name", "description", "schema", "strict"})
    if (const Json& value = member(format, name); !value.is_null()) schema[name] = value;
  body["response_format"] = {{"type", type}, {"json_schema", std::move(schema)}};
}

void add_wishes(const Json& asked, Json& body, LeftOut& left_out) {
  static constexpr std::array<std::pair<const char*, const char*>, 9> kSame = {
      {{"max_output_tokens", "max_tokens"},
       {"temperature", "temperature"},
       {"top_p", "top_p"},
       {"user", "user"},
       {"safety_identifier", "safety_identifier"},
       {"prompt_cache_key", "prompt_cache_key"},
       {"service_tier", "service_tier"},
       {"seed", "seed"},
       {"stop", "stop"}}};
  for (const auto& [theirs, ours] : kSame)
    if (const Json& value = member(asked, theirs); !value.is_null()) body[ours] = value;
  if (const Json& effort = member(member(asked, "reasoning"), "effort"); effort.is_string())
    body["reasoning_effort"] = effort;
  add_format(member(member(asked, "text"), "format"), body);
  if (Json tools = tools_of(asked, left_out); !tools.empty()) {
    body["tools"] = std::move(tools);
    if (const Json& parallel = member(asked, "parallel_tool_calls"); parallel.is_boolean())
      body["parallel_tool_calls"] = parallel;
    add_choice(member(asked, "tool_choice"), body);
  }
  if (member(asked, "stream") != true) return;
  body["stream"] = true;
  body["stream_options"] = {{"include_usage", true}};
}

}  // namespace

Result<ChatCall> chat_call_of(const ChatCall& call, const Config& config) {
  const Json asked = Json::parse(call.body);
  WEFT_CHECK(check_wishes(asked));
  Json body = {{"model", member(asked, "model")}};
  LeftOut left_out;
  body["messages"] = messages_of(call, left_out);
  if (body["messages"].empty())
    return invalid_argument("input holds no message that a chat completion has a place for");
  add_wishes(asked, body, left_out);
  WEFT_TRY(ChatCall made, parse_call(write_json(body), config));
  made.names = call.names;
  made.helper = call.helper;
  made.translated = true;
  made.left_out = std::move(left_out);
  made.responses = call.responses;
  made.responses.asked = call.body;
  return made;
}

ToolNames tool_names_of(std::string_view body) {
  ToolNames names;
  for_each_tool(
      Json::parse(body, nullptr, false),
      [&](const std::string& name, const Json& tool, const std::string& space) {
        const bool custom = member(tool, "type") == "custom";
        if (custom || !space.empty()) names[name] = {text_of(member(tool, "name")), space, custom};
      },
      [](const std::string&) {});
  return names;
}

}  // namespace weft::proxy
