#include "surface/proxy/anthropic_request.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "text/json.h"
#include "text/json_lookup.h"

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

}  // namespace weft::proxy
