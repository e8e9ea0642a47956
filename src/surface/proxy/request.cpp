#include "surface/proxy/request.h"

#include <nlohmann/json.hpp>

#include "surface/api/bodies.h"
#include "text/json.h"

namespace weft::proxy {
namespace {

std::string_view trim(std::string_view text) {
  static constexpr std::string_view kSpace = " \t\r\n";
  const auto begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

bool is_save(const Message& message) { return message.role == Role::kUser && trim(message.content) == "/save"; }

std::string string_member(std::string_view object, std::string_view name) {
  const auto text = json_member(object, name);
  if (!text.starts_with('"')) return {};
  return nlohmann::json::parse(text).get<std::string>();  // the body has been checked
}

void read_messages(ChatCall& call, const MessageLimits& limits) {
  const auto array = json_member(call.body, "messages");
  if (!array.starts_with('[')) {
    call.unreadable = "there is no array of messages";
    return;
  }
  call.messages_begin = static_cast<std::size_t>(array.data() - call.body.data());
  call.messages_end = call.messages_begin + array.size();
  std::vector<Message> messages;
  for (const auto element : json_elements(array)) {
    auto parsed = parse_message(element, limits);
    if (!parsed.ok() || parsed->size() != 1) {
      call.unreadable = "message " + std::to_string(messages.size() + 1) + ": " +
                        (parsed.ok() ? "this form is not OpenAI's" : parsed.error().message);
      return;
    }
    messages.push_back(std::move(parsed->front()));
    messages.back().raw = std::string(element);
  }
  if (messages.empty()) call.unreadable = "there are no messages";
  call.messages = std::move(messages);
}

}  // namespace

Result<ChatCall> begin_call(std::string body, WireForm form, const Config& config) {
  WEFT_CHECK(check_json(body, body_limits(body, config), "the body"));
  ChatCall call;
  call.form = form;
  call.body = std::move(body);
  if (object_in(call.body).empty()) return invalid_argument("the body is not an object");
  call.model = string_member(call.body, "model");
  call.stream = json_member(call.body, "stream") == "true";
  return call;
}

Result<ChatCall> parse_call(std::string body, const Config& config) {
  const auto limits = message_limits(config);
  WEFT_CHECK(check_json(body, body_limits(body, config), "the body"));
  ChatCall call;
  call.body = std::move(body);
  if (object_in(call.body).empty()) {
    call.unreadable = "the body is not an object";
    return call;
  }
  WEFT_TRY(call.names, names_in_body(call.body));
  call.model = string_member(call.body, "model");
  call.stream = json_member(call.body, "stream") == "true";
  const auto options = json_member(call.body, "stream_options");
  call.include_usage = options.starts_with('{') && json_member(options, "include_usage") == "true";
  read_messages(call, limits);
  return call;
}

bool asks_to_save(const ChatCall& call) { return !call.messages.empty() && is_save(call.messages.back()); }

std::vector<Message> remembered(const std::vector<Message>& messages) {
  std::vector<Message> out;
  bool after_save = false;
  for (const auto& message : messages) {
    const bool answer_to_save = after_save && message.role == Role::kAssistant;
    after_save = is_save(message);
    if (!after_save && !answer_to_save) out.push_back(message);
  }
  return out;
}

std::string body_with(const ChatCall& call, const std::vector<Message>& messages) {
  std::string array = "[";
  for (const auto& message : messages) {
    if (array.size() > 1) array += ',';
    if (!message.raw.empty()) {
      array += message.raw;
      continue;
    }
    auto plain = message;  // the model's server knows nothing of our ids and times
    plain.id = {};
    plain.time.reset();
    array += to_json(plain);
  }
  array += ']';
  auto out = call.body;
  out.replace(call.messages_begin, call.messages_end - call.messages_begin, array);
  return out;
}

}  // namespace weft::proxy
