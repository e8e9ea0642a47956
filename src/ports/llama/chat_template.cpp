#include "ports/llama/chat_template.h"

#include <jinja/lexer.h>
#include <jinja/parser.h>
#include <jinja/runtime.h>
#include <jinja/value.h>
#include <json.h>

#include <exception>

namespace weft::llama {
namespace {

common_json message_json(const Message& message) {
  common_json json = common_json::object();
  json["role"] = std::string(to_string(message.role));
  json["content"] = message.content;
  if (!message.tool_call_id.empty()) json["tool_call_id"] = message.tool_call_id;
  if (!message.name.empty()) json["name"] = message.name;
  if (message.tool_calls.empty()) return json;
  common_json calls = common_json::array();
  for (const ToolCall& call : message.tool_calls) {
    common_json function = common_json::object();
    function["name"] = call.name;
    function["arguments"] = call.arguments;
    common_json entry = common_json::object();
    entry["id"] = call.id;
    entry["type"] = "function";
    entry["function"] = function;
    calls.push_back(entry);
  }
  json["tool_calls"] = calls;
  return json;
}

}  // namespace

struct ChatTemplate::State {
  std::string source, bos, eos;
  jinja::program program;
};

Result<ChatTemplate> ChatTemplate::compile(const std::string& source, std::string bos, std::string eos) {
  auto state = std::make_shared<State>();
  state->source = source;
  state->bos = std::move(bos);
  state->eos = std::move(eos);
  try {
    jinja::lexer lexer;
    state->program = jinja::parse_from_tokens(lexer.tokenize(source));
  } catch (const std::exception& e) {
    return invalid_argument("the model's chat template cannot be read: " + std::string(e.what()));
  }
  return ChatTemplate(std::move(state));
}

Result<std::vector<PromptPart>> ChatTemplate::render(const std::vector<Message>& messages) const {
  try {
    common_json list = common_json::array();
    for (const Message& message : messages) list.push_back(message_json(message));
    common_json from_outside = common_json::object();
    from_outside["messages"] = list;
    common_json ours = common_json::object();
    ours["bos_token"] = state_->bos;
    ours["eos_token"] = state_->eos;
    ours["add_generation_prompt"] = true;
    ours["enable_thinking"] = false;
    jinja::context context(state_->source);
    jinja::global_from_json(context, from_outside, true);
    jinja::global_from_json(context, ours, false);
    jinja::runtime runtime(context);
    const jinja::value result = runtime.execute(state_->program);
    const auto rendered = jinja::runtime::gather_string_parts(result);
    std::vector<PromptPart> parts;
    for (const auto& part : rendered->as_string().parts) parts.push_back({part.val, part.is_input});
    return parts;
  } catch (const std::exception& e) {
    return invalid_argument("the model's chat template refuses these messages: " + std::string(e.what()));
  }
}

}  // namespace weft::llama
