// Questions that only a person can answer. Where the client can put a form before its user the answer comes with the
// call; else the question is given back, and the model asks it.
#include "model/growth_records.h"
#include "surface/mcp/operation_call.h"
#include "surface/mcp/people.h"

namespace weft::mcp {
namespace {

constexpr std::string_view kKey = "question:";

InputNeeded form_of(const Question& question) {
  ValueObject answer{{"type", "string"}, {"title", "Answer"}};
  ValueList choices(question.choices.begin(), question.choices.end());
  if (!choices.empty()) answer.emplace_back("enum", std::move(choices));
  const std::string why = question.why.empty() ? "" : "\n(" + question.why + ")";
  return {std::string(kKey) + question.id, question.text + why,
          ValueObject{{"type", "object"},
                      {"properties", ValueObject{{"answer", std::move(answer)}}},
                      {"required", ValueList{"answer"}}}};
}

Result<Value> told(const Result<Question>& question) {
  if (!question.ok()) return question.error();
  return parse_value(to_json(*question));
}

Result<ToolAnswer> before_person(Engine& engine, const Exchange& exchange, const Question& question) {
  if (!exchange.client.asks_people) {
    WEFT_TRY(Value open, told(question));
    return ToolAnswer(std::move(open));
  }
  WEFT_TRY(auto replied, ask_person(exchange, form_of(question)));
  if (auto* needed = std::get_if<InputNeeded>(&replied)) return ToolAnswer(std::move(*needed));
  const PersonReply& reply = std::get<PersonReply>(replied);
  const std::string answer = text_of(reply.content, "answer");
  // Who declines may still be asked later: the question stays in its queue.
  if (!reply.accepted || answer.empty()) {
    WEFT_TRY(Value open, told(question));
    return ToolAnswer(std::move(open));
  }
  WEFT_TRY(Value answered, told(engine.questions(exchange.context).answer(question.id, answer)));
  return ToolAnswer(std::move(answered));
}

// The question whose answer comes with the call; nothing where none does.
Result<std::optional<Question>> asked_before(Engine& engine, const Exchange& exchange) {
  const Value* replies = exchange.params().find("inputResponses");
  if (replies == nullptr || replies->object() == nullptr || !is_stateless(exchange.client.revision))
    return std::optional<Question>();
  WEFT_TRY(const auto all, engine.questions(exchange.context).list());
  for (const auto& [key, reply] : *replies->object())
    for (const Question& one : all)
      if (key == std::string(kKey) + one.id) return std::optional(one);
  return std::optional<Question>();
}

Result<ToolAnswer> next_question(Engine& engine, const Exchange& exchange, const Value&) {
  WEFT_TRY(auto question, asked_before(engine, exchange));
  if (!question) {
    WEFT_TRY(question, engine.questions(exchange.context).next());
  }
  if (!question) return ToolAnswer(Value(ValueObject{}));
  return before_person(engine, exchange, *question);
}

Result<ToolAnswer> ask_question(Engine& engine, const Exchange& exchange, const Value& arguments) {
  WEFT_TRY(auto question, asked_before(engine, exchange));
  if (!question) {
    WEFT_TRY(const Value queued, call_operation(engine, exchange, *find_operation("ask_question"), arguments));
    WEFT_TRY(const auto all, engine.questions(exchange.context).list());
    for (const Question& one : all)
      if (one.id == text_of(queued, "id")) question = one;
    if (!question) return ToolAnswer(queued);
  }
  return before_person(engine, exchange, *question);
}

}  // namespace

std::vector<Tool> question_tools() {
  Tool next = tool_of(*find_operation("next_question"), "question_next");
  next.description =
      "The question that stands before the user now, if any; where the user can be asked, with the answer.";
  next.answer = tool_of(*find_operation("answer_question"), {}).answer;
  if (ValueObject* schema = next.answer.object())
    std::erase_if(*schema, [](const auto& member) { return member.first == "required"; });
  next.hint = ToolHint::kAdds;
  next.right = Right::kWrite;
  next.run = next_question;
  Tool ask = tool_of(*find_operation("ask_question"), "question_ask");
  ask.description =
      "Asks the user something that only they can know or decide. Waits in a queue where they cannot be asked now.";
  ask.hint = ToolHint::kAdds;
  ask.run = ask_question;
  return {next, ask, tool_of(*find_operation("answer_question"), "question_answer")};
}

}  // namespace weft::mcp
