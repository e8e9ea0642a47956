#include "surface/proxy/request.h"

#include <nlohmann/json.hpp>

#include "base/strings.h"
#include "model/message_reader.h"
#include "surface/api/bodies.h"
#include "text/json.h"
#include "text/typed_words.h"

namespace weft::proxy {
namespace {

bool is_save(const Message& message) { return message.role == Role::kUser && trimmed(message.content) == "/save"; }

// What was typed of a text. A slash command that a program tells in elements says nothing without what stands behind
// its name; whoever types one in a chat says it.
std::string words_in(std::string_view text) {
  std::string words = typed_words(text);
  return is_bare_command(words) && words != trimmed(text) ? std::string() : words;
}

// The content of a message as it was sent, with nothing but what the person typed; parts of other kinds stay. Empty
// where that is all of it.
std::string typed_parts(std::string_view array) {
  std::string kept;
  bool changed = false;
  for (const std::string_view part : json_elements(array)) {
    const std::string_view text = part.starts_with('{') ? json_member(part, "text") : std::string_view();
    std::string typed(part);
    if (text.starts_with('"')) {
      const std::string said = json_text(text).value_or({}), words = words_in(said);
      if (words != trimmed(said)) {
        changed = true;
        if (words.empty()) continue;
        typed.replace(static_cast<std::size_t>(text.data() - part.data()), text.size(),
                      write_json(nlohmann::json(words)));
      }
    }
    kept.append(kept.empty() ? "" : ",").append(typed);
  }
  return changed ? "[" + kept + "]" : std::string();
}

// Each part is read for itself: a text that is a program's to its end may stand before one that somebody typed.
Message typed_message(const Message& message) {
  Message typed = message;
  const std::string_view array = message.raw.empty() ? std::string_view() : json_member(message.raw, "content");
  if (array.starts_with('[')) {
    const std::string parts = typed_parts(array);
    if (parts.empty()) return message;
    typed.raw.replace(static_cast<std::size_t>(array.data() - message.raw.data()), array.size(), parts);
    const auto read = parse_message(typed.raw, {.max_bytes = typed.raw.size(), .max_depth = typed.raw.size()});
    if (!read.ok() || read->size() != 1) return message;
    typed.content = read->front().content;
    return typed;
  }
  typed.content = words_in(message.content);
  if (typed.content == trimmed(message.content)) return message;
  typed.raw.clear();
  return typed;
}

// Outputs of tools hold reminders, too.
Message without_reminders_of(const Message& message) {
  Message output = message;
  output.content = without_reminders(message.content);
  if (output.content == message.content || trimmed(output.content).empty()) return message;
  output.raw.clear();
  return output;
}

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
    auto parsed = parse_checked_message(element, limits);  // the body has been checked
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

const Remembered& ChatCall::remembered() {
  if (remembered_) return *remembered_;
  auto made = std::make_shared<Remembered>();
  bool after_save = false;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const Message& message = messages[i];
    const bool answer_to_save = after_save && message.role == Role::kAssistant;
    after_save = is_save(message);
    if (after_save || answer_to_save) {
      made->texts[i].clear();
      continue;
    }
    Message kept = message.role == Role::kUser   ? typed_message(message)
                   : message.role == Role::kTool ? without_reminders_of(message)
                                                 : message;
    if (kept.content != message.content) made->texts[i] = kept.content;
    const bool says_nothing = kept.content.empty() && !message.content.empty() && message.role == Role::kUser;
    if (!says_nothing) made->messages.push_back(std::move(kept));
  }
  remembered_ = std::move(made);
  return *remembered_;
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
