#include "surface/proxy/responses_items.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "model/added_text.h"
#include "text/json.h"
#include "text/json_lookup.h"

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

}  // namespace weft::proxy
