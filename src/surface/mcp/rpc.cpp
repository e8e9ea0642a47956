#include "surface/mcp/rpc.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "text/json.h"

namespace weft::mcp {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

RpcRefusal refused(RpcCode code, std::string message, std::string id = {}) {
  return {{code, std::move(message), {}}, std::move(id), false};
}

// A text or a whole number: nothing else names a request.
bool is_id(std::string_view json) {
  if (json.starts_with('"')) return true;
  const auto digits = json.substr(json.starts_with('-') ? 1 : 0);
  return !digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos;
}

// Behind the text that begins here with a quotation mark; the end where it has none.
std::size_t end_of_text(std::string_view json, std::size_t at) {
  for (++at; at < json.size() && json[at] != '"'; ++at)
    if (json[at] == '\\') ++at;
  return std::min(at + 1, json.size());
}

// The id of a message that is no valid JSON, as far as it stands in the text; empty where it does not.
std::string id_in_broken(std::string_view json) {
  std::size_t depth = 0;
  for (std::size_t at = 0; at < json.size(); ++at) {
    if (json[at] == '{' || json[at] == '[') ++depth;
    if ((json[at] == '}' || json[at] == ']') && depth > 0) --depth;
    if (json[at] != '"') continue;
    const std::size_t end = end_of_text(json, at);
    const bool named_id = depth == 1 && json.substr(at, end - at) == "\"id\"";
    const auto colon = json.find_first_not_of(kBlanks, end);
    at = end - 1;
    if (!named_id || colon == std::string_view::npos || json[colon] != ':') continue;
    const auto from = json.find_first_not_of(kBlanks, colon + 1);
    if (from == std::string_view::npos) return {};
    const auto to = json[from] == '"' ? end_of_text(json, from) : json.find_first_of(",}", from);
    const std::string_view id = trimmed(json.substr(from, to == std::string_view::npos ? to : to - from));
    return is_id(id) && check_json(id, {}, "id").ok() ? std::string(id) : std::string();
  }
  return {};
}

std::string_view without_mark(std::string_view json) {
  if (json.starts_with(kByteOrderMark)) json.remove_prefix(kByteOrderMark.size());
  return json.substr(std::min(json.find_first_not_of(kBlanks), json.size()));
}

class Message {
 public:
  Message() {
    out_.begin('{');
    member("jsonrpc").text("2.0");
  }
  JsonWriter& member(std::string_view name) {
    out_.name(name);
    return out_;
  }
  std::string take() {
    out_.end('}');
    return out_.take();
  }

 private:
  JsonWriter out_;
};

std::variant<RpcMessage, RpcRefusal> read_response(std::string_view object, RpcMessage message) {
  const std::string_view result = json_member(object, "result"), error = json_member(object, "error");
  if (message.id.empty() || result.empty() == error.empty())
    return refused(RpcCode::kInvalidRequest,
                   "a message has a method, or it is a response with an id and one of result and error", message.id);
  message.kind = RpcKind::kResponse;
  message.failed = result.empty();
  if (message.failed) return message;
  auto read = parse_value(result, {.max_bytes = result.size() + 1}, "result");
  if (!read.ok()) return refused(RpcCode::kInvalidRequest, read.error().message, message.id);
  message.result = std::move(read).value();
  return message;
}

}  // namespace

std::variant<RpcMessage, RpcRefusal> read_message(std::string_view json, const JsonLimits& limits) {
  json = without_mark(json);
  if (const Status fine = check_json(json, limits, "the message"); !fine.ok())
    return refused(RpcCode::kParseError, fine.error().message, id_in_broken(json));
  if (json.starts_with('['))
    return refused(RpcCode::kInvalidRequest,
                   "several messages at once are not part of this protocol: send them one by one");
  if (!json.starts_with('{')) return refused(RpcCode::kInvalidRequest, "a message is a JSON object");
  RpcMessage message;
  const std::string_view id = json_member(json, "id");
  if (!id.empty() && !is_id(id)) {
    const bool fraction = id.find_first_not_of("0123456789.eE+-") == std::string_view::npos;
    return refused(RpcCode::kInvalidRequest, "\"id\" must be a text or a whole number",
                   std::string(fraction ? id : ""));
  }
  message.id = compact_json(id.empty() ? std::string_view() : id);
  if (json_member(json, "jsonrpc") != "\"2.0\"")
    return refused(RpcCode::kInvalidRequest, "\"jsonrpc\" must be \"2.0\"", message.id);
  const std::string_view method = json_member(json, "method");
  if (method.empty()) return read_response(json, std::move(message));
  auto name = json_text(method);
  if (!name.ok()) return refused(RpcCode::kInvalidRequest, "\"method\" must be a text", message.id);
  message.method = std::move(name).value();
  message.kind = message.id.empty() ? RpcKind::kNotification : RpcKind::kRequest;
  const std::string_view params = json_member(json, "params");
  if (params.empty() || params == "null") return message;
  auto read = parse_value(params, {limits.max_bytes, limits.max_depth}, "params");
  if (read.ok() && read->object() != nullptr) {
    message.params = std::move(read).value();
    return message;
  }
  RpcRefusal why =
      refused(RpcCode::kInvalidParams, read.ok() ? "\"params\" must be an object" : read.error().message, message.id);
  why.silent = message.kind == RpcKind::kNotification;
  return why;
}

std::vector<std::string_view> listed_messages(std::string_view json, const JsonLimits& limits) {
  json = without_mark(json);
  if (!json.starts_with('[') || !check_json(json, limits, "the messages").ok()) return {};
  return json_elements(json);
}

std::string result_message(std::string_view id, const Value& result) {
  Message out;
  out.member("id").raw(id);
  out.member("result").raw(to_json(result));
  return out.take();
}

std::string error_message(std::string_view id, const RpcError& error) {
  ValueObject told{{"code", static_cast<int>(error.code)}, {"message", error.message}};
  if (!error.data.is_null()) told.emplace_back("data", error.data);
  Message out;
  out.member("id").raw(id.empty() ? "null" : id);
  out.member("error").raw(to_json(Value(std::move(told))));
  return out.take();
}

std::string notification_message(std::string_view method, const Value& params) {
  Message out;
  out.member("method").text(method);
  if (!params.is_null()) out.member("params").raw(to_json(params));
  return out.take();
}

std::string request_message(std::string_view id, std::string_view method, const Value& params) {
  Message out;
  out.member("id").raw(id);
  out.member("method").text(method);
  if (!params.is_null()) out.member("params").raw(to_json(params));
  return out.take();
}

std::string text_of(const Value& object, std::string_view name) {
  const Value* found = object.find(name);
  return found != nullptr && found->text() != nullptr ? *found->text() : std::string();
}

namespace {

constexpr std::array<std::string_view, 8> kSeverities{"debug", "info",     "notice", "warning",
                                                      "error", "critical", "alert",  "emergency"};

}  // namespace

std::string_view to_string(Revision revision) {
  switch (revision) {
    case Revision::k2025_06_18: return "2025-06-18";
    case Revision::k2025_11_25: return "2025-11-25";
    case Revision::k2026_07_28: return "2026-07-28";
  }
  return "";
}

std::optional<Revision> parse_revision(std::string_view text) {
  for (const Revision one : kRevisions)
    if (to_string(one) == text) return one;
  return std::nullopt;
}

std::string_view to_string(Severity severity) { return kSeverities[static_cast<std::size_t>(severity)]; }

std::optional<Severity> parse_severity(std::string_view text) {
  for (std::size_t i = 0; i < kSeverities.size(); ++i)
    if (kSeverities[i] == text) return static_cast<Severity>(i);
  return std::nullopt;
}

bool can_ask_people(const Value* capabilities) {
  const Value* asking = capabilities == nullptr ? nullptr : capabilities->find("elicitation");
  if (asking == nullptr || asking->object() == nullptr) return false;
  // Where it names ways at all, only those are there.
  return asking->object()->empty() || asking->find("form") != nullptr;
}

const Value* meta_of(const Value& params) {
  const Value* meta = params.find("_meta");
  return meta != nullptr && meta->object() != nullptr ? meta : nullptr;
}

std::string Pending::begin() {
  const std::lock_guard lock(mutex_);
  std::string id = "\"weft-" + std::to_string(next_++) + "\"";
  waiting_[id];
  return id;
}

Result<Value> Pending::wait(const std::string& id, std::chrono::milliseconds patience, std::stop_token cancel) {
  std::unique_lock lock(mutex_);
  const bool come = changed_.wait_for(lock, cancel, patience, [&] { return given_up_ || waiting_[id].has_value(); });
  std::optional<RpcMessage> answer = std::move(waiting_[id]);
  waiting_.erase(id);
  if (answer && answer->failed) return invalid_argument("the client refused to ask its user");
  if (answer) return std::move(answer->result);
  if (come || cancel.stop_requested()) return cancelled("the client is gone");
  return timed_out("the user did not answer in time");
}

void Pending::take(RpcMessage response) {
  const std::lock_guard lock(mutex_);
  const auto asked = waiting_.find(response.id);
  if (asked == waiting_.end()) return;
  asked->second = std::move(response);
  changed_.notify_all();
}

void Pending::give_up() {
  const std::lock_guard lock(mutex_);
  given_up_ = true;
  changed_.notify_all();
}

}  // namespace weft::mcp
