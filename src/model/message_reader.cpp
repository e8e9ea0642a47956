#include "model/message_reader.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <vector>

#include "base/strings.h"
#include "model/records.h"
#include "text/json.h"
#include "weft/message.h"
#include "weft/scope.h"

namespace weft {
namespace {

using Json = nlohmann::json;

std::string at(const std::string& place, std::string_view field) {
  return place.empty() ? std::string(field) : fmt::format("{}.{}", place, field);
}

std::string_view type_of(const Json& value) {
  if (value.is_string()) return "text";
  return value.type_name();
}

Error wrong(const std::string& place, std::string_view wanted, const Json& value) {
  return invalid_argument(fmt::format("{} is {}, but {} is wanted", place, type_of(value), wanted),
                          fmt::format("send {}", wanted));
}

// The text of an optional field: empty where it is absent or null.
Result<std::string> optional_text(const Json& object, const char* field, const std::string& place) {
  const auto found = object.find(field);
  if (found == object.end() || found->is_null()) return std::string();
  if (!found->is_string()) return wrong(at(place, field), "text", *found);
  return found->get<std::string>();
}

// The sender of a tool's output says whether the tool failed.
Result<bool> is_error(const Json& object, const std::string& place) {
  const auto found = object.find("is_error");
  if (found == object.end() || found->is_null()) return false;
  if (!found->is_boolean()) return wrong(at(place, "is_error"), "true or false", *found);
  return found->get<bool>();
}

void append_line(std::string& text, std::string_view more) {
  if (more.empty()) return;
  if (!text.empty()) text += '\n';
  text += more;
}

// What stands for a part that is no text; empty for a type that no placeholder can be made of.
std::string placeholder(std::string_view type) {
  if (type == "image_url" || type == "image" || type == "input_image") return "[image]";
  if (type == "input_audio" || type == "audio") return "[audio]";
  if (type == "file" || type == "input_file" || type == "document") return "[file]";
  // New kinds of part appear every few months; losing the message over one would be worse than naming it.
  const bool plain = !type.empty() && type.size() <= 40 && std::all_of(type.begin(), type.end(), [](char c) {
    return is_lower(c) || is_digit(c) || c == '_' || c == '-' || c == '.';
  });
  return plain ? fmt::format("[{}]", type) : "";
}

bool is_text_type(std::string_view type) {
  return type == "text" || type == "input_text" || type == "output_text" || type == "refusal";
}

Result<std::string> part_type(const Json& part, const std::string& place) {
  if (!part.is_object()) return wrong(place, "an object with \"type\"", part);
  const auto type = part.find("type");
  if (type == part.end() || !type->is_string()) {
    return invalid_argument(fmt::format("{} is missing or no text", at(place, "type")),
                            "send \"text\", \"image_url\", \"tool_use\" or another type of part");
  }
  return type->get<std::string>();
}

// The text of a part of `type`: its words or what stands for it.
Result<std::string> part_text(const Json& part, const std::string& type, const std::string& place) {
  if (is_text_type(type)) return optional_text(part, type == "refusal" ? "refusal" : "text", place);
  std::string stands_for = placeholder(type);
  if (stands_for.empty()) {
    return invalid_argument(fmt::format("{} \"{}\" is no type of part", at(place, "type"), type.substr(0, 40)),
                            "send \"text\", \"image_url\", \"tool_use\" or another type of part");
  }
  return stands_for;
}

Result<std::optional<Time>> read_time(const Json& object, const std::string& place) {
  // The last day whose time can be written as RFC 3339.
  constexpr double kLatest = 253402300799.0, kEarliest = -62135596800.0;
  // Larger counts of seconds are after the year 5000: those are milliseconds, as JavaScript counts.
  constexpr double kMilliseconds = 1e11;
  for (const char* field : {"time", "timestamp", "created_at"}) {
    const auto found = object.find(field);
    if (found == object.end() || found->is_null()) continue;
    if (found->is_string()) {
      const auto time = parse_time(found->get_ref<const std::string&>());
      if (!time.ok()) {
        return invalid_argument(fmt::format("{}: {}", at(place, field), time.error().message), time.error().hint);
      }
      return std::optional<Time>(*time);
    }
    if (!found->is_number()) return wrong(at(place, field), "RFC 3339 text or a number of seconds since 1970", *found);
    double seconds = found->get<double>();
    if (std::abs(seconds) >= kMilliseconds) seconds /= 1000;
    if (!(seconds >= kEarliest && seconds <= kLatest)) {
      return invalid_argument(fmt::format("{} is out of range", at(place, field)), "send seconds since 1970");
    }
    return std::optional<Time>(Time{std::llround(seconds * 1000), 0});
  }
  return std::optional<Time>();
}

// A function or deprecated function call: {"name", "arguments"}. `text` is its JSON text.
Result<ToolCall> read_function(const Json& function, std::string_view text, const char* input,
                               const std::string& place) {
  if (!function.is_object()) return wrong(place, "an object with \"name\" and \"arguments\"", function);
  ToolCall call;
  WEFT_TRY(call.name, optional_text(function, "name", place));
  if (call.name.empty()) {
    return invalid_argument(fmt::format("{} is missing", at(place, "name")), "name the tool that is called");
  }
  const auto arguments = function.find(input);
  if (arguments == function.end() || arguments->is_null()) return call;
  // The text is taken from the source, not from the parsed value, which has lost the order of the names.
  call.arguments = arguments->is_string() ? arguments->get<std::string>() : compact_json(json_member(text, input));
  return call;
}

Result<std::vector<ToolCall>> read_tool_calls(const Json& calls, std::string_view text, const std::string& place) {
  if (!calls.is_array()) return wrong(place, "an array", calls);
  const auto texts = json_elements(text);
  std::vector<ToolCall> out;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const Json& entry = calls[i];
    const std::string here = fmt::format("{}[{}]", place, i);
    if (!entry.is_object()) return wrong(here, "an object with \"id\" and \"function\"", entry);
    const bool custom = entry.contains("custom");
    const char* field = custom ? "custom" : "function";
    const auto function = entry.find(field);
    if (function == entry.end()) {
      return invalid_argument(
          fmt::format("{} is missing", at(here, "function")),
          "send {\"id\": …, \"type\": \"function\", \"function\": {\"name\": …, \"arguments\": …}}");
    }
    WEFT_TRY(ToolCall call,
             read_function(*function, json_member(texts[i], field), custom ? "input" : "arguments", at(here, field)));
    WEFT_TRY(call.id, optional_text(entry, "id", here));
    out.push_back(std::move(call));
  }
  return out;
}

// One message while it is read. Results of tools inside an Anthropic message become messages of their own.
class MessageReader {
 public:
  MessageReader(std::string_view text, const Json& object, const std::string& place, const MessageLimits& limits)
      : text_(text), object_(object), place_(place), limits_(limits) {}

  Result<std::vector<Message>> read() {
    WEFT_CHECK(read_head());
    WEFT_CHECK(read_content());
    WEFT_CHECK(read_calls());
    WEFT_CHECK(check());
    return assemble();
  }

 private:
  Status read_head() {
    WEFT_TRY(const std::string id, optional_text(object_, "id", place_));
    if (!id.empty()) WEFT_CHECK(check_id(id, at(place_, "id")));
    message_.id = MessageId(id);
    WEFT_TRY(message_.name, optional_text(object_, "name", place_));
    WEFT_TRY(message_.time, read_time(object_, place_));
    WEFT_TRY(message_.tool_call_id, optional_text(object_, "tool_call_id", place_));
    WEFT_TRY(message_.failed, is_error(object_, place_));
    for (const char* field : {"reasoning_content", "reasoning"}) {
      if (message_.reasoning.empty()) {
        WEFT_TRY(message_.reasoning, optional_text(object_, field, place_));
      }
    }
    return read_role();
  }

  Status read_role() {
    const auto role = object_.find("role");
    if (role == object_.end()) {
      return invalid_argument(fmt::format("{} is missing", at(place_, "role")),
                              "send \"system\", \"user\", \"assistant\" or \"tool\"");
    }
    if (!role->is_string()) return wrong(at(place_, "role"), "text", *role);
    const auto& name = role->get_ref<const std::string&>();
    if (name == "system" || name == "developer") {
      message_.role = Role::kSystem;
    } else if (name == "user") {
      message_.role = Role::kUser;
    } else if (name == "assistant") {
      message_.role = Role::kAssistant;
    } else if (name == "tool" || name == "function") {
      message_.role = Role::kTool;
      // The deprecated form has no ids: a function's name joins its call and its output.
      if (name == "function" && message_.tool_call_id.empty()) message_.tool_call_id = message_.name;
    } else {
      return invalid_argument(fmt::format("{} \"{}\" is unknown", at(place_, "role"), name.substr(0, 40)),
                              "send \"system\", \"user\", \"assistant\" or \"tool\"");
    }
    return {};
  }

  Status read_content() {
    // "text" is the name in which collections of dialogues keep it.
    const char* field = object_.contains("content") || !object_.contains("text") ? "content" : "text";
    const auto content = object_.find(field);
    if (content == object_.end()) {
      has_content_ = false;
    } else if (content->is_string()) {
      message_.content = content->get<std::string>();
    } else if (content->is_array()) {
      WEFT_CHECK(read_parts(*content, json_member(text_, field), at(place_, field)));
    } else if (!content->is_null()) {
      return wrong(at(place_, field), "text, null or an array of parts", *content);
    }
    WEFT_TRY(const std::string refusal, optional_text(object_, "refusal", place_));
    append_line(message_.content, refusal);
    return {};
  }

  Status read_parts(const Json& parts, std::string_view text, const std::string& place) {
    const auto texts = json_elements(text);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      WEFT_CHECK(read_part(parts[i], texts[i], fmt::format("{}[{}]", place, i)));
    }
    return {};
  }

  Status read_part(const Json& part, std::string_view text, const std::string& place) {
    WEFT_TRY(const std::string type, part_type(part, place));
    if (type == "thinking") {
      WEFT_TRY(const std::string thought, optional_text(part, "thinking", place));
      append_line(message_.reasoning, thought);
    } else if (type == "tool_use") {
      WEFT_TRY(ToolCall call, read_function(part, text, "input", place));
      WEFT_TRY(call.id, optional_text(part, "id", place));
      message_.tool_calls.push_back(std::move(call));
    } else if (type == "tool_result") {
      WEFT_CHECK(read_result(part, text, place));
    } else if (type != "redacted_thinking") {  // that one is encrypted and says nothing to anybody here
      WEFT_TRY(const std::string words, part_text(part, type, place));
      append_line(message_.content, words);
      has_own_text_ = true;
    }
    return {};
  }

  Status read_result(const Json& part, std::string_view text, const std::string& place) {
    if (message_.role != Role::kUser) {
      return invalid_argument(
          fmt::format("{} is a tool_result in a message of the role {}", place, to_string(message_.role)),
          "send results of tools in a message of the role \"user\"");
    }
    Message result;
    result.role = Role::kTool;
    WEFT_TRY(result.tool_call_id, optional_text(part, "tool_use_id", place));
    if (const auto content = part.find("content"); content != part.end()) {
      WEFT_TRY(result.content, read_text(*content, at(place, "content")));
    }
    WEFT_TRY(result.failed, is_error(part, place));
    result.time = message_.time;
    result.raw = text;
    results_.push_back(std::move(result));
    return {};
  }

  Status read_calls() {
    if (const auto calls = object_.find("tool_calls"); calls != object_.end() && !calls->is_null()) {
      WEFT_TRY(auto read, read_tool_calls(*calls, json_member(text_, "tool_calls"), at(place_, "tool_calls")));
      std::move(read.begin(), read.end(), std::back_inserter(message_.tool_calls));
    }
    if (const auto call = object_.find("function_call"); call != object_.end() && !call->is_null()) {
      WEFT_TRY(ToolCall read,
               read_function(*call, json_member(text_, "function_call"), "arguments", at(place_, "function_call")));
      read.id = read.name;
      message_.tool_calls.push_back(std::move(read));
    }
    return {};
  }

  Status check() const {
    const std::size_t calls = std::max(message_.tool_calls.size(), results_.size());
    if (calls > limits_.max_tool_calls) {
      return too_large(fmt::format("{} has {} tool calls or results, more than {}",
                                   place_.empty() ? "the message" : place_, calls, limits_.max_tool_calls),
                       "send fewer or raise limits.max_tool_calls");
    }
    if (!message_.tool_calls.empty() && message_.role != Role::kAssistant) {
      return invalid_argument(fmt::format("{} calls tools in a message of the role {}",
                                          place_.empty() ? "the message" : place_, to_string(message_.role)),
                              "only a message of the role \"assistant\" may call tools");
    }
    if (!has_content_ && message_.content.empty() && message_.tool_calls.empty() && message_.reasoning.empty()) {
      return invalid_argument(fmt::format("{} is missing", at(place_, "content")),
                              "send text, null or an array of parts");
    }
    return {};
  }

  // Results first: they answer the calls of the message before.
  std::vector<Message> assemble() {
    const bool own = results_.empty() || has_own_text_;
    message_.raw = text_;
    if (message_.role != Role::kTool) message_.tool_call_id.clear();
    message_.failed = message_.failed && message_.role == Role::kTool;
    if (!message_.id.empty()) {
      const bool alone = results_.size() == 1 && !own;
      for (std::size_t i = 0; i < results_.size(); ++i) {
        results_[i].id = alone ? message_.id : MessageId(fmt::format("{}#{}", message_.id.str(), i + 1));
      }
    }
    std::vector<Message> out = std::move(results_);
    if (own) out.push_back(std::move(message_));
    return out;
  }

  std::string_view text_;
  const Json& object_;
  const std::string& place_;
  const MessageLimits& limits_;
  Message message_;
  std::vector<Message> results_;
  bool has_content_ = true;
  bool has_own_text_ = false;
};

}  // namespace

Result<std::string> read_text(const Json& content, const std::string& place) {
  if (content.is_null()) return std::string();
  if (content.is_string()) return content.get<std::string>();
  if (!content.is_array()) return wrong(place, "text, null or an array of parts", content);
  std::string text;
  for (std::size_t i = 0; i < content.size(); ++i) {
    const std::string here = fmt::format("{}[{}]", place, i);
    WEFT_TRY(const std::string type, part_type(content[i], here));
    WEFT_TRY(const std::string words, part_text(content[i], type, here));
    append_line(text, words);
  }
  return text;
}

Result<std::vector<Message>> read_message(std::string_view json, const Json& object, const std::string& place,
                                          const MessageLimits& limits) {
  if (!object.is_object())
    return wrong(place.empty() ? "the message" : place, "an object with \"role\" and \"content\"", object);
  return MessageReader(json, object, place, limits).read();
}

namespace {

constexpr std::string_view kWhat = "the JSON";

// The first character of a value, behind white space and a byte order mark.
std::size_t first_of(std::string_view json) { return json.find_first_not_of(" \n\r\t\xEF\xBB\xBF"); }

// Parsed message by message, so that the memory taken is that of one, and each is held to its own limit.
Status read_array(std::string_view array, const std::string& place, const MessageLimits& limits,
                  std::vector<Message>& out) {
  const auto texts = json_elements(array);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string here = fmt::format("{}[{}]", place, i);
    if (texts[i].size() > limits.max_bytes) {
      return too_large(fmt::format("{} has {} bytes, more than {}", here, texts[i].size(), limits.max_bytes),
                       "send a shorter message or raise limits.max_message_bytes");
    }
    const auto value = nlohmann::json::parse(texts[i].begin(), texts[i].end(), nullptr, false);
    WEFT_TRY(auto messages, read_message(texts[i], value, here, limits));
    std::move(messages.begin(), messages.end(), std::back_inserter(out));
  }
  return {};
}

// Anthropic's system prompt stands beside the messages.
Status read_system(std::string_view json, const MessageLimits& limits, std::vector<Message>& out) {
  if (json.size() > limits.max_bytes) {
    return too_large(fmt::format("system has {} bytes, more than {}", json.size(), limits.max_bytes),
                     "send a shorter system prompt or raise limits.max_message_bytes");
  }
  const auto value = nlohmann::json::parse(json.begin(), json.end(), nullptr, false);
  if (value.is_null()) return {};
  Message message;
  message.role = Role::kSystem;
  WEFT_TRY(message.content, read_text(value, "system"));
  message.raw = json;
  out.push_back(std::move(message));
  return {};
}

enum class End { kFront, kBack };

// A JSON text, of which a part is replaced by another.
std::string replaced(std::string_view json, std::string_view part, std::string_view by) {
  const auto at = static_cast<std::size_t>(part.data() - json.data());
  return std::string(json.substr(0, at)).append(by).append(json.substr(at + part.size()));
}

std::string as_string(std::string_view text) { return write_json(nlohmann::json(text)); }

// A JSON string with more text in it; what it holds stays written as it is.
std::string grown(std::string_view string, std::string_view text, End end) {
  std::string added = as_string(text);
  if (end == End::kFront) return added.substr(0, added.size() - 1).append(string.substr(1));
  return std::string(string.substr(0, string.size() - 1)).append(added.substr(1));
}

// The JSON string that a part's text is; empty where it is of another kind.
std::string_view text_of_part(std::string_view part) {
  if (part.starts_with('"')) return part;
  if (!part.starts_with('{')) return {};
  const std::string_view type = json_member(part, "type");
  if (type != R"("text")" && type != R"("input_text")" && type != R"("output_text")") return {};
  const std::string_view text = json_member(part, "text");
  return text.starts_with('"') ? text : std::string_view();
}

// OpenAI's Responses API calls parts otherwise than chat completions do.
bool has_input_parts(const std::vector<std::string_view>& parts) {
  return std::any_of(parts.begin(), parts.end(), [](std::string_view part) {
    return part.starts_with('{') && json_member(part, "type").starts_with(R"("input_)");
  });
}

std::string with_part(std::string_view array, std::string_view text, End end) {
  const auto parts = json_elements(array);
  const std::string part = (has_input_parts(parts) ? R"({"type":"input_text","text":)" : R"({"type":"text","text":)") +
                           as_string(text) + "}";
  if (parts.empty()) return "[" + part + "]";
  if (end == End::kFront) return "[" + part + "," + std::string(array.substr(1));
  return std::string(array.substr(0, array.size() - 1)) + "," + part + "]";
}

std::string grown_array(std::string_view array, std::string_view text, End end) {
  auto parts = json_elements(array);
  if (end == End::kBack) std::reverse(parts.begin(), parts.end());
  for (const std::string_view part : parts) {
    const std::string_view own = text_of_part(part);
    if (!own.empty()) return replaced(array, own, grown(own, text, end));
  }
  return with_part(array, text, end);
}

std::string grown_content(std::string_view content, std::string_view text, End end) {
  if (content.starts_with('"')) return grown(content, text, end);
  if (content.starts_with('[')) return grown_array(content, text, end);
  return as_string(text);
}

std::string grown_message(std::string_view raw, std::string_view text, End end) {
  const auto begin = raw.find_first_not_of(" \n\r\t\xEF\xBB\xBF");
  if (begin == std::string_view::npos || raw[begin] != '{' || text.empty()) return std::string(raw);
  std::string_view content = json_member(raw, "content");
  if (content.empty()) content = json_member(raw, "text");  // as the reader of messages takes it
  if (!content.empty()) return replaced(raw, content, grown_content(content, text, end));
  const auto close = raw.rfind('}');
  const bool alone = json_members(raw).empty();
  return std::string(raw.substr(0, close))
      .append(alone ? "" : ",")
      .append(R"("content":)")
      .append(as_string(text))
      .append(raw.substr(close));
}

}  // namespace

Result<std::vector<Message>> parse_message(std::string_view json, const MessageLimits& limits) {
  WEFT_TRY(const nlohmann::json value, read_json(json, {limits.max_bytes, limits.max_depth}, kWhat));
  return read_message(json, value, "", limits);
}

Result<std::vector<Message>> parse_checked_message(std::string_view json, const MessageLimits& limits) {
  // Parsed again, `parse_message` says which limit it exceeds.
  if (json.size() > limits.max_bytes || nests_deeper(json, limits.max_depth)) return parse_message(json, limits);
  return read_message(json, nlohmann::json::parse(json.begin(), json.end(), nullptr, false), "", limits);
}

Result<std::vector<Message>> parse_messages(std::string_view json, const MessageLimits& limits) {
  WEFT_CHECK(check_json(json, {json.size(), limits.max_depth + 2}, kWhat));
  std::vector<Message> out;
  json.remove_prefix(first_of(json));
  if (json.starts_with('[')) {
    WEFT_CHECK(read_array(json, "messages", limits, out));
    return out;
  }
  if (!json.starts_with('{')) {
    return invalid_argument("the JSON is neither an array nor an object", "send an array of messages");
  }
  const std::string_view messages = json_member(json, "messages");
  if (!messages.starts_with('[')) {
    return invalid_argument(messages.empty() ? "messages is missing" : "messages is no array",
                            "send an array of messages, or an object with such an array as \"messages\"");
  }
  if (const std::string_view system = json_member(json, "system"); !system.empty()) {
    WEFT_CHECK(read_system(system, limits, out));
  }
  WEFT_CHECK(read_array(messages, "messages", limits, out));
  return out;
}

std::string to_json(const Message& message) { return to_json<Message>(message); }

std::string to_chat_json(const Message& message) { return to_json<Message>(chat_form(message)); }

Message chat_form(const Message& message) {
  Message plain;
  plain.role = message.role;
  plain.name = message.name;
  plain.content = message.content;
  plain.tool_calls = message.tool_calls;
  plain.tool_call_id = message.tool_call_id;
  return plain;
}

std::string with_text_before(std::string_view raw_message, std::string_view text) {
  return grown_message(raw_message, text, End::kFront);
}

std::string with_text_after(std::string_view raw_message, std::string_view text) {
  return grown_message(raw_message, text, End::kBack);
}

Message with_text_before(Message message, std::string_view text) {
  if (!message.raw.empty()) message.raw = with_text_before(message.raw, text);
  message.content.insert(0, text);
  return message;
}

Message with_text_after(Message message, std::string_view text) {
  if (!message.raw.empty()) message.raw = with_text_after(message.raw, text);
  message.content.append(text);
  return message;
}

}  // namespace weft
