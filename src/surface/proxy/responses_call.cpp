#include "surface/proxy/responses_call.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "surface/api/bodies.h"
#include "surface/proxy/responses_items.h"
#include "text/json.h"

namespace weft::proxy {
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

}  // namespace weft::proxy
