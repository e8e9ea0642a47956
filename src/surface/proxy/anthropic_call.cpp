#include "surface/proxy/anthropic_call.h"

#include <nlohmann/json.hpp>

#include "surface/api/bodies.h"
#include "text/json.h"
#include "text/json_lookup.h"

namespace weft::proxy {
namespace {

using Json = nlohmann::ordered_json;

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

Message system_message(std::string_view system) {
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
  if (system.size() > 2 && system != "null") call.messages.push_back(system_message(system));
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

}  // namespace weft::proxy
