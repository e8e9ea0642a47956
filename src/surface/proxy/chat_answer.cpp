#include "surface/proxy/chat_answer.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/lowered.h"
#include "text/json.h"
#include "text/json_lookup.h"

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

}  // namespace weft::proxy
