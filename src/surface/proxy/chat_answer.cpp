#include "surface/proxy/chat_answer.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/strings.h"
#include "surface/proxy/responses.h"
#include "text/json.h"
#include "text/markup.h"
#include "weft/scope.h"

namespace weft::proxy {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostCalls = 4096;

// The first choice; null where there is none.
const Json& choice_of(const Json& answer) {
  static const Json none;
  const Json& choices = member(answer, "choices");
  if (!choices.is_array()) return none;
  for (const Json& choice : choices) {
    const Json& index = member(choice, "index");
    if (!index.is_number_integer() || index.get<long long>() == 0) return choice;
  }
  return none;
}

// A text, or the texts of a list of parts.
std::string text_in(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  std::string text;
  if (value.is_array())
    for (const Json& part : value) text += part.is_string() ? part.get<std::string>() : text_of(member(part, "text"));
  return text;
}

// Content in parts may hold the thought as a part.
void take_content(const Json& content, ChatPiece& piece) {
  if (!content.is_array()) {
    piece.text += text_in(content);
    return;
  }
  for (const Json& part : content) {
    const std::string type = text_of(member(part, "type"));
    if (type == "thinking" || type == "reasoning") {
      for (const char* field : {"thinking", "reasoning", "text"}) piece.thought += text_in(member(part, field));
    } else if (type == "refusal") {
      piece.refusal += text_of(member(part, "refusal"));
    } else {
      piece.text += part.is_string() ? part.get<std::string>() : text_of(member(part, "text"));
    }
  }
}

// Servers name the model's thought differently.
std::string thought_of(const Json& said) {
  for (const char* field : {"reasoning_content", "reasoning", "thinking", "thought"})
    if (std::string thought = text_in(member(said, field)); !thought.empty()) return thought;
  return {};
}

std::string arguments_in(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.is_object() || value.is_array() ? write_json(value) : std::string();
}

bool is_whole(const std::string& arguments) { return arguments.ends_with('}') && Json::accept(arguments); }

}  // namespace

ChatPiece ChatAnswerReader::read_whole(const Json& answer) {
  answer_id_ = text_of(member(answer, "id"));
  const Json& choice = choice_of(answer);
  ChatPiece piece = read_said(member(choice, "message"), true);
  piece.calls = give(true);
  piece.finish = finish_word(text_of(member(choice, "finish_reason")), has_calls());
  return piece;
}

ChatPiece ChatAnswerReader::read_piece(const Json& chunk) {
  if (answer_id_.empty()) answer_id_ = text_of(member(chunk, "id"));
  const Json& choice = choice_of(chunk);
  const Json& delta = member(choice, "delta");
  has_deltas_ = has_deltas_ || delta.is_object();
  // Some servers stream messages; behind deltas one repeats the whole answer.
  ChatPiece piece = has_deltas_ ? read_said(delta, false) : read_message_piece(member(choice, "message"));
  piece.text += text_of(member(choice, "text"));  // of a plain completion
  piece.calls = give(false);
  if (const std::string finish = text_of(member(choice, "finish_reason")); !finish.empty())
    piece.finish = finish_word(finish, has_calls());
  return piece;
}

ChatPiece ChatAnswerReader::read_message_piece(const Json& message) {
  constexpr std::size_t kSurelyRepeated = 16;  // bytes; shorter ones may be said twice
  ChatPiece piece = read_said(message, false);
  if (text_.size() >= kSurelyRepeated && piece.text.starts_with(text_)) piece.text.erase(0, text_.size());
  text_ += piece.text;
  return piece;
}

std::vector<CallPiece> ChatAnswerReader::rest() { return give(true); }

ChatPiece ChatAnswerReader::read_said(const Json& said, bool whole) {
  ChatPiece piece;
  piece.thought = thought_of(said);
  take_content(member(said, "content"), piece);
  piece.refusal += text_of(member(said, "refusal"));
  if (const Json& calls = member(said, "tool_calls"); calls.is_array())
    for (const Json& call : calls) take_call(call, whole);
  if (const Json& former = member(said, "function_call"); former.is_object())
    take_call({{"index", 0}, {"id", text_of(member(former, "name"))}, {"function", former}}, whole);
  return piece;
}

// Which call a piece belongs to. A new id with a name begins one, also under an index that is taken: some servers give
// all calls the same. Others give every piece of one call an id of its own, but only the first a name.
ChatAnswerReader::Call* ChatAnswerReader::call_of(const Json& call, const std::string& id, const std::string& name,
                                                  bool whole) {
  const Json& index = member(call, "index");
  const long long place = index.is_number_integer() ? index.get<long long>() : -1;
  const auto known = by_index_.find(place);
  const bool numbered = place >= 0;
  bool begins = whole || (numbered ? known == by_index_.end() : calls_.empty() || !id.empty() || !name.empty());
  if (!begins) {
    const Call& same = calls_[numbered ? known->second : calls_.size() - 1];
    const bool other_id = !id.empty() && !same.id.empty() && id != same.id;
    begins = !name.empty() && (other_id || (id.empty() && is_whole(same.arguments)));
    if (!begins) return &calls_[numbered ? known->second : calls_.size() - 1];
  }
  if (calls_.size() >= kMostCalls) return nullptr;
  by_index_[place] = calls_.size();
  return &calls_.emplace_back();
}

void ChatAnswerReader::take_call(const Json& call, bool whole) {
  // A call of a tool that takes free text has it as its input.
  const bool custom = member(call, "custom").is_object();
  const Json& function = member(call, custom ? "custom" : "function");
  if (!function.is_object()) return;
  const std::string id = text_of(member(call, "id")), name = text_of(member(function, "name"));
  Call* const into = call_of(call, id, name, whole);
  if (into == nullptr) return;
  if (into->id.empty()) into->id = id;
  if (into->id.empty() && gives_ids_ && !name.empty())
    into->id = "call_" + (answer_id_.empty() ? "" : answer_id_ + "_") + std::to_string(into - calls_.data());
  if (into->name.empty()) into->name = name;
  into->arguments += arguments_in(member(function, custom ? "input" : "arguments"));
}

std::vector<CallPiece> ChatAnswerReader::give(bool all) {
  std::vector<CallPiece> pieces;
  for (; current_ < calls_.size(); ++current_) {
    Call& call = calls_[current_];
    if (!call.begun || call.given < call.arguments.size())
      pieces.push_back({!call.begun, call.id, call.name, call.arguments.substr(call.given)});
    call.begun = true;
    call.given = call.arguments.size();
    const bool last = current_ + 1 == calls_.size();
    if (!all && (last || !is_whole(call.arguments))) break;
  }
  return pieces;
}

std::string finish_word(std::string_view said, bool has_calls) {
  const std::string word = lowered(said);
  const auto is = [&](std::initializer_list<std::string_view> words) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  if (is({"length", "max_tokens", "max_output_tokens", "model_length", "token_limit"})) return "length";
  if (is({"content_filter", "safety", "refusal", "sensitive", "prohibited_content", "recitation"}))
    return "content_filter";
  return has_calls ? "tool_calls" : "stop";
}

namespace {

constexpr std::int64_t kMostToolCalls = 4096;

void append(std::string& into, const Json& text) {
  if (text.is_string()) into += text.get_ref<const std::string&>();
}

void note_number(const Json& value, std::int64_t& into) {
  if (value.is_number_integer()) into = value.get<std::int64_t>();
}

// An answer, or the part of an event that stands for one, in whatever form.
void note_counts(const Json& answer, ReplyCounts& counts) {
  if (!answer.is_object()) return;
  if (const std::string model = text_of(member(answer, "model")); !model.empty()) counts.model = model;
  const Json& usage = member(answer, "usage");
  for (const char* name : {"prompt_tokens", "input_tokens"}) note_number(member(usage, name), counts.input_tokens);
  // In Anthropic's form what is read from a cache or put there is counted beside the rest of the prompt.
  for (const char* name : {"cache_creation_input_tokens", "cache_read_input_tokens"})
    if (const Json& cached = member(usage, name);
        cached.is_number_integer() && member(usage, "input_tokens").is_number())
      counts.input_tokens += cached.get<std::int64_t>();
  for (const char* name : {"completion_tokens", "output_tokens"})
    note_number(member(usage, name), counts.output_tokens);
  const Json& choices = member(answer, "choices");
  const Json& choice = choices.is_array() && !choices.empty() ? choices.front() : answer;
  for (const Json* object : {&choice, &member(answer, "delta")})
    for (const char* name : {"finish_reason", "stop_reason"})
      if (const std::string why = text_of(member(*object, name)); !why.empty()) counts.finish = why;
  if (member(answer, "object") == "response") counts.finish = text_of(member(answer, "status"));
}

constexpr JsonLimits kResponseLimits{.max_bytes = 256 * 1024 * 1024, .max_depth = 512};

// The message of a response that is over, by its JSON text. `items`: what came of it before, where it holds none.
std::optional<Message> message_of_response(std::string_view response, const std::string& items) {
  const std::string status = json_text(json_member(response, "status")).value_or({});
  if (status != "completed" && status != "incomplete") return std::nullopt;
  std::string_view output = json_member(response, "output");
  const std::string done = "[" + items + "]";
  if ((!output.starts_with('[') || json_elements(output).empty()) && !items.empty()) output = done;
  auto message = reply_of_output(output);
  const std::string id = json_text(json_member(response, "id")).value_or({});
  if (message && check_id(id, "the response").ok()) message->id = MessageId(id);
  return message;
}

void take_calls(const std::vector<CallPiece>& pieces, std::vector<ToolCall>& calls) {
  for (const CallPiece& piece : pieces) {
    if (piece.begins || calls.empty()) calls.push_back({piece.id, piece.name, {}});
    calls.back().arguments += piece.arguments;
  }
}

// An answer that is nothing but a thought says nothing.
bool says_nothing(const Message& message) {
  return message.tool_calls.empty() && split_thoughts(message.content).said.empty();
}

}  // namespace

void ReplyAssembler::feed(std::string_view bytes) {
  if (!reader_.feed(bytes, [this](const SseEvent& event) { take(event); })) broken_ = true;
}

void ReplyAssembler::take(const SseEvent& event) {
  if (done_ || broken_) return;
  if (event.data == "[DONE]") {
    done_ = true;
    return;
  }
  const auto chunk = lenient_json<Json>(event.data);
  const auto& error = member(chunk, "error");
  const std::string type = text_of(member(chunk, "type"));
  if (!chunk.is_object() || !error.is_null() || type == "error" || type == "response.failed") {
    broken_ = true;
    failed_ = chunk.is_object();
    return;
  }
  for (const Json* object : {&chunk, &member(chunk, "message"), &member(chunk, "response")})
    note_counts(*object, counts_);
  if (type.starts_with("response.")) return take_response(type, event);
  if (!type.empty()) return take_anthropic(chunk);
  const Json& choices = member(chunk, "choices");
  if (!choices.is_array() || choices.empty()) return;  // such as the counts of tokens at the end
  const ChatPiece piece = chat_.read_piece(chunk);
  started_ = true;
  message_.content += piece.text + piece.refusal;
  message_.reasoning += piece.thought;
  take_calls(piece.calls, message_.tool_calls);
  begun_ = begun_ || !message_.content.empty() || !message_.reasoning.empty() || chat_.has_calls();
  finished_ = finished_ || !piece.finish.empty();
}

// Only what is done is looked at: the last event holds it all.
void ReplyAssembler::take_response(std::string_view type, const SseEvent& event) {
  begun_ = begun_ || type.ends_with(".delta");
  if (!check_json(event.data, kResponseLimits, "an event").ok()) return;
  if (type == "response.output_item.done") {
    items_ += items_.empty() ? "" : ",";
    items_ += json_member(event.data, "item");
  }
  if (type != "response.completed" && type != "response.incomplete") return;
  const std::string_view response = json_member(event.data, "response");
  done_ = started_ = true;
  if (!response.starts_with('{')) return;
  if (auto message = message_of_response(response, items_)) message_ = std::move(*message);
}

void ReplyAssembler::take_anthropic(const Json& event) {
  const auto& type = member(event, "type").get_ref<const std::string&>();
  const auto& place = member(event, "index");
  const std::int64_t index = place.is_number_integer() ? place.get<std::int64_t>() : 0;
  if (type == "message_start") started_ = true;
  if (type == "content_block_start") {
    const auto& block = member(event, "content_block");
    append(message_.content, member(block, "text"));
    if (member(block, "type") != "tool_use" || index < 0 || index > kMostToolCalls) return;
    append(calls_[index].id, member(block, "id"));
    append(calls_[index].name, member(block, "name"));
  }
  if (type == "content_block_delta") {
    begun_ = true;
    const auto& delta = member(event, "delta");
    append(message_.content, member(delta, "text"));
    append(message_.reasoning, member(delta, "thinking"));
    if (const auto call = calls_.find(index); call != calls_.end())
      append(call->second.arguments, member(delta, "partial_json"));
  }
  if (type == "message_delta") finished_ = finished_ || member(member(event, "delta"), "stop_reason").is_string();
  if (type != "message_stop") return;
  done_ = true;
  for (auto& [number, call] : calls_)
    if (call.arguments.empty()) call.arguments = "{}";  // a call without arguments has no delta
}

std::optional<Message> ReplyAssembler::message() const {
  if (!complete() || !started_) return std::nullopt;
  auto out = message_;
  out.role = Role::kAssistant;
  take_calls(ChatAnswerReader(chat_).rest(), out.tool_calls);
  for (const auto& [place, call] : calls_) out.tool_calls.push_back(call);
  if (says_nothing(out)) return std::nullopt;
  return out;
}

std::optional<Message> reply_in(std::string_view json) {
  const auto answer = lenient_json<Json>(json);
  if (member(answer, "error").is_object() || member(answer, "error").is_string()) return std::nullopt;
  if (member(answer, "type") == "message") {
    auto read = parse_message(json, {.max_bytes = json.size()});
    return read.ok() && read->size() == 1 && read->front().role == Role::kAssistant && !says_nothing(read->front())
               ? std::optional(std::move(read->front()))
               : std::nullopt;
  }
  if (member(answer, "object") == "response")
    return check_json(json, kResponseLimits, "the answer").ok() ? message_of_response(json, {}) : std::nullopt;
  const ChatPiece said = ChatAnswerReader(false).read_whole(answer);
  Message out;
  out.role = Role::kAssistant;
  out.content = said.text + said.refusal;
  out.reasoning = said.thought;
  take_calls(said.calls, out.tool_calls);
  if (says_nothing(out)) return std::nullopt;
  return out;
}

ReplyCounts counts_in(std::string_view json) {
  ReplyCounts counts;
  note_counts(lenient_json<Json>(json), counts);
  return counts;
}

bool TranslatingWriter::begin(int status, std::string_view) {
  return out_.begin(status, "text/event-stream; charset=utf-8");
}

bool TranslatingWriter::write(std::string_view bytes) {
  reader_.feed(bytes, [this](const SseEvent& event) { take(event.data); });
  const std::string made = taken();
  return made.empty() ? !out_.client_gone() : out_.write(made);
}

void TranslatingWriter::end() {
  finish();
  if (const std::string made = taken(); !made.empty()) out_.write(made);
  out_.end();
}

}  // namespace weft::proxy
